import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { AgentEarnings, Ledger } from '../../../../daemon/contract/payments.js';
import { EmptyState, KeyValue } from '../../../components/notes.js';
import { Section } from '../../../components/section.js';
import { Flag } from '../../../components/text/flag.js';
import { toDisplayText } from '../../../lib/format/display-text.js';
import { AgentFlag } from '../../agents/agent-flag.js';
import { teamQuery } from '../../team/team-queries.js';
import { Amount } from '../amount.js';
import { NetworkMark } from '../network-mark.js';
import styles from '../payments.module.css';

const isReal = (network: string) => network === 'solana:mainnet';

/** What the agents of this daemon have earned, hold as deposits for callers, and are owed. */
export function EarningsPanel({ tills: earnings }: { tills: AgentEarnings[] }) {
  const members = useQuery(teamQuery()).data?.members;
  return (
    <Section title="Earnings" count={earnings.length}>
      {earnings.length === 0 ? (
        <EmptyState action={<Link to="/team">Choose a member to price</Link>} command="meshd team edit consultant">
          No earnings yet. Set a price in a member’s file.
        </EmptyState>
      ) : (
        <ul>
          {earnings.map((earning) => (
            <li key={`${earning.agent} ${earning.network} ${earning.address}`} className={styles.earnings}>
              <p className="cluster">
                <Flag id={earning.agent} isExposed />
                {members?.some(({ id }) => id === earning.agent) ? (
                  <Link to="/team/$id" params={{ id: earning.agent }}>
                    {earning.agent}
                  </Link>
                ) : (
                  <strong>{toDisplayText(earning.agent)}</strong>
                )}
                <NetworkMark network={earning.network} isReal={isReal(earning.network)} />
              </p>
              <KeyValue
                rows={[
                  ['Earned', <Amount key="earned" lamports={earning.earned_lamports} />],
                  [
                    'Held for callers',
                    <span key="held">
                      <Amount lamports={earning.balances_lamports} />
                      <span className={`${styles.below} quiet small`}>
                        {earning.keys} {earning.keys === 1 ? 'key' : 'keys'} with a balance
                      </span>
                    </span>,
                  ],
                  ['Owed by callers', <Amount key="owed" lamports={earning.owed_lamports} />],
                ]}
              />
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

/** The balances that this daemon has prepaid with other agents, as they last reported. */
export function DepositsPanel({ deposits }: { deposits: Ledger['deposits'] }) {
  return (
    <Section title="Deposits" count={deposits.length}>
      {deposits.length === 0 ? (
        <EmptyState command="meshd call <agent> <skill> --mode deposit --topup-lamports 100000">
          No deposits. A call in deposit mode opens a balance with the agent.
        </EmptyState>
      ) : (
        <ul>
          {deposits.map(({ agent, network, lamports, api_key_last4 }) => (
            <li key={`${agent} ${network} ${api_key_last4}`} className={styles.earnings}>
              <p className="cluster">
                <AgentFlag id={agent} />
                <AgentLink agent={agent} />
                <NetworkMark network={network} isReal={isReal(network)} />
              </p>
              <p className="cluster">
                <Amount lamports={lamports} />
                <span className="mono small quiet">key ••••{api_key_last4}</span>
              </p>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

const AGENT_ID = /^[A-Za-z0-9][A-Za-z0-9_-]{2,63}$/;

/** Links to an agent's page by id. An agent known only by its address is shown as text. */
export function AgentLink({ agent }: { agent: string }) {
  return AGENT_ID.test(agent) ? (
    <Link to="/agents/$id" params={{ id: agent }}>
      {toDisplayText(agent)}
    </Link>
  ) : (
    <span className="mono small">{toDisplayText(agent)}</span>
  );
}
