import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import type { Review } from '../../../../daemon/contract/work/reviews.js';
import { Button } from '../../../components/button.js';
import { TextArea } from '../../../components/field.js';
import { ErrorPanel } from '../../../components/states.js';
import { useToast } from '../../../components/toasts.js';
import { useDraft } from '../../../lib/drafts.js';
import { countWords } from '../changes-format.js';
import { useSendReview } from '../changes-mutations.js';
import { COMMENT_MAX_CHARS } from '../limits.js';

interface ReviewBarProps {
  review: Review;
  /** The name of the member that gets the comments. */
  name: string;
  /** Why nothing can be sent. */
  problem: string | undefined;
}

/** The drafts that are not sent yet, with an introduction. They are sent together as one message. */
export function ReviewBar({ review, name, problem }: ReviewBarProps) {
  const { conv, drafts } = review;
  const [isOpen, setIsOpen] = useState(false);
  const introduction = useDraft(`changes:${conv}:introduction`, '');
  const send = useSendReview(conv);
  const say = useToast();
  const navigate = useNavigate();
  if (drafts === 0) return null;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const text = introduction.value.trim();
    send.mutate(text === '' ? {} : { text }, {
      onSuccess: () => {
        introduction.clear();
        setIsOpen(false);
        say({
          text: `Sent to ${name} as one message.`,
          action: { label: 'Open the conversation', run: () => void navigate({ to: '/talk/$conv', params: { conv } }) },
        });
      },
    });
  };
  return (
    <form className="bar" aria-label="Drafts" onSubmit={submit}>
      {isOpen && (
        <TextArea
          label="Introduction"
          rows={2}
          autoFocus
          maxLength={COMMENT_MAX_CHARS}
          value={introduction.value}
          onChange={(event) => introduction.set(event.target.value)}
        />
      )}
      {send.error && <ErrorPanel what="The comments were not sent. They are kept as drafts." error={send.error} />}
      <div className="cluster">
        <strong role="status">{countWords(drafts, 'draft')}</strong>
        <Button type="submit" look="primary" isBusy={send.isPending} reasonDisabled={problem}>
          Send to {name}
        </Button>
        {!isOpen && (
          <Button look="quiet" onClick={() => setIsOpen(true)}>
            Add an introduction
          </Button>
        )}
      </div>
    </form>
  );
}
