import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Section } from '../../components/section.js';
import { CodeBlock } from '../../components/text/code-block.js';
import styles from './agent.module.css';
import { agentCalls } from './agent-calls.js';
import { publicCardQuery } from './agents-queries.js';
import type { Records } from './surface-format.js';

/**
 * The commands with which a program calls the agent. For a member of this project, links to the member's API access,
 * which has the token and the commands.
 */
export function AgentCallsPanel({
  agentId,
  records: { hub, v1 },
  member,
}: {
  agentId: string;
  records: Records;
  member: string | undefined;
}) {
  const card = useQuery(publicCardQuery(agentId)).data?.card ?? undefined;
  const tier1 = hub?.agent_card ?? v1?.agent_card;
  const calls = agentCalls({
    agentId,
    origin: window.location.origin,
    endpoint: member === undefined ? (tier1?.endpoint ?? v1?.endpoint ?? undefined) : undefined,
    protocols: tier1?.protocols ?? [],
    card,
  });
  return (
    <Section title="How to call it">
      <div className={styles.card}>
        <div className="stack">
          {member !== undefined && (
            <p>
              It is the member{' '}
              <Link to="/team/$id" params={{ id: member }} search={{ tab: 'access' }}>
                {member}
              </Link>{' '}
              of this project. Its API access has the token and the commands.
            </p>
          )}
          {calls.map(({ said, command }) => (
            <CodeBlock key={said} label={said} text={command} wraps />
          ))}
        </div>
      </div>
    </Section>
  );
}
