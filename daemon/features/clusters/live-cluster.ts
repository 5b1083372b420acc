import { CLOSE } from '../../contract/events.js';
import type { WallFrame } from '../../contract/wall.js';
import { systemClock } from '../../lib/time/clock.js';
import { textFrame } from '../../lib/websocket-frame.js';
import type { Connection } from './connection.js';
import { LocalConnection } from './local-connection.js';
import type { RemoteConnection } from './remote-connection.js';
import { TickWriteBatcher } from './tick-write-batcher.js';

/** All connections of one handle. */
interface Peer {
  readonly handle: string;
  connections: readonly Connection[];
  /** Number of connections that are not ghosts, and of those of them that are open here. */
  visible: number;
  here: number;
  did: string | null;
}

/** A pending acknowledgement for the sender of a message, sent after the message was written. */
interface Receipt {
  sender: Connection;
  to: string | readonly string[] | null;
  /** The connections that were written to, by peer. Undefined for a broadcast, which reaches all. */
  reached?: [Peer, Connection[]][];
}

/** The name under which onlookers see messages of ghosts. */
const GHOST_NAME = 'ghost';

/** Whether other daemons get what is said here. */
export interface Reachability {
  readonly isReachable: boolean;
}

const encodeFrame = (frame: WallFrame) => textFrame(JSON.stringify(frame));

/**
 * The live cluster: the open connections of one cluster, their presence and the delivery of frames. A handle may have
 * several connections. It appears with its first visible one and disappears with its last; each of them receives the
 * frames for the handle, and the handle is counted once. Ghosts receive everything and are neither shown nor counted.
 * This class does not interpret message content. Spec: Member visibility; States › Member presence.
 */
export class LiveCluster {
  private readonly connections: Connection[] = [];
  /** The connections that the daemon itself holds. */
  private held: readonly LocalConnection[] = [];
  /** The connections of onlookers outside the cluster. */
  private onlookers: readonly Connection[] = [];
  private readonly peers = new Map<string, Peer>();
  private readonly masks = new Map<Connection, string>();
  private masked = 0;
  private visiblePeers = 0;
  /** Number of visible handles with a connection that is open here. */
  private visibleHere = 0;
  /** Number of connections that are open at other daemons; they are not among `connections`. */
  private remotes = 0;
  private roster: string | undefined;
  private receipts: Receipt[] = [];
  // Uses the system clock, so that a clock stopped by a test delays nothing.
  private readonly queue = new TickWriteBatcher(
    this.connections,
    {
      lost: (connections) => {
        for (const connection of connections) this.end(connection, CLOSE.tooSlow, 'too slow');
      },
      receipts: () => this.settle(),
    },
    systemClock,
  );

  constructor(
    private readonly isPublic: boolean,
    private readonly others: Reachability = { isReachable: false },
  ) {}

  get isEmpty(): boolean {
    return this.connections.length === 0 && this.remotes === 0;
  }

  /** Number of visible handles. */
  get size(): number {
    return this.visiblePeers;
  }

  /** The connections that are open here. */
  get members(): readonly Connection[] {
    return this.connections;
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
      .map(({ handle, connections }) => {
        const hidden = connections.find(({ member }) => member.vis === 'private');
        return hidden ? (this.masks.get(hidden) as string) : handle;
      });
  }

  /** The visible handles that are connected here. */
  handlesHere(): string[] {
    return [...this.peers.values()].filter(({ here }) => here > 0).map(({ handle }) => handle);
  }

  /** How other daemons list a handle that is visibly connected here; undefined without one. */
  memberHere(handle: string): { handle: string; did: string | null; masked: boolean } | undefined {
    const peer = this.peers.get(handle);
    if (!peer || peer.here === 0) return undefined;
    const here = peer.connections.filter(({ isRemote }) => !isRemote);
    const did = here.find(({ isVisible }) => isVisible)?.member.did ?? null;
    return { handle, did, masked: here.some(({ member }) => member.vis === 'private') };
  }

  /** Whether the handle is visibly connected, here or at another daemon. */
  isVisible(handle: string): boolean {
    return (this.peers.get(handle)?.visible ?? 0) > 0;
  }

  /** Whether what is said to the handle must go to other daemons: it is there, or might be as a ghost. */
  isElsewhere(handle: string): boolean {
    const connections = this.peers.get(handle)?.connections ?? [];
    return connections.length === 0 || connections.some(({ isRemote }) => isRemote);
  }

  /** Adds a connection that is open here. It receives `ready`, and the others are notified of its presence. */
  enter(connection: Connection): void {
    const { handle, did, isOwner } = connection.member;
    // A receipt counts the handles present when it is settled. The queue is flushed, since this connection was absent
    // when the pending messages were sent.
    if (this.receipts.length > 0) this.queue.flush();
    connection.index = this.connections.push(connection) - 1;
    if (connection instanceof LocalConnection) this.held = [...this.held, connection];
    if (connection.member.isOnlooker) this.onlookers = [...this.onlookers, connection];
    const isNew = this.admit(connection);
    this.roster ??= JSON.stringify(this.handles());
    const online = connection.member.isOnlooker ? JSON.stringify(this.shown()) : this.roster;
    const head = JSON.stringify({ kind: 'ready', you: handle, you_did: did, public: this.isPublic, owner: isOwner });
    this.queue.enter(connection, textFrame(`${head.slice(0, -1)},"online":${online}}`));
    if (isNew) this.broadcastPresence(connection, did, 'online');
  }

  /** Adds a connection that is open at another daemon. The others are notified of its presence. */
  enterRemote(connection: RemoteConnection): void {
    if (this.receipts.length > 0) this.queue.flush();
    this.remotes += 1;
    if (this.admit(connection)) this.broadcastPresence(connection, connection.member.did, 'online');
  }

  /** Removes the connection. The others are notified when it was the last visible one of its handle. Idempotent. */
  leave(connection: Connection): void {
    if (connection.isGone) return;
    connection.isGone = true;
    if (connection.isRemote) this.remotes -= 1;
    else this.unlist(connection);
    const peer = this.peers.get(connection.member.handle) as Peer;
    peer.connections = peer.connections.filter((other) => other !== connection);
    if (peer.connections.length === 0) this.peers.delete(peer.handle);
    if (!connection.isVisible) return;
    if (!connection.isRemote) peer.here -= 1;
    if (!connection.isRemote && peer.here === 0) this.visibleHere -= 1;
    peer.visible -= 1;
    if (peer.visible === 0) {
      this.visiblePeers -= 1;
      this.roster = undefined;
      this.broadcastPresence(connection, peer.did, 'offline');
    }
    this.masks.delete(connection);
  }

  /**
   * Sends the frame that `frameFrom` builds from the sender's name to all that are here but the sender. One that is
   * here receives the number of handles reached.
   */
  broadcast(sender: Connection, frameFrom: (name: string) => Buffer): void {
    if (!sender.isRemote) this.receipts.push({ sender, to: null });
    this.toAllFrom(sender, frameFrom);
    for (const connection of this.held)
      if (connection.member.handle !== sender.member.handle) connection.onMessage(false);
  }

  /**
   * Sends each of the handles its own frame. The sender receives the number of handles reached. A message to the
   * sender's own handle reaches its other connections.
   */
  direct(sender: Connection, to: string | readonly string[], frameFor: (handle: string) => Buffer): void {
    const reached: [Peer, Connection[]][] = [];
    for (const handle of typeof to === 'string' ? [to] : new Set(to)) {
      const peer = this.peers.get(handle);
      if (!peer) continue;
      const frame = frameFor(handle);
      const connections = peer.connections.filter(
        (connection) => connection !== sender && !connection.member.isOnlooker,
      );
      for (const connection of connections) if (!connection.isRemote) this.queue.toOne(connection, frame, sender);
      if (handle !== sender.member.handle)
        for (const connection of this.held) if (connection.member.handle === handle) connection.onMessage(true);
      reached.push([peer, connections]);
    }
    if (sender.isRemote) return;
    this.receipts.push({ sender, to, reached });
    this.queue.await(sender);
  }

  /** Sends a frame to all connections. */
  sendToAll(frame: WallFrame): void {
    this.queue.toAll(encodeFrame(frame));
  }

  /** Sends a frame to one connection. */
  answer(connection: Connection, frame: WallFrame): void {
    if (connection.isGone) return;
    // Pending receipts of this connection are flushed first, so that the frame does not overtake the receipt of an
    // earlier message.
    if (this.receipts.some(({ sender }) => sender === connection)) this.queue.flush();
    this.queue.toOne(connection, encodeFrame(frame), connection);
  }

  /** Ends a connection: sends what was queued, then `last`, then the close frame. */
  dismiss(connection: Connection, code: number, reason: string, last: WallFrame): void {
    if (connection.isGone) return;
    this.queue.flush();
    this.answer(connection, last);
    this.queue.flush();
    this.end(connection, code, reason);
  }

  /** Ends all connections, after one last frame for all if there is one. No presence changes are sent. */
  close(code: number, reason: string, last?: WallFrame): void {
    // Messages of the current event loop tick are sent first, with their receipts, so that the last frame stays last.
    this.queue.flush();
    if (last) this.sendToAll(last);
    this.queue.flush();
    for (const connection of this.connections.splice(0)) {
      connection.isGone = true;
      connection.end(code, reason);
    }
    for (const { connections } of this.peers.values()) for (const connection of connections) connection.isGone = true;
    this.held = [];
    this.onlookers = [];
    this.peers.clear();
    this.masks.clear();
    this.visiblePeers = 0;
    this.visibleHere = 0;
    this.remotes = 0;
  }

  end(connection: Connection, code: number, reason: string): void {
    this.leave(connection);
    connection.end(code, reason);
  }

  /** Terminates a connection whose peer has disappeared. */
  drop(connection: Connection): void {
    this.leave(connection);
    connection.cut();
  }

  /** Lists the connection under its handle. Returns whether the handle became visible with it. */
  private admit(connection: Connection): boolean {
    const { handle, did, vis } = connection.member;
    let peer = this.peers.get(handle);
    if (!peer) {
      peer = { handle, connections: [], visible: 0, here: 0, did };
      this.peers.set(handle, peer);
    }
    peer.connections = [...peer.connections, connection];
    if (vis === 'private') {
      this.masked += 1;
      this.masks.set(connection, `private-${this.masked}`);
    }
    if (!connection.isVisible) return false;
    peer.visible += 1;
    if (!connection.isRemote) {
      peer.here += 1;
      if (peer.here === 1) this.visibleHere += 1;
    }
    if (peer.visible > 1) return false;
    this.visiblePeers += 1;
    this.roster = undefined;
    peer.did = did;
    return true;
  }

  /** Removes a connection that is open here from the lists of such. */
  private unlist(connection: Connection): void {
    const last = this.connections.pop() as Connection;
    if (last !== connection) {
      this.connections[connection.index] = last;
      last.index = connection.index;
    }
    if (connection instanceof LocalConnection) this.held = this.held.filter((other) => other !== connection);
    if (connection.member.isOnlooker) this.onlookers = this.onlookers.filter((other) => other !== connection);
  }

  private broadcastPresence(connection: Connection, did: string | null, status: 'online' | 'offline'): void {
    const frameFrom = (agent: string) =>
      encodeFrame({ kind: 'presence', agent, did: agent === connection.member.handle ? did : null, status });
    this.toAllFrom(connection, frameFrom, true);
  }

  /**
   * Queues a frame about a connection for all others: under its handle for members, under its externally shown name
   * for onlookers.
   */
  private toAllFrom(connection: Connection, frameFrom: (name: string) => Buffer, isPatient = false): void {
    const { handle } = connection.member;
    const shown = this.onlookers.length > 0 ? this.shownName(connection) : handle;
    const except = connection.isRemote ? undefined : connection;
    this.queue.toAll(frameFrom(handle), except, shown === handle ? [] : this.onlookers, isPatient);
    if (shown === handle) return;
    const masked = frameFrom(shown);
    for (const onlooker of this.onlookers) this.queue.toOne(onlooker, masked, connection, isPatient);
  }

  /** As in `shown`, a handle is masked as soon as one of its connections is private. */
  private shownName(connection: Connection): string {
    const { handle, vis } = connection.member;
    if (vis === 'ghost') return GHOST_NAME;
    const hidden = [connection, ...(this.peers.get(handle)?.connections ?? [])].find((one) => this.masks.has(one));
    return hidden ? (this.masks.get(hidden) as string) : handle;
  }

  private *settle(): Iterable<[Connection, Buffer]> {
    const receipts = this.receipts;
    this.receipts = [];
    for (const { sender, to, reached } of receipts) {
      if (sender.isGone) continue;
      const own = this.peers.get(sender.member.handle) as Peer;
      const delivered =
        reached === undefined
          ? this.countOthers(own)
          : reached.filter(
              ([peer, connections]) =>
                peer !== own && peer.visible > 0 && connections.some((connection) => this.isReached(connection)),
            ).length;
      yield [
        sender,
        textFrame(`{"kind":"ack","to":${to === null ? 'null' : JSON.stringify(to)},"delivered":${delivered}}`),
      ];
    }
  }

  /** The number of visible handles besides `own` that a broadcast reaches. */
  private countOthers(own: Peer): number {
    if (this.remotes === 0 || this.others.isReachable) return this.visiblePeers - (own.visible > 0 ? 1 : 0);
    return this.visibleHere - (own.here > 0 ? 1 : 0);
  }

  private isReached({ isGone, isRemote }: Connection): boolean {
    return !isGone && (!isRemote || this.others.isReachable);
  }
}
