import { Fragment, type ReactNode } from 'react';
import type { MemberDetail } from '../../../daemon/contract/team.js';
import { SwitchField } from '../../components/field.js';
import { Section } from '../../components/section.js';
import { ErrorPanel } from '../../components/states.js';
import { CopyButton } from '../../components/text/copy-button.js';
import { useToast } from '../../components/toasts.js';
import { isOpen as isMemberOpen } from '../team/is-open.js';
import styles from './api-access.module.css';
import { useSetExposure } from './exposure-queries.js';
import type { SnippetKind } from './snippet-kinds.js';
import { SnippetSwitcher } from './snippet-switcher.js';
import { TokenRow } from './token-row.js';

interface ApiAccessProps {
  member: MemberDetail;
  origin: string;
  callersInTheHour: number;
  kind: SnippetKind;
  onKind: (kind: SnippetKind) => void;
  /** Additional content beside the switch. */
  standing: ReactNode;
  /** Shown below the snippets while the member is exposed. */
  children: ReactNode;
}

/** Inserts line-break opportunities after the slashes of an address. */
const breakable = (address: string) =>
  address.split(/(?<=\/)/).map((part, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a part of an address never changes its position.
    <Fragment key={at}>
      {part}
      <wbr />
    </Fragment>
  ));

/** The exposure of a member: the switch, what it makes reachable, the token, and how to use it. */
export function ApiAccessView({ member, origin, callersInTheHour, kind, onKind, standing, children }: ApiAccessProps) {
  const exposure = useSetExposure(member.id);
  const say = useToast();
  const isOpen = (exposure.isPending ? exposure.variables : isMemberOpen(member)) === true;
  const set = (opens: boolean) =>
    exposure.mutate(opens, {
      onSuccess: () =>
        say(
          opens
            ? { text: `${member.name} is exposed to programs on this machine that have its token.` }
            : {
                text: `${member.name} is internal. Its token no longer works.`,
                action: { label: 'Expose again', run: () => set(true) },
              },
        ),
    });
  const target = { origin, member: member.id, question: member.examples?.[0] ?? 'What does this project do?' };
  return (
    <div className={styles.access}>
      <div className={isOpen ? `${styles.switch} ${styles.open}` : styles.switch}>
        <SwitchField
          label={isOpen ? 'Exposed to programs on this machine' : 'Internal'}
          isOn={isOpen}
          opensOutside
          isBusy={exposure.isPending}
          onChange={set}
        />
        <p>
          {isOpen
            ? 'Programs on this machine that have this token can ask. Nothing from outside can connect.'
            : 'Only you can use this member. Exposing it creates a token and enables these addresses:'}
        </p>
        {standing}
        {exposure.error && <ErrorPanel what="API access was not changed." error={exposure.error} />}
      </div>
      <Section title={isOpen ? 'What is reachable' : 'What would be reachable'}>
        <EndpointList origin={origin} member={member.id} isOpen={isOpen} />
      </Section>
      {isOpen && member.token && (
        <>
          <Section title="Token">
            <TokenRow
              member={{ ...member, token: member.token }}
              callersInTheHour={callersInTheHour}
              onRevoke={() => set(false)}
            />
          </Section>
          <Section title="How to call it">
            <div className={styles.access} style={{ paddingTop: 12 }}>
              <SnippetSwitcher target={target} token={member.token} kind={kind} onKind={onKind} />
            </div>
          </Section>
          {children}
        </>
      )}
    </div>
  );
}

/** Returns the endpoints of a member by protocol. */
function listEndpoints(origin: string, member: string) {
  const address = `${origin}/team/${member}`;
  return [
    {
      protocol: 'HTTP',
      about: 'ask, then collect the answer',
      calls: [
        { method: 'POST', address: `${address}/ask` },
        { method: 'GET', address: `${origin}/team/requests/{request_id}` },
      ],
    },
    {
      protocol: 'A2A',
      about: 'versions 1.0 and 0.3; the card needs no token',
      calls: [
        { method: 'POST', address: `${address}/a2a` },
        { method: 'GET', address: `${address}/.well-known/agent.json` },
      ],
    },
    {
      protocol: 'MCP',
      about: 'this member’s endpoint, or the shared one with its token',
      calls: [
        { method: 'POST', address: `${address}/mcp` },
        { method: 'POST', address: `${origin}/mcp` },
      ],
    },
  ];
}

function EndpointList({ origin, member, isOpen }: { origin: string; member: string; isOpen: boolean }) {
  return (
    <ul className={styles.reach}>
      {listEndpoints(origin, member).map(({ protocol, about, calls }) => (
        <li key={protocol}>
          <div>
            <strong>{protocol}</strong>
            <p className="small quiet">{about}</p>
          </div>
          <div>
            {calls.map((call) => (
              <div key={call.address} className={styles.call}>
                <code className={styles.address}>
                  {call.method} {breakable(call.address)}
                </code>
                {isOpen && <CopyButton look="quiet" text={call.address} />}
              </div>
            ))}
          </div>
        </li>
      ))}
    </ul>
  );
}
