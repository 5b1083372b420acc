import { VIS, type Vis } from '../../contract/wall.js';
import { MeshError } from '../../lib/errors.js';
import { isHandle } from '../../lib/handle.js';
import { JsonStore } from '../../storage/json-store.js';
import type { SecretFile } from '../../storage/secret-file.js';

/** A saved cluster: the operator's presence in it and its known tokens. */
export interface KeptRoom {
  cluster_id: string;
  handle: string;
  vis: Vis;
  held: boolean;
  token: string | null;
  admin_token: string | null;
}

type KeptRooms = ReadonlyMap<string, KeptRoom>;

/**
 * The operator's saved clusters with their tokens, in one file that only the operator can read, in the order in which
 * they were saved. Memory is updated only after the change is on disk. A damaged file is never overwritten: all access
 * to saved clusters fails until it is repaired.
 */
export class RoomsStore {
  private readonly store: JsonStore<KeptRooms>;
  private problem: MeshError | undefined;

  constructor(private readonly file: Pick<SecretFile, 'path' | 'read' | 'write'>) {
    this.store = new JsonStore<KeptRooms>(file, {
      parse: (content) => new Map(Object.entries(content ?? {}).map(([id, value]) => [id, this.checked(id, value)])),
      stringify: (rooms) => Object.fromEntries([...rooms].map(([id, { cluster_id: _, ...room }]) => [id, room])),
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

  list(): KeptRoom[] {
    if (this.problem) throw this.problem;
    return [...this.store.data.values()];
  }

  find(clusterId: string): KeptRoom | undefined {
    if (this.problem) throw this.problem;
    return this.store.data.get(clusterId);
  }

  get size(): number {
    return this.list().length;
  }

  /** Writes a saved cluster, replacing an earlier version. Throws `no_space`, `store_readonly`. */
  async put(room: KeptRoom): Promise<void> {
    if (this.problem) throw this.problem;
    await this.store.update((rooms) => new Map(rooms).set(room.cluster_id, room));
  }

  /** Deletes a saved cluster with its tokens. Throws `no_space`, `store_readonly`. */
  async remove(clusterId: string): Promise<void> {
    if (this.find(clusterId) === undefined) return;
    await this.store.update((rooms) => new Map([...rooms].filter(([id]) => id !== clusterId)));
  }

  private checked(cluster_id: string, value: unknown): KeptRoom {
    const { handle, vis, held, token = null, admin_token = null } = (value ?? {}) as Partial<KeptRoom>;
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
