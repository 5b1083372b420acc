import { LIST_LIMIT_DEFAULT } from '../../../contract/limits.js';
import type { Caps, CapsPatch, LedgerEntry, Ledger as LedgerPage, LedgerQuery } from '../../../contract/payments.js';
import { MeshError } from '../../../lib/errors.js';
import type { LedgerPlace, LedgerSource, PlacedEntry, SpentSide, SummedSide } from './ledger-port.js';
import type { PaymentJournal } from './payment-journal.js';

const CSV_PORTION = 500;

const compareEntries = (a: PlacedEntry, b: PlacedEntry) =>
  b.createdMs - a.createdMs || (a.entry.id < b.entry.id ? 1 : -1);

/** Encodes a position in the ledger as an opaque cursor. */
const getCursor = ({ createdMs, entry }: PlacedEntry) => Buffer.from(`${createdMs} ${entry.id}`).toString('base64url');

function getPlace(cursor: string | undefined): LedgerPlace | undefined {
  if (cursor === undefined) return undefined;
  const text = Buffer.from(cursor, 'base64url').toString('latin1');
  const match = /^(?<createdMs>\d{1,15}) (?<id>[\w-]{1,64})$/.exec(text);
  if (!match) {
    throw new MeshError('bad_request', '"cursor" must be the next_cursor of an earlier page.', {
      details: { path: 'cursor' },
    });
  }
  const { createdMs, id } = match.groups as Record<'createdMs' | 'id', string>;
  return { createdMs: Number(createdMs), id };
}

/**
 * The ledger: what the agents of this daemon earn and what the daemon pays, in one list, newest first. Contract:
 * Payments.
 */
export class Ledger {
  private readonly sources: readonly LedgerSource[];

  constructor(
    private readonly earned: SummedSide,
    private readonly spent: SpentSide,
    private readonly journal: Pick<PaymentJournal, 'earnings' | 'earnedInAll'>,
    /** Further sources of entries. */
    others: readonly LedgerSource[] = [],
  ) {
    this.sources = [earned, spent, ...others];
  }

  /** Returns a page of entries with totals, balances and caps. Throws `bad_request` for a malformed cursor. */
  list({ limit = LIST_LIMIT_DEFAULT, cursor, ...query }: LedgerQuery): LedgerPage {
    const placed = this.page(query, cursor, limit + 1);
    const page = placed.slice(0, limit);
    const last = page.at(-1);
    return {
      entries: page.map(({ entry }) => entry),
      count: page.length,
      next_cursor: placed.length > limit && last ? getCursor(last) : null,
      caps: this.spent.caps(),
      ...this.spent.totals(),
      earned_lamports: this.journal.earnedInAll(),
      sums: [...this.earned.sums(), ...this.spent.sums()],
      tills: this.journal.earnings(),
      deposits: this.spent.deposits(),
    };
  }

  /**
   * Yields all entries that match the query, in batches. Entries that are added meanwhile are newer and are not
   * included.
   */
  *all(query: Omit<LedgerQuery, 'limit' | 'cursor'>): Generator<LedgerEntry[]> {
    for (let cursor: string | undefined; ; ) {
      const placed = this.page(query, cursor, CSV_PORTION);
      if (placed.length > 0) yield placed.map(({ entry }) => entry);
      const last = placed.at(-1);
      if (!last || placed.length < CSV_PORTION) return;
      cursor = getCursor(last);
    }
  }

  /** Changes the caps of what may be spent without approval. */
  setCaps(patch: CapsPatch): Promise<Caps> {
    return this.spent.setCaps(patch);
  }

  private page(
    { side, ...query }: Omit<LedgerQuery, 'limit' | 'cursor'>,
    cursor: string | undefined,
    limit: number,
  ): PlacedEntry[] {
    const before = getPlace(cursor);
    return this.sources
      .filter((source) => side === undefined || source.side === side)
      .flatMap((source) => source.list({ ...query, limit, ...(before === undefined ? {} : { before }) }))
      .sort(compareEntries)
      .slice(0, limit);
  }
}
