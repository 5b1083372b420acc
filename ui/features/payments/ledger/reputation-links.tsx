import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { AgentEarnings, Call } from '../../../../daemon/contract/payments.js';
import { Section } from '../../../components/section.js';
import { toDisplayText } from '../../../lib/format/display-text.js';
import { AgentFlag } from '../../agents/agent-flag.js';
import { registrationsQuery } from '../../agents/agents-queries.js';
import { listAgentIds } from '../../agents/self-registration-format.js';
import { reputationQuery } from '../../reputation/reputation-queries.js';
import styles from '../payments.module.css';
import { callsQuery } from '../payments-queries.js';

const SHOWN = 6;
const AGENT_ID = /^[A-Za-z0-9][A-Za-z0-9_-]{2,63}$/;

/** Links to the signed logs of the agents that this daemon has called, and of its own agents that earn. */
export function ReputationLinks({ tills: earnings }: { tills: AgentEarnings[] }) {
  const registrations = useQuery(registrationsQuery()).data?.registrations ?? [];
  const calls = useQuery(callsQuery()).data ?? [];
  const received = registrations
    .filter(({ member }) => earnings.some(({ agent }) => agent === member))
    .flatMap((registration) => listAgentIds(registration));
  const own = new Set(
    registrations.flatMap((registration) => listAgentIds(registration)).map(({ agentId }) => agentId),
  );
  const filed = calledAgents(calls).filter((agent) => !own.has(agent));
  return (
    <Section title="Reputation">
      <Group
        title="Received"
        none="No agent of this daemon has been paid yet."
        agents={received.map(({ agentId }) => agentId)}
      />
      <Group title="Filed" none="A signed report is filed after a call to another agent. None yet." agents={filed} />
    </Section>
  );
}

const calledAgents = (calls: Call[]) => [
  ...new Set(calls.filter(({ state, agent }) => state === 'done' && AGENT_ID.test(agent)).map(({ agent }) => agent)),
];

function Group({ title, none, agents }: { title: string; none: string; agents: string[] }) {
  return (
    <div className={styles.earnings}>
      <h3>{title}</h3>
      {agents.length === 0 ? (
        <p className="quiet">{none}</p>
      ) : (
        <ul>
          {agents.slice(0, SHOWN).map((agent) => (
            <li key={agent} className="cluster">
              <AgentFlag id={agent} size={16} />
              <Link to="/agents/$id" params={{ id: agent }}>
                {toDisplayText(agent)}
              </Link>
              <Score agent={agent} />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function Score({ agent }: { agent: string }) {
  const { data } = useQuery(reputationQuery(agent));
  if (!data) return null;
  return (
    <span className="quiet small">
      {data.score === null
        ? 'not yet rated'
        : `${data.score.toFixed(2)} from ${data.reports} ${data.reports === 1 ? 'report' : 'reports'}`}
    </span>
  );
}
