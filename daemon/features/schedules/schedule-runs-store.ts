import type { Outcome } from '../../contract/conversations.js';
import { KEPT_RUNS_MAX, type ScheduleRun } from '../../contract/work/schedules.js';
import type { Database } from '../../storage/database/database.js';
import type { Transaction } from '../../storage/database/transaction.js';

export interface RunRow {
  seq: number;
  run: string;
  schedule: string;
  cause: ScheduleRun['cause'];
  due_ms: number;
  times: number;
  state: ScheduleRun['state'];
  at_ms: number | null;
  turn: string | null;
  /** Of the turn; null when its conversation was deleted. */
  conv: string | null;
  outcome: Outcome | null;
  code: string | null;
  reason: string | null;
  denied: number;
  /** 0, or its place among the runs that the operator should know of. */
  told: number;
}

export type NewRunRow = Pick<RunRow, 'run' | 'schedule' | 'cause' | 'due_ms' | 'times'>;
type RunChange = Partial<Pick<RunRow, 'state' | 'at_ms' | 'turn' | 'outcome' | 'code' | 'reason' | 'denied'>>;

const RUNS = `SELECT r.seq, r.run, r.schedule, r.cause, r.due_ms, r.times, r.state, r.at_ms, r.turn, t.conv, r.outcome,
  r.code, r.reason, r.denied, r.told FROM schedule_runs r LEFT JOIN turns t USING (turn)`;

/** Stores the runs of schedules durably, each with the turn that it began. */
export class ScheduleRunsStore {
  constructor(private readonly database: Pick<Database, 'sql'>) {}

  /** The newest runs of a schedule, newest first. */
  list(schedule: string, limit: number): RunRow[] {
    return this.database
      .sql(`${RUNS} WHERE r.schedule = ? ORDER BY r.seq DESC LIMIT ?`)
      .all(schedule, limit) as RunRow[];
  }

  find(schedule: string, run: string): RunRow | undefined {
    return this.database.sql(`${RUNS} WHERE r.schedule = ? AND r.run = ?`).get(schedule, run) as RunRow | undefined;
  }

  findByTurn(turn: string): RunRow | undefined {
    return this.database.sql(`${RUNS} WHERE r.turn = ?`).get(turn) as RunRow | undefined;
  }

  /** The run whose turn has not ended, if any. */
  findRunning(schedule: string): RunRow | undefined {
    return this.database
      .sql(`${RUNS} WHERE r.schedule = ? AND r.state = 'running' AND r.turn IS NOT NULL`)
      .get(schedule) as RunRow | undefined;
  }

  /** The oldest run that waits to begin, if any. */
  findWaiting(schedule: string): RunRow | undefined {
    return this.database
      .sql(`${RUNS} WHERE r.schedule = ? AND r.state = 'waiting' ORDER BY r.seq LIMIT 1`)
      .get(schedule) as RunRow | undefined;
  }

  /** When a run of the schedule last began. */
  findLastStart(schedule: string): number | undefined {
    const row = this.database
      .sql("SELECT max(at_ms) AS ms FROM schedule_runs WHERE schedule = ? AND state IN ('running', 'ended')")
      .get(schedule) as { ms: number | null };
    return row.ms ?? undefined;
  }

  /** The newest run that the operator should know of, unless that has been seen. */
  findNotified(schedule: string, seenTold: number): RunRow | undefined {
    return this.database
      .sql(`${RUNS} WHERE r.schedule = ? AND r.told > ? ORDER BY r.told DESC LIMIT 1`)
      .get(schedule, seenTold) as RunRow | undefined;
  }

  /** The newest run before `seq` that does not wait. */
  findBefore(schedule: string, seq: number): RunRow | undefined {
    return this.database
      .sql(`${RUNS} WHERE r.schedule = ? AND r.seq < ? AND r.state <> 'waiting' ORDER BY r.seq DESC LIMIT 1`)
      .get(schedule, seq) as RunRow | undefined;
  }

  /** Stores a run that waits to begin, and removes the oldest ended ones beyond those that are kept. */
  putWaiting(transaction: Transaction, row: NewRunRow): RunRow {
    transaction
      .sql(
        `INSERT INTO schedule_runs (run, schedule, cause, due_ms, times, state)
         VALUES (@run, @schedule, @cause, @due_ms, @times, 'waiting')`,
      )
      .run(row);
    transaction
      .sql(
        `DELETE FROM schedule_runs WHERE schedule = @schedule AND state NOT IN ('waiting', 'running') AND seq <
           (SELECT seq FROM schedule_runs WHERE schedule = @schedule ORDER BY seq DESC LIMIT 1 OFFSET @kept)`,
      )
      .run({ schedule: row.schedule, kept: KEPT_RUNS_MAX - 1 });
    return this.find(row.schedule, row.run) as RunRow;
  }

  putChange(transaction: Transaction, run: string, change: RunChange): void {
    transaction
      .sql(
        `UPDATE schedule_runs SET ${Object.keys(change)
          .map((key) => `${key} = @${key}`)
          .join(', ')} WHERE run = @run`,
      )
      .run({ ...change, run });
  }

  /** Marks a run as one that the operator should know of. */
  putTold(transaction: Transaction, run: string): void {
    // The newest told run may have been removed since it was seen.
    transaction
      .sql(
        `UPDATE schedule_runs SET told = 1 + max(
           (SELECT max(told) FROM schedule_runs AS others WHERE others.schedule = schedule_runs.schedule),
           (SELECT seen_told FROM schedules WHERE id = schedule_runs.schedule)) WHERE run = ?`,
      )
      .run(run);
  }

  /** Removes the runs that have not begun. */
  dropWaiting(transaction: Transaction, schedule: string): void {
    transaction.sql("DELETE FROM schedule_runs WHERE schedule = ? AND state = 'waiting'").run(schedule);
  }

  /** Counts the permission requests of a turn, and of those that it asked for, that nobody answered in time. */
  countDenied(turn: string, nowMs: number): number {
    const sql = `WITH RECURSIVE below (turn) AS (
        VALUES (?) UNION SELECT asked_turns.turn FROM asked_turns JOIN below ON asked_turns.parent = below.turn)
      SELECT count(*) AS n FROM permissions JOIN below USING (turn)
      WHERE decision = 'deny' AND decided_by = 'deadline' AND expires_ms <= ?`;
    return (this.database.sql(sql).get(turn, nowMs) as { n: number }).n;
  }

  /** How long a permission request of a turn waits; undefined for a turn that no run began or asked for. */
  findPermissionSeconds(turn: string): number | undefined {
    const sql = `WITH RECURSIVE above (turn) AS (
        VALUES (?) UNION SELECT asked_turns.parent FROM asked_turns JOIN above USING (turn) WHERE parent IS NOT NULL)
      SELECT permission_minutes AS minutes FROM schedules
      JOIN schedule_runs ON schedule_runs.schedule = schedules.id JOIN above USING (turn)`;
    const row = this.database.sql(sql).get(turn) as { minutes: number } | undefined;
    return row && row.minutes * 60;
  }
}
