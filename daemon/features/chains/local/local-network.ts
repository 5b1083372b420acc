import { randomBytes } from 'node:crypto';
import { encodeBase58 } from '../../../lib/crypto/base58.js';
import { SigningKey } from '../../../lib/crypto/ed25519.js';
import { MeshError } from '../../../lib/errors.js';
import type { Clock } from '../../../lib/time/clock.js';
import type { WalletKey } from '../chain.js';
import { TransactionRefusedError } from '../refused.js';
import { LAMPORTS_PER_SIGNATURE, MEMO_PROGRAMS } from '../solana-programs.js';
import type { Lifetime, WireTransaction } from '../solana-wire.js';
import { walletKey } from '../wallet-key.js';
import { BLOCKHASH_SLOTS, isBlockhashGood, issueBlockhash, SLOT_MS } from './local-blockhash.js';
import type { Genesis, LedgerRow, LocalLedger, Mentions } from './local-ledger.js';
import { LocalMachine, type Outcome } from './local-machine.js';

/** The total that the faucet can mint. It keeps every sum of balances within the exact range of JSON numbers. */
const FAUCET_LAMPORTS = Number.MAX_SAFE_INTEGER;

/** Called with the accounts whose balance a transaction changed, once the change is durable. */
type BalancesChanged = (addresses: readonly string[]) => void;

const wire = () => import('../solana-wire.js');

/**
 * The embedded network: real transactions, fees and failures, no real money. The recorded balances are authoritative.
 * The machine gets them before each transaction and keeps no state, so that a restart changes nothing and a failed
 * commit leaves no trace. Accounts need no minimum balance, because the rent of the public networks would prevent a
 * first payment of a few lamports to a new wallet.
 */
export class LocalNetwork {
  private genesis: Promise<Genesis> | undefined;
  private machine: LocalMachine | undefined;
  private readonly watchers: BalancesChanged[] = [];

  constructor(
    private readonly ledger: LocalLedger,
    private readonly clock: Clock,
  ) {}

  onBalancesChanged(run: BalancesChanged): void {
    this.watchers.push(run);
  }

  /** Returns the genesis of the network; the first call creates it. */
  begun(): Promise<Genesis> {
    this.genesis ??= this.begin().catch((error: unknown) => {
      this.genesis = undefined;
      throw error;
    });
    return this.genesis;
  }

  get slot(): number {
    const genesis = this.ledger.findGenesis();
    if (!genesis) return 0;
    return Math.max(this.ledger.newest().slot, Math.floor((this.clock.now() - genesis.started_ms) / SLOT_MS));
  }

  get transactionCount(): number {
    return this.ledger.newest().count;
  }

  getLamports(address: string): bigint {
    return BigInt(this.ledger.getLamports(address));
  }

  find(signature: string): LedgerRow | undefined {
    return this.ledger.find(signature);
  }

  listTransactions(address: string, mentions: Mentions): LedgerRow[] {
    return this.ledger.listTransactions(address, mentions);
  }

  /** Returns a blockhash to sign with. It is valid for a minute, also across restarts. */
  async lifetime(): Promise<Lifetime> {
    const { blockhash_key } = await this.begun();
    return {
      blockhash: issueBlockhash(blockhash_key, this.clock.now()),
      lastValidBlockHeight: BigInt(this.slot + BLOCKHASH_SLOTS),
    };
  }

  async isBlockhashGood(blockhash: string): Promise<boolean> {
    const { blockhash_key } = await this.begun();
    return isBlockhashGood(blockhash, blockhash_key, this.clock.now());
  }

  /**
   * Executes a transaction and resolves with its record once that is durable. A transaction that is already recorded is
   * returned unchanged. With `mayFail`, a transaction that fails is recorded as failed and pays its fee; otherwise it
   * is simulated first. Throws Refused, and InvalidTransactionError for malformed bytes.
   */
  async send(bytes: Uint8Array, { mayFail = false } = {}): Promise<LedgerRow> {
    const { blockhash_key } = await this.begun();
    const transaction = (await wire()).readWire(bytes);
    const changed: string[] = [];
    const row = await this.ledger.write(() => {
      const known = this.ledger.find(transaction.signature);
      if (known) return known;
      if (!isBlockhashGood(transaction.recentBlockhash, blockhash_key, this.clock.now())) {
        throw new TransactionRefusedError(
          'Its blockhash is unknown or older than a minute: take a new one and sign again.',
          'BlockhashNotFound',
        );
      }
      const getLamports = (address: string) => this.getLamports(address);
      if (!mayFail) this.rehearse(transaction, getLamports);
      return this.carryOut(transaction, getLamports, changed);
    });
    this.notify(changed);
    return row;
  }

  /** Simulates a transaction without changing anything. Throws what `send` throws. */
  async simulate(bytes: Uint8Array): Promise<Outcome> {
    await this.begun();
    return this.rehearse((await wire()).readWire(bytes), (address) => this.getLamports(address));
  }

  /**
   * Mints `lamports` and transfers them to `address` in one recorded transaction. Throws `bad_request` when the faucet
   * is exhausted.
   */
  async fund(address: string, lamports: bigint): Promise<LedgerRow> {
    const { faucet_seed } = await this.begun();
    const { signTransfer, readWire } = await wire();
    const faucet: WalletKey = walletKey(faucet_seed);
    const minted = lamports + LAMPORTS_PER_SIGNATURE;
    const signed = signTransfer(faucet, address, lamports, undefined, await this.lifetime());
    const transaction = readWire(Buffer.from(signed.wire, 'base64'));
    const changed: string[] = [];
    const row = await this.ledger.write(() => {
      if (BigInt(this.ledger.minted()) + minted > BigInt(FAUCET_LAMPORTS))
        throw new MeshError('bad_request', 'The faucet has not so many lamports left: ask for fewer.', {
          details: { path: 'lamports' },
        });
      const getLamports = (of: string) => this.getLamports(of) + (of === faucet.address ? minted : 0n);
      this.rehearse(transaction, getLamports);
      return this.carryOut(transaction, getLamports, changed, Number(minted));
    });
    this.notify(changed);
    return row;
  }

  private async begin(): Promise<Genesis> {
    const known = this.ledger.findGenesis();
    if (known) return known;
    const fresh = {
      hash: encodeBase58(randomBytes(32)),
      started_ms: this.clock.now(),
      blockhash_key: randomBytes(32),
      faucet_seed: SigningKey.newSeed(),
    };
    return this.ledger.write(() => this.ledger.begin(fresh));
  }

  private rehearse(transaction: WireTransaction, getLamports: (address: string) => bigint): Outcome {
    const outcome = this.run(transaction, getLamports, true);
    if (outcome.error === null) return outcome;
    throw new TransactionRefusedError(`It would fail: ${JSON.stringify(outcome.error)}.`, outcome.error, outcome.logs);
  }

  private run(transaction: WireTransaction, getLamports: (address: string) => bigint, isRehearsal: boolean): Outcome {
    this.machine ??= LocalMachine.open();
    const refusal = this.machine.findRefusal(transaction);
    if (refusal !== undefined) throw new TransactionRefusedError(refusal, 'InvalidProgramForExecution');
    return this.machine.run(transaction, getLamports, this.slot, this.blockTime(), isRehearsal);
  }

  private blockTime(): number {
    return Math.max(this.ledger.newest().block_time, Math.floor(this.clock.now() / 1000));
  }

  private carryOut(
    transaction: WireTransaction,
    getLamports: (address: string) => bigint,
    changed: string[],
    minted = 0,
  ): LedgerRow {
    const { signature, accountKeys, bytes } = transaction;
    const slot = this.slot;
    const outcome = this.run(transaction, getLamports, false);
    const { error, before, after, logs, computeUnits } = outcome;
    const sum = (balances: bigint[]) => balances.reduce((total, one) => total + one, 0n);
    const fee = sum(before) - sum(after);
    // A transaction that cannot pay its fee is not recorded.
    if (error !== null && fee === 0n)
      throw new TransactionRefusedError(`It was refused: ${JSON.stringify(error)}.`, error, logs);
    accountKeys.forEach((address, index) => {
      if (before[index] === after[index]) return;
      changed.push(address);
      this.ledger.setLamports(address, Number(after[index]));
    });
    const named = accountKeys.filter(
      (_, index) => !transaction.instructions.some(({ programIdIndex }) => programIdIndex === index),
    );
    return this.ledger.add(
      {
        signature,
        slot,
        block_time: this.blockTime(),
        wire: Buffer.from(bytes),
        error: error === null ? null : JSON.stringify(error),
        fee: Number(fee),
        minted,
        compute_units: computeUnits,
        pre_balances: JSON.stringify(before.map(Number)),
        post_balances: JSON.stringify(after.map(Number)),
        logs: JSON.stringify(logs),
        memo: memoLine(transaction),
      },
      named,
    );
  }

  private notify(addresses: readonly string[]): void {
    if (addresses.length > 0) for (const run of this.watchers) run(addresses);
  }
}

/** Returns the memos of a transaction in the format of `getSignaturesForAddress`, or null if there are none. */
function memoLine({ accountKeys, instructions }: WireTransaction): string | null {
  const memos = instructions
    .filter(({ programIdIndex }) => MEMO_PROGRAMS.has(accountKeys[programIdIndex] as string))
    .map(({ data }) => `[${data.length}] ${Buffer.from(data).toString('utf8')}`);
  return memos.length === 0 ? null : memos.join('; ');
}
