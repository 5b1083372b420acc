import type { ReactNode } from 'react';
import { KeyValue, Notice } from '../../components/notes.js';
import { PresenceMark } from '../../components/presence-mark.js';
import { Section } from '../../components/section.js';
import { ExactAgo } from '../../components/text/exact-ago.js';
import { toDisplayText } from '../../lib/format/display-text.js';
import { toIsoTime } from '../../lib/format/epoch.js';
import styles from './agent.module.css';
import { describeRegistrationState, formatAvailability, getRegistrationState, type Records } from './surface-format.js';

/** The records of the hub and the unified API about an agent, side by side. */
export function SurfacesPanel({ agentId, records }: { agentId: string; records: Records }) {
  const { hub, v1 } = records;
  const remark = describeRegistrationState(getRegistrationState(records), agentId);
  return (
    <Section title="Where it is registered">
      <p className="small quiet">
        This daemon keeps two directories of agents for programs. Agent search finds the agents of both.
      </p>
      <div className={styles.surfaces}>
        <Surface title="Hub" said="directory /agents">
          {hub ? (
            <KeyValue
              rows={[
                ['State', <PresenceMark key="state" isOnline={hub.online} />],
                ...seenRows(hub),
                ['Identity', formatIdentity(hub.verified)],
                ['Capabilities', formatCapability(hub.capabilities)],
                hub.description !== null &&
                  hub.description !== hub.agent_card?.description && ['Description', toDisplayText(hub.description)],
              ]}
            />
          ) : (
            <p className={styles.absent}>Not registered.</p>
          )}
        </Surface>
        <Surface title="Unified API" said="directory /v1/agents">
          {v1?.registered ? (
            <KeyValue
              rows={[
                ['State', <PresenceMark key="state" isOnline={v1.live} />],
                ...seenRows(v1),
                ['Identity', formatIdentity(v1.verified)],
                ['Capabilities', formatCapability(v1.capabilities)],
                ['Availability', formatAvailability[v1.avail_status]],
                v1.pubkey !== null && [
                  'Key',
                  <span key="key" className="mono small">
                    {toDisplayText(v1.pubkey)}
                  </span>,
                ],
                v1.description !== null &&
                  v1.description !== v1.agent_card?.description && ['Description', toDisplayText(v1.description)],
              ]}
            />
          ) : (
            <p className={styles.absent}>{v1?.catalog ? 'Not registered: a catalog entry only.' : 'Not registered.'}</p>
          )}
        </Surface>
      </div>
      {remark && (
        <Notice tone="info">
          <p>
            {remark.said} <code>{remark.command}</code>
          </p>
        </Notice>
      )}
    </Section>
  );
}

function Surface({ title, said, children }: { title: string; said: string; children: ReactNode }) {
  return (
    <section className={styles.surface} aria-label={title}>
      <h3>
        {title} <span className="quiet small">{said}</span>
      </h3>
      {children}
    </section>
  );
}

function seenRows({
  registered_at,
  last_seen,
}: {
  registered_at: number | null;
  last_seen: number | null;
}): (readonly [string, ReactNode])[] {
  return [
    ['Last seen', last_seen ? <ExactAgo key="seen" at={toIsoTime(last_seen)} /> : 'never'],
    ['Registered', registered_at === null ? 'not known' : <ExactAgo key="since" at={toIsoTime(registered_at)} />],
  ];
}

const formatIdentity = (isVerified: boolean) =>
  isVerified ? 'a key is bound: its calls are attributable' : 'no key is bound';

const formatCapability = (capabilities: readonly string[]) =>
  capabilities.length > 0 ? toDisplayText(capabilities.join(', ')) : <span className="quiet">none named</span>;
