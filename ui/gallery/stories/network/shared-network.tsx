import '../../../features/network/network-styles.js';
import type { NetworkMember, NetworkStatus } from '../../../../daemon/contract/shared/network.js';
import type { NetworkAgent, NetworkAsk, NetworkCitation } from '../../../../daemon/contract/shared/network-asks.js';
import rows from '../../../components/rows.module.css';
import { ColleagueAnswer } from '../../../features/network/ask-colleague.js';
import { DaemonRow, RefusedCommands } from '../../../features/network/network-lists.js';
import { MemberRow } from '../../../features/network/network-members.js';
import { NetworkFacts, NetworkState } from '../../../features/network/network-state.js';
import { isoAgo } from '../../samples.js';
import type { Story } from '../../story.js';

const HOSTILE = `<b onclick="x">${'unbroken'.repeat(30)}\u202Etxt`;
const KEY = 'gIYaYd3FbSqM7bOYHqXKZ6sJ0PxW3cTnVhQ2uLrE5kA';

const status = (changes: Partial<NetworkStatus> = {}): NetworkStatus => ({
  ...{ state: 'following', network: 'docks', url: 'tls://nats.example.com:4222', daemon: KEY, sequence: 4_200, lag: 0 },
  ...{ server: { name: 'n1', version: '2.9.10', address: 'nats.example.com:4222' }, replicas: 3, fsync: 'periodic' },
  promise: 'An acknowledged change survives the death of any process and of any one machine.',
  ...{
    problem: null,
    refused: 0,
    refusals: [],
    frames: { sent: 12, received: 40, dropped: [{ reason: 'replay', count: 2 }] },
  },
  ...changes,
});

const daemon = (changes: Partial<NetworkMember> = {}, isConnected = true) => (
  <DaemonRow
    isConnected={isConnected}
    member={{
      ...{ id: KEY, name: 'Quay', self: false, present: true, last_seen_at: isoAgo(12), joined_at: isoAgo(90_000) },
      ...{ left_at: null, ...changes },
    }}
  />
);

const member = (changes: Partial<NetworkAgent> = {}) => (
  <MemberRow
    reason={null}
    onAsk={() => undefined}
    onShared={() => undefined}
    agent={{
      ...{ ref: 'pier/consultant', project: 'pier', daemon: KEY, daemon_name: 'Pier', self: false, problem: null },
      ...{ member: 'consultant', name: 'Consultant', description: 'Answers questions about the pier.', ...changes },
    }}
  />
);

const ask = (changes: Partial<NetworkAsk>) => (
  <ColleagueAnswer
    ask={{
      ...{ id: KEY, to: 'pier/consultant', daemon: KEY, daemon_name: 'Pier', member: 'consultant', text: 'When?' },
      ...{ created_at: isoAgo(5), finished_at: null, status: 'sent', ...changes },
    }}
  />
);
const QUOTE: NetworkCitation = {
  ...{ path: 'README.md', start_line: 3, end_line: 5, commit: null, sha256: 'a'.repeat(64), status: 'checked' },
  quote: 'The bell of the pier rings at 18:45.',
};

export const story: Story = {
  title: 'Shared network',
  states: {
    following: <NetworkState status={status()} />,
    connecting: <NetworkState status={status({ state: 'connecting', lag: null, problem: 'no server answers' })} />,
    'catching up': (
      <div className="network">
        <NetworkState status={status({ state: 'catching_up', lag: 800 })} />
      </div>
    ),
    stopped: (
      <NetworkState
        status={status({
          state: 'stopped',
          problem: 'the network "docks" was created anew: leave it, and join it again.',
        })}
      />
    ),
    facts: <NetworkFacts status={status()} />,
    members: (
      <div className="network">
        <ul className={rows.rows} aria-label="Members">
          {member()}
          {member({ ref: 'quay/developer', self: true })}
          {member({ ref: HOSTILE, name: HOSTILE, description: HOSTILE, daemon_name: HOSTILE })}
          {member({ price: { amount: 5_000, currency: 'lamports', unit: 'request' }, problem: 'It has a price.' })}
        </ul>
      </div>
    ),
    'answer on its way': ask({ daemon_name: 'Quay', status: 'running', text_so_far: 'The bell ri' }),
    'no answer': ask({
      daemon_name: 'Reef',
      status: 'error',
      error: { code: 'deadline', message: HOSTILE },
      finished_at: isoAgo(1),
    }),
    answer: (
      <div className="network">
        {ask({
          ...{ status: 'done', finished_at: isoAgo(1), confidence: 'found', result_text: 'At **18:45**.' },
          citations: [QUOTE, { ...QUOTE, path: HOSTILE, quote: HOSTILE, start_line: 9 }],
        })}
      </div>
    ),
    daemons: (
      <div className="network">
        <ul className={rows.rows} aria-label="Daemons">
          {daemon({ self: true })}
          {daemon({ name: HOSTILE })}
          {daemon({ present: false })}
          {daemon({ present: false, last_seen_at: null })}
          {daemon({}, false)}
          {daemon({ present: false, left_at: isoAgo(4_000) })}
        </ul>
      </div>
    ),
    refused: (
      <div className="network">
        <RefusedCommands
          status={status({
            refused: 21,
            refusals: [
              { sequence: 41, reason: 'signature', message: HOSTILE, key: null },
              {
                sequence: 40,
                reason: 'owner',
                message: '"oracle" belongs to another daemon of the network.',
                key: KEY,
              },
            ],
          })}
        />
      </div>
    ),
    'nothing refused': <RefusedCommands status={status()} />,
  },
};
