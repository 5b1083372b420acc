import { expect, it } from 'vitest';
import type { MessageFrame, WallFrame } from '../../contract/wall.js';
import { WatchedStreams } from './watched-streams.js';

const STREAMS_MAX = 200;

interface Piece {
  from?: string;
  to?: string | null;
  stream?: string;
  seq: number;
  delta?: string;
  done?: boolean;
}
const piece = ({ from = 'ada', to = null, stream = 's', ...rest }: Piece): MessageFrame => ({
  ...{ kind: 'message', from, to, ts: 0 },
  payload: { type: 'message', stream, ...rest },
});
const offline = (agent: string): WallFrame => ({ kind: 'presence', agent, did: null, status: 'offline' });

/** What is shown of `frames`: messages as sender and text, other frames by their kind. */
function shown(streams: WatchedStreams, ...frames: WallFrame[]): string[] {
  return frames
    .flatMap((frame) => streams.take(frame))
    .map((frame) => (frame.kind === 'message' ? `${frame.from}: ${String(frame.payload)}` : frame.kind));
}

it.each<[rule: string, frames: WallFrame[], shows: string[]]>([
  [
    'are one message at their end, in the order of their seq',
    [piece({ seq: 1, delta: 'b' }), piece({ seq: 0, delta: 'a' }), piece({ seq: 2, done: true })],
    ['ada: ab'],
  ],
  [
    'of one name to all and to one are two messages',
    [
      piece({ seq: 0, delta: 'all' }),
      piece({ seq: 0, delta: 'you', to: 'bob' }),
      piece({ seq: 1, done: true, to: 'bob' }),
      piece({ seq: 1, done: true }),
    ],
    ['ada: you', 'ada: all'],
  ],
  [
    'of one name from two senders are two messages',
    [
      piece({ seq: 0, delta: 'a' }),
      piece({ seq: 0, delta: 'b', from: 'bob' }),
      piece({ seq: 1, done: true }),
      piece({ seq: 1, done: true, from: 'bob' }),
    ],
    ['ada: a', 'bob: b'],
  ],
  [
    'of a sender that leaves are not finished; those of others go on',
    [piece({ seq: 0, delta: 'half' }), piece({ seq: 0, delta: 'b', from: 'bob' }), offline('ada')],
    ['ada: half [not finished]', 'presence'],
  ],
])('the pieces of a stream %s', (_rule, frames, shows) => {
  expect(shown(new WatchedStreams(), ...frames)).toEqual(shows);
});

it('keeps at most 200 streams open: one more ends the oldest', () => {
  const streams = new WatchedStreams();
  const begun = (at: number) => piece({ seq: 0, delta: `text ${at}`, stream: `s${at}` });
  expect(shown(streams, ...Array.from({ length: STREAMS_MAX }, (_, at) => begun(at)))).toEqual([]);
  expect(shown(streams, begun(STREAMS_MAX))).toEqual(['ada: text 0 [not finished]']);
  expect(streams.endAll().length).toBe(STREAMS_MAX);
});
