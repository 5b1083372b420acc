import { VIS, type Vis } from '../../contract/wall.js';
import { MeshError } from '../../lib/errors.js';
import { isHandle } from '../../lib/handle.js';
import type { SecretFile } from '../../storage/secret-file.js';

/** A room as it is kept: how the operator sits in it, and the tokens of it that are known. */
export interface KeptRoom {
  cluster_id: string;
  handle: string;
  vis: Vis;
  held: boolean;
  token: string | null;
  admin_token: string | null;
}

/**
 * The rooms that the operator keeps, with their tokens, in one file that only the operator can read, in the order in which they were kept. What is in memory
 * changes only after it is on disk. A damaged file is never overwritten: it keeps everything about rooms from working until it is mended.
 */
export class RoomsStore {
  private rooms: ReadonlyMap<string, KeptRoom> = new Map();
  private problem: MeshError | undefined;

  constructor(private readonly file: Pick<SecretFile, 'path' | 'read' | 'write'>) {}

  /** Reads the file. Returns why it cannot be used, which every other call then throws: `store_readonly`. */
  async load(): Promise<MeshError | undefined> {
    try {
      const found = Object.entries((await this.file.read()) ?? {});
      this.rooms = new Map(found.map(([id, value]) => [id, this.checked(id, value)]));
    } catch (error) {
      if (!(error instanceof MeshError)) throw error;
      this.problem = error;
    }
    return this.problem;
  }

  list(): KeptRoom[] {
    if (this.problem) throw this.problem;
    return [...this.rooms.values()];
  }

  find(clusterId: string): KeptRoom | undefined {
    if (this.problem) throw this.problem;
    return this.rooms.get(clusterId);
  }

  get size(): number {
    return this.list().length;
  }

  /** Writes a room over what was kept of it. Changes must wait for each other. Throws `no_space`, `store_readonly`. */
  async put(room: KeptRoom): Promise<void> {
    const next = new Map(this.rooms);
    next.set(room.cluster_id, room);
    await this.save(next);
  }

  /** Forgets a room with its tokens. Changes must wait for each other. Throws `no_space`, `store_readonly`. */
  async remove(clusterId: string): Promise<void> {
    if (this.find(clusterId) === undefined) return;
    const next = new Map(this.rooms);
    next.delete(clusterId);
    await this.save(next);
  }

  private async save(next: ReadonlyMap<string, KeptRoom>): Promise<void> {
    if (this.problem) throw this.problem;
    await this.file.write(Object.fromEntries([...next].map(([id, { cluster_id: _, ...room }]) => [id, room])));
    this.rooms = next;
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
      `${this.file.path} is damaged: mend it, or remove it to start with no rooms.`,
    );
  }
}
