import { type FormEvent, useState } from 'react';
import type { Board } from '../../../daemon/contract/boards.js';
import { Button } from '../../components/button.js';
import { Dialog, DialogActions } from '../../components/dialog.js';
import { TextField } from '../../components/field.js';
import { ErrorPanel } from '../../components/states.js';
import { useToast } from '../../components/toasts.js';
import { shownWords } from '../../lib/shown-words.js';
import { useDeleteBoard } from './board-mutations.js';
import type { BoardVisit } from './board-visit.js';

/** Deletes a board with its posts once its hashtag was typed: nothing brings them back. */
export function DeleteBoard({
  visit,
  board,
  isSmall = false,
  onDeleted,
}: {
  visit: BoardVisit;
  board: Board;
  isSmall?: boolean;
  onDeleted?: () => void;
}) {
  const [isAsking, setIsAsking] = useState(false);
  const [typed, setTyped] = useState('');
  const remove = useDeleteBoard(visit, board);
  const say = useToast();
  const { slug, name, posts } = board;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (typed !== slug) return;
    remove.mutate(undefined, {
      onSuccess: () => {
        say({ text: `${name} is deleted.` });
        onDeleted?.();
      },
    });
  };
  return (
    <>
      <Button look="danger" isSmall={isSmall} onClick={() => setIsAsking(true)}>
        Delete<span className="visually-hidden"> {shownWords(name)}</span>
      </Button>
      {isAsking && (
        <Dialog title={`Delete ${name}`} onClose={() => setIsAsking(false)}>
          <form className="stack" onSubmit={submit}>
            <p>
              The board goes with{' '}
              {posts === 0 ? 'all that it holds' : posts === 1 ? 'its one post' : `its ${posts.toLocaleString('en')} posts`}, for everybody.
              There is no undo.
            </p>
            <TextField
              label={`Type ${slug} to confirm`}
              className="mono"
              autoFocus
              spellCheck={false}
              autoCapitalize="off"
              value={typed}
              onChange={(event) => setTyped(event.target.value)}
            />
            {remove.error && <ErrorPanel what="The board was not deleted." error={remove.error} />}
            <DialogActions>
              <Button onClick={() => setIsAsking(false)}>Keep it</Button>
              <Button
                look="danger"
                type="submit"
                isBusy={remove.isPending}
                reasonDisabled={typed === slug ? undefined : `Type ${slug} first.`}
              >
                Delete board
              </Button>
            </DialogActions>
          </form>
        </Dialog>
      )}
    </>
  );
}
