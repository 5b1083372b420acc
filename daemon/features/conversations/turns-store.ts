import type { ContextDoc } from '../../contract/asks.js';
import type { Outcome, Turn, Usage } from '../../contract/conversations.js';
import { isoTime } from '../../lib/time/clock.js';
import type { Database } from '../../storage/database/database.js';
import type { Transaction } from '../../storage/database/transaction.js';

/** A stored turn: its message and its outcome. */
export interface TurnRow {
  seq: number;
  turn: string;
  conv: string;
  state: 'queued' | 'running' | 'ended';
  profile: 'operator' | 'outside';
  text: string;
  outcome: Outcome | null;
  code: string | null;
  reason: string | null;
  client: string;
  model: string;
  effort: string;
  usage: Usage | null;
  created_ms: number;
  started_ms: number | null;
  finished_ms: number | null;
}

type NewTurnRow = Pick<TurnRow, 'turn' | 'conv' | 'profile' | 'text' | 'created_ms'>;

export interface TurnEnding {
  outcome: Outcome;
  code: string | null;
  reason: string | null;
  usage: Usage | null;
  finished_ms: number;
}

type Stored = Omit<TurnRow, 'usage'> & { usage: string | null };

/** Stores turns durably. */
export class TurnsStore {
  constructor(private readonly database: Database) {}

  find(turn: string): TurnRow | undefined {
    const row = this.database.sql('SELECT * FROM turns WHERE turn = ?').get(turn) as Stored | undefined;
    return row && toTurn(row);
  }

  /** Returns the documents that came with the turn's message. */
  documentsOf(turn: string): ContextDoc[] {
    const row = this.database.sql('SELECT documents FROM turn_documents WHERE turn = ?').get(turn);
    return row === undefined ? [] : (JSON.parse((row as { documents: string }).documents) as ContextDoc[]);
  }

  // Because of ORDER BY seq, SQLite would scan the whole table instead of the small index without INDEXED BY.

  /** Returns the turns that have not ended, oldest first, of one conversation or all. */
  listOpen(conv?: string): TurnRow[] {
    const rows =
      conv === undefined
        ? this.database.sql("SELECT * FROM turns INDEXED BY turns_open WHERE state <> 'ended' ORDER BY seq").all()
        : this.database
            .sql("SELECT * FROM turns INDEXED BY turns_open WHERE conv = ? AND state <> 'ended' ORDER BY seq")
            .all(conv);
    return (rows as Stored[]).map(toTurn);
  }

  countOpen(conv: string): number {
    return (
      this.database
        .sql("SELECT count(*) AS n FROM turns INDEXED BY turns_open WHERE conv = ? AND state <> 'ended'")
        .get(conv) as {
        n: number;
      }
    ).n;
  }

  lastOutcome(conv: string): Outcome | null {
    const row = this.database
      .sql("SELECT outcome FROM turns WHERE conv = ? AND state = 'ended' ORDER BY seq DESC LIMIT 1")
      .get(conv) as { outcome: Outcome } | undefined;
    return row?.outcome ?? null;
  }

  /** Returns the given turns of a conversation, oldest first. */
  listNamed(conv: string, turns: ReadonlySet<string>): TurnRow[] {
    if (turns.size === 0) return [];
    const rows = this.database
      .sql('SELECT * FROM turns WHERE conv = ? AND turn IN (SELECT value FROM json_each(?)) ORDER BY seq')
      .all(conv, JSON.stringify([...turns]));
    return (rows as Stored[]).map(toTurn);
  }

  /** Finds a turn of a conversation by the id of its message or its own. */
  findNamed(conv: string, id: string): TurnRow | undefined {
    const row = this.database
      .sql(
        'SELECT * FROM turns WHERE conv = @conv AND turn IN (@id, (SELECT turn FROM messages WHERE conv = ' +
          '@conv AND id = @id))',
      )
      .get({ conv, id }) as Stored | undefined;
    return row && toTurn(row);
  }

  put(transaction: Transaction, turn: NewTurnRow): void {
    transaction
      .sql(
        `INSERT INTO turns (turn, conv, state, profile, text, created_ms)
         VALUES (@turn, @conv, 'queued', @profile, @text, @created_ms)`,
      )
      .run(turn);
  }

  /** Stores a turn that no client runs and that has ended. */
  putTold(transaction: Transaction, turn: NewTurnRow): void {
    transaction
      .sql(
        `INSERT INTO turns (turn, conv, state, profile, text, outcome, created_ms, finished_ms)
         VALUES (@turn, @conv, 'ended', @profile, @text, 'answered', @created_ms, @created_ms)`,
      )
      .run(turn);
  }

  /** Stores the documents that came with the turn's message. */
  putDocuments(transaction: Transaction, turn: string, documents: readonly ContextDoc[]): void {
    if (documents.length > 0)
      transaction
        .sql('INSERT INTO turn_documents (turn, documents) VALUES (?, ?)')
        .run(turn, JSON.stringify(documents));
  }

  /** Marks a queued turn as running. Returns false when it is not queued. */
  putStarted(
    transaction: Transaction,
    turn: string,
    facts: Pick<TurnRow, 'client' | 'model' | 'effort'> & { started_ms: number },
  ): boolean {
    return (
      transaction
        .sql(
          "UPDATE turns SET state = 'running', client = @client, model = @model, effort = @effort, started_ms " +
            "= @started_ms WHERE turn = @turn AND state = 'queued'",
        )
        .run({ ...facts, turn }).changes === 1
    );
  }

  /** Ends a turn. Returns false, without a change, when it had already ended. */
  putEnded(transaction: Transaction, turn: string, ending: TurnEnding): boolean {
    return (
      transaction
        .sql(
          `UPDATE turns SET state = 'ended', outcome = @outcome, code = @code, reason = @reason, usage = @usage, finished_ms = @finished_ms
           WHERE turn = @turn AND state <> 'ended'`,
        )
        .run({ ...ending, usage: ending.usage === null ? null : JSON.stringify(ending.usage), turn }).changes === 1
    );
  }
}

function toTurn(row: Stored): TurnRow {
  return {
    ...row,
    usage: row.usage === null ? null : (JSON.parse(row.usage) as Usage),
  };
}

/** Returns the API representation of a turn. */
export function turnView(row: TurnRow): Turn {
  const { turn, conv, state, outcome, code, reason, client, model, effort, usage } = row;
  return {
    turn,
    conv,
    state,
    outcome,
    code,
    reason,
    client,
    model,
    effort,
    usage,
    created_at: isoTime(row.created_ms),
    started_at: row.started_ms === null ? null : isoTime(row.started_ms),
    finished_at: row.finished_ms === null ? null : isoTime(row.finished_ms),
  };
}
