import { useState } from 'react';
import type { Member } from '../../../../daemon/contract/team.js';
import { Button } from '../../../components/button.js';
import { useToast } from '../../../components/toasts.js';
import { TypedDeletion } from '../../../components/typed-deletion.js';
import { toDisplayText } from '../../../lib/format/display-text.js';
import { useDeleteMembers } from '../team-mutations.js';
import { ChangeMembersDialog } from './change-members-dialog.js';
import { countMembers } from './count-members.js';

interface SelectionActionsProps {
  /** At least one. */
  members: readonly Member[];
  onClear: () => void;
}

/** What can be done with the selected members at once. */
export function SelectionActions({ members, onClear }: SelectionActionsProps) {
  const [isChanging, setIsChanging] = useState(false);
  return (
    <div className="actions">
      <span role="status">{members.length} selected</span>
      <Button isSmall onClick={() => setIsChanging(true)}>
        Change
      </Button>
      <DeleteMembers members={members} onDeleted={onClear} />
      <Button isSmall look="quiet" onClick={onClear}>
        Clear
      </Button>
      {isChanging && <ChangeMembersDialog members={members} onClose={() => setIsChanging(false)} />}
    </div>
  );
}

function DeleteMembers({ members, onDeleted }: { members: readonly Member[]; onDeleted: () => void }) {
  const remove = useDeleteMembers();
  const say = useToast();
  const kept = members.filter(({ kind }) => kind === 'singleton').map(({ name }) => toDisplayText(name));
  const words = countMembers(members.length);
  const tokens = members.filter(({ token_last4 }) => token_last4 !== undefined).length;
  // Settles after the dialog is gone: what was selected is no longer there.
  const submit = () =>
    remove.mutateAsync(members.map(({ id }) => id)).then(
      () => {
        say({ text: `${words} deleted.` });
        onDeleted();
      },
      // The dialog shows the error.
      () => undefined,
    );
  return (
    <TypedDeletion
      title={`Delete ${words}`}
      word={`delete ${members.length}`}
      label="Delete"
      isSmall
      reasonDisabled={
        kept.length > 0
          ? `${kept.join(', ')} cannot be deleted, as the project relies on a member of the kind singleton. Leave ${kept.length === 1 ? 'it' : 'them'} out.`
          : undefined
      }
      confirmLabel="Delete"
      failure="Not every member was deleted."
      error={remove.error}
      isPending={remove.isPending}
      onDelete={() => void submit()}
    >
      The files of {members.map(({ id }) => id).join(', ')} are removed
      {tokens > 0 && `, and ${tokens === 1 ? 'one token stops' : `${tokens} tokens stop`} working`}. Their requests stay
      readable.
    </TypedDeletion>
  );
}
