import Value from 'typebox/value';
import { Balance } from '../../contract/payments.js';
import { KeyedMutex } from '../../lib/async/keyed-mutex.js';
import { getErrorMessage } from '../../lib/errors.js';
import { withoutTrailingSlashes } from '../../lib/text/trailing-slashes.js';
import { CallError, formatErrorBody } from './call-failure.js';
import type { CallRow } from './calls-store.js';
import type { Reserved } from './journal.js';
import { type DepositKey, type ExchangeAnswer, type PayingParts, pause, StoppedError } from './paying-ports.js';
import { lamportsHeader, type TimedAnswer } from './skill-request.js';
import type { SpentRow } from './spent-store.js';
import { readTopup } from './terms/agent-answers.js';
import { type SkillOffer, toNameHere } from './terms/skill-offer.js';
import type { Transfers } from './transfers.js';

const TOTAL_MS = 10_000;
const MAX_BYTES = 16 * 1024;
const KEY = /^tk_[A-Za-z0-9_-]{16,128}$/;
/** How long a confirmed top-up may take to appear in the balance. */
const APPEARS_WITHIN_MS = 60_000;
/**
 * How long no other top-up is paid while a confirmed one has not appeared. It may have been spent unseen (by a call
 * that was cut off), and an agent that lost it would otherwise never be prepaid again.
 */
const AWAITED_FOR_MS = 86_400_000;
const FIRST_LOOK_MS = 100;
const LONGEST_LOOK_MS = 4000;

/** The terms under which an agent takes calls from a balance. */
export interface DepositTerms {
  endpoint: string;
  address: string;
  network: string;
  /** The name here of the network that the agent calls `solana:local`; null when that is no network known here. */
  localNetwork: string | null;
  price: number;
  minimum: number;
  /** False for an agent that takes no deposits: only what it gave back for a failed call is a balance with it. */
  isTopupTaken: boolean;
}

/** A call that needs a balance which covers its price. */
interface Filling {
  call: CallRow;
  terms: DepositTerms;
  /** Checks the caps for a top-up of `amount` lamports. */
  reserve: (amount: number) => Promise<Reserved>;
  /** The balance is requested from the agent even if the stored one is sufficient. */
  isDoubted: boolean;
}

/**
 * Lists the terms under which `offer` can be paid from a balance on each of `networks`, in their order. Throws
 * `no_deposit` when the card says nothing about payment, `unknown_network` when it has no price on a known network, and
 * `wrong_wallet` when it names no wallet.
 */
export function listDepositTerms(
  offer: SkillOffer,
  endpoint: string,
  networks: readonly string[],
): [DepositTerms, ...DepositTerms[]] {
  const { payment } = offer;
  if (!payment) throw new CallError('no_deposit', 'Its card does not take deposits.');
  const prices = networks.flatMap((network) => offer.prices.find((one) => one.network === network) ?? []);
  const address = payment.wallet;
  const [first, ...others] = prices.map((price) => ({
    endpoint,
    address: address as string,
    network: price.network,
    localNetwork: offer.localNetwork,
    price: price.amount,
    minimum: payment.deposit?.min_lamports ?? 0,
    isTopupTaken: payment.modes.includes('deposit'),
  }));
  if (!first) throw new CallError('unknown_network', 'Its card has no price on a network that this side knows.');
  if (address === undefined) throw new CallError('wrong_wallet', 'Its card names no wallet to pay a deposit to.');
  return [first, ...others];
}

/** Reports whether `row` is a top-up of `key`: of the key, which is a secret, an entry has the last four characters. */
const isTopupOf = (row: SpentRow, key: DepositKey) =>
  row.agent_url === key.endpoint &&
  row.address === key.address &&
  row.network === key.network &&
  row.api_key_last4 !== null &&
  key.api_key.endsWith(row.api_key_last4);

/**
 * Prepaid balances with agents: opened with `/v1/topup`, filled by a transfer with the key as its memo, read with
 * `/v1/balance`.
 */
export class Deposits {
  /** Serializes top-ups of the same agent, so that concurrent calls do not each fill the balance. */
  private readonly mutexes = new KeyedMutex();
  /** The number of calls that use a key at the moment, and whether another call or a top-up overlapped with them. */
  private readonly uses = new Map<string, { open: number; isShared: boolean }>();

  constructor(
    private readonly parts: PayingParts,
    private readonly transfers: Transfers,
  ) {}

  find({ endpoint, address, network }: DepositTerms): Promise<DepositKey | undefined> {
    return this.parts.deposits.find(endpoint, address, network);
  }

  /** Returns the first of `terms` whose price the stored balance on its network covers. */
  async findCovered(terms: readonly DepositTerms[]): Promise<DepositTerms | undefined> {
    for (const one of terms) {
      const key = await this.find(one);
      if (key !== undefined && key.lamports >= one.price) return one;
    }
    return undefined;
  }

  /**
   * Makes a call that is debited from `key`, and stores the remaining balance from its response. The responses of
   * concurrent calls can arrive in any order, so after the last of them the balance is requested from the agent.
   */
  async draw(key: DepositKey, call: () => Promise<TimedAnswer>, signal: AbortSignal): Promise<TimedAnswer> {
    const uses = this.uses.get(key.api_key) ?? { open: 0, isShared: false };
    this.uses.set(key.api_key, uses);
    uses.open += 1;
    if (uses.open > 1) uses.isShared = true;
    const before = this.stored(key);
    try {
      const answer = await call();
      const lamports = lamportsHeader(answer, 'x-balance-remaining');
      const debited = lamportsHeader(answer, 'x-debited-lamports') ?? 0;
      if (lamports !== undefined) await this.note(key, lamports, before - debited);
      return answer;
    } finally {
      uses.open -= 1;
      if (uses.open === 0) {
        this.uses.delete(key.api_key);
        // Until the request succeeds, the balance from the responses remains stored.
        if (uses.isShared) await this.balance(key, signal).catch(() => undefined);
      }
    }
  }

  /** Stores the key of a refund, with the balance that the agent reports for it now: a repeat may find it used. */
  async keepRefund(key: DepositKey, signal: AbortSignal): Promise<void> {
    await this.parts.deposits.put(key);
    await this.look([key], signal);
  }

  /**
   * Requests the balances with the agent at `endpoint`, after a call whose outcome is unknown. Balances that are not
   * reported stay as they are.
   */
  async refresh(endpoint: string, signal: AbortSignal): Promise<void> {
    const keys = this.parts.deposits.list().filter((key) => key.endpoint === endpoint && key.lamports > 0);
    await this.look(keys, signal);
  }

  private async look(keys: readonly DepositKey[], signal: AbortSignal): Promise<void> {
    for (const key of keys) {
      await this.balance(key, signal).catch((error: unknown) => {
        if (!(error instanceof CallError)) throw error;
      });
    }
  }

  /**
   * Stores a balance that the agent reported. What it is above `expected`, the balance that was stored when the request
   * was sent less what was debited, are top-ups that arrived. They are settled first: after a crash in between, the
   * stored balance is requested again before anything is paid.
   */
  private async note(key: DepositKey, lamports: number, expected: number): Promise<void> {
    if (lamports > expected) await this.settleArrived(key, lamports - expected);
    await this.parts.deposits.put({ ...key, lamports, updated_ms: this.parts.clock.now() });
  }

  /** Settles the paid top-ups of a key that `arrived` lamports cover, at least the oldest: calls may have used some. */
  private async settleArrived(key: DepositKey, arrived: number): Promise<void> {
    const { journal } = this.parts;
    const paid = journal.paidTopups(key.endpoint).filter((row) => isTopupOf(row, key));
    let left = arrived;
    const covered = paid.filter(({ amount_lamports }) => {
      const isCovered = amount_lamports <= left;
      if (isCovered) left -= amount_lamports;
      return isCovered;
    });
    for (const row of covered.length > 0 ? covered : paid.slice(0, 1)) await journal.settle(row);
  }

  /** Returns the stored balance of a key. Without a top-up, what the agent reports is at most that. */
  private stored(key: DepositKey): number {
    return this.parts.deposits.list().find(({ api_key }) => api_key === key.api_key)?.lamports ?? 0;
  }

  /**
   * Requests the balance of a key from the agent; undefined when the agent does not recognize the key. Throws
   * `unreachable` and `bad_answer`.
   */
  private async balance(key: DepositKey, signal: AbortSignal): Promise<number | undefined> {
    const before = this.stored(key);
    const answer = await this.exchange(
      'GET',
      `${withoutTrailingSlashes(key.endpoint)}/v1/balance`,
      undefined,
      { 'x-api-key': key.api_key },
      signal,
    );
    if (answer.status === 401) return undefined;
    if (answer.status !== 200 || !Value.Check(Balance, answer.json)) {
      throw new CallError(
        'bad_answer',
        `It does not say what the balance is: ${formatErrorBody(answer.status, answer.json)}.`,
      );
    }
    await this.note(key, answer.json.lamports, before);
    return answer.json.lamports;
  }

  /**
   * Returns a key whose balance covers the price, after a top-up if one is needed and allowed; undefined when the call
   * waits for the operator. While an earlier top-up is paid and does not appear, it is waited for and no other is paid.
   * Throws what `balance` and a transfer throw, `no_deposit`, and `not_delivered` when a top-up does not appear.
   */
  filled(filling: Filling, signal: AbortSignal): Promise<DepositKey | undefined> {
    return this.mutexes.runExclusive(filling.terms.endpoint, () => this.fill(filling, signal));
  }

  /**
   * Completes a top-up that a previous process signed, and waits until the balance shows it. Throws what a transfer
   * throws, and `not_delivered`.
   */
  finish(row: SpentRow, signal: AbortSignal): Promise<void> {
    const key = this.parts.deposits.list().find((one) => isTopupOf(row, one));
    // Read before any request: the answer to another one may include this top-up.
    const held = key?.lamports ?? 0;
    return this.mutexes.runExclusive(row.agent_url, async () => {
      const sent = await this.transfers.finish(row, signal);
      if (key) await this.untilVisible(key, sent, held, signal);
      else await this.parts.journal.settle(sent);
    });
  }

  private async fill(filling: Filling, signal: AbortSignal): Promise<DepositKey | undefined> {
    const { call, terms, reserve, isDoubted } = filling;
    const kept = await this.find(terms);
    if (kept && !isDoubted && kept.lamports >= terms.price) return kept;
    const answered = kept && (await this.balance(kept, signal));
    // A key that its agent does not recognize is not used again.
    if (kept && answered === undefined) await this.note(kept, 0, 0);
    const known = answered === undefined ? undefined : kept;
    const held = answered ?? 0;
    if (known && held >= terms.price) return { ...known, lamports: held };
    if (!terms.isTopupTaken) throw new CallError('no_deposit', 'Its card does not take deposits.');
    if (await this.appeared(terms, signal)) return this.fill(filling, signal);
    const amount = call.topup_lamports ?? Math.max(terms.minimum, terms.price);
    if (held + amount < terms.price || (!known && amount < terms.minimum)) {
      throw new CallError(
        'no_deposit',
        `A top-up of ${amount} lamports does not do: the price is ${terms.price}, ${held} are there, and ` +
          `${terms.minimum} are the least that is taken.`,
      );
    }
    const reserved = await reserve(amount);
    if (!('row' in reserved)) return undefined;
    const key = known ?? (await this.open(call, terms, amount, signal));
    const sent = await this.transfers.make(reserved.row, key.api_key, signal, key.api_key.slice(-4));
    const lamports = await this.untilVisible(key, sent, held, signal);
    const uses = this.uses.get(key.api_key);
    if (uses) uses.isShared = true;
    return { ...key, lamports };
  }

  /**
   * Waits for a top-up that was paid and has not appeared. Returns false when there is none, also when its key is one
   * that its agent does not recognize.
   */
  private async appeared({ endpoint, address, network }: DepositTerms, signal: AbortSignal): Promise<boolean> {
    const { clock, deposits, journal } = this.parts;
    const sinceMs = clock.now() - AWAITED_FOR_MS;
    for (const row of journal.paidTopups(endpoint)) {
      const isOther = row.address !== address || row.network !== network;
      if (isOther || (row.signed_ms as number) <= sinceMs) continue;
      const key = deposits.list().find((one) => isTopupOf(row, one));
      const held = key && (await this.balance(key, signal));
      if (!key || held === undefined) continue;
      await this.untilVisible(key, row, held, signal);
      return true;
    }
    return false;
  }

  /** Opens a key. The key is on disk before it is paid for. */
  private async open(call: CallRow, terms: DepositTerms, amount: number, signal: AbortSignal): Promise<DepositKey> {
    const { clock, deposits } = this.parts;
    const body = JSON.stringify({ amount_lamports: amount });
    const answer = await this.exchange('POST', `${withoutTrailingSlashes(terms.endpoint)}/v1/topup`, body, {}, signal);
    const topup = answer.status === 200 ? readTopup(answer.json) : undefined;
    if (!topup)
      throw new CallError('no_deposit', `It opened no deposit: ${formatErrorBody(answer.status, answer.json)}.`);
    const { key: api_key, memo, address } = topup;
    const network = topup.network === null ? terms.network : toNameHere(topup.network, terms.localNetwork);
    if (!KEY.test(api_key) || memo !== api_key)
      throw new CallError('bad_challenge', 'Its deposit key is none, or is not the memo.');
    if (address !== terms.address)
      throw new CallError('wrong_wallet', 'It wants its deposit paid to another address than the wallet in its card.');
    if (network !== terms.network)
      throw new CallError('unknown_network', `It wants its deposit paid on ${network}, not on ${terms.network}.`);
    const key: DepositKey = {
      agent: call.agent_id ?? call.agent,
      endpoint: terms.endpoint,
      api_key,
      network,
      address,
      lamports: 0,
      updated_ms: clock.now(),
    };
    await deposits.put(key);
    return key;
  }

  /**
   * Polls until the balance shows the paid top-up `row`: it is above `held`, or any report showed it. Settles the row
   * and returns the balance. Throws `not_delivered` after a minute.
   */
  private async untilVisible(key: DepositKey, row: SpentRow, held: number, signal: AbortSignal): Promise<number> {
    const { clock, journal } = this.parts;
    const isOpen = () => journal.paidTopups(row.agent_url).some(({ payment_id }) => payment_id === row.payment_id);
    const deadline = clock.elapsed() + APPEARS_WITHIN_MS;
    for (let wait = FIRST_LOOK_MS; ; wait = Math.min(wait * 2, LONGEST_LOOK_MS)) {
      const lamports = await this.balance(key, signal).catch((error: unknown) => {
        if (error instanceof CallError) return undefined;
        throw error;
      });
      if (lamports !== undefined && !isOpen()) return lamports;
      if (lamports !== undefined && lamports > held) {
        await journal.settle(row);
        return lamports;
      }
      if (clock.elapsed() > deadline)
        throw new CallError('not_delivered', 'The deposit was paid and does not appear in the balance.');
      await pause(clock, wait, signal);
    }
  }

  private async exchange(
    method: 'GET' | 'POST',
    url: string,
    body: string | undefined,
    headers: Record<string, string>,
    signal: AbortSignal,
  ): Promise<ExchangeAnswer> {
    try {
      const request = {
        method,
        url,
        headers,
        totalMs: TOTAL_MS,
        maxBytes: MAX_BYTES,
        ...(body === undefined ? {} : { body }),
      };
      return await this.parts.exchange.send(request, signal);
    } catch (error) {
      if (signal.aborted) throw new StoppedError('Stopped.');
      throw new CallError('unreachable', `The agent at ${url} did not answer: ${getErrorMessage(error)}`);
    }
  }
}
