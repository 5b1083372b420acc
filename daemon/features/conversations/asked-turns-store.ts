import type { Conversation } from '../../contract/conversations.js';
import type { Database } from '../../storage/database/database.js';
import type { Transaction } from '../../storage/database/transaction.js';
import { formatTitle } from './conversation-title.js';

/** Who asked for a turn: the turn of a member, or of an agent type. What a turn that `waits` asked for ends with it. */
export interface Asking {
  parent: { turn: string; conv: string };
  asked_by: string;
  waits: boolean;
}

/** Stores which turn asked for which. The record goes with the turn that was asked for. */
export class AskedTurnsStore {
  constructor(private readonly database: Pick<Database, 'sql'>) {}

  put(
    transaction: Transaction,
    { turn, conv }: { turn: string; conv: string },
    { parent, asked_by, waits }: Asking,
  ): void {
    transaction
      .sql(
        `INSERT INTO asked_turns (turn, conv, asked_by, parent, parent_conv, ends_with_parent)
         VALUES (@turn, @conv, @asked_by, @parent, @parent_conv, @waits)`,
      )
      .run({ turn, conv, asked_by, parent: parent.turn, parent_conv: parent.conv, waits: waits ? 1 : 0 });
  }

  /** Returns the conversation and turn that asked a conversation last. */
  findParent(conv: string): NonNullable<Conversation['parent']> | undefined {
    const row = this.database
      .sql(
        `SELECT p.conv, asked_turns.parent AS turn, p.member, p.title
         FROM asked_turns JOIN conversations p ON p.conv = parent_conv
         WHERE asked_turns.conv = ? ORDER BY asked_turns.rowid DESC LIMIT 1`,
      )
      .get(conv) as NonNullable<Conversation['parent']> | undefined;
    return row && { ...row, title: formatTitle(row) };
  }

  /**
   * Returns who asked for a turn; undefined for one that no member asked for. `parent` is null when that turn is gone;
   * `waits` tells whether it waits for the answer.
   */
  findAsking(turn: string): { parent: string | null; parent_conv: string; waits: boolean } | undefined {
    const row = this.database
      .sql('SELECT parent, parent_conv, ends_with_parent FROM asked_turns WHERE turn = ?')
      .get(turn) as { parent: string | null; parent_conv: string; ends_with_parent: number } | undefined;
    return row && { parent: row.parent, parent_conv: row.parent_conv, waits: row.ends_with_parent === 1 };
  }

  /** Returns the turn that waits for the answer of `turn`: null when it is gone, undefined when none ever did. */
  findWaiting(turn: string): string | null | undefined {
    const row = this.database.sql('SELECT parent FROM asked_turns WHERE turn = ? AND ends_with_parent = 1').get(turn) as
      | { parent: string | null }
      | undefined;
    return row?.parent;
  }

  /** Returns the turns that `parent` waits for and that have not ended. */
  listAwaited(parent: string): string[] {
    return this.database
      .sql(
        `SELECT turn FROM asked_turns JOIN turns USING (turn)
         WHERE parent = ? AND ends_with_parent = 1 AND state <> 'ended' ORDER BY seq`,
      )
      .pluck()
      .all(parent) as string[];
  }
}
