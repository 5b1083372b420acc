import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import type { Visibility } from '../../contract/clusters.js';
import { CLOSE } from '../../contract/events.js';
import { PING_EVERY_MS, type WallFrame } from '../../contract/wall.js';
import { SlowReaders } from '../../http/slow-readers.js';
import type { Clock } from '../../lib/time/clock.js';
import type { Connection, Member } from './connection.js';
import { LiveCluster, type Reachability } from './live-cluster.js';
import { LocalConnection, type MessageListener } from './local-connection.js';
import { RemoteConnection } from './remote-connection.js';
import { SocketConnection } from './socket-connection.js';

/** A member's connection and the live cluster that it is in. */
export interface JoinedConnection {
  cluster: LiveCluster;
  connection: SocketConnection;
}

/** Told with the cluster and the handle when a connection was opened or closed here. */
type MemberListener = (clusterId: string, handle: string) => void;

const LOOK_EVERY_MS = 1_000;
const PING_SLOTS = PING_EVERY_MS / LOOK_EVERY_MS;
/**
 * Maximum number of bytes queued for the readers of all live clusters. Beyond it, the connections with the longest
 * queues are closed.
 */
const QUEUES_MAX_BYTES = 128 * 1024 * 1024;

/**
 * The live clusters: one for each cluster that has a connection. Frames pass through and are not stored. Live clusters
 * depend neither on boards, which push their changes through them, nor on the content of the Wall; this keeps the three
 * isolated. Pings each socket every 25 s, and drops readers that have stalled or do not respond. Spec: What the service
 * does, 4; Member presence.
 */
export class ClusterHub {
  private readonly clusters = new Map<string, LiveCluster>();
  private cancelLook: (() => void) | undefined;
  private slot = 0;
  private joined = 0;
  private isStopped = false;
  private readonly slow: SlowReaders;
  private onMember: MemberListener | undefined;

  /** `others` tells whether what is said here reaches other daemons. */
  constructor(
    private readonly clock: Clock,
    private readonly others?: Reachability,
  ) {
    this.slow = new SlowReaders(clock);
  }

  /** Sets the listener for connections of a handle that were opened or closed here. */
  onMemberHere(listener: MemberListener): void {
    this.onMember = listener;
  }

  /** The live cluster, and all of them. */
  find(clusterId: string): LiveCluster | undefined {
    return this.clusters.get(clusterId);
  }

  get ids(): string[] {
    return [...this.clusters.keys()];
  }

  /** Starts the periodic checks of the sockets. */
  start(): void {
    this.cancelLook = this.clock.after(LOOK_EVERY_MS, () => {
      this.start();
      this.look();
    });
  }

  /** Closes every socket because the daemon stops. */
  stop(): void {
    this.isStopped = true;
    this.cancelLook?.();
    for (const cluster of this.clusters.values()) cluster.close(CLOSE.shuttingDown, 'the daemon stops');
    this.clusters.clear();
    this.slow.stop();
  }

  /** Number of open sockets. */
  get sockets(): number {
    let sockets = 0;
    for (const { members } of this.clusters.values())
      for (const connection of members) if (connection instanceof SocketConnection) sockets += 1;
    return sockets;
  }

  /** Number of bytes queued for the readers of all live clusters. */
  get queuedBytes(): number {
    let bytes = 0;
    for (const { members } of this.clusters.values()) for (const connection of members) bytes += connection.queuedBytes;
    return bytes;
  }

  /** Number of visible handles connected to the cluster. */
  count(clusterId: string): number {
    return this.clusters.get(clusterId)?.size ?? 0;
  }

  /**
   * Visible handles for surfaces outside the cluster: those that joined as `private` are masked, ghosts are absent.
   * Spec: Member visibility.
   */
  shown(clusterId: string): string[] {
    return this.clusters.get(clusterId)?.shown() ?? [];
  }

  /**
   * Adds the connection of an already authorized member. Listeners are attached to its socket synchronously, before any
   * event can be emitted. Returns undefined once the daemon stops.
   */
  join(
    cluster: { id: string; visibility: Visibility },
    member: Member,
    socket: WebSocket,
    connection: Socket,
  ): JoinedConnection | undefined {
    if (this.isStopped) {
      socket.close(CLOSE.shuttingDown, 'the daemon stops');
      return undefined;
    }
    const liveCluster = this.openCluster(cluster);
    const wallConnection: SocketConnection = new SocketConnection(
      member,
      socket,
      connection,
      this.clock,
      this.slow,
      () => this.leave(cluster.id, liveCluster, wallConnection),
    );
    this.addConnection(cluster.id, liveCluster, wallConnection);
    return { cluster: liveCluster, connection: wallConnection };
  }

  /**
   * Adds a connection that the daemon itself holds for an already authorized member, and calls `heard` for each message
   * that reaches it. Returns a function that leaves, which is idempotent; undefined once the daemon stops.
   */
  hold(
    cluster: { id: string; visibility: Visibility },
    member: Member,
    onMessage: MessageListener,
  ): (() => void) | undefined {
    if (this.isStopped) return undefined;
    const liveCluster = this.openCluster(cluster);
    const connection = new LocalConnection(member, onMessage);
    this.addConnection(cluster.id, liveCluster, connection);
    return () => this.leave(cluster.id, liveCluster, connection);
  }

  /** Adds a member that is connected to another daemon. Calling `remove` repeatedly is safe. */
  placeRemote(
    cluster: { id: string; visibility: Visibility },
    member: Omit<Member, 'isOwner'>,
  ): { connection: Connection; remove: () => void } {
    const liveCluster = this.openCluster(cluster);
    const connection = new RemoteConnection({ ...member, isOwner: false });
    liveCluster.enterRemote(connection);
    return { connection, remove: () => this.leave(cluster.id, liveCluster, connection) };
  }

  /** A ghost that speaks at another daemon. It is in no live cluster. */
  createGhost(handle: string, did: string | null): Connection {
    return new RemoteConnection({ handle, did, vis: 'ghost', isOwner: false });
  }

  /** Sends a frame to all connections of the cluster, if there are any. */
  push(clusterId: string, frame: WallFrame): void {
    this.clusters.get(clusterId)?.sendToAll(frame);
  }

  /**
   * Closes the connections of a deleted cluster: each receives `closed`, then its socket is closed with 4000. Spec:
   * States › Cluster.
   */
  close(clusterId: string, reason: string): void {
    this.clusters.get(clusterId)?.close(CLOSE.deleted, reason, { kind: 'closed', reason });
    this.clusters.delete(clusterId);
  }

  /** Closes the connections of clusters that are no longer there, after all were replaced. */
  closeUnknown(isKnown: (clusterId: string) => boolean): void {
    for (const id of [...this.clusters.keys()]) if (!isKnown(id)) this.close(id, 'The cluster is no longer here.');
  }

  private openCluster({ id, visibility }: { id: string; visibility: Visibility }): LiveCluster {
    const cluster = this.clusters.get(id) ?? new LiveCluster(visibility === 'public', this.others);
    this.clusters.set(id, cluster);
    return cluster;
  }

  private addConnection(clusterId: string, cluster: LiveCluster, connection: Connection): void {
    connection.pingSlot = this.joined % PING_SLOTS;
    this.joined += 1;
    cluster.enter(connection);
    this.onMember?.(clusterId, connection.member.handle);
  }

  private leave(clusterId: string, cluster: LiveCluster, connection: Connection): void {
    cluster.leave(connection);
    if (cluster.isEmpty && this.clusters.get(clusterId) === cluster) this.clusters.delete(clusterId);
    if (!connection.isRemote) this.onMember?.(clusterId, connection.member.handle);
  }

  private look(): void {
    this.slot = (this.slot + 1) % PING_SLOTS;
    const queued: [number, LiveCluster, Connection][] = [];
    let total = 0;
    for (const cluster of this.clusters.values()) {
      for (const connection of [...cluster.members]) {
        if (connection.isSilent) cluster.drop(connection);
        else if (connection.isStalled()) cluster.end(connection, CLOSE.tooSlow, 'too slow');
        else {
          if (connection.pingSlot === this.slot) connection.ping();
          const bytes = connection.queuedBytes;
          if (bytes === 0) continue;
          total += bytes;
          queued.push([bytes, cluster, connection]);
        }
      }
    }
    if (total <= QUEUES_MAX_BYTES) return;
    for (const [bytes, cluster, connection] of queued.sort(([a], [b]) => b - a)) {
      if (total <= QUEUES_MAX_BYTES) return;
      cluster.end(connection, CLOSE.tooSlow, 'too slow');
      total -= bytes;
    }
  }
}
