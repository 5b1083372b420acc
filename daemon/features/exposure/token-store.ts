import { isMemberId } from '../../lib/agents/member-id.js';
import { sha256 } from '../../lib/crypto/digests.js';
import { MeshError } from '../../lib/errors.js';
import { JsonStore } from '../../storage/files/json-store.js';
import type { SecretFile } from '../../storage/files/secret-file.js';

interface Entry {
  token: string;
  digest: Buffer;
}

type Entries = ReadonlyMap<string, Entry>;

/**
 * Stores the member tokens, `{id: token}`, in one file that only the operator can read. In plain text, because the
 * operator must be able to copy them. Memory changes only after the disk; changes are serialized.
 */
export class TokenStore {
  private readonly store: JsonStore<Entries>;

  constructor(file: SecretFile) {
    this.store = new JsonStore<Entries>(file, {
      parse: (content) => new Map(Object.entries(content ?? {}).map(([id, token]) => [id, checked(file, id, token)])),
      stringify: (entries) => Object.fromEntries([...entries].map(([id, { token }]) => [id, token])),
    });
  }

  /** Throws `store_readonly` when the file exists and is invalid. It is then never overwritten. */
  load(): Promise<void> {
    return this.store.load();
  }

  ids(): string[] {
    return [...this.store.data.keys()];
  }

  findToken(id: string): string | undefined {
    return this.store.data.get(id)?.token;
  }

  /** SHA-256 of the member's token. */
  findDigest(id: string): Buffer | undefined {
    return this.store.data.get(id)?.digest;
  }

  /**
   * Replaces the member's token if `isStillWanted` returns true at the time of the write. Returns whether it did. A
   * removal requested meanwhile runs afterwards, so that no token outlives its member.
   */
  async replace(id: string, token: string, isStillWanted: () => boolean): Promise<boolean> {
    let isReplaced = false;
    await this.store.update((entries) => {
      isReplaced = isStillWanted();
      return isReplaced ? new Map(entries).set(id, getEntry(token)) : entries;
    });
    return isReplaced;
  }

  /** Adds a token from `make` for each of `ids` that has none. */
  add(ids: readonly string[], make: () => string): Promise<void> {
    return this.store.update((entries) => {
      const missing = ids.filter((id) => !entries.has(id));
      return missing.length === 0
        ? entries
        : new Map([...entries, ...missing.map((id) => [id, getEntry(make())] as const)]);
    });
  }

  /** Deletes the member's token. Returns its digest; undefined when there was none. */
  async remove(id: string): Promise<Buffer | undefined> {
    let removed: Buffer | undefined;
    await this.store.update((entries) => {
      removed = entries.get(id)?.digest;
      return removed ? new Map([...entries].filter(([other]) => other !== id)) : entries;
    });
    return removed;
  }
}

const getEntry = (token: string): Entry => ({ token, digest: sha256(token) });

function checked({ path }: SecretFile, id: string, token: unknown): Entry {
  if (isMemberId(id) && typeof token === 'string' && token.length >= 32) return getEntry(token);
  throw new MeshError('store_readonly', `${path} is damaged: mend it, or remove it to have new tokens made.`);
}
