import { STREAMS_MAX, StreamFold } from '../../../../daemon/client/wall-messages/stream-fold.js';
import type { StreamPiece } from '../../../../daemon/client/wall-messages/wall-payload.js';
import type { WallLog } from './wall-log.js';

interface OpenStream {
  /** Key of the line that shows the stream. */
  key: number;
  fold: StreamFold;
}

/**
 * The open streams of a cluster, each shown as one line of the log. Received pieces are written to the lines by
 * `settle`, many at once.
 */
export class WallStreams {
  private readonly open = new Map<string, OpenStream>();
  private readonly unsettled = new Set<OpenStream>();

  constructor(private readonly log: WallLog) {}

  /** Adds a piece to the stream `name`. `begin` adds the line of a new stream and returns its key. */
  take(name: string, piece: StreamPiece, begin: () => number): void {
    let stream = this.open.get(name);
    if (!stream) {
      stream = { key: begin(), fold: new StreamFold() };
      this.open.set(name, stream);
      const [oldest] = this.open.keys();
      if (this.open.size > STREAMS_MAX && oldest !== undefined) this.open.delete(oldest);
    }
    stream.fold.add(piece);
    this.unsettled.add(stream);
    if (stream.fold.isWhole) this.open.delete(name);
  }

  /** Writes the pieces received since the last call to the lines. */
  settle(): void {
    for (const stream of this.unsettled) this.write(stream, !stream.fold.isDone);
    this.unsettled.clear();
  }

  /** Ends all streams. Their lines keep the text received so far. */
  end(): void {
    for (const stream of [...this.unsettled, ...this.open.values()]) this.write(stream, false);
    this.unsettled.clear();
    this.open.clear();
  }

  private write({ key, fold }: OpenStream, isBeingWritten: boolean): void {
    const line = this.log.find(key);
    if (line?.kind === 'said') this.log.replace({ ...line, said: { ...line.said, text: fold.text }, isBeingWritten });
  }
}
