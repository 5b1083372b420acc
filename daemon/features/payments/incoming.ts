import type { Clock } from '../../lib/clock.js';
import { isMeshError } from '../../lib/errors.js';
import { newPaymentId } from '../../lib/ids.js';
import type { Chain, Chains, ChainTransaction } from '../chains/chain.js';
import { AddressLooks } from './address-looks.js';
import type { PaymentNews } from './payment-news.js';
import type { NewPayment, Payment, PaymentsStore, SpentOn } from './payments-store.js';
import { receivedIn } from './proof-check.js';
import { type Account, onWire, type TillJournal } from './till-journal.js';

/** Transactions that are written down together. */
const PORTION = 100;
/** The most that a chain lists at once. */
const LISTED_MAX = 1000;

export interface IncomingParts {
  store: PaymentsStore;
  journal: TillJournal;
  chains: Chains;
  clock: Clock;
  news: PaymentNews;
  warn: (message: string) => void;
}

/** A transfer that was credited, or stands for money that nobody waits for. */
type Booked = { entry: Payment; agent: string };

/**
 * Writes down what comes in at the addresses of this daemon's agents: each transaction once, whoever looks how often. A memo that is a deposit key's is
 * credited to it, one that settles debts settles them, anything else is kept as unmatched, so that the journal holds what the chain says came in. It
 * begins with what comes after an address was first wanted. Contract: Payments.
 */
export class Incoming {
  private readonly looks: AddressLooks;

  constructor(private readonly parts: IncomingParts) {
    this.looks = new AddressLooks(parts.clock, (network, address) => this.scan(network, address));
  }

  /** Begins to watch an address. Throws `overloaded` when the network cannot be reached. */
  async watch(network: string, address: string): Promise<void> {
    if (this.parts.store.findAddress(network, address)) return;
    await this.looks.look(network, address);
  }

  /** Writes down what has come in at an address until now. Throws `overloaded` when the network cannot be reached. */
  look(network: string, address: string): Promise<void> {
    return this.looks.look(network, address);
  }

  /** Resolves when no look is under way. */
  idle(): Promise<void> {
    return this.looks.idle();
  }

  private async scan(network: string, address: string): Promise<void> {
    const { chains, clock, store, warn } = this.parts;
    const chain = await chains.get(network);
    const known = store.findAddress(network, address);
    if (!known) {
      const [newest] = await chain.listOf(address);
      await store.write(() => store.putAddress(network, address, newest?.signature ?? null, clock.now()));
      return;
    }
    const listed = await chain.listOf(address, known.seen ?? undefined);
    if (listed.length >= LISTED_MAX)
      warn(`More than ${LISTED_MAX} transactions came to ${address} at once: older ones may be missing in the ledger.`);
    const oldestFirst = [...listed].reverse();
    for (let at = 0; at < oldestFirst.length; at += PORTION) {
      if (!(await this.scanPortion(chain, address, oldestFirst.slice(at, at + PORTION)))) return;
    }
  }

  /** Writes down a portion; false when it stopped at one that cannot be read yet. */
  private async scanPortion(chain: Chain, address: string, rows: readonly { signature: string; failed: boolean }[]): Promise<boolean> {
    const { store, clock, news } = this.parts;
    const { network } = chain;
    const found: { signature: string; transaction?: ChainTransaction }[] = [];
    let isWhole = true;
    for (const { signature, failed } of rows) {
      const isKnown = failed || store.findSeen(network, signature, address) !== undefined;
      const transaction = isKnown ? undefined : await this.read(chain, signature);
      if (transaction === 'later') {
        isWhole = false;
        break;
      }
      found.push({ signature, ...(transaction === undefined ? {} : { transaction }) });
    }
    const last = found.at(-1);
    if (!last) return isWhole;
    const booked = await store.write(() => {
      const entries = found.flatMap(({ transaction }) => (transaction ? this.book(transaction, network, address) : []));
      store.putAddress(network, address, last.signature, clock.now());
      return entries;
    });
    for (const { entry } of booked) news.changed(entry);
    for (const agent of new Set(booked.map((one) => one.agent).filter((name) => name !== ''))) news.balance(agent);
    return isWhole;
  }

  private async read(chain: Chain, signature: string): Promise<ChainTransaction | 'later' | undefined> {
    try {
      return (await chain.find(signature)) ?? 'later';
    } catch (error) {
      // One of a form that is not taken brings nothing that could be read.
      if (isMeshError(error, 'proof_format')) return undefined;
      throw error;
    }
  }

  /** Credits one transaction, once. To be called inside a write transaction. */
  private book(transaction: ChainTransaction, network: string, address: string): Booked[] {
    const { store, journal, clock } = this.parts;
    const { signature, memos, transfers } = transaction;
    const { transferred, further } = receivedIn(transaction, address);
    if (transferred + further === 0n || store.findSeen(network, signature, address)) return [];
    const nowMs = clock.now();
    const memo = memos.length === 1 ? (memos[0] as string) : undefined;
    const from = transfers.find(({ to }) => to === address)?.from ?? null;
    const account = memo === undefined ? undefined : this.accountFor(memo, transferred, { network, address, signature });
    const chain = journal.open({ network, address, kind: 'chain' }, nowMs);
    const base = { network, counterparty: from, signature, created_ms: nowMs } as const;

    if (account) {
      const isKey = account.kind === 'balance';
      const entry = this.insert({
        ...base,
        id: newPaymentId(),
        kind: isKey ? 'topup' : 'transfer',
        state: 'settled',
        mode: isKey ? 'deposit' : 'postpay',
        agent: account.agent,
        amount: onWire(transferred),
        counterparty: isKey ? from : account.holder,
        account: account.id,
        last4: account.last4,
        reason: transferred < account.min_lamports ? 'below_minimum' : null,
      });
      journal.move(isKey ? 'deposit' : 'settled', chain.id, account.id, transferred, entry.id, nowMs);
      if (further > 0n) journal.move('unmatched', chain.id, this.unmatched(chain, nowMs), further, entry.id, nowMs);
      store.spend(network, signature, address, isKey ? 'deposit' : 'debt', entry.id);
      const paidOff = isKey ? [] : this.payOff(account.id, nowMs);
      return [entry, ...paidOff].map((one) => ({ entry: one, agent: account.agent }));
    }

    const waiting = memo === undefined ? undefined : this.noteUnclaimed(memo, transaction, address, nowMs);
    const entry =
      waiting ??
      this.insert({
        ...base,
        id: newPaymentId(),
        kind: 'transfer',
        state: 'settled',
        agent: '',
        amount: onWire(transferred + further),
        reason: memos.length > 1 ? 'memo_twice' : memo === undefined ? 'memo_missing' : 'unmatched',
      });
    journal.move('unmatched', chain.id, this.unmatched(chain, nowMs), transferred + further, entry.id, nowMs);
    this.spendAs('unmatched', network, signature, address, entry.id);
    return [{ entry, agent: entry.agent }];
  }

  /** The account that a memo stands for, if a transfer to `address` may be credited to it. */
  private accountFor(
    memo: string,
    lamports: bigint,
    { network, address, signature }: { network: string; address: string; signature: string },
  ): Account | undefined {
    const account = this.parts.journal.findByMemo(memo);
    if (!account || lamports === 0n || account.network !== network || account.address !== address) return undefined;
    if (account.lamports + lamports > BigInt(Number.MAX_SAFE_INTEGER)) return undefined;
    const spent = this.parts.store.findSpent(network, signature);
    return spent && spent.spent_on !== 'unmatched' ? undefined : account;
  }

  /** Notes at an open challenge that its money is here, unclaimed until its proof comes; undefined for any other memo. */
  private noteUnclaimed(memo: string, { signature }: ChainTransaction, address: string, nowMs: number): Payment | undefined {
    const { store } = this.parts;
    const challenge = store.findByNonce(memo);
    if (challenge?.state !== 'challenged' || challenge.signature !== null) return undefined;
    if (!store.termsOf(challenge.id).some((term) => term.address === address)) return undefined;
    const noted: Payment = { ...challenge, signature, reason: 'unclaimed', updated_ms: nowMs };
    store.put(noted);
    return noted;
  }

  /** Settles the calls on an account that are paid for now, oldest first. */
  private payOff(account: number, nowMs: number): Payment[] {
    const { store, journal } = this.parts;
    const unpaid = store.listUnpaid(account);
    const sum = unpaid.reduce((total, { amount }) => total + BigInt(amount), 0n);
    let rest = sum + journal.get(account).lamports;
    const settled: Payment[] = [];
    for (const payment of unpaid) {
      if (payment.state !== 'owed') continue;
      if (BigInt(payment.amount) > rest) break;
      rest -= BigInt(payment.amount);
      const paid: Payment = { ...payment, state: 'settled', updated_ms: nowMs };
      store.put(paid);
      settled.push(paid);
    }
    return settled;
  }

  private insert(payment: NewPayment): Payment {
    return this.parts.store.insert(payment);
  }

  private unmatched({ network, address }: Account, nowMs: number): number {
    return this.parts.journal.open({ network, address, kind: 'unmatched' }, nowMs).id;
  }

  private spendAs(spentOn: SpentOn, network: string, signature: string, address: string, payment: string): void {
    this.parts.store.spend(network, signature, address, spentOn, payment);
  }
}
