import { Link } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import type { Review } from '../../../../daemon/contract/work/reviews.js';
import { Button } from '../../../components/button.js';
import { useToast } from '../../../components/toasts.js';
import { toDisplayText } from '../../../lib/format/display-text.js';
import { useClosing } from '../../../lib/use-closing.js';
import { useAskReview } from '../changes-mutations.js';

/** Asks one of the reviewing members for a review. Its comments arrive as drafts. */
export function AskReviewMenu({ review, problem }: { review: Review; problem: string | undefined }) {
  const { conv, reviewers } = review;
  const [isOpen, setIsOpen] = useState(false);
  const place = useRef<HTMLDivElement>(null);
  const ask = useAskReview(conv);
  const say = useToast();
  useClosing(place, isOpen, setIsOpen);
  const choose = ({ id, name }: Review['reviewers'][number]) => {
    setIsOpen(false);
    place.current?.querySelector('button')?.focus();
    ask.mutate(
      { member: id },
      {
        onSuccess: () => say({ text: `${name} reviews the changes. Its comments arrive as drafts.` }),
        onError: (error) => say({ tone: 'failed', text: `${name} was not asked. ${error.message}` }),
      },
    );
  };
  const why = problem ?? (reviewers.length === 0 ? 'No member of the team reviews.' : undefined);
  return (
    <div ref={place} className="menu">
      <Button isBusy={ask.isPending} reasonDisabled={why} aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
        Ask for a review
      </Button>
      {isOpen && (
        <ul className="menuList" aria-label="Reviewers">
          {reviewers.map((reviewer) => (
            <li key={reviewer.id}>
              <Button look="quiet" onClick={() => choose(reviewer)}>
                {toDisplayText(reviewer.name)}
              </Button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

const STATES = {
  running: 'reviews the changes',
  done: 'has reviewed the changes',
  failed: 'could not review',
} as const;

/** The reviews that were asked for, newest first. */
export function AskedReviews({ asked, names }: { asked: Review['asked']; names: ReadonlyMap<string, string> }) {
  if (asked.length === 0) return null;
  return (
    <ul className="asked" aria-label="Reviews that were asked for">
      {asked.map(({ conv, member, state, reason }) => (
        <li key={conv}>
          <Link to="/talk/$conv" params={{ conv }}>
            {toDisplayText(names.get(member) ?? member)}
          </Link>{' '}
          {STATES[state]}.{reason !== null && ` ${toDisplayText(reason)}`}
        </li>
      ))}
    </ul>
  );
}
