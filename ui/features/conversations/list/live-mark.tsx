import { Link } from '@tanstack/react-router';
import type { Conversation } from '../../../../daemon/contract/conversations.js';
import type { Member } from '../../../../daemon/contract/team.js';
import { Badge } from '../../../components/badge.js';
import { StatusMark } from '../../../components/status-mark.js';
import { toDisplayText } from '../../../lib/format/display-text.js';
import styles from './live-mark.module.css';

interface LiveMarkProps {
  member: Member;
  /** Its conversations with a running turn. */
  running: readonly Conversation[];
}

/**
 * Whether a member is working or waits for the operator, with links to its conversations, and how many more
 * conversations it has.
 */
export function LiveMark({ member, running }: LiveMarkProps) {
  // When one waits for the operator, only that one is shown.
  const shown = running.some(isAsking) ? 1 : running.length;
  const more = member.instances - shown;
  const conversations = more === 1 ? 'conversation' : 'conversations';
  return (
    <>
      <WorkMark member={member} running={running} />
      {more > 0 && (
        <Badge tone="well">
          {more} {shown === 0 ? conversations : 'more'}
          {shown > 0 && <span className="visually-hidden"> {conversations}</span>}
        </Badge>
      )}
    </>
  );
}

const isAsking = ({ permissions }: Conversation) => permissions.length > 0;

function WorkMark({ member, running }: LiveMarkProps) {
  const asking = running.find(isAsking);
  const shown = asking ?? running[0];
  if (!shown) return null;
  const mark = <StatusMark word={asking ? 'needs you' : 'working'} />;
  if (running.length > 1 && !asking) {
    return (
      <Link to="/team/$id" params={{ id: member.id }} search={{ tab: 'talk' }} className={styles.live}>
        {mark} in {running.length}
        <span className="visually-hidden"> conversations</span>
      </Link>
    );
  }
  const title = toDisplayText(shown.title);
  return (
    <Link to="/talk/$conv" params={{ conv: shown.conv }} className={styles.live} title={title}>
      {mark}
      <span className="visually-hidden"> in “{title}”</span>
    </Link>
  );
}
