import {
  CLUSTER_NAME_DEFAULT,
  type Cluster,
  type ClusterBody,
  type ClusterCreated,
  type ClusterDeleted,
  type ClusterList,
  type ClusterPatch,
  COMMONS,
  WALL_PROTOCOL,
  type Where,
} from '../../contract/clusters.js';
import { LIST_LIMIT_DEFAULT } from '../../contract/limits.js';
import type { PageQuery } from '../../contract/shared/paging.js';
import type { Bus } from '../../events/bus.js';
import type { ClusterCredential } from '../../http/callers/cluster-credential.js';
import { sha256 } from '../../lib/crypto/digests.js';
import { newAdminToken, newClusterId, newClusterToken } from '../../lib/ids.js';
import { parseSequenceCursor } from '../../lib/sequence-cursor.js';
import type { SharedChanges } from '../../shared-log/command-kinds.js';
import type { IdempotencyKey } from '../../storage/database/idempotency.js';
import { type ClusterAccess, noCluster } from './cluster-access.js';
import { ClusterCommands, type MadeCluster, type UpdatedCluster } from './cluster-commands.js';
import { createSlug } from './cluster-slug.js';
import type { ClusterRow, ClustersStore } from './clusters-store.js';

interface ClustersParts {
  store: ClustersStore;
  clusterAccess: ClusterAccess;
  shared: SharedChanges;
  bus: Bus;
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

  constructor(private readonly parts: ClustersParts) {
    const removing = (id: string) => {
      for (const listener of this.removingListeners) listener(id);
    };
    parts.shared.kinds.define(new ClusterCommands(parts.store, removing).kinds);
    this.follow(parts);
  }

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
    const id = newClusterId();
    const secrets: ClusterSecrets = { token: newClusterToken(), admin_token: newAdminToken() };
    const visibility = body.visibility ?? 'private';
    const name = body.name ?? CLUSTER_NAME_DEFAULT;
    const { token, admin } = listDigests(secrets);
    const made = await this.submit<MadeCluster>('create', id, {
      ...{ token_sha256: token, admin_sha256: admin, visibility, name },
      slug: visibility === 'public' ? createSlug(name) : null,
      topic: body.topic ?? '',
      description: body.description ?? '',
      key: key ?? null,
    });
    const isReplay = made.id !== id;
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
    const { store, shared } = this.parts;
    if (!store.isWritable) return;
    // In a network of daemons the lobby belongs to the one that created it.
    if (shared.log.isShared && store.isGiven(COMMONS.slug)) return;
    await this.submit<void>('keep-commons', COMMONS.id, { digests: secrets ? listDigests(secrets) : null });
  }

  /** Returns the cluster with the id. Throws `not_found`. */
  require(id: string): ClusterRow {
    const row = this.parts.store.find(id);
    if (!row) throw noCluster();
    return row;
  }

  find(idOrSlug: string): ClusterRow | undefined {
    const { store } = this.parts;
    return store.find(idOrSlug) ?? store.findBySlug(idOrSlug);
  }

  /**
   * Returns the cluster card, by id or slug. Throws `not_found` for a private cluster without one of its tokens, as for
   * an unknown one. Spec: Read rules, 1.
   */
  get(idOrSlug: string, credential: ClusterCredential): Cluster {
    const { store, clusterAccess } = this.parts;
    const id = store.findBySlug(idOrSlug)?.id ?? idOrSlug;
    return this.record(clusterAccess.asReader(id, credential).cluster);
  }

  /**
   * Returns a page of the public catalog, oldest first. Throws `bad_request` for an invalid cursor. Spec: Endpoints.
   */
  list({ limit = LIST_LIMIT_DEFAULT, cursor }: PageQuery): ClusterList {
    const rows = this.parts.store.listPublic(parseSequenceCursor(cursor), limit + 1);
    const page = rows.slice(0, limit);
    return {
      clusters: page.map((row) => ({
        ...this.record(row),
        boards: row.boards_enabled ? this.parts.countBoards(row.id) : 0,
        where: row.props?.where ?? null,
      })),
      count: this.parts.store.countPublic(),
      next_cursor: rows.length > limit ? String((page.at(-1) as ClusterRow).seq) : null,
    };
  }

  /**
   * Returns public clusters that have a place, even if only a label, newest first and from the newest 20,000 at most.
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
   * Turns boards on or off and merges props by key, `entry` and `limits` by member; `null` clears one. Boards that are
   * turned off are hidden and kept. The caller must already be admitted as admin. Throws `not_found` when the cluster
   * was deleted. Publishes `cluster.updated` when something has changed. Spec: States › Cluster; Props.
   */
  async update(id: string, patch: ClusterPatch): Promise<Cluster> {
    const { row } = await this.submit<UpdatedCluster>('update', id, patch);
    return this.record(row);
  }

  /**
   * Deletes a cluster and everything in it immediately and permanently. Every open socket is notified and closed, the
   * id behaves as if it had never existed, and the slug is never assigned again. The caller must already be admitted as
   * admin. Throws `not_found` when it was already deleted. Publishes `cluster.deleted`. Spec: States › Cluster.
   */
  async remove(id: string): Promise<ClusterDeleted> {
    await this.submit<void>('remove', id, {});
    return { ok: true, cluster_id: id };
  }

  /** The record of a cluster for callers that may see it. Spec: Cluster record. */
  record({ id, slug, name, topic, description, visibility, boards_enabled, props, createdMs }: ClusterRow): Cluster {
    const created_at = Math.floor(createdMs / 1000);
    const online = this.parts.countOnline(id);
    return { id, slug, name, topic, description, visibility, boards_enabled, props, created_at, online };
  }

  private async submit<Result>(verb: string, id: string, body: Record<string, unknown>): Promise<Result> {
    return this.parts.shared.log.submit<Result>(`cluster.${verb}`, id, body);
  }

  /** Sets what follows each command: events, and the listeners. */
  private follow({ bus, shared: { kinds } }: ClustersParts): void {
    kinds.onApplied<MadeCluster>('cluster.create', ({ id }, { entity }) => {
      // A repeat of a request leads to an earlier cluster.
      if (id === entity) bus.publish('cluster.created', { cluster: id });
    });
    kinds.onApplied<UpdatedCluster>('cluster.update', ({ isChanged }, { entity }) => {
      if (isChanged) bus.publish('cluster.updated', { cluster: entity });
    });
    kinds.onApplied<void>('cluster.remove', (_, { entity }) => {
      for (const listener of this.removedListeners) listener(entity);
      bus.publish('cluster.deleted', { cluster: entity });
    });
  }

  private socketAddress(id: string, token: string | undefined): string {
    const address = `${this.parts.address().replace(/^http/, 'ws')}/v1/clusters/${id}/ws`;
    return token === undefined ? address : `${address}?token=${token}`;
  }
}

const toDigest = (secret: string) => sha256(secret).toString('base64url');
const listDigests = ({ token, admin_token }: ClusterSecrets) => ({
  token: toDigest(token),
  admin: toDigest(admin_token),
});
