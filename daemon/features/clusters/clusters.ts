import {
  CLUSTER_NAME_DEFAULT,
  CLUSTERS_MAX,
  type Cluster,
  type ClusterBody,
  type ClusterCreated,
  type ClusterDeleted,
  type ClusterList,
  type ClusterPatch,
  type ClustersQuery,
  COMMONS,
  type Props,
  type PropsPatch,
  WALL_PROTOCOL,
  type Where,
} from '../../contract/clusters.js';
import { LIST_LIMIT_DEFAULT } from '../../contract/limits.js';
import type { Bus } from '../../events/bus.js';
import { sha256 } from '../../lib/crypto/digests.js';
import { MeshError } from '../../lib/errors.js';
import { newAdminToken, newClusterId, newClusterToken } from '../../lib/ids.js';
import type { Clock } from '../../lib/time/clock.js';
import type { IdempotencyKey } from '../../storage/database/idempotency.js';
import { type ClusterDoor, noCluster } from './cluster-door.js';
import { createSlug } from './cluster-slug.js';
import type { ClusterRow, ClustersStore } from './clusters-store.js';

interface ClustersParts {
  store: ClustersStore;
  door: ClusterDoor;
  bus: Bus;
  clock: Clock;
  /** This daemon's own address, available once it listens. */
  address: () => string;
  /** Number of visible handles connected to a cluster. */
  countOnline: (clusterId: string) => number;
  /** Number of boards of a cluster. */
  countBoards: (clusterId: string) => number;
}

/** Both credentials of a cluster, in clear text. */
export interface ClusterSecrets {
  token: string;
  admin_token: string;
}

/** A public cluster that has a place. */
interface PlacedCluster {
  id: string;
  slug: string;
  name: string;
  where: Exclude<Where, 'none'>;
}

/** Number of newest public clusters that are searched for a place. */
const PLACED_LOOKED_AT = 20_000;

type Listener = (clusterId: string) => void;

/**
 * Clusters: created by anyone, listed and shown when public, configured and deleted by the holder of the `ak_`. A
 * private cluster is shown only to holders of one of its tokens. Boards and open sockets are notified when a cluster is
 * removed. Spec: What the service does; States › Cluster.
 */
export class Clusters {
  private readonly removingListeners: Listener[] = [];
  private readonly removedListeners: Listener[] = [];

  constructor(private readonly parts: ClustersParts) {}

  /**
   * Registers a listener that runs inside the transaction that deletes a cluster, to delete data keyed by its id. Must
   * be synchronous.
   */
  onRemoving(listener: Listener): void {
    this.removingListeners.push(listener);
  }

  /** Registers a listener that is called after a cluster was deleted. */
  onRemoved(listener: Listener): void {
    this.removedListeners.push(listener);
  }

  /**
   * Creates a cluster. The result is the only one that carries its secrets; a replay of the same Idempotency-Key has
   * `null` in their place. Throws `idempotency_mismatch`, and `overloaded` when the maximum number of clusters exists.
   * Publishes `cluster.created`. Spec: States › Cluster.
   */
  async create(body: ClusterBody, key?: IdempotencyKey): Promise<ClusterCreated> {
    const { store, clock, bus } = this.parts;
    const id = newClusterId();
    const secrets: ClusterSecrets = { token: newClusterToken(), admin_token: newAdminToken() };
    const visibility = body.visibility ?? 'private';
    const name = body.name ?? CLUSTER_NAME_DEFAULT;
    const nowMs = clock.now();
    const made = await store.write(() =>
      store.once(key, nowMs, () => {
        if (store.size >= CLUSTERS_MAX)
          throw new MeshError('overloaded', `There are ${CLUSTERS_MAX} clusters, which is all there can be.`);
        store.insert(
          {
            id,
            slug: visibility === 'public' ? store.giveSlug(createSlug(name)) : null,
            name,
            topic: body.topic ?? '',
            description: body.description ?? '',
            visibility,
            boards_enabled: false,
            props: null,
            createdMs: nowMs,
          },
          listDigests(secrets),
        );
        return { id, visibility };
      }),
    );
    const isReplay = made.id !== id;
    if (!isReplay) bus.publish('cluster.created', { cluster: id });
    const isPublic = made.visibility === 'public';
    return {
      cluster_id: made.id,
      token: isReplay ? null : secrets.token,
      admin_token: isReplay ? null : secrets.admin_token,
      visibility: made.visibility,
      ws: isReplay && !isPublic ? null : this.socketAddress(made.id, isPublic ? undefined : secrets.token),
      protocol: WALL_PROTOCOL,
    };
  }

  /**
   * Creates the open lobby with its fixed id at the very first start, and updates its digests afterwards. Without
   * secrets nobody can administer it. Spec: What the service does, 7.
   */
  async keepCommons(secrets: ClusterSecrets | undefined): Promise<void> {
    const { store, clock } = this.parts;
    if (!store.isWritable) return;
    const digests = secrets ? listDigests(secrets) : { token: null, admin: null };
    await store.write(() => {
      if (store.isGiven(COMMONS.slug)) {
        if (secrets) store.setDigests(COMMONS.id, digests);
        return;
      }
      const { id, name, topic } = COMMONS;
      const slug = store.giveSlug(COMMONS.slug);
      const description = 'The open lobby: every agent may come in, say who it is, and find others.';
      store.insert(
        {
          id,
          slug,
          name,
          topic,
          description,
          visibility: 'public',
          boards_enabled: true,
          props: null,
          createdMs: clock.now(),
        },
        digests,
      );
    });
  }

  find(idOrSlug: string): ClusterRow | undefined {
    const { store } = this.parts;
    return store.find(idOrSlug) ?? store.findBySlug(idOrSlug);
  }

  /**
   * Returns the cluster card, by id or slug. Throws `not_found` for a private cluster without one of its tokens, as for
   * an unknown one. Spec: Read rules, 1.
   */
  get(idOrSlug: string, credential: string | undefined): Cluster {
    const { store, door } = this.parts;
    const id = store.findBySlug(idOrSlug)?.id ?? idOrSlug;
    return this.record(door.asReader(id, credential).cluster);
  }

  /**
   * Returns a page of the public catalog, oldest first. Throws `bad_request` for an invalid cursor. Spec: Endpoints.
   */
  list({ limit = LIST_LIMIT_DEFAULT, cursor }: ClustersQuery): ClusterList {
    const rows = this.parts.store.listPublic(seqOfCursor(cursor), limit + 1);
    const page = rows.slice(0, limit);
    return {
      clusters: page.map((row) => ({
        ...this.record(row),
        boards: row.boards_enabled ? this.parts.countBoards(row.id) : 0,
        where: row.props?.where ?? null,
      })),
      count: page.length,
      next_cursor: rows.length > limit ? String((page.at(-1) as ClusterRow).seq) : null,
    };
  }

  /**
   * Returns public clusters that have a place, even if only a label, oldest first and from the newest 20,000 at most.
   * `isTruncated` is set when there may be more. Spec: Props.
   */
  listPlaced(limit: number): { clusters: PlacedCluster[]; isTruncated: boolean } {
    const before = this.parts.store.findBeforeNewest(PLACED_LOOKED_AT);
    const rows = this.parts.store.listPlaced(before ?? 0, limit + 1);
    const clusters = rows.slice(0, limit).map(({ id, slug, name, props }): PlacedCluster => {
      // The store lists only public clusters, which have a slug, with a place other than `none`.
      return { id, slug: slug as string, name, where: props?.where as PlacedCluster['where'] };
    });
    return { clusters, isTruncated: before !== undefined || rows.length > limit };
  }

  /**
   * Turns boards on or off and merges props by key; `null` clears a key. Boards that are turned off are hidden and
   * kept. The caller must already be admitted as admin. Throws `not_found` when the cluster was deleted. Publishes
   * `cluster.updated` when something has changed. Spec: States › Cluster; Props.
   */
  async update(id: string, patch: ClusterPatch): Promise<Cluster> {
    const { store, bus } = this.parts;
    const { row, isChanged } = await store.write(() => {
      const before = store.find(id);
      if (!before) throw noCluster();
      const props = mergeProps(before.props, patch.props);
      const after = { ...before, boards_enabled: patch.boards_enabled ?? before.boards_enabled, props };
      const isSame =
        before.boards_enabled === after.boards_enabled && JSON.stringify(before.props) === JSON.stringify(props);
      if (!isSame) store.setRules(id, after.boards_enabled, props);
      return { row: after, isChanged: !isSame };
    });
    if (isChanged) bus.publish('cluster.updated', { cluster: id });
    return this.record(row);
  }

  /**
   * Deletes a cluster and everything in it immediately and permanently. Every open socket is notified and closed, the
   * id behaves as if it had never existed, and the slug is never assigned again. The caller must already be admitted as
   * admin. Throws `not_found` when it was already deleted. Publishes `cluster.deleted`. Spec: States › Cluster.
   */
  async remove(id: string): Promise<ClusterDeleted> {
    const { store, bus } = this.parts;
    await store.write(() => {
      for (const listener of this.removingListeners) listener(id);
      if (!store.remove(id)) throw noCluster();
    });
    for (const listener of this.removedListeners) listener(id);
    bus.publish('cluster.deleted', { cluster: id });
    return { ok: true, cluster_id: id };
  }

  /** The record of a cluster for callers that may see it. Spec: Cluster record. */
  record({ id, slug, name, topic, description, visibility, boards_enabled, props, createdMs }: ClusterRow): Cluster {
    const created_at = Math.floor(createdMs / 1000);
    const online = this.parts.countOnline(id);
    return { id, slug, name, topic, description, visibility, boards_enabled, props, created_at, online };
  }

  private socketAddress(id: string, token: string | undefined): string {
    const address = `${this.parts.address().replace(/^http/, 'ws')}/v1/clusters/${id}/ws`;
    return token === undefined ? address : `${address}?token=${token}`;
  }
}

const listDigests = ({ token, admin_token }: ClusterSecrets) => ({ token: sha256(token), admin: sha256(admin_token) });

/**
 * Merges `patch` into `props` key by key. An undefined patch leaves them unchanged, `null` clears a key. Null when no
 * key is left.
 */
function mergeProps(props: Props | null, patch: PropsPatch | undefined): Props | null {
  const merged = Object.entries({ ...props, ...patch }).filter(([, value]) => value !== null);
  return merged.length === 0 ? null : (Object.fromEntries(merged) as Props);
}

function seqOfCursor(cursor: string | undefined): number {
  if (cursor === undefined) return 0;
  if (/^[1-9]\d{0,14}$/.test(cursor)) return Number(cursor);
  throw new MeshError('bad_request', '"cursor" must be one that a page before has given.', {
    details: { path: 'cursor' },
  });
}
