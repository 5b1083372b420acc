import { queryOptions, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useCallback, useRef } from 'react';
import type { Conversation } from '../../../daemon/contract/conversations.js';
import type { EventFrame } from '../../../daemon/contract/events.js';
import entry from '../../components/entry.module.css';
import { Flag } from '../../components/flag.js';
import rows from '../../components/rows.module.css';
import { StatusMark } from '../../components/status-mark.js';
import { Clock, useNow } from '../../components/time.js';
import { fetched } from '../../lib/fetched.js';
import { useFrames } from '../../lib/frames.js';
import { shownWords } from '../../lib/shown-words.js';
import { tickingWords } from '../../lib/time-words.js';
import { callWords } from './conversation-words.js';
import { conversationsKeys, readMessages } from './conversations-queries.js';
import styles from './working-turn.module.css';

const StopTurn = fetched(() => import('./stop-turn.js'));

const SHOWN_CALLS = 3;
/** A turn that says nothing for so long is said to be silent. */
const SILENT_MS = 15_000;

/** What the running turn of a conversation did last, and since when it runs. */
const workQuery = ({ conv, running, queued }: Conversation) =>
  queryOptions({
    queryKey: [...conversationsKeys.work(conv), running],
    // Behind the turn's own words stand those that wait: far enough back to reach it.
    queryFn: async () => {
      const page = await readMessages(conv, Math.min(200, queued + 2));
      const turn = page.turns.find((one) => one.turn === running);
      return { calls: page.live?.calls.slice(-SHOWN_CALLS) ?? [], since: turn?.started_at ?? null };
    },
  });

/** A running turn, live: whose, about what, its last actions, how long it runs and has been silent. */
export function WorkingTurn({ conversation, isExposed }: { conversation: Conversation; isExposed: boolean }) {
  const { conv, member, agent_type, title, permissions, updated_at } = conversation;
  const { data: work } = useQuery(workQuery(conversation));
  const now = useNow(1_000);
  const heardAt = useRef(Date.now());
  useFrames(
    useCallback(
      (frame: EventFrame) => {
        if ('conv' in frame && frame.conv === conv) heardAt.current = Date.now();
      },
      [conv],
    ),
  );
  const silent = now - heardAt.current;
  const since = work?.since ?? updated_at;
  return (
    <li className={entry.entry}>
      <span className={entry.time}>
        <Clock at={since} />
      </span>
      <Flag id={member ?? agent_type} size={24} isRaised isExposed={isExposed} />
      <div className={styles.words}>
        <Link to="/talk/$conv" params={{ conv }} className={`${rows.main} ${styles.title} truncate`} data-row="">
          {shownWords(title)}
        </Link>
        <p className={styles.who}>
          {member ?? `${agent_type} agent`}
          {silent >= SILENT_MS && permissions.length === 0 && ` · silent for ${tickingWords(silent)}`}
        </p>
        {work && work.calls.length > 0 && (
          <ul className={styles.calls} aria-label="Last actions">
            {work.calls.map((call) => (
              <li key={call.id} className="truncate">
                {callWords(call)}
                {call.state !== 'done' && ` · ${call.state}`}
              </li>
            ))}
          </ul>
        )}
      </div>
      <StatusMark word={permissions.length > 0 ? 'needs you' : 'working'} />
      <span className={entry.length}>
        <span className="mono">{tickingWords(now - Date.parse(since))}</span>
        <span className={entry.act}>
          <StopTurn conv={conv} title={shownWords(title)} />
        </span>
      </span>
      <span className={entry.last} />
    </li>
  );
}
