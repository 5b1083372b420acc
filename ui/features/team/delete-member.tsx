import { type FormEvent, useState } from 'react';
import type { MemberDetail } from '../../../daemon/contract/team.js';
import { Button } from '../../components/button.js';
import { Dialog, DialogActions } from '../../components/dialog.js';
import { TextField } from '../../components/field.js';
import { ErrorPanel } from '../../components/states.js';
import { useToast } from '../../components/toasts.js';
import { call } from '../../lib/api.js';
import { shownWords } from '../../lib/shown-words.js';
import { useBringBackMember, useDeleteMember } from './team-mutations.js';

/** Deletes a member once its name was typed, and can bring the file back for ten seconds. Singletons are protected. */
export function DeleteMember({ member, onDeleted }: { member: MemberDetail; onDeleted: () => void }) {
  const [isAsking, setIsAsking] = useState(false);
  const [typed, setTyped] = useState('');
  const remove = useDeleteMember();
  const bringBack = useBringBackMember();
  const say = useToast();
  const isProtected = member.kind === 'singleton';

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (typed !== member.id) return;
    // The text is read first: after the deletion nobody has it any more.
    const file = await call<{ text: string }>(`/team/${encodeURIComponent(member.id)}/file`).catch(() => undefined);
    try {
      await remove.mutateAsync(member.id);
    } catch {
      // The dialog shows why.
      return;
    }
    // From here on this component may be gone: what follows must not hang on its life.
    const undo = () =>
      bringBack.mutateAsync({ member, text: file?.text ?? '' }).then(
        () => say({ text: `${member.name} is back${member.exposure === 'external' ? ', with a new token' : ''}.` }),
        () => say({ text: `${member.name} could not be brought back.`, tone: 'failed' }),
      );
    say({ text: `${member.name} is deleted.`, ...(file ? { action: { label: 'Undo', run: () => void undo() } } : {}) });
    onDeleted();
  };
  return (
    <>
      <Button
        look="danger"
        reasonDisabled={
          isProtected
            ? `${shownWords(member.name)} is a singleton: the roster keeps it. Disable what it does by closing its door.`
            : undefined
        }
        onClick={() => setIsAsking(true)}
      >
        Delete
      </Button>
      {isAsking && (
        <Dialog title={`Delete ${member.name}`} onClose={() => setIsAsking(false)}>
          <form className="stack" onSubmit={(event) => void submit(event)}>
            <p>
              The file .mesh/team/{member.id}.md is removed
              {member.exposure === 'external' ? ' and its token dies: no program can ask it any more' : ''}. Its requests stay readable.
            </p>
            <TextField
              label={`Type ${member.id} to confirm`}
              className="mono"
              autoFocus
              spellCheck={false}
              autoCapitalize="off"
              value={typed}
              onChange={(event) => setTyped(event.target.value)}
            />
            {remove.error && <ErrorPanel what="The member was not deleted." error={remove.error} />}
            <DialogActions>
              <Button onClick={() => setIsAsking(false)}>Keep it</Button>
              <Button
                look="danger"
                type="submit"
                isBusy={remove.isPending}
                reasonDisabled={typed === member.id ? undefined : `Type ${member.id} first.`}
              >
                Delete
              </Button>
            </DialogActions>
          </form>
        </Dialog>
      )}
    </>
  );
}
