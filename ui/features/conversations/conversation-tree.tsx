import { queryOptions, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Conversation, ConversationList } from '../../../daemon/contract/conversations.js';
import { Section } from '../../components/section.js';
import { call, query } from '../../lib/api.js';
import { toDisplayText } from '../../lib/format/display-text.js';
import styles from './conversation-page.module.css';
import { conversationsKeys } from './conversations-queries.js';

const ASKED = 50;

/** The conversations that turns of this one asked, the newest first. Read again with all lists of conversations. */
const askedQuery = (conv: string) =>
  queryOptions({
    queryKey: [...conversationsKeys.lists, 'asked', conv],
    queryFn: ({ signal }) =>
      call<ConversationList>(`/conversations${query({ parent: conv, limit: ASKED })}`, { signal }),
  });

/** The state of an asked conversation in a word; nothing once it was answered. */
function formatState({ permissions, running, queued, last_outcome }: Conversation): string {
  if (permissions.length > 0) return 'needs you';
  if (running !== null) return 'working';
  if (queued > 0) return 'queued';
  return last_outcome === null || last_outcome === 'answered' ? '' : last_outcome.replaceAll('_', ' ');
}

/** The conversation whose member asked this one, and those that its own member has asked. */
export function ConversationTree({ conversation: { conv, parent } }: { conversation: Conversation }) {
  const asked = useQuery(askedQuery(conv)).data;
  const hasMore = asked?.next_cursor !== null;
  return (
    <>
      {parent && (
        <Section title="Asked by">
          <ul className={styles.files}>
            <Branch conv={parent.conv} member={parent.member} title={parent.title} />
          </ul>
        </Section>
      )}
      {asked && asked.count > 0 && (
        <Section title="Asked" count={hasMore ? `the newest ${asked.count}` : String(asked.count)}>
          <ul className={styles.files} aria-label="Asked conversations">
            {asked.conversations.map((child) => (
              <Branch
                key={child.conv}
                conv={child.conv}
                member={child.member}
                title={child.title}
                state={formatState(child)}
              />
            ))}
          </ul>
        </Section>
      )}
    </>
  );
}

interface BranchProps {
  conv: string;
  member: string | null;
  title: string;
  state?: string;
}

function Branch({ conv, member, title, state = '' }: BranchProps) {
  return (
    <li>
      <Link to="/talk/$conv" params={{ conv }}>
        {toDisplayText(title)}
      </Link>{' '}
      <span className="small quiet">{[member ?? 'no member', state].filter(Boolean).join(', ')}</span>
    </li>
  );
}
