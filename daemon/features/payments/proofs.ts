import type { CallMode, Refusal } from '../../contract/payments.js';
import { isMeshError, MeshError } from '../../lib/errors.js';
import type { Clock } from '../../lib/time/clock.js';
import type { Chains, ChainTransaction } from '../chains/chain.js';
import { onWire, type PaymentJournal } from './ledger/payment-journal.js';
import type { SeenStore } from './ledger/seen-store.js';
import type { PaidCalls } from './paid-calls.js';
import type { PaidResult, PricedCall, SkillResult } from './payment-port.js';
import { PaymentRequiredError } from './payment-required-error.js';
import type { Payment, PaymentsStore, Term } from './payments-store.js';
import type { Prices } from './price-rows.js';
import { checkProof, getSource, type Received } from './proof-check.js';
import type { Proof } from './proof-format.js';

/** How long a call waits for its transaction to be confirmed, and the poll interval. */
const VISIBLE_WITHIN_MS = 8_000;
const LOOK_EVERY_MS = 400;
const RETRY_SECONDS = 5;
/** Maximum number of proofs that wait at the same time. A further proof is looked up once. */
const MAX_WAITING = 64;

/** A transaction that was found, and what it pays. */
interface FoundPayment {
  term: Term;
  received: Received;
  from: string | null;
}

interface ProofsParts {
  store: PaymentsStore;
  seen: SeenStore;
  journal: PaymentJournal;
  calls: PaidCalls;
  chains: Chains;
  clock: Clock;
}

/**
 * Accepts proofs: transactions that the chain reports as confirmed and that pay for a challenge of this daemon. The
 * signature and the nonce are spent together, once, before the skill runs. Repeats of the same call with the same proof
 * get the first result, also while the call is running. Contract: Payments.
 */
export class Proofs {
  /** The calls that are running, by nonce. */
  private readonly running = new Map<string, Promise<PaidResult>>();
  /** Pending lookups of transactions, keyed by proof and terms. Identical calls share one lookup. */
  private readonly looks = new Map<string, Promise<FoundPayment>>();

  constructor(private readonly parts: ProofsParts) {}

  /**
   * Runs `call` for `proof`, or returns the earlier result again. Throws PaymentRequiredError when the proof does not
   * pay; the skill is not run then.
   */
  async pay(
    call: PricedCall,
    prices: Prices,
    proof: Proof,
    run: (mode: CallMode) => Promise<SkillResult>,
  ): Promise<PaidResult> {
    const challenge = this.requireChallenge(call, proof);
    if (challenge.state !== 'challenged') return this.repeat(challenge, call, proof);
    const found = await this.findOnce(challenge, this.termsFor(challenge, prices), proof);

    const { nonce } = proof;
    const answer = new Answer();
    try {
      const taken = await this.parts.store.write(() => {
        const payment = this.take(call, proof, found);
        // A repeat that arrives after this point waits for this call, regardless of the order of event loop ticks.
        if (payment) this.running.set(nonce, answer.promise);
        return payment;
      });
      if (!taken) return await this.repeat(this.requireChallenge(call, proof), call, proof);
      const result = await this.parts.calls.carryOut(taken, {}, run);
      answer.resolve(result);
      return result;
    } catch (error) {
      answer.reject(error);
      throw error;
    } finally {
      if (this.running.get(nonce) === answer.promise) this.running.delete(nonce);
    }
  }

  /** Returns the challenge of a proof, spent or not. */
  private requireChallenge({ agent, skill }: PricedCall, { nonce }: Proof): Payment {
    const challenge = this.parts.store.findByNonce(nonce);
    if (!challenge) throw new PaymentRequiredError('unknown_nonce');
    if (challenge.agent !== agent || challenge.skill !== skill) throw new PaymentRequiredError('nonce_of_other_skill');
    return challenge;
  }

  private async repeat(
    payment: Payment,
    { requestSha256 }: PricedCall,
    { signature, nonce }: Proof,
  ): Promise<PaidResult> {
    if (payment.signature !== signature) throw new PaymentRequiredError('nonce_spent', { code: 'nonce_spent' });
    if (payment.request_sha256 !== requestSha256) throw new PaymentRequiredError('nonce_spent');
    const running = this.running.get(nonce);
    if (running) return { ...(await running), replayed: true };
    if (payment.state === 'paid')
      throw new MeshError('in_flight', 'That call is being carried out: send it again in a moment.');
    const first = this.parts.calls.replay(payment);
    if (!first) throw new PaymentRequiredError('nonce_spent');
    return first;
  }

  /** Returns the rows of a challenge for the tier of the call. They hold although the card has changed since. */
  private termsFor(challenge: Payment, prices: Prices): Term[] {
    const { chains, store } = this.parts;
    const terms = store
      .listTerms(challenge.id)
      .filter(({ network, tier }) => tier === prices.tier && chains.list().some((known) => known === network));
    if (terms.length === 0) throw new PaymentRequiredError('price_changed');
    return terms;
  }

  private findOnce(challenge: Payment, terms: readonly Term[], proof: Proof): Promise<FoundPayment> {
    // The terms are part of the key, because the price also depends on the tier that a repeat names.
    const key = JSON.stringify([proof, terms]);
    const known = this.looks.get(key);
    if (known) return known;
    const look = this.look(challenge, terms, proof).finally(() => this.looks.delete(key));
    this.looks.set(key, look);
    return look;
  }

  /**
   * Waits for the transaction to be confirmed and returns what it pays. Throws PaymentRequiredError when it does not
   * pay, is not confirmed in time, or came after the challenge ran out. A proof may come later than that.
   */
  private async look(challenge: Payment, terms: readonly Term[], { signature, nonce }: Proof): Promise<FoundPayment> {
    const { clock, chains } = this.parts;
    const networks = [...new Set(terms.map(({ network }) => network))];
    if (networks.some((network) => this.isSpent(network, signature))) throw new PaymentRequiredError('signature_spent');
    const isLate = (challenge.expires_ms as number) <= clock.now();
    const endMs = clock.elapsed() + VISIBLE_WITHIN_MS;
    for (let isFirst = true; ; isFirst = false) {
      const { found, isUnreachable } = await this.findOn(networks, signature);
      if (found) {
        if (isLate && !isInTime(challenge, found.transaction)) throw new PaymentRequiredError('nonce_expired');
        return paymentIn(
          found.transaction,
          terms.filter(({ network }) => network === found.network),
          nonce,
          challenge.created_ms,
        );
      }
      if (isFirst) {
        const others = chains.list().filter((network) => !networks.includes(network));
        if ((await this.findOn(others, signature)).found) throw new PaymentRequiredError('wrong_network');
      }
      if (clock.elapsed() >= endMs || this.looks.size > MAX_WAITING) {
        if (isUnreachable) throw networkUnavailable(networks, nonce);
        if (isLate) throw new PaymentRequiredError('nonce_expired');
        throw new PaymentRequiredError('not_yet_visible', {
          standing: { id: challenge.id, nonce, expiresMs: challenge.expires_ms as number },
        });
      }
      await new Promise<void>((resolve) => void clock.after(LOOK_EVERY_MS, resolve));
    }
  }

  private async findOn(
    networks: readonly string[],
    signature: string,
  ): Promise<{ found?: { network: string; transaction: ChainTransaction }; isUnreachable: boolean }> {
    let isUnreachable = false;
    for (const network of networks) {
      try {
        const transaction = await (await this.parts.chains.get(network)).find(signature);
        if (transaction) return { found: { network, transaction }, isUnreachable };
      } catch (error) {
        if (!isMeshError(error, 'network_unavailable')) throw error;
        isUnreachable = true;
      }
    }
    return { isUnreachable };
  }

  private isSpent(network: string, signature: string): boolean {
    const spent = this.parts.seen.findSpent(network, signature);
    return spent !== undefined && spent.spent_on !== 'unmatched';
  }

  /**
   * Spends the nonce and the signature. Returns undefined when the nonce was spent meanwhile. Must be called inside a
   * write transaction.
   */
  private take(
    { requestSha256, payer }: PricedCall,
    { nonce, signature }: Proof,
    { term, received, from }: FoundPayment,
  ): Payment | undefined {
    const { clock, journal, store } = this.parts;
    const { network, address } = term;
    const challenge = store.findByNonce(nonce);
    if (challenge?.state !== 'challenged') return undefined;
    if (this.isSpent(network, signature)) throw new PaymentRequiredError('signature_spent');
    const nowMs = clock.now();
    const paid: Payment = {
      ...challenge,
      state: 'paid',
      mode: 'x402',
      network,
      amount: onWire(received.transferred),
      counterparty: payer.pubkey ?? from,
      signature,
      request_sha256: requestSha256,
      reason: null,
      updated_ms: nowMs,
    };
    store.put(paid);
    const chain = journal.open({ network, address, kind: 'chain' }, nowMs);
    const earned = journal.earned({ network, address, agent: paid.agent }, nowMs);
    const seen = this.parts.seen.find(network, signature, address);
    const unmatched = () => journal.open({ network, address, kind: 'unmatched' }, nowMs).id;
    if (!seen && received.further > 0n)
      journal.move('unmatched', chain.id, unmatched(), received.further, paid.id, nowMs);
    // A transfer that was recorded before its proof arrived is booked as unmatched.
    journal.move('proof', seen ? unmatched() : chain.id, earned.id, received.transferred, paid.id, nowMs);
    const entry = seen && seen.payment !== paid.id ? store.find(seen.payment) : undefined;
    if (entry) store.put({ ...entry, reason: 'claimed', updated_ms: nowMs });
    this.parts.seen.spend(network, signature, address, 'proof', paid.id);
    return paid;
  }
}

/** A deferred result. Its promise may reject without a listener. */
class Answer {
  resolve!: (result: PaidResult) => void;
  reject!: (error: unknown) => void;
  readonly promise = new Promise<PaidResult>((resolve, reject) => {
    this.resolve = resolve;
    this.reject = reject;
  });

  constructor() {
    this.promise.catch(() => undefined);
  }
}

/** Whether a transaction was on the chain, or was recorded here, before the challenge ran out. */
function isInTime(challenge: Payment, { signature, blockTime }: ChainTransaction): boolean {
  const expiresMs = challenge.expires_ms as number;
  const isNoted = challenge.signature === signature && challenge.updated_ms < expiresMs;
  return isNoted || (blockTime !== null && blockTime * 1000 < expiresMs);
}

/** For a proof that cannot be looked up now. It is no 402, because a caller that pays again would pay twice. */
const networkUnavailable = (networks: readonly string[], nonce: string) =>
  new MeshError(
    'network_unavailable',
    `${networks.join(' or ')} cannot be reached now, so the payment cannot be seen: send the same proof again in a ` +
      'moment; the nonce stays valid.',
    { details: { nonce, retry_after: RETRY_SECONDS } },
  );

/**
 * Returns what a transaction on one network pays of `terms`. Throws PaymentRequiredError with the reason when it pays
 * none of them.
 */
function paymentIn(
  transaction: ChainTransaction,
  terms: readonly Term[],
  nonce: string,
  issuedMs: number,
): FoundPayment {
  let refusal: Refusal | undefined;
  for (const term of terms) {
    const checked = checkProof(transaction, { address: term.address, amount: term.amount, nonce, issuedMs });
    if (typeof checked === 'object')
      return { term, received: checked, from: getSource(transaction.transfers, term.address) };
    refusal = checked;
  }
  throw new PaymentRequiredError(refusal);
}
