import '../../../features/network/network-styles.js';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useCallback, useEffect } from 'react';
import type { NetworkStatus } from '../../../../daemon/contract/shared/network.js';
import { Button } from '../../../components/button.js';
import { Loaded } from '../../../components/loaded.js';
import { EmptyState } from '../../../components/notes.js';
import { PageHead, Section } from '../../../components/section.js';
import { useNetworkUsed } from '../../../features/find/use-network-used.js';
import { AskNamed } from '../../../features/network/ask-colleague.js';
import { LeaveNetwork } from '../../../features/network/leave-network.js';
import { NetworkForm } from '../../../features/network/network-form.js';
import { STATE_WORDS } from '../../../features/network/network-format.js';
import { Daemons, RefusedCommands } from '../../../features/network/network-lists.js';
import { NetworkMembers } from '../../../features/network/network-members.js';
import { networkQuery } from '../../../features/network/network-queries.js';
import { NetworkFacts, NetworkState } from '../../../features/network/network-state.js';
import { usePageTitle } from '../../page-title.js';

const route = getRouteApi('/network');

/** The network that this daemon shares with those of other machines. */
export function NetworkPage() {
  const status = useQuery(networkQuery());
  const { make, ask } = route.useSearch();
  const navigate = useNavigate({ from: '/network' });
  const isIn = status.data !== undefined && status.data.state !== 'off';
  const open = (made: 'new' | 'join') => void navigate({ search: { make: made }, resetScroll: false });
  const close = useCallback(() => void navigate({ search: {}, replace: true, resetScroll: false }), [navigate]);
  useEffect(() => {
    if (isIn && make) close();
  }, [isIn, make, close]);
  const onAsk = (ref: string) => void navigate({ search: { ask: ref }, resetScroll: false });
  usePageTitle('Shared network');
  useNetworkUsed(isIn);
  return (
    <div className="network stack">
      <PageHead
        title="Shared network"
        lede={
          'One team on many machines: daemons share agents, messages, search, clusters and boards through NATS ' +
          'servers of yours, and ask the members that each shares. Prompts, tokens, conversations, wallets and ' +
          'ledgers never leave this machine, and files only as quotes in answers of members that you share.'
        }
      />
      <Loaded query={status} what="The network could not be read." rows={4}>
        {(data) => (data.state === 'off' ? <NoNetwork onOpen={open} /> : <InNetwork status={data} onAsk={onAsk} />)}
      </Loaded>
      {make && !isIn && <NetworkForm key={make} isNew={make === 'new'} onClose={close} />}
      {ask !== undefined && isIn && <AskNamed key={ask} name={ask} onClose={close} />}
    </div>
  );
}

function NoNetwork({ onOpen }: { onOpen: (made: 'new' | 'join') => void }) {
  const { sentence, step } = STATE_WORDS.off;
  return (
    <EmptyState
      command="meshd network join tls://nats.example.com:4222 --creds me.creds"
      action={
        <div className="cluster">
          <Button look="primary" onClick={() => onOpen('join')}>
            Join a network
          </Button>
          <Button onClick={() => onOpen('new')}>Create a network</Button>
        </div>
      }
    >
      {sentence} {step}
    </EmptyState>
  );
}

function InNetwork({ status, onAsk }: { status: NetworkStatus; onAsk: (ref: string) => void }) {
  return (
    <div className="sections">
      <NetworkState status={status} />
      <Section title="State" actions={<LeaveNetwork status={status} />}>
        <NetworkFacts status={status} />
      </Section>
      <NetworkMembers status={status} onAsk={onAsk} />
      <Daemons status={status} />
      <RefusedCommands status={status} />
    </div>
  );
}
