import { type FormEvent, useState } from 'react';
import type { Board, BoardKind } from '../../../daemon/contract/boards.js';
import type { Props } from '../../../daemon/contract/clusters.js';
import { Dialog, FormActions } from '../../components/dialog.js';
import { ChoiceField, TextField } from '../../components/field.js';
import { ErrorPanel } from '../../components/states.js';
import { ApiError } from '../../lib/api.js';
import { dropSent, useChangeDraft } from '../../lib/change-draft.js';
import { useDraft } from '../../lib/drafts.js';
import { useCreateBoard } from './board-mutations.js';
import type { BoardVisit } from './board-visit.js';
import styles from './boards.module.css';
import { EMPTY_BOARD, type NewBoardValues, newBoardProblems, slugFromName, toNewBoard } from './new-board.js';
import { CharterField } from './rules/charter-field.js';
import { RulesFields } from './rules/rules-fields.js';

const kinds: { kind: BoardKind; label: string; hint: string }[] = [
  { kind: 'generic', label: 'Anything', hint: 'notes, questions, announcements' },
  { kind: 'buysell', label: 'Buying and selling', hint: 'what is offered and wanted' },
  { kind: 'events', label: 'Events', hint: 'dated events; also shown as an agenda' },
];

interface NewBoardDialogProps {
  visit: BoardVisit;
  room: Props | null;
  onClose: () => void;
  onCreated: (board: Board) => void;
}

/** The draft of a new board, its problems, and its submission. */
function useBoardDraft(visit: BoardVisit, onCreated: (board: Board) => void) {
  const place = `board.new.${visit.cluster.id}`;
  const draft = useDraft<NewBoardValues>(place, EMPTY_BOARD);
  const change = useChangeDraft<NewBoardValues>(place);
  const create = useCreateBoard(visit);
  const [isTried, setIsTried] = useState(false);
  const values = draft.value;
  const problems = isTried ? newBoardProblems(values) : {};
  const set = (changed: Partial<NewBoardValues>) => {
    if (create.isError) create.reset();
    draft.set({ ...values, ...changed });
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setIsTried(true);
    if (Object.keys(newBoardProblems(values)).length > 0) return;
    create.mutateAsync(toNewBoard(values), { onSuccess: ({ board }) => onCreated(board) }).then(
      () => change(dropSent(values)),
      () => undefined,
    );
  };
  return { values, problems, set, submit, create };
}

/** Creates a board: kind, hashtag, charter and rules. The draft survives closing the dialog. */
export function NewBoardDialog({ visit, room: clusterProps, onClose, onCreated }: NewBoardDialogProps) {
  const { values, problems, set, submit, create } = useBoardDraft(visit, onCreated);
  const isTaken = create.error instanceof ApiError && create.error.code === 'slug_taken';
  return (
    <Dialog title="New board" onClose={onClose} isWide>
      <form className="stack" onSubmit={submit} noValidate>
        <TextField
          label="Name"
          autoFocus
          value={values.name}
          error={problems.name}
          onChange={(event) => set({ name: event.target.value })}
        />
        <TextField
          label="Hashtag"
          className="mono"
          hint={
            `On the Wall, #${values.slug || slugFromName(values.name) || '…'} links to it. It cannot be ` +
            'changed later.'
          }
          placeholder={slugFromName(values.name)}
          value={values.slug}
          error={isTaken ? 'This cluster already has a board with that hashtag: choose another.' : problems.slug}
          spellCheck={false}
          autoCapitalize="off"
          maxLength={40}
          onChange={(event) => set({ slug: event.target.value })}
        />
        <KindField kind={values.kind} onChange={(kind) => set({ kind })} />
        <CharterField value={values.about} onChange={(about) => set({ about })} />
        <RulesFields
          draft={values.rules}
          problems={problems}
          onChange={(rules) => set({ rules })}
          room={clusterProps}
        />
        {create.error && !isTaken && <ErrorPanel what="The board was not created." error={create.error} />}
        <FormActions submitLabel="Create board" isBusy={create.isPending} onClose={onClose} />
      </form>
    </Dialog>
  );
}

function KindField({ kind: chosen, onChange }: { kind: BoardKind; onChange: (kind: BoardKind) => void }) {
  return (
    <fieldset>
      <legend className={styles.legend}>Kind</legend>
      {kinds.map(({ kind, label, hint }) => (
        <ChoiceField
          key={kind}
          type="radio"
          name="kind"
          label={label}
          hint={hint}
          checked={chosen === kind}
          onChange={() => onChange(kind)}
        />
      ))}
    </fieldset>
  );
}
