import type { BudgetLimits, BudgetState } from '../../contract/work/budgets.js';
import type { Database } from '../../storage/database/database.js';
import type { Transaction } from '../../storage/database/transaction.js';
import { isDaily, parseScope } from './budget-scope.js';

/** The limits of a scope, and what the operator was told of it. */
export interface BudgetRow {
  scope: string;
  limits: BudgetLimits;
  /** The limits of day `today`, in place of `limits`. */
  today_limits: BudgetLimits | null;
  today: string | null;
  /** As of `state_day`: a daily budget begins every day as `ok`. */
  state: BudgetState;
  state_day: string;
  since_ms: number | null;
  /** The last day on which `budget.warned` was published. */
  warned_day: string | null;
  is_left: number;
}

/** What a scope has spent. `tokens` and `cost_usd` are null while no client has reported any. */
export interface SpentRow {
  tokens: number | null;
  cost_usd: number | null;
  ms: number;
  turns: number;
  /** The clients that ended a turn without reporting this. */
  unreported: { tokens?: string[]; cost_usd?: string[] };
}

/** What was counted of a running turn. */
interface CountedTurn {
  tokens: number;
  cost_usd: number;
  ms: number;
}

const NOTHING: SpentRow = { tokens: null, cost_usd: null, ms: 0, turns: 0, unreported: {} };

type Stored = Omit<BudgetRow, 'limits' | 'today_limits'> & { limits: string; today_limits: string | null };

/** Stores budgets and what was spent of them. */
export class BudgetsStore {
  constructor(private readonly database: Pick<Database, 'sql'>) {}

  list(): BudgetRow[] {
    return (this.database.sql('SELECT * FROM budgets ORDER BY scope').all() as Stored[]).map(toRow);
  }

  find(scope: string): BudgetRow | undefined {
    const row = this.database.sql('SELECT * FROM budgets WHERE scope = ?').get(scope) as Stored | undefined;
    return row && toRow(row);
  }

  put(transaction: Transaction, row: BudgetRow): void {
    transaction
      .sql(
        `INSERT OR REPLACE INTO budgets (scope, conv, limits, today_limits, today, state, state_day, since_ms,
           warned_day, is_left)
         VALUES (@scope, @conv, @limits, @today_limits, @today, @state, @state_day, @since_ms, @warned_day, @is_left)`,
      )
      .run({
        ...row,
        conv: parseConversation(row.scope),
        limits: JSON.stringify(row.limits),
        today_limits: row.today_limits === null ? null : JSON.stringify(row.today_limits),
      });
  }

  remove(transaction: Transaction, scope: string): boolean {
    return transaction.sql('DELETE FROM budgets WHERE scope = ?').run(scope).changes > 0;
  }

  /** Returns what the scope has spent: in all for a conversation, else on `day`. */
  spent(scope: string, day: string): SpentRow {
    const row = this.database
      .sql('SELECT tokens, cost_usd, ms, turns, unreported FROM budget_spent WHERE scope = ? AND day = ?')
      .get(scope, isDaily(scope) ? day : '') as (Omit<SpentRow, 'unreported'> & { unreported: string }) | undefined;
    return row ? { ...row, unreported: JSON.parse(row.unreported) as SpentRow['unreported'] } : NOTHING;
  }

  putSpent(transaction: Transaction, scope: string, day: string, spent: SpentRow): void {
    transaction
      .sql(
        `INSERT OR REPLACE INTO budget_spent (scope, day, conv, tokens, cost_usd, ms, turns, unreported)
         VALUES (@scope, @day, @conv, @tokens, @cost_usd, @ms, @turns, @unreported)`,
      )
      .run({
        ...spent,
        scope,
        day: isDaily(scope) ? day : '',
        conv: parseConversation(scope),
        unreported: JSON.stringify(spent.unreported),
      });
  }

  /** Deletes what was spent on other days than `days`. */
  prune(transaction: Transaction, days: readonly string[]): void {
    transaction
      .sql("DELETE FROM budget_spent WHERE day <> '' AND day NOT IN (SELECT value FROM json_each(?))")
      .run(JSON.stringify(days));
  }

  findTurn(turn: string): CountedTurn | undefined {
    return this.database.sql('SELECT tokens, cost_usd, ms FROM budget_turns WHERE turn = ?').get(turn) as
      | CountedTurn
      | undefined;
  }

  putTurn(transaction: Transaction, turn: string, counted: CountedTurn): void {
    transaction
      .sql('INSERT OR REPLACE INTO budget_turns (turn, tokens, cost_usd, ms) VALUES (@turn, @tokens, @cost_usd, @ms)')
      .run({ ...counted, turn });
  }

  removeTurn(transaction: Transaction, turn: string): void {
    transaction.sql('DELETE FROM budget_turns WHERE turn = ?').run(turn);
  }
}

function toRow(row: Stored): BudgetRow {
  return {
    ...row,
    limits: JSON.parse(row.limits) as BudgetLimits,
    today_limits: row.today_limits === null ? null : (JSON.parse(row.today_limits) as BudgetLimits),
  };
}

function parseConversation(scope: string): string | null {
  const parsed = parseScope(scope);
  return parsed?.kind === 'conversation' ? parsed.conv : null;
}
