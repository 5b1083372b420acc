import {
  LOCAL_NETWORK,
  type NetworkName,
  type TransferBody,
  type TransferDone,
  type Wallet,
} from '../../contract/payments.js';
import type { Bus } from '../../events/bus.js';
import { within } from '../../lib/async/within.js';
import { isMeshError, MeshError } from '../../lib/errors.js';
import { newPaymentId } from '../../lib/ids.js';
import type { Clock } from '../../lib/time/clock.js';
import type { IdempotencyKey } from '../../storage/database/idempotency.js';
import type { Chain, Chains, WalletKey } from './chain.js';
import type { LocalNetwork } from './local/local-network.js';
import { TransactionRefusedError } from './refused.js';
import { LAMPORTS_PER_SIGNATURE } from './solana-programs.js';
import type { WalletKeys } from './wallet-keys.js';
import type { WalletTransfer, WalletTransfersStore } from './wallet-transfers-store.js';

/** How long a list waits for the balance on a network. */
const BALANCE_WAIT_MS = 3000;

/** The local network of another project. */
export interface NeighbourNetwork {
  network: NetworkName;
  project: string;
}

interface WalletsParts {
  keys: WalletKeys;
  chains: Chains;
  /** Lists the local networks of this user's other running projects. Absent where no other daemon is known. */
  listNeighbours?: () => Promise<readonly NeighbourNetwork[]>;
  local: Pick<LocalNetwork, 'fund' | 'onBalancesChanged'>;
  store: WalletTransfersStore;
  bus: Bus;
  clock: Clock;
}

/**
 * The operator's wallets: balances on each network, the faucet of the local network, and manual payments. Publishes
 * `payment.balance` when a wallet is created or its balance changes, and `payment.changed`. Spec: Payments.
 */
export class Wallets {
  private readonly paying = new Set<string>();

  constructor(private readonly parts: WalletsParts) {
    parts.local.onBalancesChanged((addresses) => void this.notifyIfOwn(addresses));
  }

  /**
   * Determines the outcome of payments on the local network that a previous process did not see end. Sends nothing. On
   * other networks a repeat of the payment with its idempotency key determines it.
   */
  async start(): Promise<void> {
    const { store, chains, clock } = this.parts;
    const open = store.unsettled().filter(({ network }) => network === LOCAL_NETWORK);
    // Without a transfer the network is not loaded: most starts need none.
    if (open.length === 0) return;
    const chain = await chains.get(LOCAL_NETWORK);
    for (const { seq, signature, key } of open) {
      const found = await chain.find(signature);
      if (found) await store.settle(seq, found.failed ? 'refused' : 'sent', clock.now());
      // Only this daemon has the transfer. If it is not recorded, it never will be, unless its idempotency key is
      // repeated.
      else if (key === null) await store.settle(seq, 'refused', clock.now());
    }
  }

  /**
   * Lists every wallet on every configured network, the local one first; `withNeighbours` also on the local networks of
   * other running projects.
   */
  async list(withNeighbours = false): Promise<Wallet[]> {
    const { keys, chains, listNeighbours } = this.parts;
    const others = withNeighbours && listNeighbours ? await listNeighbours() : [];
    const networks = [...chains.list().map((network) => ({ network, project: undefined })), ...others];
    const wallets = [...(await keys.all())].sort(([one], [other]) => (one < other ? -1 : 1));
    return Promise.all(
      wallets.flatMap(([name, key]) =>
        networks.map(async ({ network, project }) => ({
          ...(await this.walletOn(name, key, network)),
          ...(project === undefined ? {} : { project }),
        })),
      ),
    );
  }

  /** Creates a wallet; an existing one is left unchanged. Throws what `WalletKeys.make` throws. */
  async create(name: string): Promise<{ wallet: Wallet; isNew: boolean }> {
    const { key, isNew } = await this.parts.keys.make(name);
    if (isNew) this.parts.bus.publish('payment.balance', { agent: null });
    return { wallet: await this.walletOn(name, key, LOCAL_NETWORK), isNew };
  }

  /**
   * Funds a wallet from the faucet of the local network. Throws `not_found`, and `bad_request` when the faucet is
   * exhausted.
   */
  async fund(name: string, lamports: number): Promise<Wallet> {
    const key = await this.parts.keys.get(name);
    await this.parts.local.fund(key.address, BigInt(lamports)).catch((error: unknown) => {
      throw error instanceof TransactionRefusedError
        ? new MeshError('bad_request', `The faucet was refused. ${error.message}`)
        : error;
    });
    return this.walletOn(name, key, LOCAL_NETWORK);
  }

  /**
   * Makes a manual payment and resolves once it is confirmed. The signed transfer is on disk before it is sent. The
   * same idempotency key and body send the same transfer again, which the network executes once. Throws `bad_request`
   * when the network refuses it, `insufficient_funds` with both figures when the wallet holds less, `in_flight` while
   * a payment with the same key is running, `idempotency_mismatch`, `not_found`, and `deadline` or
   * `network_unavailable` when the outcome is unknown: repeat it with the same key.
   */
  async pay(name: string, body: TransferBody, key: IdempotencyKey | undefined): Promise<TransferDone> {
    const chain = await this.parts.chains.get(body.network ?? LOCAL_NETWORK);
    const wallet = await this.parts.keys.get(name);
    const pay = async () => {
      const signature = await this.payOnce(name, wallet, chain, body, key);
      if (chain.network !== LOCAL_NETWORK) this.parts.bus.publish('payment.balance', { agent: null });
      return { signature, wallet: await this.wallet(name, wallet, chain) };
    };
    return key ? this.alone(`${key.scope}\n${key.key}`, pay) : pay();
  }

  /** Runs `pay`. Throws `in_flight` while another payment with the same key runs. */
  private async alone<T>(key: string, pay: () => Promise<T>): Promise<T> {
    if (this.paying.has(key))
      throw new MeshError('in_flight', 'The payment with this Idempotency-Key is under way: wait for its answer.');
    this.paying.add(key);
    try {
      return await pay();
    } finally {
      this.paying.delete(key);
    }
  }

  private async payOnce(
    name: string,
    from: WalletKey,
    chain: Chain,
    body: TransferBody,
    key: IdempotencyKey | undefined,
  ): Promise<string> {
    const before = key && this.parts.store.findByKey(key.scope, key.key);
    if (before && before.body_sha256 !== key.body_sha256)
      throw new MeshError('idempotency_mismatch', 'This Idempotency-Key was used with another body: take a fresh key.');
    if (before?.state === 'sent') return before.signature;
    if (before?.state === 'signed') {
      try {
        await this.sent(chain, before, { isRepeat: true });
        return before.signature;
      } catch (error) {
        if (!isMeshError(error, 'bad_request') || error.details['reason'] !== 'expired') throw error;
      }
    }
    const signed = await chain.sign(from, body.to, BigInt(body.lamports), body.memo);
    const transfer = await this.parts.store.add({
      id: newPaymentId(),
      scope: key?.scope ?? null,
      key: key?.key ?? null,
      body_sha256: key?.body_sha256 ?? null,
      wallet: name,
      network: chain.network,
      recipient: body.to,
      lamports: body.lamports,
      is_real: chain.real ? 1 : 0,
      ...signed,
      created_ms: this.parts.clock.now(),
    });
    await this.sent(chain, transfer).catch(async (error: unknown) => {
      if (isMeshError(error, 'bad_request')) await this.requireFunds(name, from, chain, body.lamports);
      throw error;
    });
    return transfer.signature;
  }

  /** Throws `insufficient_funds` when the wallet is known to hold less than `lamports` and the fee of a transfer. */
  private async requireFunds(name: string, { address }: WalletKey, chain: Chain, lamports: number): Promise<void> {
    const balance = await this.lamports(address, chain);
    const fee = Number(LAMPORTS_PER_SIGNATURE);
    if (balance === null || balance >= lamports + fee) return;
    throw new MeshError(
      'insufficient_funds',
      `${name} holds ${balance} lamports on ${chain.network}, and the payment is ${lamports} with a fee of ${fee}: ` +
        'fund it first, or pay less.',
      { details: { balance, lamports } },
    );
  }

  /**
   * Sends a recorded transfer, and records its outcome once that is certain. Where an earlier attempt may have submitted
   * it, a server that refuses it now decides nothing, except that of the local network.
   */
  private async sent(chain: Chain, transfer: WalletTransfer, { isRepeat = false } = {}): Promise<void> {
    const { seq, id, recipient, signature, wire } = transfer;
    const settle = async (state: 'sent' | 'refused') => {
      await this.parts.store.settle(seq, state, this.parts.clock.now());
      const told = state === 'sent' ? 'settled' : 'refused';
      this.parts.bus.publish('payment.changed', { id, side: 'spent', state: told, agent: recipient });
    };
    try {
      await chain.send({ signature, wire });
    } catch (error) {
      const isOpen = isRepeat && chain.network !== LOCAL_NETWORK;
      const isEnded = isMeshError(error, 'bad_request') && !(isOpen && error.details['reason'] === 'refused');
      if (isEnded) await settle('refused');
      throw error;
    }
    await settle('sent');
  }

  private async walletOn(name: string, key: WalletKey, network: NetworkName): Promise<Wallet> {
    return this.wallet(name, key, await this.parts.chains.get(network));
  }

  private async wallet(name: string, { address }: WalletKey, chain: Chain): Promise<Wallet> {
    const { network, real } = chain;
    return { name, address, network, real, lamports: await this.lamports(address, chain) };
  }

  /**
   * Returns the balance of `address`; null when the network does not report it in time, or when it exceeds the exact
   * range of JSON numbers.
   */
  private async lamports(address: string, chain: Chain): Promise<number | null> {
    const told = chain.getBalance(address).catch((error: unknown) => {
      if (isMeshError(error, 'network_unavailable')) return null;
      throw error;
    });
    const lamports = (await within(this.parts.clock, BALANCE_WAIT_MS, told)) ?? null;
    return lamports === null || lamports > BigInt(Number.MAX_SAFE_INTEGER) ? null : Number(lamports);
  }

  private async notifyIfOwn(addresses: readonly string[]): Promise<void> {
    // An unreadable file is reported to requests for wallets; this is not one.
    const keys = await this.parts.keys.all().catch(() => new Map<string, WalletKey>());
    if ([...keys.values()].some(({ address }) => addresses.includes(address)))
      this.parts.bus.publish('payment.balance', { agent: null });
  }
}
