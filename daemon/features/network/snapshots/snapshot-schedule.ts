/** Commands between two snapshots of a small network. */
const COMMANDS_MIN = 10_000;

/**
 * When enough commands have come since the newest snapshot: as many as the shared tables have rows, and 10,000 at
 * least. A snapshot writes every row, so making them costs no more than a row for each command however large the tables
 * are, and a daemon that loads one applies hardly more commands after it than it has loaded rows.
 */
export class SnapshotSchedule {
  private dueAfter = COMMANDS_MIN;

  constructor(private readonly countRows: () => number) {}

  /** Counts the rows only when so many commands have come as were enough the last time. */
  isDue(commands: number): boolean {
    if (commands < this.dueAfter) return false;
    this.dueAfter = Math.max(COMMANDS_MIN, this.countRows());
    return commands >= this.dueAfter;
  }
}
