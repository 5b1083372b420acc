import { useQuery } from '@tanstack/react-query';
import type { NetworkMember, NetworkStatus } from '../../../daemon/contract/shared/network.js';
import { Badge } from '../../components/badge.js';
import { Loaded } from '../../components/loaded.js';
import { EmptyState } from '../../components/notes.js';
import { PresenceMark } from '../../components/presence-mark.js';
import rows from '../../components/rows.module.css';
import { Section } from '../../components/section.js';
import { BreakableText } from '../../components/text/breakable-text.js';
import { Ago } from '../../components/text/time.js';
import { sortMembers } from './network-format.js';
import { networkMembersQuery } from './network-queries.js';

const SHORT_ID = 8;

/** The daemons of the network, and which of them are present. */
export function Daemons({ status: { state } }: { status: NetworkStatus }) {
  const isConnected = state !== 'connecting';
  const members = useQuery(networkMembersQuery());
  const inIt = members.data?.filter(({ left_at }) => left_at === null) ?? [];
  const present = inIt.filter((member) => member.present).length;
  return (
    <Section
      title="Daemons"
      count={inIt.length === 0 ? undefined : isConnected ? `${present} of ${inIt.length} present` : inIt.length}
    >
      <Loaded query={members} what="The daemons of the network could not be read." rows={3}>
        {(list) =>
          list.length === 0 ? (
            <EmptyState>No daemon is known yet: each is listed once its first change is applied here.</EmptyState>
          ) : (
            <ul className={rows.rows} aria-label="Daemons">
              {sortMembers(list).map((member) => (
                <DaemonRow key={member.id} member={member} isConnected={isConnected} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </Section>
  );
}

/** A daemon of the network. Without a connection, this one cannot know which others are present. */
export function DaemonRow({ member, isConnected }: { member: NetworkMember; isConnected: boolean }) {
  const { id, name, self, present, last_seen_at, joined_at, left_at } = member;
  return (
    <li className="daemon">
      <div>
        <p>
          <strong>
            <BreakableText text={name || id.slice(0, SHORT_ID)} />
          </strong>{' '}
          {self && <Badge>this daemon</Badge>}
        </p>
        <p className="small quiet">
          <span className="mono" title={id}>
            {id.slice(0, SHORT_ID)}
          </span>{' '}
          · joined <Ago at={joined_at} />
          {left_at === null && !(present && isConnected) && !self && (
            <> · {last_seen_at === null ? 'not seen since this daemon started' : <LastSeen at={last_seen_at} />}</>
          )}
        </p>
      </div>
      <p>
        {left_at !== null ? (
          <span className="quiet">
            left <Ago at={left_at} />
          </span>
        ) : isConnected ? (
          <PresenceMark isOnline={present} words={['present', 'absent']} />
        ) : (
          <span className="quiet">{self ? 'not connected' : 'presence not known'}</span>
        )}
      </p>
    </li>
  );
}

const LastSeen = ({ at }: { at: string }) => (
  <>
    last seen <Ago at={at} />
  </>
);

/** The newest commands that were refused when they were applied: the texts are of whoever sent them. */
export function RefusedCommands({ status: { refused, refusals } }: { status: NetworkStatus }) {
  return (
    <Section title="Refused commands" count={refused.toLocaleString('en-GB')}>
      {refusals.length === 0 ? (
        <EmptyState>
          None since the daemon started. A forged, replayed or foreign command is refused and named here.
        </EmptyState>
      ) : (
        <>
          <ul className={rows.rows} aria-label="Refused commands">
            {refusals.map(({ sequence, reason, message, key }) => (
              <li key={sequence} className="refusal">
                <p>
                  <BreakableText text={message} />
                </p>
                <p className="small quiet">
                  Change {sequence.toLocaleString('en-GB')} · <BreakableText text={reason} />
                  {key !== null && (
                    <>
                      {' '}
                      · signed by{' '}
                      <span className="mono">
                        <BreakableText text={key} />
                      </span>
                    </>
                  )}
                </p>
              </li>
            ))}
          </ul>
          {refused > refusals.length && (
            <p className="small quiet">
              The newest {refusals.length} of {refused.toLocaleString('en-GB')} since the daemon started.
            </p>
          )}
        </>
      )}
    </Section>
  );
}
