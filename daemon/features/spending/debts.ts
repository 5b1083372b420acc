import { Mutex } from 'async-mutex';
import type { Settled } from '../../contract/payments.js';
import { isLocalNetworkName } from '../../lib/agents/local-network-name.js';
import { getErrorMessage } from '../../lib/errors.js';
import { newPaymentId } from '../../lib/ids.js';
import type { Clock } from '../../lib/time/clock.js';
import type { Database } from '../../storage/database/database.js';
import type { Watcher } from './journal.js';
import type { SpentRow, SpentStore } from './spent-store.js';
import { NotSentError, type Transfers } from './transfers.js';

/** The result of a settlement: the entries of the transfers, and the debts that could not be paid. */
interface SettledDebts {
  paid: SpentRow[];
  failed: Settled['failed'];
}

/** Whether a payment failed because the project that has its network does not run, or is there no more. */
const isAway = (network: string, error: unknown) =>
  isLocalNetworkName(network) && (error as { code?: unknown } | null)?.code === 'network_unavailable';

/**
 * Pays the debts of post-pay calls, with the memo that the agent returned for each: one transfer for all debts with the
 * same memo. The debts that a transfer pays are recorded before it is signed, so that no debt is paid twice.
 */
export class Debts {
  /** Serializes settlements. */
  private readonly mutex = new Mutex();

  constructor(
    private readonly parts: {
      database: Database;
      spent: SpentStore;
      transfers: Transfers;
      clock: Clock;
      watcher: Watcher;
    },
  ) {}

  /** Pays all debts, or those to one agent, given by its id or address. */
  settle(agent: string | undefined, signal: AbortSignal): Promise<SettledDebts> {
    return this.mutex.runExclusive(() => this.settleNow(agent, signal));
  }

  /** Resumes transfers that a previous process started. */
  resume(signal: AbortSignal): Promise<unknown> {
    return this.mutex.runExclusive(async () => {
      for (const row of this.parts.spent.listSettling()) await this.carry(row, signal).catch(() => undefined);
    });
  }

  private async settleNow(agent: string | undefined, signal: AbortSignal): Promise<SettledDebts> {
    const outcome: SettledDebts = { paid: [], failed: [] };
    const begun = await this.begin(agent, outcome);
    for (const row of begun) {
      try {
        outcome.paid.push(await this.carry(row, signal));
      } catch (error) {
        const away = isAway(row.network, error) ? { is_away: true } : {};
        outcome.failed.push({ id: row.payment_id, message: getErrorMessage(error), ...away });
      }
    }
    return outcome;
  }

  /** Records one entry for all debts with the same memo, and in each debt the entry that pays it. */
  private async begin(agent: string | undefined, outcome: SettledDebts): Promise<SpentRow[]> {
    const { database, spent, clock, watcher } = this.parts;
    const begun = await database.write(() => {
      const open = spent.listSettling();
      const isMeant = (row: SpentRow) =>
        agent === undefined || row.agent.toLowerCase() === agent.toLowerCase() || row.agent_url === agent;
      const debts = spent.listOwed().filter((row) => row.settled_by === null && isMeant(row));
      const byMemo = new Map<string, SpentRow[]>();
      for (const row of debts) {
        if (row.settle_memo === null || row.address === null) {
          outcome.failed.push({
            id: row.payment_id,
            message: 'The agent did not say where or with which memo this debt is paid.',
          });
          continue;
        }
        const key = JSON.stringify([row.network, row.address, row.settle_memo]);
        byMemo.set(key, [...(byMemo.get(key) ?? []), row]);
      }
      const made = [...byMemo.values()].map((rows) => getSettlement(rows, clock.now()));
      for (const [index, rows] of [...byMemo.values()].entries()) {
        const row = made[index] as SpentRow;
        spent.insert(row);
        for (const debt of rows) spent.put(debt.payment_id, { settled_by: row.payment_id });
      }
      return [...open.filter(isMeant), ...made];
    });
    for (const row of begun) watcher.payment(row);
    return begun;
  }

  private async carry(row: SpentRow, signal: AbortSignal): Promise<SpentRow> {
    const { transfers } = this.parts;
    try {
      const sent =
        row.signature === null
          ? await transfers.make(row, row.settle_memo as string, signal)
          : await transfers.finish(row, signal);
      return await this.close(sent, { state: 'settled' });
    } catch (error) {
      if (error instanceof NotSentError)
        await this.close(row, { state: 'failed', reason: error.message.slice(0, 200), signature: null, wire: null });
      throw error;
    }
  }

  /** Closes the entry of a transfer. Its debts become settled, or are owed as before. */
  private async close(row: SpentRow, changes: Partial<SpentRow>): Promise<SpentRow> {
    const { database, spent, clock, watcher } = this.parts;
    const updated_ms = clock.now();
    const closed = { ...row, ...changes, updated_ms };
    const debts = await database.write(() => {
      spent.put(row.payment_id, { ...changes, updated_ms });
      const paid = spent.listOwed().filter((debt) => debt.settled_by === row.payment_id);
      const of: Partial<SpentRow> =
        closed.state === 'settled' ? { state: 'settled', updated_ms } : { settled_by: null };
      for (const debt of paid) spent.put(debt.payment_id, of);
      return paid.map((debt) => ({ ...debt, ...of }));
    });
    for (const one of [...debts, closed]) watcher.payment(one);
    return closed;
  }
}

function getSettlement(rows: readonly SpentRow[], now: number): SpentRow {
  const first = rows[0] as SpentRow;
  return {
    ...first,
    payment_id: newPaymentId(),
    call_id: null,
    kind: 'transfer',
    state: 'challenged',
    skill: null,
    amount_lamports: rows.reduce((sum, { amount_lamports }) => sum + amount_lamports, 0),
    reason: `settles ${rows.length} ${rows.length === 1 ? 'call' : 'calls'}`,
    latency_ms: null,
    // The debts were counted when they were incurred.
    is_counted: false,
    counted_ms: null,
    created_ms: now,
    updated_ms: now,
  };
}
