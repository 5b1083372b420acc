import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useCallback, useEffect, useRef, useState } from 'react';
import type { NetworkStatus } from '../../../daemon/contract/shared/network.js';
import type { NetworkAgent } from '../../../daemon/contract/shared/network-asks.js';
import { Button } from '../../components/button.js';
import { SelectField } from '../../components/field.js';
import { Loaded } from '../../components/loaded.js';
import { EmptyState } from '../../components/notes.js';
import rows from '../../components/rows.module.css';
import { Section } from '../../components/section.js';
import { ErrorPanel } from '../../components/states.js';
import { BreakableText } from '../../components/text/breakable-text.js';
import { teamQuery } from '../team/team-queries.js';
import { liveNetworkAgentsQuery, useShareMember } from './colleague-queries.js';

interface NetworkMembersProps {
  status: NetworkStatus;
  onAsk: (ref: string) => void;
}

/** The members that daemons of the network share, with a way to ask one and to share one of this daemon. */
export function NetworkMembers({ status: { state }, onAsk }: NetworkMembersProps) {
  const agents = useQuery(liveNetworkAgentsQuery());
  const list = useRef<HTMLDivElement>(null);
  // The pressed button may be gone with its row.
  const isChanged = useRef(false);
  const keepFocus = useCallback(() => {
    isChanged.current = true;
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each list.
  useEffect(() => {
    if (isChanged.current && document.activeElement === document.body) list.current?.focus();
    isChanged.current = false;
  }, [agents.data]);
  const reason = state === 'connecting' || state === 'stopped' ? 'This daemon is not connected to the network.' : null;
  return (
    <Section title="Members" count={agents.data?.length || undefined}>
      <div className="stack" ref={list} tabIndex={-1}>
        <Loaded query={agents} what="The members of the network could not be read." rows={2}>
          {(known) =>
            known.length === 0 ? (
              <EmptyState command="meshd network members">
                No daemon shares a member. Others see and may ask only what its operator shares.
              </EmptyState>
            ) : (
              <ul className={rows.rows} aria-label="Members">
                {known.map((agent) => (
                  <MemberRow
                    key={`${agent.daemon} ${agent.member}`}
                    {...{ agent, reason, onAsk }}
                    onShared={keepFocus}
                  />
                ))}
              </ul>
            )
          }
        </Loaded>
        <ShareMember
          shared={agents.data?.filter(({ self }) => self).map(({ member }) => member) ?? []}
          onShared={keepFocus}
        />
      </div>
    </Section>
  );
}

interface MemberRowProps {
  agent: NetworkAgent;
  /** Why no member can be asked now. */
  reason: string | null;
  onAsk: (ref: string) => void;
  /** Called once it is no longer shared. */
  onShared: () => void;
}

/** A member that a daemon shares. Its texts are of that daemon. */
export function MemberRow({ agent, reason, onAsk, onShared }: MemberRowProps) {
  const { ref, name, description, daemon_name, project, self, price } = agent;
  const share = useShareMember(onShared);
  const problem = agent.problem ?? reason;
  return (
    <li className="daemon">
      <div>
        <p>
          <strong>
            <BreakableText text={ref} />
          </strong>{' '}
          <span className="quiet">
            <BreakableText text={name} />
          </span>
        </p>
        <p className="small">
          <BreakableText text={description} />
        </p>
        <p className="small quiet">
          {self ? 'shared by you' : <BreakableText text={`daemon ${daemon_name}, project ${project}`} />}
          {price && (
            <>
              {' '}
              · <BreakableText text={`${price.amount.toLocaleString('en-GB')} ${price.currency} a ${price.unit}`} />
            </>
          )}
          {!self && problem !== null && <> · {problem}</>}
        </p>
        {share.error && <ErrorPanel what="It is still shared." error={share.error} />}
      </div>
      {self ? (
        <Button
          isSmall
          aria-label={`Stop sharing ${ref}`}
          isBusy={share.isPending}
          onClick={() => share.mutate({ member: agent.member, isShared: false })}
        >
          Stop sharing
        </Button>
      ) : (
        problem === null && (
          <Button isSmall aria-label={`Ask ${ref}`} onClick={() => onAsk(ref)}>
            Ask
          </Button>
        )
      )}
    </li>
  );
}

/** Shares an exposed member of this daemon with the network. */
function ShareMember({ shared, onShared }: { shared: readonly string[]; onShared: () => void }) {
  const { data: team } = useQuery(teamQuery());
  const share = useShareMember(onShared);
  const [chosen, setChosen] = useState('');
  const open =
    team?.members.filter(({ id, exposure, kind, state }) => {
      return exposure === 'external' && kind === 'profile' && state === 'ok' && !shared.includes(id);
    }) ?? [];
  const member = open.find(({ id }) => id === chosen)?.id ?? open[0]?.id;
  if (member === undefined) return null;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    share.mutate({ member, isShared: true });
  };
  return (
    <form className="share" onSubmit={submit}>
      <SelectField
        label="Share a member with the network"
        hint={
          'Every daemon of the network sees its name, description and price, and may ask it. Its answers quote ' +
          'files of this project.'
        }
        value={member}
        options={open.map(({ id, name }) => ({ value: id, label: `${name} (${id})` }))}
        onChange={(event) => setChosen(event.target.value)}
      />
      <Button type="submit" isBusy={share.isPending}>
        Share
      </Button>
      {share.error && <ErrorPanel what="It is not shared." error={share.error} />}
    </form>
  );
}
