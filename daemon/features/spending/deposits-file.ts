import { MeshError } from '../../lib/errors.js';
import type { DepositKey, DepositKeys } from './paying-ports.js';

/** Where the keys are kept: a file that only the operator can read. */
export interface DepositsFileStore {
  read(): Promise<Record<string, unknown> | undefined>;
  write(value: Record<string, unknown>): Promise<void>;
}

/** What is kept of a key, beside itself. */
const isKey = (value: unknown): value is DepositKey => {
  const { agent, endpoint, api_key, network, address, lamports, updated_ms } = (value ?? {}) as Record<string, unknown>;
  const areTexts = [agent, endpoint, api_key, network, address].every((text) => typeof text === 'string');
  return areTexts && Number.isSafeInteger(lamports) && Number.isSafeInteger(updated_ms);
};

/**
 * Keys to what is prepaid with others, `{deposits: [...]}` in `.mesh/credentials/deposits.json`, 0600. Whoever holds a key can use its balance up. A key
 * goes to the very endpoint that gave it, and only while its card still names the wallet that was paid. Writes wait for each other.
 */
export class DepositsFile implements DepositKeys {
  private keys: Promise<Map<string, DepositKey>> | undefined;
  private last: Promise<unknown> = Promise.resolve();
  /** As last read or written, for those who cannot wait. */
  private known: readonly DepositKey[] = [];

  constructor(
    private readonly file: DepositsFileStore,
    private readonly mayWrite: () => Promise<boolean>,
    private readonly changed: (agent: string) => void = () => undefined,
  ) {}

  /** Reads the file. Throws `store_readonly` when it is damaged; it is never overwritten then. */
  async load(): Promise<void> {
    await this.loaded();
  }

  /** What is prepaid, as it was last read or written. */
  list(): readonly DepositKey[] {
    return this.known;
  }

  async find(endpoint: string, address: string | undefined): Promise<DepositKey | undefined> {
    const keys = [...(await this.loaded()).values()].filter(
      (key) => key.endpoint === endpoint && key.address === address,
    );
    return keys.sort((a, b) => b.lamports - a.lamports || b.updated_ms - a.updated_ms)[0];
  }

  /** Throws `forbidden` for a new key while git tracks the credentials folder. */
  put(key: DepositKey): Promise<void> {
    const turn = this.last.then(async () => {
      const keys = await this.loaded();
      if (!keys.has(key.api_key) && !(await this.mayWrite())) {
        throw new MeshError(
          'forbidden',
          'Git tracks files of .mesh/credentials, so no new key is written: take them out of git and try again.',
        );
      }
      const next = new Map(keys).set(key.api_key, key);
      await this.file.write({ deposits: [...next.values()] });
      keys.set(key.api_key, key);
      this.known = [...keys.values()];
      this.changed(key.agent);
    });
    this.last = turn.catch(() => undefined);
    return turn;
  }

  private loaded(): Promise<Map<string, DepositKey>> {
    this.keys ??= this.read().catch((error: unknown) => {
      this.keys = undefined;
      throw error;
    });
    return this.keys;
  }

  private async read(): Promise<Map<string, DepositKey>> {
    const value = (await this.file.read())?.['deposits'] ?? [];
    if (!Array.isArray(value) || !value.every(isKey)) {
      throw new MeshError(
        'store_readonly',
        '.mesh/credentials/deposits.json is damaged: restore it; it holds the keys to what you have prepaid.',
      );
    }
    this.known = value;
    return new Map(value.map((key) => [key.api_key, key]));
  }
}
