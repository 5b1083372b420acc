import type { Caps, CapsPatch, Ledger, LedgerSum } from '../../contract/payments.js';
import { toLedgerSum } from '../../lib/agents/ledger-sum.js';
import type { Clock } from '../../lib/time/clock.js';
import type { Database } from '../../storage/database/database.js';
import type { LedgerPick, PlacedEntry, SpentSide } from '../payments/ledger/ledger-port.js';
import { toStartOfDay } from './caps.js';
import type { DepositKey } from './paying-ports.js';
import { toLedgerEntry } from './spending-views.js';
import type { SpentStore } from './spent-store.js';

/** The spent side of the ledger, the prepaid balances and the caps. Contract: Payments. */
export class SpentLedger implements SpentSide {
  readonly side = 'spent';

  constructor(
    private readonly parts: {
      database: Database;
      spent: SpentStore;
      clock: Clock;
      deposits: { list(): readonly DepositKey[] };
      /** Called when the caps have changed. */
      changed: () => void;
    },
  ) {}

  list(pick: LedgerPick): PlacedEntry[] {
    return this.parts.spent.list(pick).map((row) => ({ createdMs: row.created_ms, entry: toLedgerEntry(row) }));
  }

  totals(): Pick<Ledger, 'spent_lamports' | 'spent_today_lamports'> {
    const { spent, clock } = this.parts;
    return { spent_lamports: spent.left(), spent_today_lamports: spent.counted(toStartOfDay(clock.now()), undefined) };
  }

  sums(): LedgerSum[] {
    const balances = new Map<string, number>();
    for (const { network, lamports } of this.parts.deposits.list())
      balances.set(network, (balances.get(network) ?? 0) + lamports);
    return this.parts.spent
      .sums()
      .map(({ is_real, ...sum }) =>
        toLedgerSum({ ...sum, side: 'spent', real: is_real, balance: balances.get(sum.network) ?? 0 }),
      );
  }

  deposits(): Ledger['deposits'] {
    return this.parts.deposits
      .list()
      .map(({ agent, network, lamports, api_key }) => ({ agent, network, lamports, api_key_last4: api_key.slice(-4) }));
  }

  caps(): Caps {
    return this.parts.spent.caps();
  }

  /** Changes the caps. Calls that already wait keep waiting for the operator's decision. */
  async setCaps(patch: CapsPatch): Promise<Caps> {
    const { database, spent, changed } = this.parts;
    const caps = await database.write(() => {
      const next = { ...spent.caps(), ...patch };
      spent.putCaps(next);
      return next;
    });
    changed();
    return caps;
  }
}
