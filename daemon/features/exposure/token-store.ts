import { sha256 } from '../../lib/digests.js';
import { MeshError } from '../../lib/errors.js';
import { isMemberId } from '../../lib/member-id.js';
import type { SecretFile } from '../../storage/secret-file.js';

interface Entry {
  token: string;
  digest: Buffer;
}

/**
 * The member tokens, `{id: token}` in one file that only the operator can read. In clear, because the operator must be able to copy them.
 * What is in memory changes only after it is on disk; changes wait for each other.
 */
export class TokenStore {
  private entries: ReadonlyMap<string, Entry> = new Map();
  private last: Promise<unknown> = Promise.resolve();

  constructor(private readonly file: SecretFile) {}

  /** Throws `store_readonly` when the file is there and is not what it should be; it is never overwritten then. */
  async load(): Promise<void> {
    const found = await this.file.read();
    const entries = new Map<string, Entry>();
    for (const [id, token] of Object.entries(found ?? {})) {
      if (!isMemberId(id) || typeof token !== 'string' || token.length < 32) {
        throw new MeshError(
          'store_readonly',
          `${this.file.path} is damaged: mend it, or remove it to have new tokens made.`,
        );
      }
      entries.set(id, { token, digest: sha256(token) });
    }
    this.entries = entries;
  }

  ids(): string[] {
    return [...this.entries.keys()];
  }

  tokenOf(id: string): string | undefined {
    return this.entries.get(id)?.token;
  }

  /** SHA-256 of the member's token. */
  digestOf(id: string): Buffer | undefined {
    return this.entries.get(id)?.digest;
  }

  /**
   * Writes `token` over what the member had, if `isStillWanted` says so when its turn has come; returns whether it did. A removal that is
   * asked for meanwhile comes after it, so that no token outlives its member.
   */
  replace(id: string, token: string, isStillWanted: () => boolean): Promise<boolean> {
    return this.change((entries) => {
      if (!isStillWanted()) return false;
      entries.set(id, { token, digest: sha256(token) });
      return true;
    });
  }

  /** Gives a token from `make` to those of `ids` that have none. */
  add(ids: readonly string[], make: () => string): Promise<void> {
    return this.change((entries) => {
      for (const id of ids) {
        if (entries.has(id)) continue;
        const token = make();
        entries.set(id, { token, digest: sha256(token) });
      }
      return undefined;
    });
  }

  /** Forgets the tokens of `ids`; returns those that had one. */
  remove(ids: readonly string[]): Promise<string[]> {
    return this.change((entries) => ids.filter((id) => entries.delete(id)));
  }

  private change<T>(edit: (entries: Map<string, Entry>) => T): Promise<T> {
    const turn = this.last.then(async () => {
      const next = new Map(this.entries);
      const result = edit(next);
      if (!sameTokens(this.entries, next)) {
        await this.file.write(Object.fromEntries([...next].map(([id, { token }]) => [id, token])));
        this.entries = next;
      }
      return result;
    });
    this.last = turn.catch(() => undefined);
    return turn;
  }
}

function sameTokens(a: ReadonlyMap<string, Entry>, b: ReadonlyMap<string, Entry>): boolean {
  return a.size === b.size && [...a].every(([id, { token }]) => b.get(id)?.token === token);
}
