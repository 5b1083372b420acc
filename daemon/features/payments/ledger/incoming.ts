import { isMeshError, MeshError } from '../../../lib/errors.js';
import { newPaymentId } from '../../../lib/ids.js';
import type { Clock } from '../../../lib/time/clock.js';
import type { Chain, Chains, ChainTransaction, SeenTransaction } from '../../chains/chain.js';
import type { Debts } from '../debts.js';
import type { PaymentNews } from '../payment-news.js';
import type { Payment, PaymentsStore, Term } from '../payments-store.js';
import { getSource, type Received, receivedIn } from '../proof-check.js';
import { AddressLooks } from './address-looks.js';
import { type Account, onWire, type PaymentJournal } from './payment-journal.js';
import { ScanStalls } from './scan-stalls.js';
import type { SeenStore, WatchedAddress } from './seen-store.js';
import type { SetAsideStore } from './set-aside-store.js';

/** Number of transactions that are recorded in one write transaction. */
const PORTION = 100;
/** Minimum interval between two updates of the time at which an address was last needed. */
const WANTED_AGAIN_MS = 3_600_000;
/** Page size of a chain's listing. */
const LISTED_MAX = 1000;
/** Maximum number of pages that one scan reads. */
const PAGES_MAX = 100;

interface IncomingParts {
  store: PaymentsStore;
  seen: SeenStore;
  setAside: SetAsideStore;
  journal: PaymentJournal;
  debts: Debts;
  chains: Chains;
  clock: Clock;
  news: PaymentNews;
  warn: (message: string) => void;
}

/** A listed transaction, and what it is; undefined when there is nothing to record of it. */
interface Found {
  row: SeenTransaction;
  transaction: ChainTransaction | undefined;
  /** The network does not return it; it is tried again later. */
  isSetAside?: boolean;
}

/**
 * Records what arrives at the addresses of this daemon's agents: each transaction once, however often an address is
 * scanned. A transfer whose memo is a deposit key is credited to that key, and one whose memo settles debts is credited
 * to the debtor's account. Anything else is recorded as unmatched, so that the journal agrees with the chain. Recording
 * starts with the transactions that follow the first `watch` of an address. A transaction that is listed and not returned
 * stops a scan, so that all are recorded in order; after ten minutes it is set aside. Contract: Payments.
 */
export class Incoming {
  private readonly looks: AddressLooks;
  private readonly stalls: ScanStalls;

  constructor(private readonly parts: IncomingParts) {
    this.stalls = new ScanStalls(parts.clock, parts.warn);
    this.looks = new AddressLooks(parts.clock, (network, address) => this.scan(network, address));
  }

  /**
   * Starts to watch an address, or extends an existing watch. Throws `network_unavailable` when the network cannot be reached.
   */
  async watch(network: string, address: string): Promise<void> {
    const { clock, seen, store } = this.parts;
    const known = seen.findAddress(network, address);
    const nowMs = clock.now();
    if (!known) await this.looks.look(network, address);
    else if (nowMs - known.wanted_ms > WANTED_AGAIN_MS)
      await store.write(() => seen.wantAddress(network, address, nowMs));
  }

  /**
   * Records what has arrived at an address so far. Throws `network_unavailable` when the network cannot be reached;
   * what was read before is recorded, and the next scan goes on from there.
   */
  look(network: string, address: string): Promise<void> {
    return this.looks.look(network, address);
  }

  /** Resolves when no scan is running. */
  idle(): Promise<void> {
    return this.looks.idle();
  }

  private async scan(network: string, address: string): Promise<void> {
    const noteStall = (reason: string) => {
      const known = this.parts.seen.findAddress(network, address);
      if (known) this.stalls.note(network, address, known.seen, reason);
    };
    try {
      const unread = await this.scanNew(network, address);
      if (unread === undefined) this.stalls.end(network, address);
      else noteStall(`The transaction ${unread} is listed, and cannot be read.`);
    } catch (error) {
      if (isMeshError(error, 'network_unavailable')) noteStall(error.message);
      throw error;
    }
  }

  /** Records what followed the last scan. Returns the signature at which it stopped, which cannot be read yet. */
  private async scanNew(network: string, address: string): Promise<string | undefined> {
    const { chains, clock, seen, store } = this.parts;
    const chain = await chains.get(network);
    const known = seen.findAddress(network, address);
    if (!known) {
      const [newest] = await chain.listTransactions(address);
      await store.write(() => seen.putAddress(network, address, newest, clock.now()));
      return undefined;
    }
    await this.retrySetAside(chain, address);
    const passesOver = this.stalls.isLong(network, address, known.seen);
    const oldestFirst = (await this.listSince(chain, address, known)).reverse();
    for (let at = 0; at < oldestFirst.length; at += PORTION) {
      const unread = await this.scanPortion(chain, address, oldestFirst.slice(at, at + PORTION), passesOver);
      if (unread !== undefined) return unread;
    }
    return undefined;
  }

  /** Records what was set aside and can be read now. Throws `network_unavailable`. */
  private async retrySetAside(chain: Chain, address: string): Promise<void> {
    const { store, setAside, clock } = this.parts;
    const { network } = chain;
    for (const signature of setAside.listDue(network, address, clock.now())) {
      const transaction = await this.read(chain, signature);
      if (transaction instanceof MeshError) throw transaction;
      const changed = await store.write(() => {
        if (transaction === 'later') setAside.noteTried(network, address, signature, clock.now());
        else setAside.remove(network, address, signature);
        return typeof transaction === 'object' ? this.book(transaction, network, address) : [];
      });
      this.publish(changed);
    }
  }

  /** Lists the transactions of an address since its last scan, newest first, page by page. */
  private async listSince(chain: Chain, address: string, known: WatchedAddress): Promise<SeenTransaction[]> {
    const [until, minSlot] = [known.seen ?? undefined, known.seen_slot ?? undefined];
    const listed: SeenTransaction[] = [];
    for (let page = 0; page < PAGES_MAX; page += 1) {
      const rows = await chain.listTransactions(address, until, listed.at(-1)?.signature, minSlot);
      const newer = selectNewer(rows, until, minSlot);
      listed.push(...newer);
      if (rows.length < LISTED_MAX || newer.length < rows.length) return listed;
    }
    this.parts.warn(
      `More than ${PAGES_MAX * LISTED_MAX} transactions came to ${address} at once: older ones are missing ` +
        'in the ledger.',
    );
    return listed;
  }

  /**
   * Records a batch. Returns the signature at which it stopped, which cannot be read yet; with `passesOver` such
   * transactions are set aside, as many as may be. Throws `network_unavailable` once it has recorded what was read before.
   */
  private async scanPortion(
    chain: Chain,
    address: string,
    rows: readonly SeenTransaction[],
    passesOver: boolean,
  ): Promise<string | undefined> {
    const { seen, setAside } = this.parts;
    const found: Found[] = [];
    let free = passesOver ? setAside.countFree(chain.network, address) : 0;
    for (const row of rows) {
      const { signature, failed } = row;
      const isKnown =
        failed ||
        seen.find(chain.network, signature, address) !== undefined ||
        setAside.has(chain.network, address, signature);
      const transaction = isKnown ? undefined : await this.read(chain, signature);
      if (transaction === 'later' && free > 0) {
        free -= 1;
        found.push({ row, transaction: undefined, isSetAside: true });
      } else if (transaction === 'later' || transaction instanceof MeshError) {
        await this.record(chain.network, address, found);
        if (transaction === 'later') return signature;
        throw transaction;
      } else found.push({ row, transaction });
    }
    await this.record(chain.network, address, found);
    return undefined;
  }

  /** Records what was read of an address, oldest first, and that it has been scanned so far. */
  private async record(network: string, address: string, found: readonly Found[]): Promise<void> {
    const { store, seen, setAside, clock, warn } = this.parts;
    const last = found.at(-1);
    if (!last) return;
    const passed = found.filter(({ isSetAside }) => isSetAside).map(({ row }) => row.signature);
    const changed = await store.write(() => {
      const entries = found.flatMap(({ transaction }) => (transaction ? this.book(transaction, network, address) : []));
      for (const signature of passed) setAside.add(network, address, signature, clock.now());
      seen.putAddress(network, address, last.row, clock.now());
      return entries;
    });
    this.publish(changed);
    if (passed.length > 0)
      warn(
        `The network ${network} lists these transactions to ${address} and does not return them, so that what they paid ` +
          `is not recorded until it does: ${passed.join(', ')}`,
      );
  }

  private publish(changed: readonly Payment[]): void {
    const { news } = this.parts;
    for (const entry of changed) news.changed(entry);
    for (const agent of new Set(changed.map((entry) => entry.agent))) if (agent !== '') news.balance(agent);
  }

  /** Returns a transaction, `later` while it cannot be read, or the error when the network cannot be reached. */
  private async read(chain: Chain, signature: string): Promise<ChainTransaction | 'later' | MeshError | undefined> {
    try {
      return (await chain.find(signature)) ?? 'later';
    } catch (error) {
      // A transaction in an unsupported format contains nothing that can be read.
      if (isMeshError(error, 'proof_format')) return undefined;
      if (isMeshError(error, 'network_unavailable')) return error;
      throw error;
    }
  }

  /**
   * Records one transaction, at most once, and returns the entries that changed. Must be called inside a write
   * transaction.
   */
  private book(transaction: ChainTransaction, network: string, address: string): Payment[] {
    const { signature, memos } = transaction;
    const received = receivedIn(transaction, address);
    if (received.transferred + received.further === 0n || this.parts.seen.find(network, signature, address)) return [];
    const [memo] = memos.length === 1 ? memos : [];
    const account = memo === undefined ? undefined : this.accountFor(memo, received.transferred, network, address);
    return account
      ? this.credit(account, transaction, received)
      : [this.keepUnmatched(transaction, received, { network, address }, memo)];
  }

  /** Credits a transfer to the account that its memo identifies. */
  private credit(
    account: Account,
    { signature, transfers }: ChainTransaction,
    { transferred, further }: Received,
  ): Payment[] {
    const { store, seen, journal, debts, clock } = this.parts;
    const { network, address } = account;
    const nowMs = clock.now();
    const isKey = account.kind === 'balance';
    const entry = store.insert({
      id: newPaymentId(),
      kind: isKey ? 'topup' : 'transfer',
      state: 'settled',
      mode: isKey ? 'deposit' : 'postpay',
      agent: account.agent,
      network,
      amount: onWire(transferred),
      counterparty: isKey ? getSource(transfers, address) : account.holder,
      signature,
      account: account.id,
      last4: account.last4,
      reason: transferred < account.min_lamports ? 'below_minimum' : null,
      created_ms: nowMs,
    });
    const chain = journal.open({ network, address, kind: 'chain' }, nowMs);
    journal.move(isKey ? 'deposit' : 'settled', chain.id, account.id, transferred, entry.id, nowMs);
    if (further > 0n)
      journal.move('unmatched', chain.id, this.unmatched(network, address, nowMs), further, entry.id, nowMs);
    seen.spend(network, signature, address, isKey ? 'deposit' : 'debt', entry.id);
    return [entry, ...(isKey ? [] : debts.payOff(account.id, nowMs))];
  }

  /** Records a transfer that matches no account, or that matches an open challenge whose proof has not arrived. */
  private keepUnmatched(
    transaction: ChainTransaction,
    { transferred, further }: Received,
    { network, address }: { network: string; address: string },
    memo: string | undefined,
  ): Payment {
    const { store, seen, journal, clock } = this.parts;
    const { signature, memos, transfers } = transaction;
    const nowMs = clock.now();
    const entry =
      (memo === undefined
        ? undefined
        : this.noteUnclaimed(memo, transferred, transaction, { network, address }, nowMs)) ??
      store.insert({
        id: newPaymentId(),
        kind: 'transfer',
        state: 'settled',
        agent: '',
        network,
        amount: onWire(transferred + further),
        counterparty: getSource(transfers, address),
        signature,
        reason: memos.length > 1 ? 'memo_twice' : memo === undefined ? 'memo_missing' : 'unmatched',
        created_ms: nowMs,
      });
    const chain = journal.open({ network, address, kind: 'chain' }, nowMs);
    journal.move(
      'unmatched',
      chain.id,
      this.unmatched(network, address, nowMs),
      transferred + further,
      entry.id,
      nowMs,
    );
    seen.spend(network, signature, address, 'unmatched', entry.id);
    return entry;
  }

  /** Returns the account that a memo identifies, if a transfer to `address` may be credited to it. */
  private accountFor(memo: string, lamports: bigint, network: string, address: string): Account | undefined {
    const account = this.parts.journal.findByMemo(memo);
    if (!account || lamports === 0n || account.network !== network || account.address !== address) return undefined;
    return account.lamports + lamports > BigInt(Number.MAX_SAFE_INTEGER) ? undefined : account;
  }

  /**
   * Marks an open challenge as paid but unclaimed until its proof arrives. Returns undefined for any other memo, for an
   * insufficient amount, and on a network that the challenge does not name, where no proof could claim it.
   */
  private noteUnclaimed(
    memo: string,
    lamports: bigint,
    { signature }: ChainTransaction,
    { network, address }: { network: string; address: string },
    nowMs: number,
  ): Payment | undefined {
    const { store } = this.parts;
    const challenge = store.findByNonce(memo);
    if (challenge?.state !== 'challenged' || challenge.signature !== null) return undefined;
    const isPaid = (term: Term) =>
      term.network === network && term.address === address && lamports >= BigInt(term.amount);
    if (!store.listTerms(challenge.id).some(isPaid)) return undefined;
    const noted: Payment = { ...challenge, signature, reason: 'unclaimed', updated_ms: nowMs };
    store.put(noted);
    return noted;
  }

  private unmatched(network: string, address: string, nowMs: number): number {
    return this.parts.journal.open({ network, address, kind: 'unmatched' }, nowMs).id;
  }
}

/**
 * Returns the rows that follow the transaction `until`. A server that does not know it lists the whole history, also
 * from before the address was watched.
 */
function selectNewer(
  rows: readonly SeenTransaction[],
  until: string | undefined,
  minSlot = 0,
): readonly SeenTransaction[] {
  const end = rows.findIndex(({ signature }) => signature === until);
  return rows.slice(0, end === -1 ? undefined : end).filter(({ slot }) => slot >= minSlot);
}
