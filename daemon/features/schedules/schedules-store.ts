import type { MissedRule } from '../../contract/work/schedules.js';
import type { Database } from '../../storage/database/database.js';
import type { Transaction } from '../../storage/database/transaction.js';

/** A stored schedule: either with `cron` and `zone`, or with `after_task`. */
export interface ScheduleRow {
  seq: number;
  id: string;
  title: string;
  member: string;
  text: string;
  cron: string | null;
  zone: string | null;
  after_task: string | null;
  missed: MissedRule;
  permission_minutes: number;
  paused: number;
  paused_reason: string | null;
  /** The next time that was not handled yet. */
  due_ms: number | null;
  /** The newest time that was handled. */
  handled_ms: number | null;
  /** 1 while the task is done and its run was recorded. */
  task_done: number;
  /** The `told` of the newest run that the operator has seen. */
  seen_told: number;
  created_ms: number;
  updated_ms: number;
}

type NewScheduleRow = Omit<ScheduleRow, 'seq' | 'handled_ms' | 'seen_told'>;
export type ScheduleChange = Partial<Omit<ScheduleRow, 'seq' | 'id' | 'created_ms'>>;

/** Stores schedules durably. */
export class SchedulesStore {
  constructor(private readonly database: Pick<Database, 'sql'>) {}

  find(id: string): ScheduleRow | undefined {
    return this.database.sql('SELECT * FROM schedules WHERE id = ?').get(id) as ScheduleRow | undefined;
  }

  /** Oldest first. */
  list(): ScheduleRow[] {
    return this.database.sql('SELECT * FROM schedules ORDER BY seq').all() as ScheduleRow[];
  }

  count(): number {
    return (this.database.sql('SELECT count(*) AS n FROM schedules').get() as { n: number }).n;
  }

  put(transaction: Transaction, row: NewScheduleRow): void {
    transaction
      .sql(
        `INSERT INTO schedules (id, title, member, text, cron, zone, after_task, missed, permission_minutes, paused,
           paused_reason, due_ms, task_done, created_ms, updated_ms)
         VALUES (@id, @title, @member, @text, @cron, @zone, @after_task, @missed, @permission_minutes, @paused,
           @paused_reason, @due_ms, @task_done, @created_ms, @updated_ms)`,
      )
      .run(row);
  }

  putChange(transaction: Transaction, id: string, change: ScheduleChange): void {
    const keys = Object.keys(change);
    if (keys.length === 0) return;
    transaction
      .sql(`UPDATE schedules SET ${keys.map((key) => `${key} = @${key}`).join(', ')} WHERE id = @id`)
      .run({ ...change, id });
  }

  /** Removes a schedule and its runs. Returns false when there is none. */
  drop(transaction: Transaction, id: string): boolean {
    return transaction.sql('DELETE FROM schedules WHERE id = ?').run(id).changes === 1;
  }
}
