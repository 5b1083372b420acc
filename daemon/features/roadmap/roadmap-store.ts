import type { Database } from '../../storage/database/database.js';
import type { Transaction } from '../../storage/database/transaction.js';
import type { TurnRow } from '../conversations/turns-store.js';

/** A turn that works, or was the last to work, on a task. */
export interface WorkRow extends Pick<TurnRow, 'turn' | 'conv' | 'state' | 'client' | 'outcome' | 'code' | 'reason'> {
  task: string;
  attempt: number;
  /** 1 until what became of the task stands in the file: nobody else may be given it. */
  in_hand: 0 | 1;
}

interface RunRow {
  running: boolean;
  parallel: number;
}

const WORK = `SELECT w.task, w.turn, w.attempt, w.in_hand, t.conv, t.state, t.client, t.outcome, t.code, t.reason
  FROM roadmap_work w JOIN turns t USING (turn)`;

/** Stores durably which turn works on which task, and whether the queue runs. */
export class RoadmapStore {
  constructor(private readonly database: Pick<Database, 'sql'>) {}

  /** The newest work on every task, by task. Work goes with its conversation. */
  listWork(): Map<string, WorkRow> {
    const rows = this.database.sql(WORK).all() as WorkRow[];
    return new Map(rows.map((row) => [row.task, row]));
  }

  /** The work that a turn has in hand. */
  findInHand(turn: string): WorkRow | undefined {
    return this.database.sql(`${WORK} WHERE w.turn = ? AND w.in_hand = 1`).get(turn) as WorkRow | undefined;
  }

  /** The text that a turn was answered with. */
  answerOf(turn: string): string {
    const row = this.database
      .sql(
        "SELECT messages.text FROM messages JOIN turns USING (conv) WHERE turns.turn = @turn AND messages.turn = @turn AND role = 'assistant'",
      )
      .get({ turn }) as { text: string } | undefined;
    return row?.text ?? '';
  }

  /** Gives a task that nobody has in hand to a turn. Throws when somebody has. */
  putLease(transaction: Transaction, task: string, turn: string): void {
    const { changes } = transaction
      .sql(
        `INSERT INTO roadmap_work (task, turn, attempt, in_hand) VALUES (@task, @turn, 1, 1)
         ON CONFLICT (task) DO UPDATE SET turn = @turn, attempt = 1, in_hand = 1 WHERE in_hand = 0`,
      )
      .run({ task, turn });
    if (changes !== 1) throw new Error(`Task ${task} is in hand already.`);
  }

  /** Hands a task on from the turn that has it in hand to the turn of its next attempt. */
  putNextAttempt(transaction: Transaction, from: string, turn: string): void {
    transaction
      .sql('UPDATE roadmap_work SET turn = @turn, attempt = attempt + 1 WHERE turn = @from AND in_hand = 1')
      .run({ from, turn });
  }

  putReleased(transaction: Transaction, turn: string): void {
    transaction.sql('UPDATE roadmap_work SET in_hand = 0 WHERE turn = ?').run(turn);
  }

  run(): RunRow {
    const row = this.database.sql('SELECT running, parallel FROM roadmap_run').get() as
      | { running: number; parallel: number }
      | undefined;
    return { running: row?.running === 1, parallel: row?.parallel ?? 1 };
  }

  putRun(transaction: Transaction, { running, parallel }: RunRow): void {
    transaction
      .sql(
        `INSERT INTO roadmap_run (id, running, parallel) VALUES (1, @running, @parallel)
         ON CONFLICT (id) DO UPDATE SET running = @running, parallel = @parallel`,
      )
      .run({ running: running ? 1 : 0, parallel });
  }

  /** The turn that contains the log of the run, or of the last one. */
  findRunTurn(): { turn: string; conv: string } | undefined {
    return this.database.sql('SELECT turn, conv FROM roadmap_run JOIN turns USING (turn)').get() as
      | { turn: string; conv: string }
      | undefined;
  }

  /** Requires the record of the run. */
  putRunTurn(transaction: Transaction, turn: string | null): void {
    transaction.sql('UPDATE roadmap_run SET turn = ?').run(turn);
  }
}
