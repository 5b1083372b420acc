import type { Ledger, LedgerEntry } from '../../daemon/contract/payments.js';
import type { Chain } from '../../daemon/features/chains/chain.js';
import type { DaemonProcess } from '../../daemon/testing/processes/daemon-process.js';
import type { AgentReport } from './agent-report.js';

/** Two values that must be equal. */
export interface Check {
  what: string;
  here: number;
  there: number;
}

/** Balance and movements of one party's wallet according to the chain. */
export interface OnChain {
  lamports: number;
  /** Sum of the balance changes of all transactions. Equals the balance if the chain is consistent. */
  changes: number;
  fees: number;
  /** Lamports transferred, by recipient. `received` is the same by sender. */
  sentTo: ReadonlyMap<string, number>;
  received: ReadonlyMap<string, number>;
}

const PAGE = 1000;

/** Reads the complete history of an address. Throws an Error when the history does not fit into one page. */
export async function onChain(chain: Chain, address: string): Promise<OnChain> {
  const [sentTo, received] = [new Map<string, number>(), new Map<string, number>()];
  const add = (to: Map<string, number>, key: string, lamports: number) => to.set(key, (to.get(key) ?? 0) + lamports);
  let [changes, fees] = [0, 0];
  const listed = await chain.listTransactions(address);
  if (listed.length >= PAGE) throw new Error(`${address} has more transactions than one list holds.`);
  for (const { signature } of listed) {
    const transaction = await chain.find(signature);
    if (!transaction) throw new Error(`${signature} is listed and cannot be found.`);
    const changed = Number(transaction.balanceChanges.get(address) ?? 0n);
    changes += changed;
    let moved = 0;
    for (const { from, to, lamports } of transaction.failed ? [] : transaction.transfers) {
      if (from === address) add(sentTo, to, Number(lamports));
      if (to === address) add(received, from, Number(lamports));
      moved += (to === address ? Number(lamports) : 0) - (from === address ? Number(lamports) : 0);
    }
    fees += moved - changed;
  }
  return { lamports: Number(await chain.getBalance(address)), changes, fees, sentTo, received };
}

/** Returns all entries of the buyer's side of the ledger. */
export async function spentSide(daemon: DaemonProcess): Promise<Ledger> {
  const entries: LedgerEntry[] = [];
  for (let cursor: string | null = ''; ; ) {
    const page: Ledger = await daemon.call<Ledger>(
      'GET',
      `/ledger?side=spent&limit=200${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ''}`,
    );
    entries.push(...page.entries);
    cursor = page.next_cursor;
    if (cursor === null) return { ...page, entries };
  }
}

const sum = (numbers: Iterable<number>) => [...numbers].reduce((total, number) => total + number, 0);
const paid = (entries: readonly LedgerEntry[], to: string) =>
  sum(
    entries
      .filter(({ counterparty, signature }) => counterparty === to && signature !== null)
      .map(({ amount_lamports }) => amount_lamports),
  );
const calls = (entries: readonly { kind?: unknown; mode?: unknown; state?: unknown }[], mode: string) =>
  entries.filter((entry) => entry.kind === 'call' && entry.mode === mode && entry.state === 'settled').length;

/** Returns the incoming lamports according to an agent's books: earned, plus held for callers, less owed by callers. */
const cameIn = ({ books }: AgentReport) =>
  sum(
    books.tills.map(
      ({ earned_lamports, balances_lamports, owed_lamports }) => earned_lamports + balances_lamports - owed_lamports,
    ),
  );
const held = ({ books }: AgentReport) => sum(books.tills.map(({ balances_lamports }) => balances_lamports));
const earned = ({ books }: AgentReport) => sum(books.tills.map(({ earned_lamports }) => earned_lamports));

/** Returns all comparisons: the ledgers of both sides of each deal, and both against the chain. */
export function economyChecks(
  { entries, deposits }: Pick<Ledger, 'entries' | 'deposits'>,
  buyer: { wallet: string; chain: OnChain },
  earner: AgentReport & { chain: OnChain },
  supplier: AgentReport & { chain: OnChain },
): Check[] {
  const of = entries.filter(({ agent }) => agent === earner.agent_id);
  return [
    ...Object.entries({ buyer, earner, supplier }).map(([name, { chain }]) => ({
      what: `the ${name}'s wallet is what its transactions add up to`,
      here: chain.lamports,
      there: chain.changes,
    })),
    {
      what: 'what the buyer says it paid the earner went over the chain',
      here: paid(of, earner.wallet),
      there: buyer.chain.sentTo.get(earner.wallet) ?? 0,
    },
    {
      what: 'what the earner says came in is what the buyer paid',
      here: cameIn(earner),
      there: earner.chain.received.get(buyer.wallet) ?? 0,
    },
    {
      what: 'what the earner says it paid the supplier went over the chain',
      here: paid(earner.spent, supplier.wallet),
      there: earner.chain.sentTo.get(supplier.wallet) ?? 0,
    },
    {
      what: 'what the supplier says came in is what the earner paid',
      here: cameIn(supplier),
      there: supplier.chain.received.get(earner.wallet) ?? 0,
    },
    {
      what: "the buyer's deposit is what the earner holds",
      here: sum(deposits.filter(({ agent }) => agent === earner.agent_id).map(({ lamports }) => lamports)),
      there: held(earner),
    },
    {
      what: "the earner's deposit is what the supplier holds",
      here: sum(earner.deposits.map(({ lamports }) => lamports)),
      there: held(supplier),
    },
    ...['free', 'deposit', 'x402', 'postpay'].map((mode) => ({
      what: `calls by ${mode}, as the buyer and the earner count them`,
      here: calls(of, mode),
      there: calls(earner.books.entries, mode),
    })),
    {
      what: 'the supplier has earned what its pictures were drawn from the deposit',
      here: earned(supplier),
      there: sum(earner.spent.filter(({ kind }) => kind === 'call').map(({ amount_lamports }) => amount_lamports)),
    },
    {
      what: 'nothing is owed any more',
      here: sum([...earner.books.tills, ...supplier.books.tills].map(({ owed_lamports }) => owed_lamports)),
      there: 0,
    },
  ];
}
