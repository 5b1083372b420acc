import { CLOSE } from '../../contract/events.js';
import type { WallFrame } from '../../contract/wall.js';
import { systemClock } from '../../lib/clock.js';
import { textFrame } from '../../lib/websocket-frame.js';
import { HeldSeat } from './held-seat.js';
import type { Seat } from './seat.js';
import { TurnQueue } from './turn-queue.js';

/** All connections of one handle. */
interface Peer {
  readonly handle: string;
  seats: readonly Seat[];
  /** Number of connections that are not ghosts. */
  visible: number;
  did: string | null;
}

/** A pending acknowledgement for the sender of a message, sent after the message was written. */
interface Receipt {
  sender: Seat;
  to: string | readonly string[] | null;
  /** The connections that were written to, by peer. Undefined for a broadcast, which reaches all. */
  reached?: [Peer, Seat[]][];
}

/** The name under which onlookers see messages of ghosts. */
const GHOST_NAME = 'ghost';

export const frameOf = (frame: WallFrame) => textFrame(JSON.stringify(frame));

/**
 * The live cluster: the open connections of one cluster, their presence and the delivery of frames. A handle may have
 * several connections. It appears with its first visible one and disappears with its last; each of them receives the
 * frames for the handle, and the handle is counted once. Ghosts receive everything and are neither shown nor counted.
 * This class does not interpret message content. Spec: Member visibility; States › Member presence.
 */
export class Room {
  private readonly seats: Seat[] = [];
  /** The connections that the daemon itself holds. */
  private held: readonly HeldSeat[] = [];
  /** The connections of onlookers outside the cluster. */
  private onlookers: readonly Seat[] = [];
  private readonly peers = new Map<string, Peer>();
  private readonly masks = new Map<Seat, string>();
  private masked = 0;
  private visiblePeers = 0;
  private roster: string | undefined;
  private receipts: Receipt[] = [];
  // Uses the system clock, so that a clock stopped by a test delays nothing.
  private readonly queue = new TurnQueue(
    this.seats,
    {
      lost: (seats) => {
        for (const seat of seats) this.end(seat, CLOSE.tooSlow, 'too slow');
      },
      receipts: () => this.settle(),
    },
    systemClock,
  );

  constructor(private readonly isPublic: boolean) {}

  get isEmpty(): boolean {
    return this.seats.length === 0;
  }

  /** Number of visible handles. */
  get size(): number {
    return this.visiblePeers;
  }

  get members(): readonly Seat[] {
    return this.seats;
  }

  /** Visible handles in order of arrival. */
  handles(): string[] {
    return [...this.peers.values()].filter(({ visible }) => visible > 0).map(({ handle }) => handle);
  }

  /**
   * Like `handles`, for surfaces outside the cluster: a handle that joined as `private` is masked, with the same mask
   * as long as it stays.
   */
  shown(): string[] {
    return [...this.peers.values()]
      .filter(({ visible }) => visible > 0)
      .map(({ handle, seats }) => {
        const hidden = seats.find(({ member }) => member.vis === 'private');
        return hidden ? (this.masks.get(hidden) as string) : handle;
      });
  }

  /** Adds a connection. It receives `ready`, and the others are notified of its presence. */
  enter(seat: Seat): void {
    const { handle, did, vis, isOwner } = seat.member;
    // A receipt counts the handles present when it is settled. The queue is flushed, since this connection was absent
    // when the pending messages were sent.
    if (this.receipts.length > 0) this.queue.flush();
    seat.index = this.seats.push(seat) - 1;
    if (seat instanceof HeldSeat) this.held = [...this.held, seat];
    if (seat.member.isOnlooker) this.onlookers = [...this.onlookers, seat];
    let peer = this.peers.get(handle);
    if (!peer) {
      peer = { handle, seats: [], visible: 0, did };
      this.peers.set(handle, peer);
    }
    peer.seats = [...peer.seats, seat];
    if (vis === 'private') {
      this.masked += 1;
      this.masks.set(seat, `private-${this.masked}`);
    }
    const isNew = seat.isVisible && peer.visible === 0;
    if (seat.isVisible) peer.visible += 1;
    if (isNew) {
      this.visiblePeers += 1;
      this.roster = undefined;
      peer.did = did;
    }
    this.roster ??= JSON.stringify(this.handles());
    const online = seat.member.isOnlooker ? JSON.stringify(this.shown()) : this.roster;
    const head = JSON.stringify({ kind: 'ready', you: handle, you_did: did, public: this.isPublic, owner: isOwner });
    this.queue.enter(seat, textFrame(`${head.slice(0, -1)},"online":${online}}`));
    if (isNew) this.tellPresence(seat, did, 'online');
  }

  /** Removes the connection. The others are notified when it was the last visible one of its handle. Idempotent. */
  leave(seat: Seat): void {
    if (seat.isGone) return;
    seat.isGone = true;
    const last = this.seats.pop() as Seat;
    if (last !== seat) {
      this.seats[seat.index] = last;
      last.index = seat.index;
    }
    if (seat instanceof HeldSeat) this.held = this.held.filter((other) => other !== seat);
    if (seat.member.isOnlooker) this.onlookers = this.onlookers.filter((other) => other !== seat);
    const peer = this.peers.get(seat.member.handle) as Peer;
    peer.seats = peer.seats.filter((other) => other !== seat);
    if (peer.seats.length === 0) this.peers.delete(peer.handle);
    if (!seat.isVisible) return;
    peer.visible -= 1;
    if (peer.visible === 0) {
      this.visiblePeers -= 1;
      this.roster = undefined;
      this.tellPresence(seat, peer.did, 'offline');
    }
    this.masks.delete(seat);
  }

  /**
   * Sends the frame that `frameFrom` builds from the sender's name to all but the sender, which receives the number of
   * handles reached.
   */
  broadcast(sender: Seat, frameFrom: (name: string) => Buffer): void {
    this.receipts.push({ sender, to: null });
    this.toAllFrom(sender, frameFrom);
    for (const seat of this.held) if (seat.member.handle !== sender.member.handle) seat.hear(false);
  }

  /**
   * Sends each of the handles its own frame. The sender receives the number of handles reached. A message to the
   * sender's own handle reaches its other connections.
   */
  direct(sender: Seat, to: string | readonly string[], frameFor: (handle: string) => Buffer): void {
    const reached: [Peer, Seat[]][] = [];
    for (const handle of typeof to === 'string' ? [to] : new Set(to)) {
      const peer = this.peers.get(handle);
      if (!peer) continue;
      const frame = frameFor(handle);
      const seats = peer.seats.filter((seat) => seat !== sender && !seat.member.isOnlooker);
      for (const seat of seats) this.queue.toOne(seat, frame, sender);
      if (handle !== sender.member.handle)
        for (const seat of this.held) if (seat.member.handle === handle) seat.hear(true);
      reached.push([peer, seats]);
    }
    this.receipts.push({ sender, to, reached });
    this.queue.await(sender);
  }

  /** Sends a frame to all connections. */
  tell(frame: WallFrame): void {
    this.queue.toAll(frameOf(frame));
  }

  /** Sends a frame to one connection. */
  answer(seat: Seat, frame: WallFrame): void {
    if (seat.isGone) return;
    // Pending receipts of this connection are flushed first, so that the frame does not overtake the receipt of an
    // earlier message.
    if (this.receipts.some(({ sender }) => sender === seat)) this.queue.flush();
    this.queue.toOne(seat, frameOf(frame), seat);
  }

  /** Ends a connection: sends what was queued, then `last`, then the close frame. */
  dismiss(seat: Seat, code: number, reason: string, last: WallFrame): void {
    if (seat.isGone) return;
    this.queue.flush();
    this.answer(seat, last);
    this.queue.flush();
    this.end(seat, code, reason);
  }

  /** Ends all connections, after one last frame for all if there is one. No presence changes are sent. */
  close(code: number, reason: string, last?: WallFrame): void {
    // Messages of the current event loop tick are sent first, with their receipts, so that the last frame stays last.
    this.queue.flush();
    if (last) this.tell(last);
    this.queue.flush();
    for (const seat of this.seats.splice(0)) {
      seat.isGone = true;
      seat.end(code, reason);
    }
    this.held = [];
    this.onlookers = [];
    this.peers.clear();
    this.masks.clear();
    this.visiblePeers = 0;
  }

  end(seat: Seat, code: number, reason: string): void {
    this.leave(seat);
    seat.end(code, reason);
  }

  /** Terminates a connection whose peer has disappeared. */
  drop(seat: Seat): void {
    this.leave(seat);
    seat.cut();
  }

  private tellPresence(seat: Seat, did: string | null, status: 'online' | 'offline'): void {
    const frameFrom = (agent: string) =>
      frameOf({ kind: 'presence', agent, did: agent === seat.member.handle ? did : null, status });
    this.toAllFrom(seat, frameFrom, true);
  }

  /**
   * Queues a frame about `seat` for all others: under its handle for members, under its externally shown name
   * for onlookers.
   */
  private toAllFrom(seat: Seat, frameFrom: (name: string) => Buffer, isPatient = false): void {
    const { handle } = seat.member;
    const shown = this.onlookers.length > 0 ? this.shownName(seat) : handle;
    this.queue.toAll(frameFrom(handle), seat, shown === handle ? [] : this.onlookers, isPatient);
    if (shown === handle) return;
    const masked = frameFrom(shown);
    for (const onlooker of this.onlookers) this.queue.toOne(onlooker, masked, seat, isPatient);
  }

  /** As in `shown`, a handle is masked as soon as one of its connections is private. */
  private shownName(seat: Seat): string {
    const { handle, vis } = seat.member;
    if (vis === 'ghost') return GHOST_NAME;
    const hidden = [seat, ...(this.peers.get(handle)?.seats ?? [])].find((one) => this.masks.has(one));
    return hidden ? (this.masks.get(hidden) as string) : handle;
  }

  private *settle(): Iterable<[Seat, Buffer]> {
    const receipts = this.receipts;
    this.receipts = [];
    for (const { sender, to, reached } of receipts) {
      if (sender.isGone) continue;
      const own = this.peers.get(sender.member.handle) as Peer;
      const delivered =
        reached === undefined
          ? this.visiblePeers - (own.visible > 0 ? 1 : 0)
          : reached.filter(([peer, seats]) => peer !== own && peer.visible > 0 && seats.some(({ isGone }) => !isGone))
              .length;
      yield [
        sender,
        textFrame(`{"kind":"ack","to":${to === null ? 'null' : JSON.stringify(to)},"delivered":${delivered}}`),
      ];
    }
  }
}
