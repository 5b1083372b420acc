import type { Board } from '../../../daemon/contract/boards.js';
import { useToast } from '../../components/toasts.js';
import { TypedDeletion } from '../../components/typed-deletion.js';
import { toDisplayText } from '../../lib/format/display-text.js';
import { useDeleteBoard } from './board-mutations.js';
import type { BoardVisit } from './board-visit.js';

interface DeleteBoardProps {
  visit: BoardVisit;
  board: Board;
  isSmall?: boolean;
  onDeleted?: () => void;
}

/** Deletes a board with its posts, irreversibly, once its hashtag was typed. */
export function DeleteBoard({ visit, board, isSmall = false, onDeleted }: DeleteBoardProps) {
  const remove = useDeleteBoard(visit, board);
  const say = useToast();
  const { slug, name, posts } = board;
  const deleteIt = () =>
    remove.mutateAsync().then(
      () => {
        say({ text: `${name} is deleted.` });
        onDeleted?.();
      },
      () => undefined, // The dialog shows the error.
    );
  return (
    <TypedDeletion
      title={`Delete ${name}`}
      word={slug}
      isMono
      isSmall={isSmall}
      label={
        <>
          Delete<span className="visually-hidden"> {toDisplayText(name)}</span>
        </>
      }
      confirmLabel="Delete board"
      failure="The board was not deleted."
      error={remove.error}
      isPending={remove.isPending}
      onDelete={() => void deleteIt()}
    >
      The board goes with{' '}
      {posts === 0 ? 'all that it holds' : posts === 1 ? 'its one post' : `its ${posts.toLocaleString('en')} posts`},
      for everybody. There is no undo.
    </TypedDeletion>
  );
}
