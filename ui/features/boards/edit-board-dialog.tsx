import { type FormEvent, useState } from 'react';
import type { Board, BoardPatch } from '../../../daemon/contract/boards.js';
import type { Props } from '../../../daemon/contract/clusters.js';
import { Dialog, FormActions } from '../../components/dialog.js';
import { TextField } from '../../components/field.js';
import { ErrorPanel } from '../../components/states.js';
import { usePatchBoard } from './board-mutations.js';
import type { BoardVisit } from './board-visit.js';
import { newBoardProblems } from './new-board.js';
import { CharterField } from './rules/charter-field.js';
import { propsPatch, toDraft } from './rules/rules-draft.js';
import { RulesFields } from './rules/rules-fields.js';

/** Edits the name, charter and rules of a board. Only edited values are sent. */
export function EditBoardDialog({
  visit,
  board,
  room: clusterProps,
  onClose,
}: {
  visit: BoardVisit;
  board: Board;
  room: Props | null;
  onClose: () => void;
}) {
  const patch = usePatchBoard(visit, board);
  // The board as it was opened: it may change meanwhile.
  const [base] = useState(board);
  const [name, setName] = useState(base.name);
  const [about, setAbout] = useState(base.about);
  const [rules, setRules] = useState(() => toDraft(base.props));
  const [isTried, setIsTried] = useState(false);
  const found = newBoardProblems({ name, about, rules, slug: board.slug, kind: board.kind });
  const problems = isTried ? found : {};
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setIsTried(true);
    if (Object.keys(found).length > 0) return;
    const props = propsPatch(rules, base.props);
    const changed: BoardPatch = {
      ...(name.trim() !== base.name && { name: name.trim() }),
      ...(about.trim() !== base.about && { about: about.trim() }),
      ...(props && { props }),
    };
    if (Object.keys(changed).length === 0) onClose();
    else patch.mutate(changed, { onSuccess: onClose });
  };
  return (
    <Dialog title={`Edit ${board.name}`} onClose={onClose} isWide>
      <form className="stack" onSubmit={submit} noValidate>
        <TextField
          label="Name"
          autoFocus
          value={name}
          error={problems.name}
          onChange={(event) => setName(event.target.value)}
        />
        <CharterField value={about} onChange={setAbout} />
        <RulesFields draft={rules} problems={problems} onChange={setRules} room={clusterProps} />
        {patch.error && <ErrorPanel what="The board was not changed." error={patch.error} />}
        <FormActions submitLabel="Save" isBusy={patch.isPending} onClose={onClose} />
      </form>
    </Dialog>
  );
}
