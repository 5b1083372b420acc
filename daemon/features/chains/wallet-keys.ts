import { WALLET_DEFAULT } from '../../contract/payments.js';
import { SigningKey } from '../../lib/crypto/ed25519.js';
import { MeshError } from '../../lib/errors.js';
import { UNTRACK_COMMAND } from '../../private/tracked-path.js';
import type { JsonObject } from '../../storage/files/json-file.js';
import { JsonStore } from '../../storage/files/json-store.js';
import type { SecretFile } from '../../storage/files/secret-file.js';
import type { WalletKey } from './chain.js';
import { walletKey } from './wallet-key.js';

const SEED_BYTES = 32;
const WALLETS_MAX = 100;

type Keys = ReadonlyMap<string, WalletKey>;

/**
 * The keys of the wallets, `{name: {address, seed}}` in one file that only the operator can read, separate from the
 * identity key. A key is on disk before its address is returned, because money that is sent to an address without a key
 * is lost. Changes are serialized. Spec: Authentication.
 */
export class WalletKeys {
  private readonly store: JsonStore<Keys>;

  constructor(
    file: SecretFile,
    private readonly mayWrite: () => Promise<boolean>,
  ) {
    this.store = new JsonStore(file, { parse: (content) => parse(file.path, content), stringify });
  }

  /**
   * Returns the wallets by name. Throws `store_readonly` when the file is damaged; a damaged file is never overwritten.
   */
  async all(): Promise<Keys> {
    await this.store.load();
    return this.store.data;
  }

  /**
   * Returns the wallet `name`. The first call for `main` creates it. Throws `not_found` for any other wallet that does
   * not exist, and what `make` throws.
   */
  async get(name: string = WALLET_DEFAULT): Promise<WalletKey> {
    const found = (await this.all()).get(name);
    if (found) return found;
    if (name === WALLET_DEFAULT) return (await this.make(name)).key;
    throw new MeshError('not_found', `There is no wallet ${name}: create it with \`meshd wallet new ${name}\`.`);
  }

  /**
   * Creates the wallet `name`; an existing one is left unchanged. Throws `limit_reached` at 100 wallets, and
   * `forbidden` while git tracks the credentials folder.
   */
  async make(name: string): Promise<{ key: WalletKey; isNew: boolean }> {
    let isNew = false;
    await this.store.update(async (keys) => {
      if (keys.has(name)) return keys;
      await this.refuseNewKey(keys.size);
      isNew = true;
      return new Map(keys).set(name, walletKey(SigningKey.newSeed()));
    });
    return { key: this.store.data.get(name) as WalletKey, isNew };
  }

  private async refuseNewKey(count: number): Promise<void> {
    if (count >= WALLETS_MAX)
      throw new MeshError('limit_reached', `There are ${WALLETS_MAX} wallets already; use one of them.`);
    if (await this.mayWrite()) return;
    throw new MeshError(
      'forbidden',
      'Git tracks files of .mesh/credentials or .mesh/state, so no new key is written. ' +
        `Run \`${UNTRACK_COMMAND}\`, commit, and try again.`,
    );
  }
}

function stringify(keys: Keys): JsonObject {
  const seedText = (seed: Uint8Array) => Buffer.from(seed).toString('base64');
  return Object.fromEntries([...keys].map(([name, { address, seed }]) => [name, { address, seed: seedText(seed) }]));
}

function parse(path: string, content: JsonObject | null): Keys {
  const keys = new Map<string, WalletKey>();
  for (const [name, value] of Object.entries(content ?? {})) {
    const { address, seed } = (value ?? {}) as Record<string, unknown>;
    const bytes = typeof seed === 'string' ? Buffer.from(seed, 'base64') : undefined;
    const key = bytes?.length === SEED_BYTES ? walletKey(bytes) : undefined;
    // A key that belongs to a different address than the recorded one must not be used.
    if (!key || key.address !== address) {
      throw new MeshError(
        'store_readonly',
        `${path} is damaged at "${name}": restore it from a backup; it holds the keys of your wallets.`,
      );
    }
    keys.set(name, key);
  }
  return keys;
}
