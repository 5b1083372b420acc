import { sha256 } from '../../lib/digests.js';
import { MeshError } from '../../lib/errors.js';
import { isMemberId } from '../../lib/member-id.js';
import { JsonStore } from '../../storage/json-store.js';
import type { SecretFile } from '../../storage/secret-file.js';

interface Entry {
  token: string;
  digest: Buffer;
}

type Entries = ReadonlyMap<string, Entry>;

/**
 * The member tokens, `{id: token}` in one file that only the operator can read. In clear, because the operator must be able to copy them.
 * What is in memory changes only after it is on disk; changes wait for each other.
 */
export class TokenStore {
  private readonly store: JsonStore<Entries>;

  constructor(file: SecretFile) {
    this.store = new JsonStore<Entries>(file, {
      parse: (content) => new Map(Object.entries(content ?? {}).map(([id, token]) => [id, checked(file, id, token)])),
      stringify: (entries) => Object.fromEntries([...entries].map(([id, { token }]) => [id, token])),
    });
  }

  /** Throws `store_readonly` when the file is there and is not what it should be; it is never overwritten then. */
  load(): Promise<void> {
    return this.store.load();
  }

  ids(): string[] {
    return [...this.store.data.keys()];
  }

  tokenOf(id: string): string | undefined {
    return this.store.data.get(id)?.token;
  }

  /** SHA-256 of the member's token. */
  digestOf(id: string): Buffer | undefined {
    return this.store.data.get(id)?.digest;
  }

  /**
   * Writes `token` over what the member had, if `isStillWanted` says so when its turn has come; returns whether it did. A removal that is
   * asked for meanwhile comes after it, so that no token outlives its member.
   */
  async replace(id: string, token: string, isStillWanted: () => boolean): Promise<boolean> {
    let isReplaced = false;
    await this.store.update((entries) => {
      isReplaced = isStillWanted();
      return isReplaced ? new Map(entries).set(id, entryOf(token)) : entries;
    });
    return isReplaced;
  }

  /** Gives a token from `make` to those of `ids` that have none. */
  add(ids: readonly string[], make: () => string): Promise<void> {
    return this.store.update((entries) => {
      const missing = ids.filter((id) => !entries.has(id));
      return missing.length === 0
        ? entries
        : new Map([...entries, ...missing.map((id) => [id, entryOf(make())] as const)]);
    });
  }

  /** Forgets the tokens of `ids`; returns those that had one. */
  async remove(ids: readonly string[]): Promise<string[]> {
    let removed: string[] = [];
    await this.store.update((entries) => {
      removed = ids.filter((id) => entries.has(id));
      return removed.length === 0 ? entries : new Map([...entries].filter(([id]) => !removed.includes(id)));
    });
    return removed;
  }
}

const entryOf = (token: string): Entry => ({ token, digest: sha256(token) });

function checked({ path }: SecretFile, id: string, token: unknown): Entry {
  if (isMemberId(id) && typeof token === 'string' && token.length >= 32) return entryOf(token);
  throw new MeshError('store_readonly', `${path} is damaged: mend it, or remove it to have new tokens made.`);
}
