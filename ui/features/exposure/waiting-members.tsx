import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Member } from '../../../daemon/contract/team.js';
import { Button, buttonClass } from '../../components/button.js';
import { ErrorPanel } from '../../components/states.js';
import { useToast } from '../../components/toasts.js';
import { toDisplayText } from '../../lib/format/display-text.js';
import { useExposeMembers, useKeepInternal } from './exposure-queries.js';
import styles from './waiting-members.module.css';

/** How many members are listed at once. */
const LISTED = 8;

interface WaitingMembersProps {
  members: readonly Member[];
  /** The others are listed on request; where the card is one of several, it links to the team's page instead. */
  isWhole?: boolean;
}

/**
 * The members that the repository's files expose and that stay internal until the operator agrees: one card for all,
 * with the decision buttons.
 */
export function WaitingMembers({ members, isWhole = false }: WaitingMembersProps) {
  const say = useToast();
  const expose = useExposeMembers((ids) =>
    say({ text: `Exposed: ${ids.join(', ')}. Programs on this machine that have a token can ask.` }),
  );
  const keep = useKeepInternal((ids) => say({ text: `Kept internal: ${ids.join(', ')}.` }));
  const ids = members.map(({ id }) => id);
  const isOne = ids.length === 1;
  const isBusy = expose.isPending || keep.isPending;
  const error = expose.error ?? keep.error;
  const [listed, others] = [members.slice(0, LISTED), members.slice(LISTED)];
  const toRow = (member: Member) => (
    <WaitingMember
      key={member.id}
      member={member}
      isBusy={isBusy}
      onExpose={() => expose.mutate([member.id])}
      onKeep={() => keep.mutate([member.id])}
    />
  );
  return (
    <div className={styles.card}>
      <p>
        <strong>
          This repository exposes {isOne ? 'a member' : `${ids.length} members`} to other programs:{' '}
          {listed.map(({ id }) => id).join(', ')}
          {others.length > 0 && ` and ${others.length} more`}.
        </strong>{' '}
        {isOne ? 'It stays' : 'They stay'} internal until you approve. Review {isOne ? 'its prompt' : 'their prompts'}{' '}
        first.
      </p>
      <ul className={styles.members} aria-label="Members that need your approval">
        {listed.map(toRow)}
      </ul>
      {isWhole && others.length > 0 && <MoreMembers count={others.length}>{others.map(toRow)}</MoreMembers>}
      {!isOne && (
        <div className="cluster">
          {!isWhole && others.length > 0 && (
            <Link to="/team" className={buttonClass()}>
              Show all {ids.length}
            </Link>
          )}
          <Button isBusy={isBusy} onClick={() => expose.mutate(ids)}>
            Expose all {ids.length}
          </Button>
          <Button isBusy={isBusy} onClick={() => keep.mutate(ids)}>
            Keep all internal
          </Button>
        </div>
      )}
      {error && <ErrorPanel what="Not every member was exposed or kept internal." error={error} />}
    </div>
  );
}

function MoreMembers({ count, children }: { count: number; children: ReactNode }) {
  return (
    <details>
      <summary>{count} more</summary>
      <ul className={styles.members} aria-label="More members that need your approval">
        {children}
      </ul>
    </details>
  );
}

interface WaitingMemberProps {
  member: Member;
  isBusy: boolean;
  onExpose: () => void;
  onKeep: () => void;
}

function WaitingMember({ member: { id, name }, isBusy, onExpose, onKeep }: WaitingMemberProps) {
  return (
    <li>
      <span className={styles.name}>
        {toDisplayText(name)} <span className="mono small quiet">{id}</span>
      </span>
      <span className="cluster">
        <Link to="/team/$id" params={{ id }} className={buttonClass('secondary', true)} aria-label={`Review ${id}`}>
          Review
        </Link>
        <Button isSmall isBusy={isBusy} aria-label={`Expose ${id}`} onClick={onExpose}>
          Expose
        </Button>
        <Button isSmall isBusy={isBusy} aria-label={`Keep ${id} internal`} onClick={onKeep}>
          Keep internal
        </Button>
      </span>
    </li>
  );
}
