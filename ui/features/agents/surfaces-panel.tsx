import type { ReactNode } from 'react';
import { ExactAgo } from '../../components/exact-ago.js';
import { KeyValue, Notice } from '../../components/notes.js';
import { PresenceMark } from '../../components/presence-mark.js';
import { Section } from '../../components/section.js';
import { isoOf } from '../../lib/epoch.js';
import { shownWords } from '../../lib/shown-words.js';
import styles from './agent.module.css';
import { availWords, type Records, standingOf, standingRemark } from './surface-words.js';

/** The records of the hub and the unified API about an agent, side by side. */
export function SurfacesPanel({ agentId, records }: { agentId: string; records: Records }) {
  const { hub, v1 } = records;
  const remark = standingRemark(standingOf(records), agentId);
  return (
    <Section title="Where it is registered">
      <div className={styles.surfaces}>
        <Surface title="Hub" said="the canonical catalog">
          {hub ? (
            <KeyValue
              rows={[
                ['State', <PresenceMark key="state" isOnline={hub.online} />],
                ...seenRows(hub),
                ['Identity', identityWords(hub.verified)],
                ['Capabilities', capabilityWords(hub.capabilities)],
                hub.description !== null &&
                  hub.description !== hub.agent_card?.description && ['Description', shownWords(hub.description)],
              ]}
            />
          ) : (
            <p className={styles.absent}>Not registered.</p>
          )}
        </Surface>
        <Surface title="Unified API" said="a directory of its own">
          {v1?.registered ? (
            <KeyValue
              rows={[
                ['State', <PresenceMark key="state" isOnline={v1.live} />],
                ...seenRows(v1),
                ['Identity', identityWords(v1.verified)],
                ['Capabilities', capabilityWords(v1.capabilities)],
                ['Availability', availWords[v1.avail_status]],
                v1.pubkey !== null && [
                  'Key',
                  <span key="key" className="mono small">
                    {shownWords(v1.pubkey)}
                  </span>,
                ],
                v1.description !== null &&
                  v1.description !== v1.agent_card?.description && ['Description', shownWords(v1.description)],
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
    ['Last seen', last_seen ? <ExactAgo key="seen" at={isoOf(last_seen)} /> : 'never'],
    ['Registered', registered_at === null ? 'not known' : <ExactAgo key="since" at={isoOf(registered_at)} />],
  ];
}

const identityWords = (isVerified: boolean) =>
  isVerified ? 'a key is bound: its calls are attributable' : 'no key is bound';

const capabilityWords = (capabilities: readonly string[]) =>
  capabilities.length > 0 ? shownWords(capabilities.join(', ')) : <span className="quiet">none named</span>;
