import { useState } from 'react';
import type { ReviewComment } from '../../../../daemon/contract/work/reviews.js';
import { Badge } from '../../../components/badge.js';
import { Button } from '../../../components/button.js';
import { PlainProse } from '../../../components/text/prose.js';
import { useToast } from '../../../components/toasts.js';
import { toDisplayText } from '../../../lib/format/display-text.js';
import { formatPlace } from '../changes-format.js';
import { useAddComment, useDeleteComment, useEditComment } from '../changes-mutations.js';
import { CommentForm } from './comment-form.js';

interface CommentViewProps {
  comment: ReviewComment;
  /** The comment is not beside its lines, so they are named and quoted. */
  isAway?: boolean;
}

/** A comment: a draft, which can be edited and deleted, or one that was sent. */
export function CommentView({ comment, isAway = false }: CommentViewProps) {
  const { conv, text, state, author } = comment;
  const [isEditing, setIsEditing] = useState(false);
  const edit = useEditComment(conv);
  const remove = useRemoveComment(comment);
  const place = formatPlace(comment);
  const who = author === null ? 'You' : toDisplayText(author);
  if (isEditing)
    return (
      <CommentForm
        place={`changes:${conv}:${comment.comment}`}
        label={`Comment on ${place}`}
        initial={text}
        submitLabel="Save"
        isBusy={edit.isPending}
        error={edit.error}
        onSave={(words, done) => edit.mutate({ comment: comment.comment, text: words }, { onSuccess: done })}
        onClose={() => setIsEditing(false)}
      />
    );
  return (
    <article className="note" aria-label={`Comment of ${who} on ${place}`}>
      <p className="noteHead">
        <strong>{who}</strong>
        {author !== null && <Badge>reviewer</Badge>}
        <Badge>{state === 'draft' ? 'draft' : 'sent'}</Badge>
        <span className="quiet small">{place}</span>
        {state === 'draft' && (
          <span className="acts">
            <Button isSmall look="quiet" onClick={() => setIsEditing(true)}>
              Edit
            </Button>
            <Button isSmall look="quiet" isBusy={remove.isPending} onClick={remove.run}>
              Delete
            </Button>
          </span>
        )}
      </p>
      {isAway && comment.quote !== '' && <pre className="quote">{toDisplayText(comment.quote)}</pre>}
      <PlainProse text={text} />
    </article>
  );
}

/** Returns a function that deletes the draft at once and offers to put it back. */
function useRemoveComment({ comment, conv, path, side, start_line, end_line, quote, text }: ReviewComment) {
  const remove = useDeleteComment(conv);
  const add = useAddComment(conv);
  const say = useToast();
  // The comment is gone when it is put back, and with it the callbacks of `mutate`.
  const putBack = () =>
    add
      .mutateAsync({
        ...{ path, quote, text },
        ...(side !== null && start_line !== null && { side, start_line, end_line: end_line ?? start_line }),
      })
      .catch((error: Error) => say({ tone: 'failed', text: `The draft was not put back. ${error.message}` }));
  const run = () =>
    remove.mutate(comment, {
      onSuccess: () => say({ text: 'Draft deleted.', action: { label: 'Undo', run: () => void putBack() } }),
      onError: (error) => say({ tone: 'failed', text: `The draft was not deleted. ${error.message}` }),
    });
  return { run, isPending: remove.isPending };
}
