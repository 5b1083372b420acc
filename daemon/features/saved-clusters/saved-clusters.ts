import { Mutex } from 'async-mutex';
import { COMMONS } from '../../contract/clusters.js';
import {
  OPERATOR_HANDLE,
  SAVED_CLUSTERS_MAX,
  type SavedCluster,
  type SavedClusterBody,
  type SavedClusterDetail,
  type SavedClusterList,
  type SavedClusterPatch,
} from '../../contract/saved-clusters.js';
import type { Bus } from '../../events/bus.js';
import { toHandle } from '../../lib/agents/handle.js';
import { getErrorMessage, MeshError } from '../../lib/errors.js';
import type { Clock } from '../../lib/time/clock.js';
import type { ClusterAccess } from '../clusters/cluster-access.js';
import type { ClusterHub } from '../clusters/cluster-hub.js';
import type { ClusterSecrets, Clusters } from '../clusters/clusters.js';
import type { ClusterRow } from '../clusters/clusters-store.js';
import { ClusterPresence } from './cluster-presence.js';
import { toSavedCluster } from './saved-cluster-view.js';
import type { SavedClusterRecord, SavedClustersStore } from './saved-clusters-store.js';
import { checkTokens, type SavedTokens } from './saved-tokens.js';

interface SavedClustersParts {
  store: SavedClustersStore;
  clusters: Pick<Clusters, 'find' | 'record'>;
  clusterAccess: Pick<ClusterAccess, 'asReader' | 'asAdmin' | 'roleOf'>;
  hub: Pick<ClusterHub, 'hold'>;
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
export class SavedClusters {
  private readonly presences = new Map<string, ClusterPresence>();
  /** Serializes changes, so that the file and the connections stay consistent. */
  private readonly mutex = new Mutex();

  constructor(private readonly parts: SavedClustersParts) {}

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
    for (const record of this.known()) {
      const cluster = this.parts.clusters.find(record.cluster_id);
      if (cluster) this.sit(record, cluster);
    }
  }

  /** Stops all notifications. The connections end with the live clusters. */
  stop(): void {
    for (const presence of this.presences.values()) presence.stop();
  }

  /** All saved clusters in the order in which they were saved, without tokens. */
  list(): SavedClusterList {
    const clusters = this.parts.store.list().flatMap((record) => this.find(record) ?? []);
    return { rooms: clusters, count: clusters.length };
  }

  /** One saved cluster with its tokens. Throws `not_found` when it is not saved. */
  get(idOrSlug: string): SavedClusterDetail {
    const record = this.getRecord(idOrSlug);
    return { ...this.describe(record), ...this.getTokens(record) };
  }

  /**
   * Saves a cluster, by its id or the slug of a public one, and joins it. For one that is already saved, the given
   * fields are updated. A private cluster requires one of its tokens. Throws `not_found` for a private cluster without
   * one, as for an unknown one; `unauthorized` for a wrong token of a public one; `bad_request` for an invalid handle;
   * `limit_reached` at 200; `forbidden` while no secret may be written. Publishes `room.changed`.
   */
  keep(body: SavedClusterBody): Promise<{ saved: SavedCluster; isNew: boolean }> {
    return this.mutex.runExclusive(async () => {
      const { store, clusters } = this.parts;
      const id = clusters.find(body.cluster_id)?.id ?? body.cluster_id;
      const before = store.find(id);
      const tokens = this.selectStoredTokens(id, checkTokens(this.parts, id, body, before));
      if (!before && store.size >= SAVED_CLUSTERS_MAX) {
        throw new MeshError('limit_reached', `${SAVED_CLUSTERS_MAX} clusters are saved, the maximum: leave one first.`);
      }
      const cluster = await this.save(before, {
        cluster_id: id,
        handle: checkedHandle(body.handle) ?? before?.handle ?? OPERATOR_HANDLE,
        vis: body.vis ?? before?.vis ?? 'public',
        held: body.held ?? before?.held ?? true,
        ...tokens,
      });
      return { saved: cluster, isNew: before === undefined };
    });
  }

  /**
   * Changes the operator's presence in a saved cluster, or its tokens; `null` deletes a token. Throws `not_found` when
   * the cluster is not saved; `bad_request` for an invalid handle, and when a private cluster would have no token left;
   * and the errors of `keep` for tokens. Publishes `room.changed` when something has changed.
   */
  update(idOrSlug: string, patch: SavedClusterPatch): Promise<SavedCluster> {
    return this.mutex.runExclusive(async () => {
      const before = this.getRecord(idOrSlug);
      const tokens = this.selectStoredTokens(
        before.cluster_id,
        checkTokens(this.parts, before.cluster_id, patch, before),
      );
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
  read(idOrSlug: string): SavedCluster {
    const record = this.getRecord(idOrSlug);
    if (this.openPresence(record.cluster_id).read()) this.changed(record.cluster_id);
    return this.describe(record);
  }

  /**
   * Leaves the cluster and deletes it from the saved ones with its tokens. Returns its id. Throws `not_found`.
   * Publishes `room.changed`.
   */
  leave(idOrSlug: string): Promise<string> {
    return this.mutex.runExclusive(async () => {
      const { cluster_id } = this.getRecord(idOrSlug);
      await this.parts.store.remove(cluster_id);
      this.dropPresence(cluster_id);
      this.changed(cluster_id);
      return cluster_id;
    });
  }

  /** Deletes what was saved about a deleted cluster. */
  onClusterRemoved(clusterId: string): void {
    const { store, warn } = this.parts;
    this.dropPresence(clusterId);
    void this.mutex
      .runExclusive(async () => {
        if (store.find(clusterId) === undefined) return;
        await store.remove(clusterId);
        this.changed(clusterId);
      })
      .catch((error: unknown) =>
        warn(`The tokens of the deleted cluster ${clusterId} could not be forgotten: ${getErrorMessage(error)}`),
      );
  }

  /** Writes the changes to a saved cluster, then joins it, changes the connection or leaves it accordingly. */
  private async save(before: SavedClusterRecord | undefined, record: SavedClusterRecord): Promise<SavedCluster> {
    const { store, clusters, mayWriteSecrets } = this.parts;
    const isSame = before !== undefined && JSON.stringify(before) === JSON.stringify(record);
    if (!isSame) {
      const isSecret = (name: keyof SavedTokens) => record[name] !== null && record[name] !== before?.[name];
      if ((isSecret('token') || isSecret('admin_token')) && !(await mayWriteSecrets())) throw noSecrets();
      await store.put(record);
    }
    const cluster = clusters.find(record.cluster_id);
    // The cluster was deleted meanwhile. `onClusterRemoved` deletes what was just written when it acquires the mutex.
    if (!cluster) throw createNotSavedError();
    if (!isSame) {
      this.sit(record, cluster);
      this.changed(record.cluster_id);
    }
    return this.describe(record);
  }

  private sit({ cluster_id, handle, vis, held }: SavedClusterRecord, cluster: ClusterRow): void {
    const presence = this.openPresence(cluster_id);
    if (held) presence.take(cluster, handle, vis);
    else presence.leave();
  }

  private openPresence(clusterId: string): ClusterPresence {
    const { hub, clock } = this.parts;
    const presence =
      this.presences.get(clusterId) ?? new ClusterPresence({ hub, clock, changed: () => this.changed(clusterId) });
    this.presences.set(clusterId, presence);
    return presence;
  }

  private dropPresence(clusterId: string): void {
    this.presences.get(clusterId)?.leave();
    this.presences.delete(clusterId);
  }

  private changed(cluster: string): void {
    this.parts.bus.publish('room.changed', { cluster });
  }

  private known(): SavedClusterRecord[] {
    try {
      return this.parts.store.list();
    } catch {
      // `load` has already reported the problem.
      return [];
    }
  }

  private getRecord(idOrSlug: string): SavedClusterRecord {
    const { store, clusters } = this.parts;
    const cluster = clusters.find(idOrSlug);
    const record = cluster && store.find(cluster.id);
    if (!record) throw createNotSavedError();
    return record;
  }

  private describe(record: SavedClusterRecord): SavedCluster {
    const cluster = this.find(record);
    if (!cluster) throw createNotSavedError();
    return cluster;
  }

  /** Undefined when the cluster does not exist. */
  private find(record: SavedClusterRecord): SavedCluster | undefined {
    const row = this.parts.clusters.find(record.cluster_id);
    if (!row) return undefined;
    return toSavedCluster(
      record,
      this.parts.clusters.record(row),
      this.openPresence(record.cluster_id),
      this.getTokens(record),
    );
  }

  /** The tokens to store in the file of saved clusters. Those of the commons are stored in their own file. */
  private selectStoredTokens(clusterId: string, tokens: SavedTokens): SavedTokens {
    const { commons } = this.parts;
    if (clusterId !== COMMONS.id || !commons) return tokens;
    const { token, admin_token } = tokens;
    return {
      token: token === commons.token ? null : token,
      admin_token: admin_token === commons.admin_token ? null : admin_token,
    };
  }

  /** The operator always has the tokens of the commons. */
  private getTokens({ cluster_id, token, admin_token }: SavedClusterRecord): SavedTokens {
    const { commons } = this.parts;
    if (cluster_id !== COMMONS.id) return { token, admin_token };
    return { token: token ?? commons?.token ?? null, admin_token: admin_token ?? commons?.admin_token ?? null };
  }
}

function checkedHandle(handle: string | undefined): string | undefined {
  const taken = toHandle(handle);
  if (handle === undefined || taken !== undefined) return taken;
  throw new MeshError('bad_request', '"handle" must be 1 to 64 characters that are seen, with no space at the ends.', {
    details: { path: 'handle' },
  });
}

const createNotSavedError = () => new MeshError('not_found', 'This cluster is not joined: join it first.');

const noSecrets = () =>
  new MeshError(
    'forbidden',
    'Git tracks files under .mesh/credentials or .mesh/state, so no new secret is written. Run `git rm -r ' +
      '--cached --ignore-unmatch .mesh/credentials .mesh/state`, commit, and try again.',
  );
