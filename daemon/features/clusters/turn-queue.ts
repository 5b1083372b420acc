import type { Clock } from '../../lib/clock.js';
import type { Seat } from './seat.js';

/** Beyond this what has gathered is written without waiting for the turn's end. */
const GATHER_MAX_BYTES = 256 * 1024;
/** Patient frames that come closer together than this are written together, so long after the first of them. */
const PATIENCE_MS = 10;

export interface TurnQueueCalls {
  /** Told of seats that could take nothing more, before anything that waits for the outcome. What it queues belongs to the next flush. */
  lost(seats: readonly Seat[]): void;
  /** What is to be said of the outcome, and to whom: receipts. */
  receipts(): Iterable<[Seat, Buffer]>;
}

/**
 * Gathers what is said in a room in one turn of the event loop and writes it with one write a socket: frames for all are joined once and shared, and only
 * seats that get something else (a sender, the receiver of a direct message, one that has just joined) have a piece of their own made. A room that
 * is idle does not wait: what one chunk of input brings is written as soon as that chunk is read, and only what else the turn brings waits for its
 * end. Patient frames, of which hundreds may follow each other, wait some milliseconds for the next unless something else is to be written. Order is
 * kept seat by seat.
 */
export class TurnQueue {
  private forAll: Buffer[] = [];
  private apart: Seat[] = [];
  private bytes = 0;
  private isScheduled = false;
  private isFlushing = false;
  /** More than one input had something to say in the last turn: then waiting saves writes. */
  private isBusy = false;
  private speaker: Seat | undefined;
  private isMixed = false;
  private lastPatientMs = Number.NEGATIVE_INFINITY;
  private endPatience: (() => void) | undefined;

  /** `clock` is for patience alone. */
  constructor(
    private readonly seats: readonly Seat[],
    private readonly calls: TurnQueueCalls,
    private readonly clock: Pick<Clock, 'elapsed' | 'after'>,
  ) {}

  /** Queues `frame` for every seat but `except` and `others`. */
  toAll(frame: Buffer, except?: Seat, others: readonly Seat[] = [], isPatient = false): void {
    if (except) this.ownOf(except).push({ at: this.forAll.length });
    for (const seat of others) this.ownOf(seat).push({ at: this.forAll.length });
    this.forAll.push(frame);
    this.added(frame.length, except, isPatient);
  }

  /** Queues `frame` for one seat, behind all that was queued before. */
  toOne(seat: Seat, frame: Buffer, speaker?: Seat, isPatient = false): void {
    this.ownOf(seat).push({ at: this.forAll.length, frame });
    this.added(frame.length, speaker, isPatient);
  }

  /** Writes the seat its first frame; from here on it gets what is for all. */
  enter(seat: Seat, first: Buffer): void {
    if (seat.canTake(first.length)) seat.write(first);
    if (this.forAll.length === 0) return;
    seat.since = this.forAll.length;
    this.ownOf(seat);
  }

  /** Holds the seat's share back until the receipts are known, so that they go out with it. */
  await(seat: Seat): void {
    this.ownOf(seat);
    this.schedule();
  }

  /** Writes what has gathered. */
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

  /** Whether the patient frame that was just queued comes right after another. */
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

/** Where each frame ends in all of them joined. */
function endsOf(frames: readonly Buffer[]): number[] {
  let end = 0;
  return frames.map(({ length }) => {
    end += length;
    return end;
  });
}

/** What one seat gets of the turn, in order: stretches of the shared bytes with its own frames between them. */
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
