import type { Caps, CapsPatch, Ledger, LedgerEntry, LedgerQuery, LedgerSide } from '../../contract/payments.js';

/** Where an entry stands in the ledger: newest first, and by id where two were made in the same millisecond. */
export interface LedgerPlace {
  createdMs: number;
  id: string;
}

/** What is asked of one side of the ledger. */
export interface LedgerPick extends Omit<LedgerQuery, 'side' | 'limit' | 'cursor'> {
  /** Only entries that come after this one, which is to say older ones. */
  before?: LedgerPlace;
  limit: number;
}

/** An entry with the time that orders it. */
export interface PlacedEntry {
  createdMs: number;
  entry: LedgerEntry;
}

/** One side of the ledger. Reads only. */
export interface LedgerSource {
  readonly side: LedgerSide;
  /** Newest first, by `createdMs` and then by `id`, both falling; ids compare by their characters' codes. */
  list(pick: LedgerPick): PlacedEntry[];
}

/** The side of what this daemon pays, and its caps. */
export interface SpentSide extends LedgerSource {
  totals(): Pick<Ledger, 'spent_lamports' | 'spent_today_lamports'>;
  deposits(): Ledger['deposits'];
  caps(): Caps;
  /** Changes what may be spent without asking; durable before it resolves. */
  setCaps(patch: CapsPatch): Promise<Caps>;
}
