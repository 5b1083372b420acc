import type {
  Caps,
  CapsPatch,
  Ledger,
  LedgerEntry,
  LedgerQuery,
  LedgerSide,
  LedgerSum,
} from '../../../contract/payments.js';

/** The position of an entry in the ledger, which is sorted by time, newest first, and by id within a millisecond. */
export interface LedgerPlace {
  createdMs: number;
  id: string;
}

/** A query of one side of the ledger. */
export interface LedgerPick extends Omit<LedgerQuery, 'side' | 'limit' | 'cursor'> {
  /** Returns only entries that come after this position, which are older. */
  before?: LedgerPlace;
  limit: number;
}

/** An entry with its sort time. */
export interface PlacedEntry {
  createdMs: number;
  entry: LedgerEntry;
}

/** One side of the ledger. Read-only. */
export interface LedgerSource {
  readonly side: LedgerSide;
  /** Lists entries by `createdMs` and then by `id`, both descending. Ids compare by character code. */
  list(pick: LedgerPick): PlacedEntry[];
}

/** A side of the ledger that adds up. */
export interface SummedSide extends LedgerSource {
  /** Returns the figures of this side on each network, by its name. */
  sums(): LedgerSum[];
}

/** The side that lists what this daemon pays, and its caps. */
export interface SpentSide extends SummedSide {
  totals(): Pick<Ledger, 'spent_lamports' | 'spent_today_lamports'>;
  deposits(): Ledger['deposits'];
  caps(): Caps;
  /** Changes the caps of what may be spent without approval. The change is durable before this resolves. */
  setCaps(patch: CapsPatch): Promise<Caps>;
}
