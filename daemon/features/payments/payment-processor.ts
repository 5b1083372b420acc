import type { CallMode, PaymentDeclaration, Topup } from '../../contract/payments.js';
import type { Bus } from '../../events/bus.js';
import { isBase58OfLength } from '../../lib/crypto/base58.js';
import { isMeshError, MeshError } from '../../lib/errors.js';
import type { Clock } from '../../lib/time/clock.js';
import type { Database } from '../../storage/database/database.js';
import type { IdempotencyKey } from '../../storage/database/idempotency.js';
import type { Chains } from '../chains/chain.js';
import { type AcceptedCall, Cascade, type PaymentMeans } from './cascade.js';
import { Challenges, NO_ADDRESS } from './challenges.js';
import { Debts } from './debts.js';
import { Deposits } from './deposits.js';
import { FreeTier } from './free-tier.js';
import { Incoming } from './ledger/incoming.js';
import { PaymentJournal } from './ledger/payment-journal.js';
import { SeenStore } from './ledger/seen-store.js';
import { SetAsideStore } from './ledger/set-aside-store.js';
import { PaidCalls } from './paid-calls.js';
import { PaymentMaintenance } from './payment-maintenance.js';
import { PaymentNews } from './payment-news.js';
import type { PaidResult, PaymentPort, PricedCall, SkillResult } from './payment-port.js';
import { PaymentRequiredError } from './payment-required-error.js';
import { PaymentSecret } from './payment-secret.js';
import { PaymentsStore } from './payments-store.js';
import { type Prices, selectPrices } from './price-rows.js';
import { parseProof } from './proof-format.js';
import { Proofs } from './proofs.js';

interface PaymentProcessorParts {
  database: Database;
  chains: Chains;
  clock: Clock;
  bus: Bus;
  /** 32 bytes, the same across restarts. */
  secretKey: Uint8Array;
  /** The address at which agents are paid whose card names no wallet. */
  mainAddress: () => Promise<string>;
  /** Returns the score that decides whether a key gets post-pay; null while there is no score evidence for it. */
  getCredit: (pubkey: string) => number | null;
  /** Reports an error of a skill that is not a MeshError, with the id that the caller gets. */
  onFault: (error: unknown, id: string) => void;
  warn: (message: string) => void;
}

/**
 * The payment processor of all agents that this daemon hosts: takes the price of a call, records it, and records
 * incoming payments. It holds no keys and takes no share: callers pay to the provider's own wallet. A proof is checked
 * first, since it is already paid; the cascade is for calls without a proof. Spec: Payment request states.
 */
export class PaymentProcessor implements PaymentPort {
  readonly store: PaymentsStore;
  readonly journal: PaymentJournal;
  private readonly news: PaymentNews;
  private readonly calls: PaidCalls;
  private readonly proofs: Proofs;
  private readonly cascade: Cascade;
  private readonly challenges: Challenges;
  private readonly incoming: Incoming;
  private readonly deposits: Deposits;
  private readonly upkeep: PaymentMaintenance;
  private whenReady: Promise<void> | undefined;

  constructor(private readonly parts: PaymentProcessorParts) {
    const { database, chains, clock, bus, onFault, warn } = parts;
    const store = new PaymentsStore(database);
    const journal = new PaymentJournal(database);
    const secret = new PaymentSecret(parts.secretKey);
    const seen = new SeenStore(database);
    const freeTier = new FreeTier(database);
    const news = new PaymentNews(bus, clock);
    this.store = store;
    this.journal = journal;
    this.news = news;
    const debts = new Debts(store, journal);
    this.calls = new PaidCalls({ store, seen, journal, debts, freeTier, secret, news, clock, onFault });
    this.proofs = new Proofs({ store, seen, journal, calls: this.calls, chains, clock });
    this.cascade = new Cascade({ store, journal, freeTier, secret, clock });
    this.challenges = new Challenges(store, news, clock);
    const setAside = new SetAsideStore(database);
    this.incoming = new Incoming({ store, seen, setAside, journal, debts, chains, clock, news, warn });
    const getAddress = (payment: PaymentDeclaration) => this.resolveAddress(payment);
    this.deposits = new Deposits({ database, journal, incoming: this.incoming, clock, resolveAddress: getAddress });
    this.upkeep = new PaymentMaintenance({
      store,
      seen,
      journal,
      freeTier,
      incoming: this.incoming,
      chains,
      clock,
      warn,
    });
  }

  /** Ends and refunds the calls that a previous process left open, then starts to scan for incoming payments. */
  async start(): Promise<void> {
    await this.ready();
    this.upkeep.start();
  }

  /** Resolves when no work is running. */
  async stop(): Promise<void> {
    this.news.stop();
    await this.upkeep.stop();
  }

  /**
   * See PaymentPort. A call that arrives before the start has completed waits, so that it cannot be mistaken for an
   * interrupted call.
   */
  async serve(call: PricedCall, run: (mode: CallMode) => Promise<SkillResult>): Promise<PaidResult> {
    const proof = parseProof(call.payer);
    await this.ready();
    const prices = selectPrices(call.prices, call.tier, call.payment, this.parts.chains.list());
    const { apiKey } = call.payer;
    const key = apiKey === undefined ? undefined : this.deposits.getAccount(call.agent, apiKey);
    if (prices.isFree) return { ...(await run('free')), mode: 'free', replayed: false, headers: {} };
    let taken: AcceptedCall;
    try {
      if (proof) return await this.proofs.pay(call, prices, proof, run);
      taken = await this.takeFor(call, prices, { key, ...(await this.computeCredit(call, prices)) });
    } catch (error) {
      if (!(error instanceof PaymentRequiredError)) throw error;
      throw await this.challenges.refuse(call, prices, await this.watchedAddress(call.payment, prices), error);
    }
    return this.calls.carryOut(taken.payment, taken.headers, run);
  }

  topup(agent: string, payment: PaymentDeclaration, amountLamports: number, key?: IdempotencyKey): Promise<Topup> {
    return this.deposits.topup(agent, payment, amountLamports, key);
  }

  balance(agent: string, _payment: PaymentDeclaration, apiKey: string): Promise<{ lamports: number }> {
    return this.deposits.balance(agent, apiKey);
  }

  isChallenge(agent: string, nonce: string): boolean {
    return this.store.findByNonce(nonce)?.agent === agent;
  }

  /** Scans those of `addresses` that are watched on `network` for incoming payments, in the background. */
  noteChanged(network: string, addresses: readonly string[]): void {
    this.upkeep.noteChanged(network, addresses);
  }

  private ready(): Promise<void> {
    this.whenReady ??= this.calls.endInterrupted().catch((error: unknown) => {
      this.whenReady = undefined;
      throw error;
    });
    return this.whenReady;
  }

  /** Takes the price from the means of the call. If that fails, scans for incoming payments and tries once more. */
  private async takeFor(call: PricedCall, prices: Prices, means: PaymentMeans): Promise<AcceptedCall> {
    const { key, debtor, noDebt } = means;
    if (!key && !debtor && !call.payment.free_tier?.calls_per_day) throw new PaymentRequiredError(noDebt);
    const take = () => this.store.write(() => this.cascade.take(call, prices, means));
    try {
      return await take();
    } catch (error) {
      if (!(error instanceof PaymentRequiredError)) throw error;
      if (key) await this.deposits.lookFor(key);
      else if (debtor) await this.checkAddress(debtor.price.network, debtor.address);
      else throw error;
      return take();
    }
  }

  /**
   * Determines whether the caller may owe the price, and the address to settle at. The address is watched before it is
   * given to the caller. Empty when post-pay was not requested, or when the agent cannot be paid.
   */
  private async computeCredit(
    { payer, payment }: PricedCall,
    { ofCall }: Prices,
  ): Promise<Pick<PaymentMeans, 'debtor' | 'noDebt'>> {
    const least = payment.postpay_min_reputation ?? null;
    const [price] = ofCall;
    if (least === null || payer.pubkey === undefined || !price) return {};
    const score = this.parts.getCredit(payer.pubkey);
    if (score === null || score < least) return { noDebt: 'reputation_too_low' };
    const address = await this.findAddress(payment);
    if (address === undefined) return {};
    const isWatched = await this.watch(price.network, address);
    return isWatched ? { debtor: { pubkey: payer.pubkey, price, address } } : { noDebt: 'network_unavailable' };
  }

  /**
   * Returns the address at which an agent is paid. Throws `overloaded` when the wallet in its card is not a valid
   * address, or when there is no wallet, so that nothing is paid to an invalid address.
   */
  private async resolveAddress({ wallet }: PaymentDeclaration): Promise<string> {
    const { mainAddress, warn } = this.parts;
    if (wallet !== undefined && isBase58OfLength(32, wallet)) return wallet;
    try {
      if (wallet !== undefined) throw new MeshError('bad_request', 'The wallet in an agent’s card is no address.');
      return await mainAddress();
    } catch (error) {
      if (!isMeshError(error)) throw error;
      // Only the operator gets the reason.
      warn(`An agent cannot be paid. ${error.message}`);
      throw new MeshError('overloaded', NO_ADDRESS, { cause: error });
    }
  }

  private async findAddress(payment: PaymentDeclaration): Promise<string | undefined> {
    try {
      return await this.resolveAddress(payment);
    } catch (error) {
      if (!isMeshError(error, 'overloaded')) throw error;
      return undefined;
    }
  }

  /** Returns the address to pay at; it is watched on all networks that can be reached. */
  private async watchedAddress(payment: PaymentDeclaration, { all }: Prices): Promise<string | undefined> {
    const address = await this.findAddress(payment);
    if (address === undefined) return undefined;
    for (const network of new Set(all.map((row) => row.network))) await this.watch(network, address);
    return address;
  }

  /** Starts to watch an address. Returns false when the network cannot be reached. */
  private async watch(network: string, address: string): Promise<boolean> {
    try {
      await this.incoming.watch(network, address);
      return true;
    } catch (error) {
      if (!isMeshError(error, 'network_unavailable')) throw error;
      return false;
    }
  }

  /** Records what has arrived. A network that cannot be reached is skipped. */
  private async checkAddress(network: string, address: string): Promise<void> {
    try {
      await this.incoming.look(network, address);
    } catch (error) {
      if (!isMeshError(error, 'network_unavailable')) throw error;
    }
  }
}
