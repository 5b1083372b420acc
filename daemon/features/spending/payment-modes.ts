import type { CallErrorCode, CallMode } from '../../contract/payments.js';
import { getErrorMessage } from '../../lib/errors.js';
import { listNetworksFor, type Prepared } from './agent-lookup.js';
import { CallError, formatErrorBody } from './call-failure.js';
import type { CallRow } from './calls-store.js';
import { deliver } from './delivery.js';
import { type Deposits, type DepositTerms, listDepositTerms } from './deposits.js';
import type { Draft } from './journal.js';
import type { DepositKey, PayingParts } from './paying-ports.js';
import { lamportsHeader, postSkill, type TimedAnswer } from './skill-request.js';
import type { SpentRow } from './spent-store.js';
import { hasNoTerms, parseReason, parseTerms, type Terms } from './terms/challenge.js';
import { highestPrice, type Price, type SkillOffer } from './terms/skill-offer.js';
import { NotSentError, type Transfers } from './transfers.js';

/** How often a call refills a balance that concurrent calls used up before it fails. */
const REFILLS = 8;

/** The payment that is recorded with a result: a reserved row with its changes, or the draft of a new row. */
type Entry = { row: SpentRow; changes: Partial<SpentRow> } | { draft: Draft; api_key_last4: string | null };

/** Returns what a call with this entry costs: nothing without one. */
function costOf(entry: Entry | undefined): number {
  if (entry === undefined) return 0;
  return 'row' in entry ? { ...entry.row, ...entry.changes }.amount_lamports : entry.draft.amount;
}

/** Why a response with this status is no result. */
function toFailureCode(status: number, isCharged: boolean): CallErrorCode {
  if (status >= 400 && status < 500) return 'refused_by_agent';
  if (isCharged) return 'not_delivered';
  return status >= 500 ? 'agent_failed' : 'bad_answer';
}

const takesDepositsOnly = ({ payment: { modes } = { modes: [] } }: SkillOffer) =>
  modes.includes('deposit') && !modes.includes('x402');

const isOverMax = ({ max_lamports }: CallRow, amount: number) => max_lamports !== null && amount > max_lamports;

/**
 * The ways to pay for a call: free of charge, from a prepaid balance, post-pay, with a proof. Spec: Payment request
 * states.
 */
export class PaymentModes {
  constructor(
    private readonly parts: PayingParts,
    private readonly transfers: Transfers,
    private readonly deposits: Deposits,
  ) {}

  /**
   * Makes the call `prepared` in its payment mode. Returns the call with its result, or undefined when it waits for the
   * operator.
   */
  async carryOut(prepared: Prepared, signal: AbortSignal): Promise<CallRow | undefined> {
    const { call, offer } = prepared;
    const price = highestPrice(offer);
    if (price > 0 && call.asked_mode === 'deposit') return this.prepaid(prepared, signal);
    const covered = price > 0 && call.asked_mode === 'auto' ? await this.findCovered(prepared) : undefined;
    if (covered) {
      // What may not be paid may still be free.
      if (isOverMax(call, covered.price)) return this.uncommitted(prepared, signal);
      const isTopupTaken = offer.payment?.modes.includes('deposit') === true;
      const drawn = this.prepaid(prepared, signal, covered).catch((error: unknown) => {
        // A refund that is used up is not topped up: the call is paid in another way.
        if (isTopupTaken || !(error instanceof CallError) || error.code !== 'no_deposit') throw error;
        return 'not drawn' as const;
      });
      const answered = await drawn;
      if (answered !== 'not drawn') return answered;
    }
    if (offer.mayOwe && call.asked_mode !== 'x402') return this.onCredit(prepared, signal);
    return this.uncommitted(prepared, signal);
  }

  /** Makes a call that cannot incur a debt: it runs free of charge or gets a challenge. */
  private async uncommitted(prepared: Prepared, signal: AbortSignal): Promise<CallRow | undefined> {
    const answer = await this.post(prepared, !prepared.offer.mayOwe, {}, signal);
    return answer.status === 402
      ? this.paid(prepared, answer, undefined, signal)
      : this.keep(prepared, answer, 'free', undefined);
  }

  private listTerms({ endpoint, offer }: Prepared): [DepositTerms, ...DepositTerms[]] {
    return listDepositTerms(offer, endpoint, listNetworksFor(offer, this.parts.chains));
  }

  /**
   * Returns the terms on the first network where a balance with the agent covers the price. A refund is one with an
   * agent that takes no deposits.
   */
  private async findCovered(prepared: Prepared): Promise<DepositTerms | undefined> {
    const isPayable = prepared.offer.payment?.wallet !== undefined;
    return isPayable ? this.deposits.findCovered(this.listTerms(prepared)) : undefined;
  }

  /** Returns the terms on a network where a balance covers the price, else those on the network that comes first. */
  private async chooseTerms(prepared: Prepared): Promise<DepositTerms> {
    const terms = this.listTerms(prepared);
    return (await this.deposits.findCovered(terms)) ?? terms[0];
  }

  /** Returns the price on the network that comes first. A prepared call has one. */
  private preferredPrice(offer: SkillOffer): Price {
    const networks = listNetworksFor(offer, this.parts.chains);
    return networks.flatMap((network) => offer.prices.filter((one) => one.network === network))[0] as Price;
  }

  private post(
    { call, offer }: Prepared,
    isSigned: boolean,
    headers: Record<string, string>,
    signal: AbortSignal,
  ): Promise<TimedAnswer> {
    return postSkill(this.parts, { url: offer.url, input: call.input, isSigned, headers }, signal);
  }

  /**
   * Pays from a prepaid balance, which is topped up as far as the caps allow. If the agent offers post-pay too, the
   * call is unsigned, so that it cannot incur a debt.
   */
  private async prepaid(prepared: Prepared, signal: AbortSignal, covered?: DepositTerms): Promise<CallRow | undefined> {
    const { offer } = prepared;
    const { journal } = this.parts;
    const terms = covered ?? (await this.chooseTerms(prepared));
    this.checkMax(prepared.call, terms.price);
    for (let refill = 0; ; refill += 1) {
      const reserve = async (amount: number) => {
        const { call_id } = prepared.call;
        const waiting = journal.payments(call_id).find(({ state, kind }) => state === 'waiting' && kind === 'topup');
        const draft = await this.draft('topup', 'deposit', { address: terms.address, amount, network: terms.network });
        return journal.reserve(journal.find(call_id) ?? prepared.call, draft, waiting);
      };
      const key = await this.overNeverSent(() =>
        this.deposits.filled({ call: prepared.call, terms, reserve, isDoubted: refill > 0 }, signal),
      );
      if (!key) return undefined;
      const call = await journal.commit(journal.find(prepared.call.call_id) ?? prepared.call, true);
      const post = () => this.post({ ...prepared, call }, !offer.mayOwe, { 'x-api-key': key.api_key }, signal);
      const answer = await this.deposits.draw(key, post, signal);
      const isTooSmall = answer.status === 402 || answer.status === 401;
      if (isTooSmall) await journal.commit(call, false);
      if (isTooSmall && refill < REFILLS) continue;
      if (isTooSmall) throw new CallError('no_deposit', `The balance does not do: ${parseReason(answer.json)}.`);
      const debited = lamportsHeader(answer, 'x-debited-lamports');
      const mode = debited === undefined ? 'free' : 'deposit';
      const draft = await this.draft('call', mode, {
        address: terms.address,
        amount: debited ?? 0,
        network: terms.network,
      });
      return this.keep(prepared, answer, mode, { draft, api_key_last4: key.api_key.slice(-4) });
    }
  }

  /**
   * Makes a signed call with the price reserved, because the agent may run it on post-pay. The mode that it used is
   * recorded.
   */
  private async onCredit(prepared: Prepared, signal: AbortSignal): Promise<CallRow | undefined> {
    const { offer, call, endpoint } = prepared;
    const { journal } = this.parts;
    const { amount, network } = this.preferredPrice(offer);
    const address = offer.payment?.wallet ?? null;
    const isPayable = !isOverMax(call, amount) && address !== (await this.parts.wallet()).address;
    if (!isPayable && call.asked_mode !== 'postpay') return this.uncommitted(prepared, signal);
    this.checkMax(call, amount);
    const draft = await this.draft('call', 'postpay', { address, amount, network });
    const waiting = journal.payments(call.call_id).find(({ state, kind }) => state === 'waiting' && kind === 'call');
    const mayWait = call.asked_mode === 'postpay';
    const reserved = await journal.reserve(call, draft, waiting, mayWait);
    if (!('row' in reserved)) return mayWait ? undefined : this.uncommitted(prepared, signal);
    const { row } = reserved;
    const committed = journal.find(call.call_id) ?? call;
    const earlier = new Set(this.parts.listDebtsTo(endpoint).map(({ payment_id }) => payment_id));
    const answer = await this.post({ ...prepared, call: committed }, true, {}, signal);
    if (answer.status === 402) {
      if (call.asked_mode === 'auto')
        return this.paid({ ...prepared, call: journal.find(call.call_id) ?? call }, answer, row, signal);
      await journal.release(row, 'failed', parseReason(answer.json));
      if (call.asked_mode === 'free')
        throw new CallError('no_free_call', `No free call is left: ${formatErrorBody(402, answer.json)}.`);
      throw new CallError('no_credit', `It does not take this call on credit: ${parseReason(answer.json)}.`);
    }
    // The total debt is computed by this side, whatever the agent reports. A higher total is not accepted and is never
    // paid.
    const known = this.parts.owedTo(endpoint);
    const owed = lamportsHeader(answer, 'x-owed-lamports') ?? 0;
    // The total that the agent reports includes the debts of calls that ran meanwhile, so an answer is a debt when the
    // total exceeds what was owed before. An agent takes back the price of a call in which it fails itself, so that one
    // is none as long as the other calls explain the total.
    const others = answer.status >= 500 ? known - amount : this.sumDebts(endpoint, earlier);
    if (owed <= others) {
      const state = answer.status >= 400 ? ('failed' as const) : ('settled' as const);
      return this.keep(prepared, answer, 'free', {
        row,
        changes: { state, mode: 'free', amount_lamports: 0, is_counted: false },
      });
    }
    const memo = answer.header('x-settle-memo');
    const settle_memo = memo !== undefined && /^[\x21-\x7e]{1,128}$/.test(memo) ? memo : null;
    const reason = owed > known ? ('debt_above_card' satisfies CallErrorCode) : null;
    return this.keep(prepared, answer, 'postpay', { row, changes: { state: 'owed', settle_memo, reason } });
  }

  /** Returns what is still owed for the payments `ids`. */
  private sumDebts(endpoint: string, ids: ReadonlySet<string>): number {
    const debts = this.parts.listDebtsTo(endpoint).filter(({ payment_id }) => ids.has(payment_id));
    return debts.reduce((sum, { amount_lamports }) => sum + amount_lamports, 0);
  }

  /** Pays the challenge in `refused` and presents the proof, or pays from a deposit where nothing else is taken. */
  private async paid(
    prepared: Prepared,
    refused: TimedAnswer,
    known: SpentRow | undefined,
    signal: AbortSignal,
  ): Promise<CallRow | undefined> {
    const { offer, call } = prepared;
    const { clock, journal } = this.parts;
    if (call.asked_mode === 'free')
      throw new CallError('no_free_call', `No free call is left: ${formatErrorBody(402, refused.json)}.`);
    if (call.asked_mode === 'postpay') throw new CallError('no_credit', 'Its card does not sell on credit.');
    if (call.asked_mode === 'auto' && takesDepositsOnly(offer) && hasNoTerms(refused.json)) {
      if (known) await journal.release(known, 'failed', parseReason(refused.json));
      const open = await journal.commit(journal.find(call.call_id) ?? call, false);
      return this.prepaid({ ...prepared, call: open }, signal);
    }
    const terms = parseTerms(refused.json, offer, listNetworksFor(offer, this.parts.chains), clock.now() / 1000);
    this.checkMax(call, terms.amount);
    const waiting =
      known ?? journal.payments(call.call_id).find(({ state, kind }) => state === 'waiting' && kind === 'call');
    const reserved = await journal.reserve(call, await this.draft('call', 'x402', terms), waiting);
    if ('replayed' in reserved)
      throw new CallError(
        'challenge_replayed',
        'It shows a challenge that was taken up before: nothing is paid for it twice.',
      );
    if ('over' in reserved) return undefined;
    const sent = await this.overNeverSent(() => this.transfers.make(reserved.row, terms.nonce, signal));
    return this.delivered(journal.find(call.call_id) ?? call, sent, signal);
  }

  /** Presents the proof of `row` until it is accepted, and records the outcome. */
  async delivered(call: CallRow, row: SpentRow, signal: AbortSignal): Promise<CallRow> {
    const { clock, journal } = this.parts;
    let endpoint = row.agent_url;
    const findUrl = async () => {
      try {
        endpoint = (await this.parts.findEndpoint?.(row)) ?? endpoint;
      } catch (error) {
        throw new CallError('unreachable', getErrorMessage(error));
      }
      return `${endpoint}/v1/${encodeURIComponent(call.skill)}`;
    };
    const { answer, refund } = await deliver(this.parts, { findUrl, call, row }, signal);
    if (refund) {
      const key: DepositKey = {
        agent: row.agent,
        endpoint,
        api_key: refund.api_key,
        network: row.network,
        address: row.address ?? '',
        lamports: refund.lamports,
        updated_ms: clock.now(),
      };
      await this.deposits.keepRefund(key, signal);
      await journal.settle(row, { state: 'refunded', reason: 'given back as a balance with the agent' });
      throw new CallError(
        toFailureCode(answer.status, false),
        'It could not carry the call out and keeps the price as a balance: ' +
          `${formatErrorBody(answer.status, answer.json)}.`,
      );
    }
    return journal.answered(
      call,
      { result: answer.json, latency_ms: answer.latencyMs, mode: 'x402', amount_lamports: row.amount_lamports },
      { row, changes: { state: 'settled' } },
    );
  }

  /**
   * Records a response other than a payment request. Throws `refused_by_agent`, `agent_failed`, `bad_answer` and, when
   * the response was charged for, `not_delivered`.
   */
  private async keep(
    { call, offer }: Prepared,
    answer: TimedAnswer,
    mode: CallMode,
    payment: Entry | undefined,
  ): Promise<CallRow> {
    const { journal } = this.parts;
    const isGood = answer.status >= 200 && answer.status < 300 && answer.json !== undefined;
    if (!isGood) {
      const isCharged = payment !== undefined && 'draft' in payment && payment.draft.amount > 0;
      if (payment && 'row' in payment) await journal.settle(payment.row, payment.changes);
      else if (isCharged) await journal.charged(call, payment.draft, payment.api_key_last4, answer.latencyMs);
      const isOwn = answer.status >= 400;
      const hint = answer.status === 401 ? ' Its owner gives out the token; a call from here sends none.' : '';
      throw new CallError(
        toFailureCode(answer.status, isCharged),
        `It answered ${isOwn ? formatErrorBody(answer.status, answer.json) : 'with no JSON'}.${hint}`,
      );
    }
    const isPriced = offer.prices.length > 0;
    const entry = payment ?? (isPriced ? { draft: await this.freeDraft(offer), api_key_last4: null } : undefined);
    return journal.answered(
      call,
      {
        result: answer.json,
        latency_ms: answer.latencyMs,
        mode: isPriced ? mode : null,
        amount_lamports: costOf(entry),
      },
      entry,
    );
  }

  private freeDraft(offer: SkillOffer): Promise<Draft> {
    const { network } = this.preferredPrice(offer);
    return this.draft('call', 'free', { address: offer.payment?.wallet ?? null, amount: 0, network });
  }

  private async draft(
    kind: Draft['kind'],
    mode: CallMode,
    terms: Partial<Omit<Terms, 'address'>> & { address: string | null; amount: number; network: string },
  ): Promise<Draft> {
    const { address, amount, network, nonce, expiresAt } = terms;
    const chain = await this.parts.chains.get(network);
    if (amount > 0 && address === (await this.parts.wallet()).address) {
      throw new CallError(
        'wrong_wallet',
        'The agent is paid into the very wallet that pays: a transfer to itself pays nothing. Give it a wallet of ' +
          'its own: `meshd wallet new earnings` prints the address for `wallet` in `payment` of its file.',
      );
    }
    const isTransfer = kind === 'topup' || mode === 'x402';
    if (isTransfer) await chain.requireFunds?.(await this.parts.wallet(), BigInt(amount));
    return {
      kind,
      mode,
      address,
      amount,
      network,
      is_real: chain.real,
      ...(nonce === undefined ? {} : { nonce }),
      ...(expiresAt === undefined ? {} : { expires_at: expiresAt }),
    };
  }

  private checkMax(call: CallRow, amount: number): void {
    if (!isOverMax(call, amount)) return;
    throw new CallError('budget_exceeded', `It costs ${amount} lamports; the call allows ${call.max_lamports}.`);
  }

  /** Runs `run`, and turns a new transfer that is certainly not made into a failure of the call: nothing was paid. */
  private async overNeverSent<T>(run: () => Promise<T>): Promise<T> {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof NotSentError)) throw error;
      await this.parts.journal.release(error.row, 'failed', error.message.slice(0, 200));
      throw new CallError(error.code, `Nothing was paid: ${error.message}`);
    }
  }
}
