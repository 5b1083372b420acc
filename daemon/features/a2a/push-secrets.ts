import { MeshError } from '../../lib/errors.js';

/** What a receiver of notifications wants to see, so that it knows who sends them. */
export interface PushSecret {
  token?: string;
  scheme?: string;
  credentials?: string;
}

export interface PushSecretsFile {
  path: string;
  read(): Promise<Record<string, unknown> | undefined>;
  write(value: Record<string, unknown>): Promise<void>;
}

const isText = (value: unknown) => value === undefined || typeof value === 'string';
const isSecret = (value: unknown): value is PushSecret => {
  const { token, scheme, credentials } = (value ?? {}) as Record<string, unknown>;
  return typeof value === 'object' && isText(token) && isText(scheme) && isText(credentials);
};

/** Secrets of push notification configurations, `{key: secret}` in one file that only the operator can read. Writes wait for each other. */
export class PushSecrets {
  private loaded: Promise<ReadonlyMap<string, PushSecret>> | undefined;
  private last: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly file: PushSecretsFile,
    private readonly mayWrite: () => Promise<boolean>,
  ) {}

  async find(key: string): Promise<PushSecret | undefined> {
    return (await this.entries()).get(key);
  }

  /** Throws `forbidden` while git tracks the credentials folder. */
  async put(key: string, secret: PushSecret): Promise<void> {
    if (!(await this.mayWrite())) {
      throw new MeshError(
        'forbidden',
        'Git tracks files of .mesh/credentials, so no new secret is written: leave token and authentication out.',
      );
    }
    await this.change((entries) => void entries.set(key, secret));
  }

  /** Forgets those whose key does not pass. */
  keepOnly(isKept: (key: string) => boolean): Promise<void> {
    return this.change((entries) => {
      for (const key of entries.keys()) if (!isKept(key)) entries.delete(key);
    });
  }

  private change(edit: (entries: Map<string, PushSecret>) => void): Promise<void> {
    const turn = this.last.then(async () => {
      const now = await this.entries();
      const next = new Map(now);
      edit(next);
      if (next.size === now.size && [...next].every(([key, secret]) => now.get(key) === secret)) return;
      await this.file.write(Object.fromEntries(next));
      this.loaded = Promise.resolve(next);
    });
    this.last = turn.catch(() => undefined);
    return turn;
  }

  private entries(): Promise<ReadonlyMap<string, PushSecret>> {
    this.loaded ??= this.read().catch((error: unknown) => {
      this.loaded = undefined;
      throw error;
    });
    return this.loaded;
  }

  private async read(): Promise<ReadonlyMap<string, PushSecret>> {
    const entries = Object.entries((await this.file.read()) ?? {});
    if (entries.every((entry): entry is [string, PushSecret] => isSecret(entry[1]))) return new Map(entries);
    throw new MeshError('store_readonly', `${this.file.path} is damaged: mend it, or remove it to forget its secrets.`);
  }
}
