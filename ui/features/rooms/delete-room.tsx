import { type FormEvent, useState } from 'react';
import type { RoomDetail } from '../../../daemon/contract/rooms.js';
import { Button } from '../../components/button.js';
import { Dialog, DialogActions } from '../../components/dialog.js';
import { TextField } from '../../components/field.js';
import { ErrorPanel } from '../../components/states.js';
import { useToast } from '../../components/toasts.js';
import { shownWords } from '../../lib/shown-words.js';
import { useDeleteCluster } from './room-mutations.js';

/** Deletes a room for everybody once its name was typed. */
export function DeleteRoom({ room, onDeleted }: { room: RoomDetail; onDeleted: () => void }) {
  const [isAsking, setIsAsking] = useState(false);
  const [typed, setTyped] = useState('');
  const remove = useDeleteCluster(room);
  const say = useToast();
  const name = room.name.trim();
  const isRight = typed.trim() === name;
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (!isRight || remove.isPending) return;
    try {
      await remove.mutateAsync();
    } catch {
      // The dialog shows why.
      return;
    }
    // The page may have heard of it before this: what follows must not hang on the life of the dialog.
    say({ text: `${name} is deleted.` });
    onDeleted();
  };
  return (
    <>
      <Button look="danger" onClick={() => setIsAsking(true)}>
        Delete the room
      </Button>
      {isAsking && (
        <Dialog title={`Delete ${name}`} onClose={() => setIsAsking(false)}>
          <form className="stack" onSubmit={(event) => void submit(event)}>
            <p>Everybody in it is sent away now, and its boards and posts are wiped. This cannot be undone, by nobody.</p>
            <TextField
              label={`Type ${name} to confirm`}
              spellCheck={false}
              autoCapitalize="off"
              value={typed}
              onChange={(event) => setTyped(event.target.value)}
            />
            {remove.error && <ErrorPanel what="The room was not deleted." error={remove.error} />}
            <DialogActions>
              <Button onClick={() => setIsAsking(false)}>Keep it</Button>
              <Button
                look="danger"
                type="submit"
                isBusy={remove.isPending}
                reasonDisabled={isRight ? undefined : `Type ${shownWords(name)} first.`}
              >
                Delete for everybody
              </Button>
            </DialogActions>
          </form>
        </Dialog>
      )}
    </>
  );
}
