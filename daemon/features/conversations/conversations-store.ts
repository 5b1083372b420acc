import type { Citation, SearchOutcome } from '../../contract/asks.js';
import type { Message, Role, ToolCall } from '../../contract/conversations.js';
import type { Isolation } from '../../contract/work/worktrees.js';
import { isoTime } from '../../lib/time/clock.js';
import { Conditions } from '../../storage/database/conditions.js';
import type { Database } from '../../storage/database/database.js';
import { toMatchQuery } from '../../storage/database/full-text.js';
import type { Transaction } from '../../storage/database/transaction.js';

/** A stored conversation. */
export interface ConversationRow {
  seq: number;
  conv: string;
  member: string | null;
  agent_type: string;
  title: string;
  client: string | null;
  model: string | null;
  effort: string | null;
  /** The operator's choice of where it works. */
  isolation: Isolation | null;
  /** Where its turns work since the first one. */
  place: Isolation | null;
  place_reason: string;
  /** The conversation whose place it shares. */
  place_of: string | null;
  pinned: number;
  archived: number;
  from_outside: number;
  /** JSON object from client name to the agent’s own session, and to what that has cost. */
  sessions: string;
  created_ms: number;
  updated_ms: number;
  /** The `seq` of the newest message that the operator has read. */
  read_seq: number;
  /** The schedule whose run made it, with the title that it had then. */
  schedule_id: string | null;
  schedule_title: string | null;
}

type NewConversationRow = Omit<
  ConversationRow,
  | 'seq'
  | 'pinned'
  | 'archived'
  | 'sessions'
  | 'updated_ms'
  | 'read_seq'
  | 'place'
  | 'place_reason'
  | 'schedule_id'
  | 'schedule_title'
>;
type ConversationChange = Partial<
  Pick<
    ConversationRow,
    | 'member'
    | 'agent_type'
    | 'title'
    | 'client'
    | 'model'
    | 'effort'
    | 'isolation'
    | 'pinned'
    | 'archived'
    | 'sessions'
    | 'updated_ms'
    | 'read_seq'
    | 'schedule_id'
    | 'schedule_title'
  >
>;

/** A message and, for one that a member's turn wrote, who that is. */
const MESSAGES = `SELECT messages.*,
  CASE WHEN role = 'user' THEN asked_turns.asked_by END AS asked_by
  FROM messages LEFT JOIN asked_turns USING (turn)`;

/** SQL of the next message's `seq`: never that of a message that is set aside, which may be put back. */
const NEXT_SEQ =
  '1 + max((SELECT coalesce(max(seq), 0) FROM messages), (SELECT coalesce(max(seq), 0) FROM messages_aside))';

interface NewMessageRow {
  id: string;
  conv: string;
  turn: string;
  role: Role;
  text: string;
  calls?: readonly ToolCall[];
  citations?: readonly Citation[];
  dropped_citations?: number;
  search?: SearchOutcome | null;
  doc_names?: readonly string[];
  from_outside?: boolean;
  asked_by?: string | undefined;
  created_ms: number;
}

interface MessageRow extends Record<string, unknown> {
  seq: number;
  id: string;
  conv: string;
  turn: string;
  role: Role;
  text: string;
  calls: string;
  citations: string;
  dropped_citations: number;
  /** JSON of a `SearchOutcome`. */
  search: string | null;
  doc_names: string;
  from_outside: number;
  asked_by: string | null;
  created_ms: number;
}

interface ListFilter {
  member?: string | undefined;
  archived: boolean | undefined;
  parent?: string | undefined;
  words?: string | undefined;
  after?: { pinned: number; updated_ms: number; seq: number } | undefined;
  limit: number;
}

/** Stores conversations and their messages. */
export class ConversationsStore {
  constructor(private readonly database: Database) {}

  find(conv: string): ConversationRow | undefined {
    return this.database.sql('SELECT * FROM conversations WHERE conv = ?').get(conv) as ConversationRow | undefined;
  }

  /** Returns the member's conversations that are not archived, newest first. */
  listLive(member: string): ConversationRow[] {
    return this.database
      .sql('SELECT * FROM conversations WHERE member = ? AND archived = 0 ORDER BY seq DESC')
      .all(member) as ConversationRow[];
  }

  countLive(member: string): number {
    return (
      this.database.sql('SELECT count(*) AS n FROM conversations WHERE member = ? AND archived = 0').get(member) as {
        n: number;
      }
    ).n;
  }

  /** Returns conversations, pinned ones first, then by last change. */
  list({ member, archived, parent, words, after, limit }: ListFilter): ConversationRow[] {
    const { where, values } = new Conditions()
      .and('archived = ?', archived === undefined ? undefined : archived ? 1 : 0)
      .and('conv IN (SELECT conv FROM asked_turns WHERE parent_conv = ?)', parent)
      .and('member = ?', member)
      .and(
        '(conv IN (SELECT conv FROM messages WHERE seq IN (SELECT rowid FROM messages_text WHERE messages_text ' +
          'MATCH ?)) OR instr(folded(title), folded(?)) > 0)',
        words === undefined ? undefined : toMatchQuery(words),
        words?.trim(),
      )
      .and('(pinned, updated_ms, seq) < (?, ?, ?)', after?.pinned, after?.updated_ms, after?.seq);
    const sql = `SELECT * FROM conversations ${where} ORDER BY pinned DESC, updated_ms DESC, seq DESC LIMIT ?`;
    return this.database.sql(sql).all(...values, limit) as ConversationRow[];
  }

  put(transaction: Transaction, row: NewConversationRow): void {
    transaction
      .sql(
        `INSERT INTO conversations (conv, member, agent_type, title, client, model, effort, isolation, place_of, from_outside, created_ms, updated_ms)
         VALUES (@conv, @member, @agent_type, @title, @client, @model, @effort, @isolation, @place_of, @from_outside, @created_ms, @created_ms)`,
      )
      .run(row);
  }

  putChange(transaction: Transaction, conv: string, change: ConversationChange): void {
    const keys = Object.keys(change) as (keyof ConversationChange)[];
    if (keys.length === 0) return;
    transaction
      .sql(`UPDATE conversations SET ${keys.map((key) => `${key} = @${key}`).join(', ')} WHERE conv = @conv`)
      .run({ ...change, conv });
  }

  drop(transaction: Transaction, conv: string): void {
    transaction.sql('DELETE FROM messages_text WHERE rowid IN (SELECT seq FROM messages WHERE conv = ?)').run(conv);
    transaction.sql('DELETE FROM conversations WHERE conv = ?').run(conv);
  }

  putMessage(transaction: Transaction, message: NewMessageRow): Message {
    const row = {
      ...message,
      calls: JSON.stringify(message.calls ?? []),
      citations: JSON.stringify(message.citations ?? []),
      dropped_citations: message.dropped_citations ?? 0,
      search: message.search ? JSON.stringify(message.search) : null,
      doc_names: JSON.stringify(message.doc_names ?? []),
      from_outside: message.from_outside ? 1 : 0,
      asked_by: message.asked_by ?? null,
    };
    const { lastInsertRowid } = transaction
      .sql(
        `INSERT INTO messages (seq, id, conv, turn, role, text, calls, citations, dropped_citations, search, doc_names, from_outside, created_ms)
         VALUES (${NEXT_SEQ}, @id, @conv, @turn, @role, @text, @calls, @citations, @dropped_citations, @search, @doc_names, @from_outside, @created_ms)`,
      )
      .run(row);
    transaction.sql('INSERT INTO messages_text (rowid, text) VALUES (?, ?)').run(lastInsertRowid, message.text);
    return toMessage({ ...row, seq: Number(lastInsertRowid) });
  }

  countMessages(conv: string): number {
    return (this.database.sql('SELECT count(*) AS n FROM messages WHERE conv = ?').get(conv) as { n: number }).n;
  }

  /** Counts the answers after message `readSeq`. */
  countUnread(conv: string, readSeq: number): number {
    const sql = "SELECT count(*) AS n FROM messages WHERE conv = ? AND seq > ? AND role = 'assistant'";
    return (this.database.sql(sql).get(conv, readSeq) as { n: number }).n;
  }

  /** Returns the id of the first answer after message `readSeq`, or undefined. */
  findUnread(conv: string, readSeq: number): string | undefined {
    const sql = "SELECT id FROM messages WHERE conv = ? AND seq > ? AND role = 'assistant' ORDER BY seq LIMIT 1";
    return (this.database.sql(sql).get(conv, readSeq) as { id: string } | undefined)?.id;
  }

  /** Returns the `seq` of a message, or undefined when it is not part of this conversation. */
  getSeq(conv: string, id: string): number | undefined {
    return (
      this.database.sql('SELECT seq FROM messages WHERE conv = ? AND id = ?').get(conv, id) as
        | { seq: number }
        | undefined
    )?.seq;
  }

  /**
   * Returns the newest messages before message `before`, oldest first. Returns undefined when `before` does not exist.
   */
  page(conv: string, before: string | undefined, limit: number): Message[] | undefined {
    let beforeSeq = Number.MAX_SAFE_INTEGER;
    if (before !== undefined) {
      const seq = this.getSeq(conv, before);
      if (seq === undefined) return undefined;
      beforeSeq = seq;
    }
    const rows = this.database
      .sql(`${MESSAGES} WHERE messages.conv = ? AND seq < ? ORDER BY seq DESC LIMIT ?`)
      .all(conv, beforeSeq, limit) as MessageRow[];
    return rows.reverse().map(toMessage);
  }

  /** Iterates over all messages, oldest first, in batches of 200. */
  *everyMessage(conv: string): Iterable<Message> {
    let after = 0;
    for (;;) {
      const rows = this.database
        .sql(`${MESSAGES} WHERE messages.conv = ? AND seq > ? ORDER BY seq LIMIT 200`)
        .all(conv, after) as MessageRow[];
      for (const row of rows) yield toMessage(row);
      if (rows.length < 200) return;
      after = (rows.at(-1) as MessageRow).seq;
    }
  }

  preview(conv: string, chars: number): string {
    const row = this.database
      .sql('SELECT substr(text, 1, ?) AS text FROM messages WHERE conv = ? ORDER BY seq DESC LIMIT 1')
      .get(chars, conv) as { text: string } | undefined;
    return row?.text ?? '';
  }
}

function toMessage(row: MessageRow): Message {
  return {
    id: row.id,
    conv: row.conv,
    turn: row.turn,
    role: row.role,
    text: row.text,
    calls: JSON.parse(row.calls) as ToolCall[],
    citations: JSON.parse(row.citations) as Citation[],
    ...(row.search === null ? {} : (JSON.parse(row.search) as SearchOutcome)),
    dropped_citations: row.dropped_citations,
    context_docs: JSON.parse(row.doc_names) as string[],
    from_outside: row.from_outside === 1,
    ...(row.asked_by === null ? {} : { asked_by: row.asked_by }),
    created_at: isoTime(row.created_ms),
  };
}
