import type { AgentEarnings } from '../../../contract/payments.js';
import { sha256 } from '../../../lib/crypto/digests.js';
import type { Database } from '../../../storage/database/database.js';

/** The kinds of accounts. */
type AccountKind = 'chain' | 'unmatched' | 'balance' | 'owed' | 'earned';
/** The reasons for a transfer between two accounts. */
type Move = 'proof' | 'deposit' | 'unmatched' | 'debit' | 'debt' | 'settled' | 'refund';

export interface Account {
  id: number;
  network: string;
  address: string;
  kind: AccountKind;
  /** Empty for an account that belongs to an address. */
  agent: string;
  /**
   * The owner: the public key of a caller, the digest of a deposit key, or `refund` and the nonce of a refunded call.
   * Empty where there is only one account.
   */
  holder: string;
  last4: string | null;
  /** Minimum deposit. A smaller one is credited, and its entry is marked as below the minimum. */
  min_lamports: bigint;
  lamports: bigint;
}

/**
 * The memo text that identifies an account; only its digest is stored. `last4` is set for deposit keys, so that people
 * can tell them apart.
 */
interface Memo {
  text: string;
  last4?: string;
  minLamports?: number;
}

/** The unique key of an account. Accounts of an address have no agent. */
type Place = Pick<Account, 'network' | 'address' | 'kind'> & Partial<Pick<Account, 'agent' | 'holder'>>;

/** Maximum number of unused accounts that are removed at once. */
const PORTION = 1000;
const COLUMNS = 'id, network, address, kind, agent, holder, last4, min_lamports, lamports';
type Row = Omit<Account, 'id'> & { id: bigint };
const toAccount = (row: Row | undefined): Account | undefined => row && { ...row, id: Number(row.id) };

/** Limits `lamports` to the range of safe, non-negative integers. */
export const onWire = (lamports: bigint): number =>
  lamports > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : Number(lamports > 0n ? lamports : 0n);

/**
 * The double-entry journal of every agent's money, and the accounts whose balances it adds up to. It is append-only:
 * the database rejects changes of its rows and balances below their limit. Methods that write must be called inside a
 * write transaction.
 *
 * It is part of this project because a posting belongs to the SQLite transaction of the call that it pays for, in whole
 * lamports as bigint. medici, the double-entry ledger for Node.js, stores its books in MongoDB.
 */
export class PaymentJournal {
  constructor(private readonly database: Database) {}

  /**
   * Returns the account at `place`, and opens it if it does not exist. A `memo` replaces the memo of an existing
   * account.
   */
  open(place: Place, nowMs: number, memo?: Memo): Account {
    const { network, address, kind, agent = '', holder = '' } = place;
    const found = this.find({ network, address, kind, agent, holder });
    const digest = memo === undefined ? null : sha256(memo.text);
    if (found) {
      if (digest)
        this.database
          .sql('UPDATE till_accounts SET memo_sha256 = ? WHERE id = ? AND memo_sha256 IS NOT ?')
          .run(digest, found.id, digest);
      return found;
    }
    this.database
      .sql(
        `INSERT INTO till_accounts (network, address, kind, agent, holder, memo_sha256, last4, min_lamports, created_ms)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      )
      .run(network, address, kind, agent, holder, digest, memo?.last4 ?? null, memo?.minLamports ?? 0, nowMs);
    return this.find({ network, address, kind, agent, holder }) as Account;
  }

  find({ network, address, kind, agent = '', holder = '' }: Place): Account | undefined {
    const row = this.read(
      `SELECT ${COLUMNS} FROM till_accounts WHERE network = ? AND address = ? AND kind = ? AND agent = ? ` +
        'AND holder = ?',
    ).get(network, address, kind, agent, holder) as Row | undefined;
    return toAccount(row);
  }

  get(id: number): Account {
    return toAccount(this.read(`SELECT ${COLUMNS} FROM till_accounts WHERE id = ?`).get(id) as Row) as Account;
  }

  /** Returns the account that a memo or a deposit key identifies. */
  findByMemo(memo: string): Account | undefined {
    return toAccount(
      this.read(`SELECT ${COLUMNS} FROM till_accounts WHERE memo_sha256 = ?`).get(sha256(memo)) as Row | undefined,
    );
  }

  /** Transfers money between two accounts. Throws an SQLite error when a balance would go below its limit. */
  move(why: Move, from: number, to: number, lamports: bigint, payment: string, nowMs: number): void {
    this.database
      .sql(
        'INSERT INTO till_journal (why, from_account, to_account, lamports, payment, created_ms) VALUES (?, ' +
          '?, ?, ?, ?, ?)',
      )
      .run(why, from, to, lamports, payment, nowMs);
  }

  /** Debits a price from a balance and returns the rest; undefined when the balance is too small. */
  debit(account: Account, amount: number, payment: string, nowMs: number): bigint | undefined {
    const price = BigInt(amount);
    const { lamports } = this.get(account.id);
    if (lamports < price) return undefined;
    this.move('debit', account.id, this.earned(account, nowMs).id, price, payment, nowMs);
    return lamports - price;
  }

  /** Returns the account of what an agent has earned at the address of `account`. */
  earned({ network, address, agent }: Pick<Account, 'network' | 'address' | 'agent'>, nowMs: number): Account {
    return this.open({ network, address, kind: 'earned', agent }, nowMs);
  }

  /**
   * Removes up to `most` deposit keys and memos that never received money; with `agent`, only deposit keys of that
   * agent.
   */
  forgetUnused(beforeMs: number, most = PORTION, agent?: string): void {
    this.database
      .sql(
        `DELETE FROM till_accounts WHERE id IN (SELECT id FROM till_accounts WHERE moves = 0 AND created_ms < ?
           ${agent === undefined ? '' : "AND kind = 'balance' AND agent = ?"}
           AND NOT EXISTS (SELECT 1 FROM till_payments WHERE account = till_accounts.id)
           AND NOT EXISTS (SELECT 1 FROM till_results WHERE refund = till_accounts.id) LIMIT ?)`,
      )
      .run(...[beforeMs, ...(agent === undefined ? [] : [agent]), most]);
  }

  /** Counts the deposit keys of an agent that have not received money, up to `most`. */
  countWaiting(agent: string, most: number): number {
    const row = this.database
      .sql(
        "SELECT count(*) AS n FROM (SELECT 1 FROM till_accounts WHERE kind = 'balance' AND moves = 0 AND agent " +
          '= ? LIMIT ?)',
      )
      .get(agent, most) as { n: number };
    return row.n;
  }

  /** Returns what each agent holds on each network. */
  earnings(): AgentEarnings[] {
    const rows = this.read(
      `SELECT agent, network,
         (SELECT address FROM till_accounts newest WHERE newest.agent = a.agent AND newest.network = a.network ORDER BY id DESC LIMIT 1) AS address,
         sum(CASE WHEN kind = 'earned' THEN lamports ELSE 0 END) AS earned,
         sum(CASE WHEN kind IN ('balance', 'owed') AND lamports > 0 THEN lamports ELSE 0 END) AS balances,
         sum(CASE WHEN kind = 'owed' AND lamports < 0 THEN -lamports ELSE 0 END) AS owed,
         sum(kind = 'balance' AND lamports > 0) AS keys
       FROM till_accounts a WHERE agent <> '' GROUP BY agent, network ORDER BY agent, network`,
    ).all() as {
      agent: string;
      network: string;
      address: string;
      earned: bigint;
      balances: bigint;
      owed: bigint;
      keys: bigint;
    }[];
    return rows.map(({ agent, network, address, earned, balances, owed, keys }) => ({
      agent,
      network,
      address,
      earned_lamports: onWire(earned),
      balances_lamports: onWire(balances),
      owed_lamports: onWire(owed),
      keys: Number(keys),
    }));
  }

  /** Returns what all agents together have earned, hold for callers and are owed, on each network. */
  sums(): { network: string; earned: number; balances: number; owed: number }[] {
    const rows = this.read(
      `SELECT network,
         sum(CASE WHEN kind = 'earned' THEN lamports ELSE 0 END) AS earned,
         sum(CASE WHEN kind IN ('balance', 'owed') AND lamports > 0 THEN lamports ELSE 0 END) AS balances,
         sum(CASE WHEN kind = 'owed' AND lamports < 0 THEN -lamports ELSE 0 END) AS owed
       FROM till_accounts WHERE agent <> '' GROUP BY network ORDER BY network`,
    ).all() as { network: string; earned: bigint; balances: bigint; owed: bigint }[];
    return rows.map(({ network, earned, balances, owed }) => ({
      network,
      earned: onWire(earned),
      balances: onWire(balances),
      owed: onWire(owed),
    }));
  }

  /** Returns what all agents have earned on all networks. */
  earnedInAll(): number {
    const row = this.read(
      "SELECT coalesce(sum(lamports), 0) AS sum FROM till_accounts WHERE kind = 'earned'",
    ).get() as { sum: bigint };
    return onWire(row.sum);
  }

  /** Returns what arrived at an address according to this journal. */
  getReceived(network: string, address: string): bigint {
    return -(this.find({ network, address, kind: 'chain' })?.lamports ?? 0n);
  }

  /**
   * Lists the accounts whose balance differs from the sum of the journal, and the addresses whose accounts do not add
   * up to zero. Empty unless another program wrote to the tables.
   */
  audit(): string[] {
    const wrong = this.database
      .sql(
        `SELECT a.network || ' ' || a.address || ' ' || a.kind || ' ' || a.agent AS account FROM till_accounts a
         LEFT JOIN (SELECT account, sum(lamports) AS sum FROM (
           SELECT to_account AS account, lamports FROM till_journal UNION ALL SELECT from_account, -lamports FROM till_journal
         ) GROUP BY account) j ON j.account = a.id
         WHERE a.lamports <> coalesce(j.sum, 0)
         UNION ALL SELECT network || ' ' || address FROM till_accounts GROUP BY network, address HAVING sum(lamports) <> 0`,
      )
      .all() as { account: string }[];
    return wrong.map(({ account }) => account);
  }

  /** Prepares a statement that reads integers as bigint, whatever their size. */
  private read(text: string) {
    return this.database.sql(text).safeIntegers(true);
  }
}
