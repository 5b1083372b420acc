import { Mutex } from 'async-mutex';
import { COMMONS } from '../../contract/clusters.js';
import {
  OPERATOR_HANDLE,
  ROOMS_MAX,
  type Room,
  type RoomBody,
  type RoomDetail,
  type RoomList,
  type RoomPatch,
} from '../../contract/rooms.js';
import type { Bus } from '../../events/bus.js';
import type { Clock } from '../../lib/clock.js';
import { MeshError, messageOf } from '../../lib/errors.js';
import { isHandle } from '../../lib/handle.js';
import type { ClusterDoor } from '../clusters/cluster-door.js';
import type { ClusterSecrets, Clusters } from '../clusters/clusters.js';
import type { ClusterRow } from '../clusters/clusters-store.js';
import type { Rooms } from '../clusters/rooms.js';
import { RoomSeat } from './room-seat.js';
import { type RoomTokens, roomTokens } from './room-tokens.js';
import { roomView } from './room-view.js';
import type { KeptRoom, RoomsStore } from './rooms-store.js';

export interface KeptRoomsParts {
  store: RoomsStore;
  clusters: Pick<Clusters, 'find' | 'record'>;
  door: Pick<ClusterDoor, 'asReader' | 'asAdmin' | 'roleOf'>;
  rooms: Pick<Rooms, 'hold'>;
  bus: Bus;
  clock: Clock;
  /** The tokens of the commons, which are stored in a separate file. */
  commons: ClusterSecrets | undefined;
  /** Whether new secrets may be written to the credentials folder. */
  mayWriteSecrets: () => Promise<boolean>;
  /** Reports failures of background work to the operator. */
  warn: (message: string) => void;
}

/**
 * The operator's saved clusters. While one is held, the daemon itself has a connection in it under the operator's
 * handle: visible, counted and reachable like any member, next to browser tabs with the same handle. Messages of others
 * are counted and never stored. Saved clusters and their tokens are on disk before a call resolves, and are rejoined
 * when the daemon starts. Spec: Member visibility; Member presence.
 */
export class KeptRooms {
  private readonly seats = new Map<string, RoomSeat>();
  /** Serializes changes, so that the file and the connections stay consistent. */
  private readonly mutex = new Mutex();

  constructor(private readonly parts: KeptRoomsParts) {}

  /**
   * Loads the saved clusters. An unusable file is reported as a warning, and every access to saved clusters then
   * throws `store_readonly`.
   */
  async load(): Promise<void> {
    const problem = await this.parts.store.load();
    if (problem) this.parts.warn(problem.message);
  }

  /** Joins every saved cluster that is held. */
  start(): void {
    for (const kept of this.known()) {
      const cluster = this.parts.clusters.find(kept.cluster_id);
      if (cluster) this.sit(kept, cluster);
    }
  }

  /** Stops all notifications. The connections end with the live clusters. */
  stop(): void {
    for (const seat of this.seats.values()) seat.stop();
  }

  /** All saved clusters in the order in which they were saved, without tokens. */
  list(): RoomList {
    const rooms = this.parts.store.list().flatMap((kept) => this.find(kept) ?? []);
    return { rooms, count: rooms.length };
  }

  /** One saved cluster with its tokens. Throws `not_found` when it is not saved. */
  get(idOrSlug: string): RoomDetail {
    const kept = this.getKept(idOrSlug);
    return { ...this.room(kept), ...this.tokensOf(kept) };
  }

  /**
   * Saves a cluster, by its id or the slug of a public one, and joins it. For one that is already saved, the given
   * fields are updated. A private cluster requires one of its tokens. Throws `not_found` for a private cluster without
   * one, as for an unknown one; `unauthorized` for a wrong token of a public one; `bad_request` for an invalid handle;
   * `limit_reached` at 200; `forbidden` while no secret may be written. Publishes `room.changed`.
   */
  keep(body: RoomBody): Promise<{ room: Room; isNew: boolean }> {
    return this.mutex.runExclusive(async () => {
      const { store, clusters } = this.parts;
      const id = clusters.find(body.cluster_id)?.id ?? body.cluster_id;
      const before = store.find(id);
      const tokens = this.toKeep(id, roomTokens(this.parts, id, body, before));
      if (!before && store.size >= ROOMS_MAX) {
        throw new MeshError('limit_reached', `${ROOMS_MAX} clusters are saved, the maximum: leave one first.`);
      }
      const room = await this.save(before, {
        cluster_id: id,
        handle: checkedHandle(body.handle) ?? before?.handle ?? OPERATOR_HANDLE,
        vis: body.vis ?? before?.vis ?? 'public',
        held: body.held ?? before?.held ?? true,
        ...tokens,
      });
      return { room, isNew: before === undefined };
    });
  }

  /**
   * Changes the operator's presence in a saved cluster, or its tokens; `null` deletes a token. Throws `not_found` when
   * the cluster is not saved; `bad_request` for an invalid handle, and when a private cluster would have no token left;
   * and the errors of `keep` for tokens. Publishes `room.changed` when something has changed.
   */
  update(idOrSlug: string, patch: RoomPatch): Promise<Room> {
    return this.mutex.runExclusive(async () => {
      const before = this.getKept(idOrSlug);
      const tokens = this.toKeep(before.cluster_id, roomTokens(this.parts, before.cluster_id, patch, before));
      return this.save(before, {
        cluster_id: before.cluster_id,
        handle: checkedHandle(patch.handle) ?? before.handle,
        vis: patch.vis ?? before.vis,
        held: patch.held ?? before.held,
        ...tokens,
      });
    });
  }

  /** Marks all messages as read. Throws `not_found`. Publishes `room.changed` when there were unread messages. */
  read(idOrSlug: string): Room {
    const kept = this.getKept(idOrSlug);
    if (this.seatOf(kept.cluster_id).read()) this.changed(kept.cluster_id);
    return this.room(kept);
  }

  /**
   * Leaves the cluster and deletes it from the saved ones with its tokens. Returns its id. Throws `not_found`.
   * Publishes `room.changed`.
   */
  leave(idOrSlug: string): Promise<string> {
    return this.mutex.runExclusive(async () => {
      const { cluster_id } = this.getKept(idOrSlug);
      await this.parts.store.remove(cluster_id);
      this.dropSeat(cluster_id);
      this.changed(cluster_id);
      return cluster_id;
    });
  }

  /** Deletes what was saved about a deleted cluster. */
  onClusterRemoved(clusterId: string): void {
    const { store, warn } = this.parts;
    this.dropSeat(clusterId);
    void this.mutex
      .runExclusive(async () => {
        if (store.find(clusterId) === undefined) return;
        await store.remove(clusterId);
        this.changed(clusterId);
      })
      .catch((error: unknown) =>
        warn(`The tokens of the deleted cluster ${clusterId} could not be forgotten: ${messageOf(error)}`),
      );
  }

  /** Writes the changes to a saved cluster, then joins it, changes the connection or leaves it accordingly. */
  private async save(before: KeptRoom | undefined, kept: KeptRoom): Promise<Room> {
    const { store, clusters, mayWriteSecrets } = this.parts;
    const isSame = before !== undefined && JSON.stringify(before) === JSON.stringify(kept);
    if (!isSame) {
      const isSecret = (name: keyof RoomTokens) => kept[name] !== null && kept[name] !== before?.[name];
      if ((isSecret('token') || isSecret('admin_token')) && !(await mayWriteSecrets())) throw noSecrets();
      await store.put(kept);
    }
    const cluster = clusters.find(kept.cluster_id);
    // The cluster was deleted meanwhile. `onClusterRemoved` deletes what was just written when it acquires the mutex.
    if (!cluster) throw notKept();
    if (!isSame) {
      this.sit(kept, cluster);
      this.changed(kept.cluster_id);
    }
    return this.room(kept);
  }

  private sit({ cluster_id, handle, vis, held }: KeptRoom, cluster: ClusterRow): void {
    const seat = this.seatOf(cluster_id);
    if (held) seat.take(cluster, handle, vis);
    else seat.leave();
  }

  private seatOf(clusterId: string): RoomSeat {
    const { rooms, clock } = this.parts;
    const seat = this.seats.get(clusterId) ?? new RoomSeat({ rooms, clock, changed: () => this.changed(clusterId) });
    this.seats.set(clusterId, seat);
    return seat;
  }

  private dropSeat(clusterId: string): void {
    this.seats.get(clusterId)?.leave();
    this.seats.delete(clusterId);
  }

  private changed(cluster: string): void {
    this.parts.bus.publish('room.changed', { cluster });
  }

  private known(): KeptRoom[] {
    try {
      return this.parts.store.list();
    } catch {
      // `load` has already reported the problem.
      return [];
    }
  }

  private getKept(idOrSlug: string): KeptRoom {
    const { store, clusters } = this.parts;
    const cluster = clusters.find(idOrSlug);
    const kept = cluster && store.find(cluster.id);
    if (!kept) throw notKept();
    return kept;
  }

  private room(kept: KeptRoom): Room {
    const room = this.find(kept);
    if (!room) throw notKept();
    return room;
  }

  /** Undefined when the cluster does not exist. */
  private find(kept: KeptRoom): Room | undefined {
    const row = this.parts.clusters.find(kept.cluster_id);
    if (!row) return undefined;
    return roomView(kept, this.parts.clusters.record(row), this.seatOf(kept.cluster_id), this.tokensOf(kept));
  }

  /** The tokens to store in the file of saved clusters. Those of the commons are stored in their own file. */
  private toKeep(clusterId: string, tokens: RoomTokens): RoomTokens {
    const { commons } = this.parts;
    if (clusterId !== COMMONS.id || !commons) return tokens;
    const { token, admin_token } = tokens;
    return {
      token: token === commons.token ? null : token,
      admin_token: admin_token === commons.admin_token ? null : admin_token,
    };
  }

  /** The operator always has the tokens of the commons. */
  private tokensOf({ cluster_id, token, admin_token }: KeptRoom): RoomTokens {
    const { commons } = this.parts;
    if (cluster_id !== COMMONS.id) return { token, admin_token };
    return { token: token ?? commons?.token ?? null, admin_token: admin_token ?? commons?.admin_token ?? null };
  }
}

function checkedHandle(handle: string | undefined): string | undefined {
  if (handle === undefined || isHandle(handle)) return handle;
  throw new MeshError(
    'bad_request',
    '"handle" must be 1 to 64 characters that are seen (NFC), with no space at the ends.',
    {
      details: { path: 'handle' },
    },
  );
}

const notKept = () => new MeshError('not_found', 'This cluster is not joined: join it first.');

const noSecrets = () =>
  new MeshError(
    'forbidden',
    'Git tracks files under .mesh/credentials or .mesh/state, so no new secret is written. Run `git rm -r --cached --ignore-unmatch .mesh/credentials .mesh/state`, commit, and try again.',
  );
