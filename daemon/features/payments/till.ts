import type { CallMode, PaymentDeclaration, Topup } from '../../contract/payments.js';
import type { Bus } from '../../events/bus.js';
import { isBase58OfLength } from '../../lib/base58.js';
import type { Clock } from '../../lib/clock.js';
import { isMeshError, MeshError } from '../../lib/errors.js';
import type { Database } from '../../storage/database.js';
import type { IdempotencyKey } from '../../storage/idempotency.js';
import type { Chains } from '../chains/chain.js';
import { Cascade, type Means, type Taken } from './cascade.js';
import { Challenges } from './challenges.js';
import { Debts } from './debts.js';
import { Deposits } from './deposits.js';
import { FreeTier } from './free-tier.js';
import { Incoming } from './incoming.js';
import { NotPaid } from './not-paid.js';
import { PaidCalls } from './paid-calls.js';
import { PaymentNews } from './payment-news.js';
import { PaymentsStore } from './payments-store.js';
import { type Prices, pricesOf } from './price-rows.js';
import { proofOf } from './proof-format.js';
import { Proofs } from './proofs.js';
import { SeenStore } from './seen-store.js';
import { TillJournal } from './till-journal.js';
import type { PaidResult, PricedCall, SkillResult, TillPort } from './till-port.js';
import { TillSecret } from './till-secret.js';
import { TillUpkeep } from './till-upkeep.js';

export interface TillParts {
  database: Database;
  chains: Chains;
  clock: Clock;
  bus: Bus;
  /** 32 bytes, the same over restarts. */
  secretKey: Uint8Array;
  /** Where agents are paid whose card names no wallet. */
  mainAddress: () => Promise<string>;
  /** The score by which whoever holds a key is given credit; null while nothing is proven of them. */
  creditOf: (pubkey: string) => number | null;
  /** Told of what a skill threw that is nobody's meaning, under the id that the caller is told. */
  onFault: (error: unknown, id: string) => void;
  warn: (message: string) => void;
}

/**
 * The till of every agent that this daemon hosts: what lets a priced call through, what it keeps of that, and what comes in. It holds no keys and takes
 * no cut: callers pay into the provider's own wallet. A proof is looked at before anything else, since it is paid already; the cascade is for calls that
 * come without one. Spec: Payment request states.
 */
export class Till implements TillPort {
  readonly store: PaymentsStore;
  readonly journal: TillJournal;
  private readonly news: PaymentNews;
  private readonly calls: PaidCalls;
  private readonly proofs: Proofs;
  private readonly cascade: Cascade;
  private readonly challenges: Challenges;
  private readonly incoming: Incoming;
  private readonly deposits: Deposits;
  private readonly upkeep: TillUpkeep;
  private whenReady: Promise<void> | undefined;

  constructor(private readonly parts: TillParts) {
    const { database, chains, clock, bus, onFault, warn } = parts;
    const store = new PaymentsStore(database);
    const journal = new TillJournal(database);
    const secret = new TillSecret(parts.secretKey);
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
    this.incoming = new Incoming({ store, seen, journal, debts, chains, clock, news, warn });
    const addressOf = (payment: PaymentDeclaration) => this.addressOf(payment);
    this.deposits = new Deposits({ database, journal, incoming: this.incoming, clock, addressOf });
    this.upkeep = new TillUpkeep({ store, seen, journal, freeTier, incoming: this.incoming, chains, clock, warn });
  }

  /** Ends the calls that an earlier run left open, gives back what was paid for them, and begins to look for what comes in. */
  async start(): Promise<void> {
    await this.ready();
    this.upkeep.start();
  }

  /** Resolves when nothing of it is under way any more. */
  async stop(): Promise<void> {
    this.news.stop();
    await this.upkeep.stop();
  }

  /** As TillPort. A call that comes before the till has started waits: none of this run's may be taken for one that was cut short. */
  async serve(call: PricedCall, run: (mode: CallMode) => Promise<SkillResult>): Promise<PaidResult> {
    const proof = proofOf(call.payer);
    await this.ready();
    const prices = pricesOf(call.prices, call.tier, call.payment, this.parts.chains.list());
    const { apiKey } = call.payer;
    const key = apiKey === undefined ? undefined : this.deposits.accountOf(call.agent, apiKey);
    if (prices.isFree) return { ...(await run('free')), mode: 'free', replayed: false, headers: {} };
    let taken: Taken;
    try {
      if (proof) return await this.proofs.pay(call, prices, proof, run);
      taken = await this.takeFor(call, prices, { key, ...(await this.creditOf(call, prices)) });
    } catch (error) {
      if (!(error instanceof NotPaid)) throw error;
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

  /** Writes down what came in at `addresses`, if any of them is one of ours: a network that tells of changes need not be asked. */
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

  /** Takes the price from what the call has; when that does not do, once more after a look at what has come in. */
  private async takeFor(call: PricedCall, prices: Prices, means: Means): Promise<Taken> {
    const { key, debtor, noDebt } = means;
    if (!key && !debtor && !call.payment.free_tier?.calls_per_day) throw new NotPaid(noDebt);
    const take = () => this.store.write(() => this.cascade.take(call, prices, means));
    try {
      return await take();
    } catch (error) {
      if (!(error instanceof NotPaid) || (!key && !debtor)) throw error;
      const [network] = prices.ofCall.map((row) => row.network);
      if (key) await this.deposits.lookFor(key);
      else if (debtor && network) await this.lookAt(network, debtor.address);
      return take();
    }
  }

  /** Whether the caller may owe for the call, and where the debt would be paid: that is watched before anybody is told to pay there. */
  private async creditOf(
    { payer, payment }: PricedCall,
    { ofCall }: Prices,
  ): Promise<Pick<Means, 'debtor' | 'noDebt'>> {
    const least = payment.postpay_min_reputation ?? null;
    const [price] = ofCall;
    if (least === null || payer.pubkey === undefined || !price) return { debtor: undefined, noDebt: undefined };
    const score = this.parts.creditOf(payer.pubkey);
    if (score === null || score < least) return { debtor: undefined, noDebt: 'reputation_too_low' };
    const address = await this.findAddress(payment);
    if (address === undefined) return { debtor: undefined, noDebt: undefined };
    const isWatched = await this.watch(price.network, address);
    return isWatched
      ? { debtor: { pubkey: payer.pubkey, address }, noDebt: undefined }
      : { debtor: undefined, noDebt: 'network_unreachable' };
  }

  /** Where an agent is paid. Throws `overloaded` when its card's wallet is no address, or when there is no wallet: nothing is paid into nowhere. */
  private async addressOf({ wallet }: PaymentDeclaration): Promise<string> {
    const { mainAddress, warn } = this.parts;
    if (wallet !== undefined && isBase58OfLength(32, wallet)) return wallet;
    try {
      if (wallet !== undefined) throw new MeshError('bad_request', 'The wallet in an agent’s card is no address.');
      return await mainAddress();
    } catch (error) {
      if (!isMeshError(error)) throw error;
      // Why is for the operator alone.
      warn(`An agent cannot be paid. ${error.message}`);
      throw new MeshError('overloaded', 'This agent cannot be paid now: its operator must fix its wallet.', {
        cause: error,
      });
    }
  }

  private async findAddress(payment: PaymentDeclaration): Promise<string | undefined> {
    try {
      return await this.addressOf(payment);
    } catch (error) {
      if (!isMeshError(error, 'overloaded')) throw error;
      return undefined;
    }
  }

  /** Where the call is to be paid, watched from now on as far as the networks can be reached. */
  private async watchedAddress(payment: PaymentDeclaration, { all }: Prices): Promise<string | undefined> {
    const address = await this.findAddress(payment);
    if (address === undefined) return undefined;
    for (const network of new Set(all.map((row) => row.network))) await this.watch(network, address);
    return address;
  }

  /** Begins to watch an address; false while the network cannot be reached. */
  private async watch(network: string, address: string): Promise<boolean> {
    try {
      await this.incoming.watch(network, address);
      return true;
    } catch (error) {
      if (!isMeshError(error, 'overloaded')) throw error;
      return false;
    }
  }

  /** Looks for what has come in; a network that cannot be reached is looked at another time. */
  private async lookAt(network: string, address: string): Promise<void> {
    try {
      await this.incoming.look(network, address);
    } catch (error) {
      if (!isMeshError(error, 'overloaded')) throw error;
    }
  }
}
