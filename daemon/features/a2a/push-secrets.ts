import { MeshError } from '../../lib/errors.js';
import { isObject } from '../../lib/is-object.js';
import type { JsonAdapter } from '../../storage/files/json-file.js';
import { JsonStore } from '../../storage/files/json-store.js';

/** The secret that authenticates the sender to a receiver of notifications. */
export interface PushSecret {
  token?: string;
  scheme?: string;
  credentials?: string;
}

type PushSecretsFile = JsonAdapter & { path: string };
type Entries = ReadonlyMap<string, PushSecret>;

const isText = (value: unknown) => value === undefined || typeof value === 'string';
const isSecret = (value: unknown): value is PushSecret =>
  isObject(value) && isText(value['token']) && isText(value['scheme']) && isText(value['credentials']);

/**
 * The secrets of push notification configurations, `{key: secret}`, in one file that only the operator can read. Writes
 * are serialized.
 */
export class PushSecrets {
  private readonly store: JsonStore<Entries>;

  constructor(
    file: PushSecretsFile,
    private readonly mayWrite: () => Promise<boolean>,
  ) {
    this.store = new JsonStore(file, {
      parse(content): Entries {
        const entries = Object.entries(content ?? {});
        if (entries.every((entry): entry is [string, PushSecret] => isSecret(entry[1]))) return new Map(entries);
        throw new MeshError('store_readonly', `${file.path} is damaged: mend it, or remove it to forget its secrets.`);
      },
      stringify: (entries) => Object.fromEntries(entries),
    });
  }

  async find(key: string): Promise<PushSecret | undefined> {
    await this.store.load();
    return this.store.data.get(key);
  }

  /** Throws `forbidden` while git tracks the credentials folder. */
  async put(key: string, secret: PushSecret): Promise<void> {
    if (!(await this.mayWrite())) {
      throw new MeshError(
        'forbidden',
        'Git tracks files of .mesh/credentials, so no new secret is written: leave token and authentication out.',
      );
    }
    await this.store.update((entries) => new Map(entries).set(key, secret));
  }

  /** Deletes the entries whose key is rejected by `isKept`. */
  keepOnly(isKept: (key: string) => boolean): Promise<void> {
    return this.store.update((entries) => {
      const kept = [...entries].filter(([key]) => isKept(key));
      return kept.length === entries.size ? entries : new Map(kept);
    });
  }
}
