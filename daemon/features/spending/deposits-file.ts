import { MeshError } from '../../lib/errors.js';
import type { JsonAdapter, JsonObject } from '../../storage/files/json-file.js';
import { JsonStore } from '../../storage/files/json-store.js';
import { hasMoved, type NeighbourPlace } from './moved-agent.js';
import type { DepositKey, DepositKeys } from './paying-ports.js';

/** The file that stores the keys; only the operator can read it. */
export type DepositsFileStore = JsonAdapter;

/** Checks the shape of a stored key. */
const isKey = (value: unknown): value is DepositKey => {
  const { agent, endpoint, api_key, network, address, lamports, updated_ms } = (value ?? {}) as Record<string, unknown>;
  const areTexts = [agent, endpoint, api_key, network, address].every((text) => typeof text === 'string');
  return areTexts && Number.isSafeInteger(lamports) && Number.isSafeInteger(updated_ms);
};

type Keys = ReadonlyMap<string, DepositKey>;

/**
 * Keys of prepaid balances with other agents: `{deposits: [...]}` in `.mesh/credentials/deposits.json`, mode 0600. The
 * holder of a key can spend its balance. A key is sent only to the endpoint that issued it, and only while the agent's
 * card names the wallet that was paid. A wallet has the same address on every network, so a key is one of its network
 * alone. Writes are serialized.
 */
export class DepositsFile implements DepositKeys {
  private readonly store: JsonStore<Keys>;

  constructor(
    file: DepositsFileStore,
    private readonly mayWrite: () => Promise<boolean>,
    private readonly changed: (agent: string) => void = () => undefined,
  ) {
    this.store = new JsonStore(file, { parse, stringify: (keys) => ({ deposits: [...keys.values()] }) });
  }

  /** Reads the file. Throws `store_readonly` when it is damaged; a damaged file is never overwritten. */
  load(): Promise<void> {
    return this.store.load();
  }

  /** Returns the keys as last read or written. */
  list(): readonly DepositKey[] {
    return [...this.store.data.values()];
  }

  async find(endpoint: string, address: string | undefined, network: string): Promise<DepositKey | undefined> {
    await this.store.load();
    const keys = this.list().filter(
      (key) => key.endpoint === endpoint && key.address === address && key.network === network,
    );
    return keys.sort((a, b) => b.lamports - a.lamports || b.updated_ms - a.updated_ms)[0];
  }

  async moved(place: NeighbourPlace): Promise<void> {
    await this.store.update((keys) => {
      if (![...keys.values()].some((key) => hasMoved(place, key))) return keys;
      const { endpoint } = place;
      return new Map([...keys].map(([name, key]) => [name, hasMoved(place, key) ? { ...key, endpoint } : key]));
    });
  }

  /** Stores a key. Throws `forbidden` for a new key while git tracks the credentials folder. */
  async put(key: DepositKey): Promise<void> {
    await this.store.update(async (keys) => {
      if (!keys.has(key.api_key) && !(await this.mayWrite())) {
        throw new MeshError(
          'forbidden',
          'Git tracks files of .mesh/credentials, so no new key is written: take them out of git and try again.',
        );
      }
      return new Map(keys).set(key.api_key, key);
    });
    this.changed(key.agent);
  }
}

function parse(content: JsonObject | null): Keys {
  const value = content?.['deposits'] ?? [];
  if (!Array.isArray(value) || !value.every(isKey)) {
    throw new MeshError(
      'store_readonly',
      '.mesh/credentials/deposits.json is damaged: restore it; it holds the keys to what you have prepaid.',
    );
  }
  return new Map(value.map((key) => [key.api_key, key]));
}
