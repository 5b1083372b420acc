import type { Clock } from '../../lib/clock.js';
import type { Seat } from './seat.js';

/** Above this size the batch is written immediately, without waiting for the end of the event loop tick. */
const GATHER_MAX_BYTES = 256 * 1024;
/** Patient frames that follow each other within this time are batched and written this long after the first of them. */
const PATIENCE_MS = 10;

export interface TurnQueueCalls {
  /**
   * Called with the connections that could accept no more data, before receipts are collected. Frames queued by this
   * call belong to the next flush.
   */
  lost(seats: readonly Seat[]): void;
  /** The receipts to send after a flush, each with its connection. */
  receipts(): Iterable<[Seat, Buffer]>;
}

/**
 * Batches the frames of a live cluster within one event loop tick and issues one write per socket. Frames for all are
 * concatenated once and shared. Only connections with a different set of frames (a sender, the receiver of a direct
 * message, one that has just joined) get a buffer of their own. When the cluster is idle, the frames of one input chunk
 * are written as soon as that chunk has been processed; only frames from further input in the same tick wait for its
 * end. Patient frames, which can arrive by the hundreds, wait some milliseconds for the next one unless another frame
 * is due. The order of frames is kept per connection.
 */
export class TurnQueue {
  private forAll: Buffer[] = [];
  private apart: Seat[] = [];
  private bytes = 0;
  private isScheduled = false;
  private isFlushing = false;
  /** Set when more than one sender queued frames in the last tick. Waiting then saves writes. */
  private isBusy = false;
  private speaker: Seat | undefined;
  private isMixed = false;
  private lastPatientMs = Number.NEGATIVE_INFINITY;
  private endPatience: (() => void) | undefined;

  /** `clock` is only used for patient frames. */
  constructor(
    private readonly seats: readonly Seat[],
    private readonly calls: TurnQueueCalls,
    private readonly clock: Pick<Clock, 'elapsed' | 'after'>,
  ) {}

  /** Queues `frame` for every connection except `except` and `others`. */
  toAll(frame: Buffer, except?: Seat, others: readonly Seat[] = [], isPatient = false): void {
    if (except) this.ownOf(except).push({ at: this.forAll.length });
    for (const seat of others) this.ownOf(seat).push({ at: this.forAll.length });
    this.forAll.push(frame);
    this.added(frame.length, except, isPatient);
  }

  /** Queues `frame` for one connection, after everything queued before. */
  toOne(seat: Seat, frame: Buffer, speaker?: Seat, isPatient = false): void {
    this.ownOf(seat).push({ at: this.forAll.length, frame });
    this.added(frame.length, speaker, isPatient);
  }

  /** Writes the first frame of a connection. From then on it receives the frames for all. */
  enter(seat: Seat, first: Buffer): void {
    if (seat.canTake(first.length)) seat.write(first);
    if (this.forAll.length === 0) return;
    seat.since = this.forAll.length;
    this.ownOf(seat);
  }

  /** Gives the connection a buffer of its own, so that its receipts are written together with it. */
  await(seat: Seat): void {
    this.ownOf(seat);
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
    const lost: Seat[] = [];
    if (shared.length > 0) {
      for (const seat of this.seats) {
        if (seat.own !== undefined) continue;
        if (seat.canTake(shared.length)) seat.write(shared);
        else lost.push(seat);
      }
    }
    const shares = new Map<Seat, Buffer[]>();
    const ends = apart.length > 0 ? endsOf(forAll) : [];
    for (const seat of apart) {
      const share = shareOf(seat, shared, ends);
      seat.own = undefined;
      seat.since = 0;
      if (seat.isGone) continue;
      if (seat.canTake(share.reduce((sum, { length }) => sum + length, 0))) shares.set(seat, share);
      else lost.push(seat);
    }
    if (lost.length > 0) this.calls.lost(lost);
    for (const [seat, frame] of this.calls.receipts()) shares.get(seat)?.push(frame);
    for (const [seat, share] of shares) {
      if (share.length > 0) seat.write(share.length === 1 ? (share[0] as Buffer) : Buffer.concat(share));
    }
    this.isFlushing = false;
  }

  private ownOf(seat: Seat): NonNullable<Seat['own']> {
    if (seat.own === undefined) {
      seat.own = [];
      this.apart.push(seat);
    }
    return seat.own;
  }

  private added(bytes: number, speaker: Seat | undefined, isPatient: boolean): void {
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
function endsOf(frames: readonly Buffer[]): number[] {
  let end = 0;
  return frames.map(({ length }) => {
    end += length;
    return end;
  });
}

/** The data for one connection in this tick, in order: slices of the shared bytes interleaved with its own frames. */
function shareOf({ own = [], since }: Seat, shared: Buffer, ends: readonly number[]): Buffer[] {
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
