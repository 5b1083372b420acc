/** Commands between two snapshots of a small network. */
const COMMANDS_MIN = 10_000;
/**
 * Rows that a snapshot may write for each command since the one before. Compressed, they take about a quarter of the
 * bytes of a command.
 */
export const ROWS_PER_COMMAND = 20;
const TURN_COMMANDS = 500;

/**
 * When enough commands have come since the newest snapshot: a twentieth of the rows of the shared tables, and 10,000 at
 * least. However large the tables are, snapshots then cost the servers less than the commands, and a daemon that joins
 * applies one command for twenty rows that it loads, or 10,000.
 */
export class SnapshotSchedule {
  private dueAfter = COMMANDS_MIN;

  constructor(private readonly countRows: () => number) {}

  /** Counts the rows only when so many commands have come as were enough the last time. */
  isDue(commands: number): boolean {
    if (commands < this.dueAfter) return false;
    this.dueAfter = Math.max(COMMANDS_MIN, Math.ceil(this.countRows() / ROWS_PER_COMMAND));
    return commands >= this.dueAfter;
  }

  /**
   * Whether the sender of the last of these commands makes a snapshot: one sender when it becomes due, and another one
   * every 500 commands while there is none, so that not all daemons of a busy network store one at the same time.
   */
  isTurn(commands: number): boolean {
    return this.isDue(commands) && (commands - this.dueAfter) % TURN_COMMANDS === 0;
  }
}
