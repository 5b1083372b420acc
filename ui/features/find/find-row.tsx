import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { memo, type ReactNode } from 'react';
import type { FoundAgent } from '../../../daemon/contract/network/oracle.js';
import { Badge } from '../../components/badge.js';
import { buttonClass } from '../../components/button.js';
import { Meter } from '../../components/meter.js';
import { PresenceMark } from '../../components/presence-mark.js';
import rows from '../../components/rows.module.css';
import { CopyButton } from '../../components/text/copy-button.js';
import { Icon } from '../../components/text/icon.js';
import { toDisplayText } from '../../lib/format/display-text.js';
import { AgentFlag } from '../agents/agent-flag.js';
import { publicCardQuery } from '../agents/agents-queries.js';
import { Price } from '../agents/price.js';
import styles from './find.module.css';
import { formatShare, formatWhy, listScoreParts } from './why-format.js';

/** Number of tags in a row; the agent's page shows all. */
const TAGS = 6;

/** A found agent: flag, description, price, score, and the reasons for its rank. */
export const FindRow = memo(function FindRow({
  agent,
  place,
  hasQuery,
}: {
  agent: FoundAgent;
  place: number;
  hasQuery: boolean;
}) {
  const { agent_id, description, tags, online, oracle_score, promoted, not_callable } = agent;
  return (
    <li className={styles.row}>
      <span className={styles.place}>{place}</span>
      <AgentFlag id={agent_id} isRaised={online} />
      <div className={styles.pitch}>
        <p className="cluster">
          <Link to="/agents/$id" params={{ id: agent_id }} className={rows.main} data-row="">
            {toDisplayText(agent_id)}
          </Link>
          <PresenceMark isOnline={online} />
          {promoted && <Badge>promoted</Badge>}
        </p>
        {description !== null && <p className={styles.description}>{toDisplayText(description)}</p>}
        <Tags tags={tags} />
        <NotCallable reasons={not_callable} />
      </div>
      <FoundTerms agent={agent}>
        <Meter value={oracle_score} />
      </FoundTerms>
      <AgentLinks agentId={agent_id} />
      {agent.why && <Why agentId={agent_id} why={agent.why} hasQuery={hasQuery} />}
    </li>
  );
});

/** What a found agent costs, what it speaks, and its score; `children` stands below the score. */
export function FoundTerms({ agent, children }: { agent: FoundAgent; children?: ReactNode }) {
  const { pricing, protocols, oracle_score } = agent;
  return (
    <>
      <div className={styles.terms}>
        <span>
          <Price pricing={pricing} />
        </span>
        {protocols.length > 0 && <span className="quiet small">{toDisplayText(protocols.join(', '))}</span>}
      </div>
      <div className={styles.score}>
        <span>
          <span className="visually-hidden">Score </span>
          <span className="mono">{formatShare(oracle_score)}</span>
        </span>
        {children}
      </div>
    </>
  );
}

/** Why this daemon cannot call the agent. That it is offline is shown beside its name. */
function NotCallable({ reasons = [] }: { reasons: FoundAgent['not_callable'] }) {
  const shown = reasons.filter(({ code }) => code !== 'offline');
  if (shown.length === 0) return null;
  return (
    <p className="quiet small">Cannot be called: {shown.map(({ message }) => toDisplayText(message)).join(' ')}</p>
  );
}

interface WhyProps {
  agentId: string;
  why: NonNullable<FoundAgent['why']>;
  hasQuery: boolean;
}

/** The reasons for the rank, folded. */
function Why({ agentId, why, hasQuery }: WhyProps) {
  return (
    <details className={styles.why}>
      <summary>
        Why this rank<span className="visually-hidden">: {toDisplayText(agentId)}</span>
      </summary>
      <p>{formatWhy(why, hasQuery)}</p>
      <dl className={styles.parts}>
        {listScoreParts(why).map(({ name, value, said: message }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <span className="mono">{value === null ? '–' : formatShare(value)}</span>
              <Meter value={value ?? 0} />
              <span className="quiet">{message}</span>
            </dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

/** Links to ask the agent and to its public page, and a button that copies the address of its card. */
function AgentLinks({ agentId }: { agentId: string }) {
  const client = useQueryClient();
  const page = `/agent/${encodeURIComponent(agentId)}`;
  const name = <span className="visually-hidden">: {toDisplayText(agentId)}</span>;
  return (
    <p className={styles.acts}>
      <Link
        to="/agents/$id"
        params={{ id: agentId }}
        hash="call"
        className={buttonClass('quiet', true)}
        // Prefetches the card, from which the form is built. The form reports a failure.
        onClick={() => void client.prefetchQuery(publicCardQuery(agentId))}
      >
        Ask{name}
      </Link>
      <a href={page} target="_blank" rel="noopener noreferrer" className={buttonClass('quiet', true)}>
        Public page{name}
        <Icon name="out" />
      </a>
      <CopyButton
        look="quiet"
        label="Copy card URL"
        text={() => `${window.location.origin}${page}/.well-known/agent.json`}
      />
    </p>
  );
}

function Tags({ tags, shown = TAGS }: { tags: readonly string[]; shown?: number }) {
  if (tags.length === 0) return null;
  return (
    <p className={styles.tags}>
      {tags.slice(0, shown).map((tag) => (
        <span key={tag} className={styles.tag}>
          {toDisplayText(tag)}
        </span>
      ))}
      {tags.length > shown && <span className="quiet">and {tags.length - shown} more</span>}
    </p>
  );
}
