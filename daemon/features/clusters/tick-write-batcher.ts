import type { Clock } from '../../lib/time/clock.js';
import type { Connection } from './connection.js';

/** Above this size the batch is written immediately, without waiting for the end of the event loop tick. */
const GATHER_MAX_BYTES = 256 * 1024;
/** Patient frames that follow each other within this time are batched and written this long after the first of them. */
const PATIENCE_MS = 10;

interface TickWriteBatcherHooks {
  /**
   * Called with the connections that could accept no more data, before receipts are collected. Frames queued by this
   * call belong to the next flush.
   */
  lost(connections: readonly Connection[]): void;
  /** The receipts to send after a flush, each with its connection. */
  receipts(): Iterable<[Connection, Buffer]>;
}

/**
 * Batches the frames of a live cluster within one event loop tick and issues one write per socket. Frames for all are
 * concatenated once and shared. Only connections with a different set of frames (a sender, the receiver of a direct
 * message, one that has just joined) get a buffer of their own. When the cluster is idle, the frames of one input chunk
 * are written as soon as that chunk has been processed; only frames from further input in the same tick wait for its
 * end. Patient frames, which can arrive by the hundreds, wait some milliseconds for the next one unless another frame
 * is due. The order of frames is kept per connection.
 */
export class TickWriteBatcher {
  private forAll: Buffer[] = [];
  private apart: Connection[] = [];
  private bytes = 0;
  private isScheduled = false;
  private isFlushing = false;
  /** Set when more than one sender queued frames in the last tick. Waiting then saves writes. */
  private isBusy = false;
  private speaker: Connection | undefined;
  private isMixed = false;
  private lastPatientMs = Number.NEGATIVE_INFINITY;
  private endPatience: (() => void) | undefined;

  /** `clock` is only used for patient frames. */
  constructor(
    private readonly connections: readonly Connection[],
    private readonly calls: TickWriteBatcherHooks,
    private readonly clock: Pick<Clock, 'elapsed' | 'after'>,
  ) {}

  /** Queues `frame` for every connection except `except` and `others`. */
  toAll(frame: Buffer, except?: Connection, others: readonly Connection[] = [], isPatient = false): void {
    if (except) this.getOwnItems(except).push({ at: this.forAll.length });
    for (const connection of others) this.getOwnItems(connection).push({ at: this.forAll.length });
    this.forAll.push(frame);
    this.added(frame.length, except, isPatient);
  }

  /** Queues `frame` for one connection, after everything queued before. */
  toOne(connection: Connection, frame: Buffer, speaker?: Connection, isPatient = false): void {
    this.getOwnItems(connection).push({ at: this.forAll.length, frame });
    this.added(frame.length, speaker, isPatient);
  }

  /** Writes the first frame of a connection. From then on it receives the frames for all. */
  enter(connection: Connection, first: Buffer): void {
    if (connection.canTake(first.length)) connection.write(first);
    if (this.forAll.length === 0) return;
    connection.since = this.forAll.length;
    this.getOwnItems(connection);
  }

  /** Gives the connection a buffer of its own, so that its receipts are written together with it. */
  await(connection: Connection): void {
    this.getOwnItems(connection);
    this.schedule();
  }

  /** Writes the batch. */
  flush(): void {
    this.isFlushing = true;
    this.endPatience?.();
    this.endPatience = undefined;
    const { forAll, apart } = this;
    this.forAll = [];
    this.apart = [];
    this.bytes = 0;
    const shared = forAll.length === 1 ? (forAll[0] as Buffer) : Buffer.concat(forAll);
    const lost: Connection[] = [];
    if (shared.length > 0) {
      for (const connection of this.connections) {
        if (connection.own !== undefined) continue;
        if (connection.canTake(shared.length)) connection.write(shared);
        else lost.push(connection);
      }
    }
    const shares = new Map<Connection, Buffer[]>();
    const ends = apart.length > 0 ? listEnds(forAll) : [];
    for (const connection of apart) {
      const share = getShare(connection, shared, ends);
      connection.own = undefined;
      connection.since = 0;
      if (connection.isGone) continue;
      if (connection.canTake(share.reduce((sum, { length }) => sum + length, 0))) shares.set(connection, share);
      else lost.push(connection);
    }
    if (lost.length > 0) this.calls.lost(lost);
    for (const [connection, frame] of this.calls.receipts()) shares.get(connection)?.push(frame);
    for (const [connection, share] of shares) {
      if (share.length > 0) connection.write(share.length === 1 ? (share[0] as Buffer) : Buffer.concat(share));
    }
    this.isFlushing = false;
  }

  private getOwnItems(connection: Connection): NonNullable<Connection['own']> {
    if (connection.own === undefined) {
      connection.own = [];
      this.apart.push(connection);
    }
    return connection.own;
  }

  private added(bytes: number, speaker: Connection | undefined, isPatient: boolean): void {
    this.bytes += bytes;
    if (this.isScheduled && speaker !== this.speaker) this.isMixed = true;
    this.speaker = speaker;
    if (this.bytes >= GATHER_MAX_BYTES && !this.isFlushing) this.flush();
    else if (!isPatient || !this.isOneOfMany()) this.schedule();
    else this.endPatience ??= this.clock.after(PATIENCE_MS, () => this.flush());
  }

  /** Whether the patient frame just queued closely follows another one. */
  private isOneOfMany(): boolean {
    const nowMs = this.clock.elapsed();
    const isOne = nowMs - this.lastPatientMs < PATIENCE_MS;
    this.lastPatientMs = nowMs;
    return isOne;
  }

  private schedule(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    if (this.isBusy) setImmediate(() => this.endTurn());
    else process.nextTick(() => this.endChunk());
  }

  private endChunk(): void {
    this.flush();
    setImmediate(() => this.endTurn());
  }

  private endTurn(): void {
    this.isScheduled = false;
    this.isBusy = this.isMixed;
    this.isMixed = false;
    this.flush();
  }
}

/** The end offset of each frame in the concatenation of all. */
function listEnds(frames: readonly Buffer[]): number[] {
  let end = 0;
  return frames.map(({ length }) => {
    end += length;
    return end;
  });
}

/** The data for one connection in this tick, in order: slices of the shared bytes interleaved with its own frames. */
function getShare({ own = [], since }: Connection, shared: Buffer, ends: readonly number[]): Buffer[] {
  const share: Buffer[] = [];
  let next = since;
  const take = (until: number) => {
    if (until <= next) return;
    share.push(shared.subarray(next === 0 ? 0 : ends[next - 1], ends[until - 1]));
    next = until;
  };
  for (const { at, frame } of own) {
    take(at);
    if (frame) share.push(frame);
    else next = at + 1;
  }
  take(ends.length);
  return share;
}
