import type { NetworkStatus } from '../../../daemon/contract/shared/network.js';
import { Meter } from '../../components/meter.js';
import { KeyValue, Notice, type NoticeTone } from '../../components/notes.js';
import { BreakableText } from '../../components/text/breakable-text.js';
import { formatFrames, formatLag, formatProblem, getProgress, STATE_WORDS } from './network-format.js';

const TONES: Readonly<Record<NetworkStatus['state'], NoticeTone>> = {
  off: 'info',
  connecting: 'needs',
  catching_up: 'info',
  following: 'well',
  stopped: 'failed',
};

/** The state of the network in one sentence, what to do, and how far catching up is. */
export function NetworkState({ status }: { status: NetworkStatus }) {
  const { state } = status;
  const { sentence, step } = STATE_WORDS[state];
  const problem = formatProblem(status);
  const progress = getProgress(status);
  return (
    <Notice tone={TONES[state]}>
      {/* The numbers are outside, so that not each of them is announced. */}
      <p role="status">
        <strong>{sentence}</strong>
      </p>
      {problem !== undefined && (
        <p>
          <BreakableText text={problem} />
        </p>
      )}
      <p>{step}</p>
      {progress && (
        <div className="progress">
          <Meter value={progress.share} />
          <p className="small">{progress.words}</p>
        </div>
      )}
    </Notice>
  );
}

/** The servers of the network, what they promise, and how far this daemon follows. */
export function NetworkFacts({ status }: { status: NetworkStatus }) {
  const { network, url, server, promise, replicas, sequence, daemon, state, frames } = status;
  return (
    <KeyValue
      rows={[
        ['Network', <BreakableText key="network" text={network ?? ''} />],
        ['Servers', <BreakableText key="url" text={url ?? ''} />],
        server && [
          state === 'connecting' ? 'Last connected to' : 'Connected to',
          <BreakableText key="server" text={`${server.name} at ${server.address}, nats-server ${server.version}`} />,
        ],
        replicas !== null && [
          'Replicas',
          `each change is stored by ${replicas === 1 ? 'one server' : `${replicas.toLocaleString('en-GB')} servers`}`,
        ],
        promise !== null && ['Promise', <BreakableText key="promise" text={promise} />],
        ['Last change', sequence === 0 ? 'none yet' : `number ${sequence.toLocaleString('en-GB')} is applied here`],
        ['Lag', formatLag(status)],
        ['Wall', formatFrames(frames)],
        [
          'This daemon',
          <span key="daemon" className="mono">
            <BreakableText text={daemon} />
          </span>,
        ],
      ]}
    />
  );
}
