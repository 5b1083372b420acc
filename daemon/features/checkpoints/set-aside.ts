import type { Database } from '../../storage/database/database.js';
import type { Transaction } from '../../storage/database/transaction.js';
import type { SeqRanges } from './seq-ranges.js';

interface MessageRow extends Record<string, unknown> {
  seq: number;
  turn: string;
  text: string;
}

/** A change of files that is under way. `hidden`: the messages that it sets aside; null when it leaves them. */
export interface RewindRow {
  conv: string;
  kept: string;
  target: string;
  hidden: SeqRanges | null;
}

/** SQL condition: whether the turn with `turns.seq` is in the JSON array of ranges `@hidden`. */
const IS_HIDDEN = `EXISTS (SELECT 1 FROM json_each(@hidden) WHERE turns.seq BETWEEN
  json_extract(value, '$[0]') AND json_extract(value, '$[1]'))`;

/**
 * Sets messages of a conversation aside and puts them back, durably. Those that are set aside are in no history,
 * transcript, count or search.
 */
export class SetAsideStore {
  constructor(private readonly database: Pick<Database, 'sql'>) {}

  /** Returns the turns of which the messages are set aside at present. */
  findHidden(conv: string): SeqRanges {
    const json = this.database.sql('SELECT hidden FROM conversation_rewinds WHERE conv = ?').pluck().get(conv);
    return json === undefined ? [] : (JSON.parse(json as string) as SeqRanges);
  }

  /** Sets aside the messages of exactly the turns in `hidden`. Returns how many more are set aside than before. */
  putHidden(transaction: Transaction, conv: string, hidden: SeqRanges): number {
    const given = { conv, hidden: JSON.stringify(hidden) };
    const going = transaction
      .sql(`SELECT messages.* FROM messages JOIN turns USING (turn) WHERE messages.conv = @conv AND ${IS_HIDDEN}`)
      .all(given) as MessageRow[];
    for (const row of going) {
      transaction
        .sql('INSERT INTO messages_aside (seq, conv, turn, message) VALUES (?, ?, ?, ?)')
        .run(row.seq, conv, row.turn, JSON.stringify(row));
      transaction.sql('DELETE FROM messages_text WHERE rowid = ?').run(row.seq);
      transaction.sql('DELETE FROM messages WHERE seq = ?').run(row.seq);
    }
    const coming = transaction
      .sql(
        `SELECT messages_aside.seq, message FROM messages_aside JOIN turns USING (turn)
         WHERE messages_aside.conv = @conv AND NOT ${IS_HIDDEN}`,
      )
      .all(given) as { seq: number; message: string }[];
    for (const { seq, message } of coming) {
      const row = JSON.parse(message) as MessageRow;
      const columns = Object.keys(row);
      transaction
        .sql(`INSERT INTO messages (${columns.join(', ')}) VALUES (${columns.map((name) => `@${name}`).join(', ')})`)
        .run(row);
      transaction.sql('INSERT INTO messages_text (rowid, text) VALUES (?, ?)').run(seq, row.text);
      transaction.sql('DELETE FROM messages_aside WHERE seq = ?').run(seq);
    }
    transaction
      .sql(
        `INSERT INTO conversation_rewinds (conv, hidden) VALUES (@conv, @hidden)
         ON CONFLICT (conv) DO UPDATE SET hidden = @hidden`,
      )
      .run(given);
    return going.length;
  }

  /** Returns the changes of files that are under way, of one conversation or all. */
  listRewinds(conv?: string): RewindRow[] {
    const rows = this.database
      .sql('SELECT * FROM rewinds WHERE ? IS NULL OR conv = ?')
      .all(conv ?? null, conv ?? null) as (Omit<RewindRow, 'hidden'> & { hidden: string | null })[];
    return rows.map((row) => ({ ...row, hidden: row.hidden === null ? null : (JSON.parse(row.hidden) as SeqRanges) }));
  }

  putRewind(transaction: Transaction, { conv, kept, target, hidden }: RewindRow): void {
    transaction
      .sql('INSERT INTO rewinds (conv, kept, target, hidden) VALUES (?, ?, ?, ?)')
      .run(conv, kept, target, hidden === null ? null : JSON.stringify(hidden));
  }

  dropRewind(transaction: Transaction, conv: string): void {
    transaction.sql('DELETE FROM rewinds WHERE conv = ?').run(conv);
  }
}
