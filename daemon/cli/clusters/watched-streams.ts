import { STREAMS_MAX, StreamFold } from '../../client/wall-messages/stream-fold.js';
import { parseStreamPiece } from '../../client/wall-messages/wall-payload.js';
import type { WallFrame } from '../../contract/wall.js';

type Message = Extract<WallFrame, { kind: 'message' }>;

const UNFINISHED = ' [not finished]';

/**
 * Turns the frames of a Wall into messages: the pieces of a stream, in the order of their `seq`, become one message at
 * its end. A stream whose sender leaves before it is marked as not finished. Spec: Streaming convention.
 */
export class WatchedStreams {
  private readonly open = new Map<string, { first: Message; fold: StreamFold }>();

  /** Returns the frames to show once `frame` has arrived. */
  take(frame: WallFrame): WallFrame[] {
    if (frame.kind === 'presence' && frame.status === 'offline')
      return [...this.endAll(({ from }) => from === frame.agent), frame];
    if (frame.kind !== 'message') return [frame];
    const piece = parseStreamPiece(frame.payload);
    if (!piece) return [frame];
    const name = JSON.stringify([frame.from, frame.to !== null, piece.stream]);
    const stream = this.open.get(name) ?? { first: frame, fold: new StreamFold() };
    this.open.set(name, stream);
    stream.fold.add(piece);
    if (stream.fold.isWhole) return [this.end(name, '')];
    const [oldest] = this.open.keys();
    return this.open.size > STREAMS_MAX && oldest !== undefined ? [this.end(oldest, UNFINISHED)] : [];
  }

  /** Ends the streams of the senders for which `isOf` holds, by default of all. */
  endAll(isOf: (first: Message) => boolean = () => true): WallFrame[] {
    return [...this.open].filter(([, { first }]) => isOf(first)).map(([name]) => this.end(name, UNFINISHED));
  }

  private end(name: string, suffix: string): WallFrame {
    const { first, fold } = this.open.get(name) as { first: Message; fold: StreamFold };
    this.open.delete(name);
    return { ...first, payload: `${fold.text}${suffix}` };
  }
}
