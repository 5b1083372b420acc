import { newMessageId, newTurnId } from '../../lib/ids.js';
import type { Database } from '../../storage/database/database.js';
import type { Transaction } from '../../storage/database/transaction.js';
import type { CheckpointRow } from './checkpoints-store.js';

type Row = Record<string, unknown> & { seq: number; turn: string; text: string };

/** Copies conversations, and stores with which files a copy begins. */
export class ForksStore {
  constructor(private readonly database: Pick<Database, 'sql'>) {}

  /**
   * Copies the messages that a conversation had at a checkpoint, and their turns as ended ones, into `conv`. What the
   * turns used is not counted again.
   */
  copyMessages(transaction: Transaction, { conv: from, last_seq, hidden }: CheckpointRow, conv: string): void {
    const turns = transaction
      .sql("SELECT * FROM turns WHERE conv = ? AND seq <= ? AND state = 'ended' ORDER BY seq")
      .all(from, last_seq) as Row[];
    const copies = new Map<string, string>();
    for (const turn of turns) {
      if (hidden.some(([first, last]) => turn.seq >= first && turn.seq <= last)) continue;
      const { seq: _seq, ...row } = { ...turn, turn: newTurnId(), conv, usage: null };
      copies.set(turn.turn, row.turn);
      putRow(transaction, 'turns', row);
    }
    const messages = transaction.sql('SELECT * FROM messages WHERE conv = ? ORDER BY seq').all(from) as Row[];
    const aside = transaction.sql('SELECT message FROM messages_aside WHERE conv = ?').pluck().all(from) as string[];
    const all = [...messages, ...aside.map((json) => JSON.parse(json) as Row)].sort((a, b) => a.seq - b.seq);
    let seq = transaction
      .sql('SELECT max(coalesce(max(seq), 0), (SELECT coalesce(max(seq), 0) FROM messages_aside)) FROM messages')
      .pluck()
      .get() as number;
    for (const message of all) {
      const turn = copies.get(message.turn);
      if (turn === undefined) continue;
      seq += 1;
      putRow(transaction, 'messages', { ...message, seq, id: newMessageId(), conv, turn });
      transaction.sql('INSERT INTO messages_text (rowid, text) VALUES (?, ?)').run(seq, message.text);
    }
    transaction.sql('UPDATE conversations SET read_seq = ? WHERE conv = ?').run(seq, conv);
  }

  /** Returns the tree that a fork's own folder is still to begin with. */
  findTree(conv: string): string | undefined {
    const sql = 'SELECT tree FROM conversation_forks WHERE conv = ? AND is_done = 0';
    return this.database.sql(sql).pluck().get(conv) as string | undefined;
  }

  putTree(transaction: Transaction, conv: string, tree: string): void {
    transaction.sql('INSERT INTO conversation_forks (conv, tree, is_done) VALUES (?, ?, 0)').run(conv, tree);
  }

  putDone(transaction: Transaction, conv: string): void {
    transaction.sql('UPDATE conversation_forks SET is_done = 1 WHERE conv = ?').run(conv);
  }
}

function putRow(transaction: Transaction, table: 'turns' | 'messages', row: Readonly<Record<string, unknown>>): void {
  const columns = Object.keys(row);
  const values = columns.map((name) => `@${name}`).join(', ');
  transaction.sql(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${values})`).run(row);
}
