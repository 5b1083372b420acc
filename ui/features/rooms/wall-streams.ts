import { StreamFold } from './stream-fold.js';
import type { WallLog } from './wall-log.js';
import type { StreamPiece } from './wall-payload.js';

/** Streams that are open at once; the oldest is taken for ended. */
const STREAMS_MAX = 200;

interface OpenStream {
  /** The line that it is drawn as. */
  key: number;
  fold: StreamFold;
}

/** The streams of a room that are being written, each one line of the log. What came is put into the lines when they are settled, many pieces at once. */
export class WallStreams {
  private readonly open = new Map<string, OpenStream>();
  private readonly unsettled = new Set<OpenStream>();

  constructor(private readonly log: WallLog) {}

  /** Takes a piece of the stream called `name`; `begin` adds the line of one that is new. */
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

  /** Puts into the lines what came since the last time. */
  settle(): void {
    for (const stream of this.unsettled) this.write(stream, !stream.fold.isDone);
    this.unsettled.clear();
  }

  /** Nothing more comes: what was written stands as it is. */
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
