import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { FoundAgent } from '../../../daemon/contract/network/oracle.js';
import { buttonClass } from '../../components/button.js';
import rows from '../../components/rows.module.css';
import { Section } from '../../components/section.js';
import { toDisplayText } from '../../lib/format/display-text.js';
import { AgentFlag } from '../agents/agent-flag.js';
import styles from './find.module.css';
import { elsewhereQuery } from './find-queries.js';
import { FoundTerms } from './find-row.js';
import type { FindSearch } from './find-search.js';

/** What the search finds in the user's other running projects. Nothing is drawn when that is nothing. */
export function FoundElsewhere({ search }: { search: FindSearch }) {
  const agents = useQuery(elsewhereQuery(search)).data?.agents ?? [];
  if (agents.length === 0) return null;
  return (
    <Section title="In your other projects">
      <ul className={rows.rows} aria-label="Found in your other projects">
        {agents.map((agent, at) => (
          <ElsewhereRow key={agent.call} agent={agent} place={at + 1} />
        ))}
      </ul>
    </Section>
  );
}

function ElsewhereRow({ agent, place }: { agent: FoundAgent; place: number }) {
  const { agent_id, call = agent_id, description, online } = agent;
  return (
    <li className={styles.row}>
      <span className={styles.place}>{place}</span>
      <AgentFlag id={call} isRaised={online} />
      <div className={styles.pitch}>
        <p>
          <Link to="/agents/$id" params={{ id: call }} className={rows.main} data-row="">
            {toDisplayText(call)}
          </Link>
        </p>
        {description !== null && <p className={styles.description}>{toDisplayText(description)}</p>}
      </div>
      <FoundTerms agent={agent} />
      <p className={styles.acts}>
        <Link to="/agents/$id" params={{ id: call }} hash="call" className={buttonClass('quiet', true)}>
          Ask<span className="visually-hidden">: {toDisplayText(call)}</span>
        </Link>
      </p>
    </li>
  );
}
