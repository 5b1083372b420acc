import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import type { Visibility } from '../../contract/clusters.js';
import { CLOSE } from '../../contract/events.js';
import { PING_EVERY_MS, type WallFrame } from '../../contract/wall.js';
import type { Clock } from '../../lib/clock.js';
import { type Heard, HeldSeat } from './held-seat.js';
import { Room } from './room.js';
import type { Member, Seat } from './seat.js';
import { SocketSeat } from './socket-seat.js';

/** A member's connection and the live cluster that it is in. */
export interface Place {
  room: Room;
  seat: SocketSeat;
}

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
export class Rooms {
  private readonly rooms = new Map<string, Room>();
  private cancelLook: (() => void) | undefined;
  private slot = 0;
  private joined = 0;
  private isStopped = false;

  constructor(private readonly clock: Clock) {}

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
    for (const room of this.rooms.values()) room.close(CLOSE.shuttingDown, 'the daemon stops');
    this.rooms.clear();
  }

  /** Number of open sockets. */
  get sockets(): number {
    let sockets = 0;
    for (const { members } of this.rooms.values())
      for (const seat of members) if (seat instanceof SocketSeat) sockets += 1;
    return sockets;
  }

  /** Number of bytes queued for the readers of all live clusters. */
  get queuedBytes(): number {
    let bytes = 0;
    for (const { members } of this.rooms.values()) for (const seat of members) bytes += seat.queuedBytes;
    return bytes;
  }

  /** Number of visible handles connected to the cluster. */
  count(clusterId: string): number {
    return this.rooms.get(clusterId)?.size ?? 0;
  }

  /**
   * Visible handles for surfaces outside the cluster: those that joined as `private` are masked, ghosts are absent.
   * Spec: Member visibility.
   */
  shown(clusterId: string): string[] {
    return this.rooms.get(clusterId)?.shown() ?? [];
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
  ): Place | undefined {
    if (this.isStopped) {
      socket.close(CLOSE.shuttingDown, 'the daemon stops');
      return undefined;
    }
    const room = this.roomOf(cluster);
    const seat: SocketSeat = new SocketSeat(member, socket, connection, this.clock, () =>
      this.leave(cluster.id, room, seat),
    );
    this.seat(room, seat);
    return { room, seat };
  }

  /**
   * Adds a connection that the daemon itself holds for an already authorized member, and calls `heard` for each message
   * that reaches it. Returns a function that leaves, which is idempotent; undefined once the daemon stops.
   */
  hold(cluster: { id: string; visibility: Visibility }, member: Member, heard: Heard): (() => void) | undefined {
    if (this.isStopped) return undefined;
    const room = this.roomOf(cluster);
    const seat = new HeldSeat(member, heard);
    this.seat(room, seat);
    return () => this.leave(cluster.id, room, seat);
  }

  /** Sends a frame to all connections of the cluster, if there are any. */
  push(clusterId: string, frame: WallFrame): void {
    this.rooms.get(clusterId)?.tell(frame);
  }

  /**
   * Closes the connections of a deleted cluster: each receives `closed`, then its socket is closed with 4000. Spec:
   * States › Cluster.
   */
  close(clusterId: string, reason: string): void {
    this.rooms.get(clusterId)?.close(CLOSE.deleted, reason, { kind: 'closed', reason });
    this.rooms.delete(clusterId);
  }

  private roomOf({ id, visibility }: { id: string; visibility: Visibility }): Room {
    const room = this.rooms.get(id) ?? new Room(visibility === 'public');
    this.rooms.set(id, room);
    return room;
  }

  private seat(room: Room, seat: Seat): void {
    seat.pingSlot = this.joined % PING_SLOTS;
    this.joined += 1;
    room.enter(seat);
  }

  private leave(clusterId: string, room: Room, seat: Seat): void {
    room.leave(seat);
    if (room.isEmpty && this.rooms.get(clusterId) === room) this.rooms.delete(clusterId);
  }

  private look(): void {
    this.slot = (this.slot + 1) % PING_SLOTS;
    const queued: [number, Room, Seat][] = [];
    let total = 0;
    for (const room of this.rooms.values()) {
      for (const seat of [...room.members]) {
        if (seat.isSilent) room.drop(seat);
        else if (seat.isStalled()) room.end(seat, CLOSE.tooSlow, 'too slow');
        else {
          if (seat.pingSlot === this.slot) seat.ping();
          const bytes = seat.queuedBytes;
          if (bytes === 0) continue;
          total += bytes;
          queued.push([bytes, room, seat]);
        }
      }
    }
    if (total <= QUEUES_MAX_BYTES) return;
    for (const [bytes, room, seat] of queued.sort(([a], [b]) => b - a)) {
      if (total <= QUEUES_MAX_BYTES) return;
      room.end(seat, CLOSE.tooSlow, 'too slow');
      total -= bytes;
    }
  }
}
