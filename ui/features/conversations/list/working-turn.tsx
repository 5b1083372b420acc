import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Conversation } from '../../../../daemon/contract/conversations.js';
import entry from '../../../components/entry.module.css';
import rows from '../../../components/rows.module.css';
import { StatusMark } from '../../../components/status-mark.js';
import { Flag } from '../../../components/text/flag.js';
import { Clock } from '../../../components/text/time.js';
import { fetched } from '../../../lib/fetched.js';
import { toDisplayText } from '../../../lib/format/display-text.js';
import { formatElapsed } from '../../../lib/format/time-format.js';
import { useNow } from '../../../lib/use-now.js';
import { formatCall } from '../conversation-format.js';
import { workQuery } from './working-query.js';
import { useSilence } from './working-silence.js';
import styles from './working-turn.module.css';

const StopTurn = fetched(() => import('../transcript/stop-turn.js'));

/** A running turn: member, title, last tool calls, and how long it has been running and silent. */
export function WorkingTurn({ conversation, isExposed }: { conversation: Conversation; isExposed: boolean }) {
  const { conv, member, agent_type, title, permissions, updated_at } = conversation;
  const { data: work } = useQuery(workQuery(conversation));
  const now = useNow(1_000);
  const silence = useSilence(conv, now);
  const since = work?.since ?? updated_at;
  return (
    <li className={entry.entry}>
      <span className={entry.time}>
        <Clock at={since} />
      </span>
      <Flag id={member ?? agent_type} size={24} isRaised isExposed={isExposed} />
      <div className={styles.words}>
        <Link to="/talk/$conv" params={{ conv }} className={`${rows.main} ${styles.title} truncate`} data-row="">
          {toDisplayText(title)}
        </Link>
        <p className={styles.who}>
          {member ?? `${agent_type} agent`}
          {silence && permissions.length === 0 && ` · ${silence}`}
        </p>
        {work && work.calls.length > 0 && (
          <ul className={styles.calls} aria-label="Last actions">
            {work.calls.map((call) => (
              <li key={call.id} className="truncate">
                {formatCall(call)}
                {call.state !== 'done' && ` · ${call.state}`}
              </li>
            ))}
          </ul>
        )}
      </div>
      <StatusMark word={permissions.length > 0 ? 'needs you' : 'working'} />
      <span className={entry.length}>
        <span className="mono">{formatElapsed(now - Date.parse(since))}</span>
      </span>
      <span className={entry.act}>
        <StopTurn conv={conv} title={toDisplayText(title)} />
      </span>
    </li>
  );
}
