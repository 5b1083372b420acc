import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { RequestRow as Row } from '../../../daemon/contract/asks.js';
import type { Conversation } from '../../../daemon/contract/conversations.js';
import { Loaded } from '../../components/loaded.js';
import rows from '../../components/rows.module.css';
import { Section } from '../../components/section.js';
import { recentRequestsQuery } from '../../features/asks/asks-queries.js';
import { RequestRow } from '../../features/asks/request-row.js';
import { WorkingAction } from '../../features/conversations/list/working-action.js';
import { WorkingTurn } from '../../features/conversations/list/working-turn.js';
import { isLive } from '../needs-you.js';
import styles from './desk.module.css';

const ANSWERED = 6;

interface UnderwayProps {
  /** Conversations with a running turn. */
  talks: Conversation[];
  exposed: ReadonlySet<string>;
}

/** What is running, and what was answered last. */
export function Underway({ talks, exposed }: UnderwayProps) {
  const requests = useQuery(recentRequestsQuery());
  return (
    <Loaded query={requests} what="The requests could not be read." rows={6}>
      {(data) => <UnderwayLists requests={data} talks={talks} exposed={exposed} />}
    </Loaded>
  );
}

function UnderwayLists({ requests, talks, exposed }: UnderwayProps & { requests: Row[] }) {
  const working = requests.filter((request) => isLive(request) && request.status !== 'needs_input');
  const answered = requests.filter((request) => request.status === 'done').slice(0, ANSWERED);
  return (
    <>
      <Section title="Working now" count={working.length + talks.length}>
        {working.length + talks.length === 0 ? (
          <p className={styles.quietLine}>Nothing is running.</p>
        ) : (
          <ul className={rows.rows}>
            {talks.map((conversation) => (
              <WorkingTurn
                key={conversation.conv}
                conversation={conversation}
                isExposed={exposed.has(conversation.member ?? '')}
              />
            ))}
            {working.map((request) => (
              <RequestRow
                key={request.request_id}
                request={request}
                isExposed={exposed.has(request.member)}
                doing={request.status === 'running' && <WorkingAction conv={request.conv} />}
              />
            ))}
          </ul>
        )}
      </Section>
      <Section title="Recently answered" actions={<Link to="/requests">All requests</Link>}>
        {answered.length === 0 ? (
          <p className={styles.quietLine}>No answers yet.</p>
        ) : (
          <ul className={rows.rows}>
            {answered.map((request) => (
              <RequestRow key={request.request_id} request={request} isExposed={exposed.has(request.member)} />
            ))}
          </ul>
        )}
      </Section>
    </>
  );
}
