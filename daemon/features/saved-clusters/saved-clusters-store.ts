import { VIS, type Vis } from '../../contract/wall.js';
import { isHandle } from '../../lib/agents/handle.js';
import { MeshError } from '../../lib/errors.js';
import { JsonStore } from '../../storage/files/json-store.js';
import type { SecretFile } from '../../storage/files/secret-file.js';

/** A saved cluster: the operator's presence in it and its known tokens. */
export interface SavedClusterRecord {
  cluster_id: string;
  handle: string;
  vis: Vis;
  held: boolean;
  token: string | null;
  admin_token: string | null;
}

type KeptClusters = ReadonlyMap<string, SavedClusterRecord>;

/**
 * The operator's saved clusters with their tokens, in one file that only the operator can read, in the order in which
 * they were saved. Memory is updated only after the change is on disk. A damaged file is never overwritten: all access
 * to saved clusters fails until it is repaired.
 */
export class SavedClustersStore {
  private readonly store: JsonStore<KeptClusters>;
  private problem: MeshError | undefined;

  constructor(private readonly file: Pick<SecretFile, 'path' | 'read' | 'write'>) {
    this.store = new JsonStore<KeptClusters>(file, {
      parse: (content) => new Map(Object.entries(content ?? {}).map(([id, value]) => [id, this.checked(id, value)])),
      stringify: (clusters) =>
        Object.fromEntries([...clusters].map(([id, { cluster_id: _, ...cluster }]) => [id, cluster])),
    });
  }

  /**
   * Loads the file. Returns the `store_readonly` error when it cannot be used; every other call then throws that error.
   */
  async load(): Promise<MeshError | undefined> {
    try {
      await this.store.load();
    } catch (error) {
      if (!(error instanceof MeshError)) throw error;
      this.problem = error;
    }
    return this.problem;
  }

  list(): SavedClusterRecord[] {
    if (this.problem) throw this.problem;
    return [...this.store.data.values()];
  }

  find(clusterId: string): SavedClusterRecord | undefined {
    if (this.problem) throw this.problem;
    return this.store.data.get(clusterId);
  }

  get size(): number {
    return this.list().length;
  }

  /** Writes a saved cluster, replacing an earlier version. Throws `no_space`, `store_readonly`. */
  async put(cluster: SavedClusterRecord): Promise<void> {
    if (this.problem) throw this.problem;
    await this.store.update((clusters) => new Map(clusters).set(cluster.cluster_id, cluster));
  }

  /** Deletes a saved cluster with its tokens. Throws `no_space`, `store_readonly`. */
  async remove(clusterId: string): Promise<void> {
    if (this.find(clusterId) === undefined) return;
    await this.store.update((clusters) => new Map([...clusters].filter(([id]) => id !== clusterId)));
  }

  private checked(cluster_id: string, value: unknown): SavedClusterRecord {
    const { handle, vis, held, token = null, admin_token = null } = (value ?? {}) as Partial<SavedClusterRecord>;
    const isText = (secret: unknown) => secret === null || (typeof secret === 'string' && secret !== '');
    if (
      isHandle(handle) &&
      VIS.includes(vis as Vis) &&
      typeof held === 'boolean' &&
      isText(token) &&
      isText(admin_token)
    ) {
      return { cluster_id, handle, vis: vis as Vis, held, token, admin_token };
    }
    throw new MeshError(
      'store_readonly',
      `${this.file.path} is damaged: fix it, or remove it to start without saved clusters.`,
    );
  }
}
