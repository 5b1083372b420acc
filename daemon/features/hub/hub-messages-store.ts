import type { HubMessage } from '../../contract/network/hub.js';
import { parseUntrustedJson } from '../../http/untrusted-json.js';
import type { Database } from '../../storage/database/database.js';

/** How deep a payload may be nested, as a body of a request may. */
export const PAYLOAD_DEPTH_MAX = 32;

/** Undefined for a text that is no JSON, or is nested so deep that an answer with it could not be written. */
export const parsePayload = (text: string): unknown =>
  parseUntrustedJson(Buffer.from(text), { depth: PAYLOAD_DEPTH_MAX });

export interface NewMessage {
  message_id: string;
  sender: number;
  /** Exactly one of `receiver` and `channel` is set. */
  receiver: number | null;
  channel: number | null;
  room_id: string;
  /** JSON text. */
  payload: string;
  sentMs: number;
}

interface ReceiptRow {
  seq: number;
  message_id: string;
  by: string;
  ts: number;
}

export interface Waiting {
  messages: HubMessage[];
  receipts: ReceiptRow[];
}

type Row = {
  _id: number;
  _message_id: string;
  from: string;
  to: string;
  channel: number | null;
  room_id: string;
  payload: string;
  sent_ms: number;
  delivered?: 0 | 1;
};

const MESSAGE = `m.seq AS _id, m.message_id AS _message_id, s.agent_id AS "from", coalesce(r.agent_id, c.id) AS "to", m.channel, m.room_id, m.payload, m.sent_ms
  FROM hub_messages m JOIN hub_agents s ON s.seq = m.sender LEFT JOIN hub_agents r ON r.seq = m.receiver LEFT JOIN hub_channels c ON c.seq = m.channel`;

/**
 * The message log, the inboxes and the read receipts. Agents and channels are referenced by the `seq` of their rows.
 * Methods that write must be called only by deciders of commands.
 */
export class HubMessagesStore {
  constructor(private readonly database: Database) {}

  /** Logs a message and returns its `_id`. */
  insert(message: NewMessage): number {
    const { lastInsertRowid } = this.database
      .sql(
        'INSERT INTO hub_messages (message_id, sender, receiver, channel, room_id, payload, sent_ms) VALUES ' +
          '(?, ?, ?, ?, ?, ?, ?)',
      )
      .run(
        message.message_id,
        message.sender,
        message.receiver,
        message.channel,
        message.room_id,
        message.payload,
        message.sentMs,
      );
    return Number(lastInsertRowid);
  }

  /** Adds the message to the inbox of `agent`. The oldest messages beyond `max` are removed. */
  queue(agent: number, message: number, max: number): void {
    this.database.sql('INSERT INTO hub_inbox (agent, message) VALUES (?, ?)').run(agent, message);
    const surplus = this.countWaiting(agent) - max;
    if (surplus <= 0) return;
    this.database
      .sql(
        'DELETE FROM hub_inbox WHERE rowid IN (SELECT rowid FROM hub_inbox WHERE agent = ? ORDER BY message LIMIT ?)',
      )
      .run(agent, surplus);
  }

  /** Marks a message in the inbox of `agent` as one that a live socket accepted. */
  putDelivered(agent: number, message: number): void {
    this.database.sql('UPDATE hub_inbox SET delivered = 1 WHERE agent = ? AND message = ?').run(agent, message);
  }

  countWaiting(agent: number): number {
    return (this.database.sql('SELECT count(*) AS n FROM hub_inbox WHERE agent = ?').get(agent) as { n: number }).n;
  }

  /** What waits for an agent: messages with an `_id` above `after`, and receipts that it has not read. */
  look(agent: number, after: number, messages: number, receipts: number): Waiting {
    return { messages: this.listWaiting(agent, after, messages), receipts: this.listReceipts(agent, receipts) };
  }

  /** The messages in the inbox of `agent` with an `_id` above `after`, oldest first. */
  private listWaiting(agent: number, after: number, limit: number): HubMessage[] {
    const rows = this.database
      .sql(
        `WITH waiting AS (SELECT message, delivered FROM hub_inbox WHERE agent = ? AND message > ? ORDER BY message LIMIT ?)
         SELECT w.delivered, ${MESSAGE} JOIN waiting w ON w.message = m.seq ORDER BY m.seq`,
      )
      .all(agent, after, limit) as Row[];
    return rows.map(toMessage);
  }

  /** The message with the `_id`; undefined when it was deleted. */
  find(seq: number): HubMessage | undefined {
    const row = this.database.sql(`SELECT ${MESSAGE} WHERE m.seq = ?`).get(seq) as Row | undefined;
    return row && toMessage(row);
  }

  /** The messages of a thread with an `_id` below `before`, newest first. */
  listThread(roomId: string, before: number, limit: number): HubMessage[] {
    const rows = this.database
      .sql(`SELECT ${MESSAGE} WHERE m.room_id = ? AND m.seq < ? ORDER BY m.seq DESC LIMIT ?`)
      .all(roomId, before, limit) as Row[];
    return rows.map(toMessage);
  }

  /** Returns the sender of the newest message in a thread; undefined in an empty one. */
  findLastSender(roomId: string): number | undefined {
    const row = this.database
      .sql('SELECT sender FROM hub_messages WHERE room_id = ? ORDER BY seq DESC LIMIT 1')
      .get(roomId) as { sender: number } | undefined;
    return row?.sender;
  }

  /** Whether `agent` has sent a message in a thread. */
  hasSent(roomId: string, agent: number): boolean {
    const sql = 'SELECT 1 FROM hub_messages WHERE room_id = ? AND sender = ? LIMIT 1';
    return this.database.sql(sql).get(roomId, agent) !== undefined;
  }

  /**
   * Removes messages from the inbox of `agent` and adds a receipt for the sender of each. Messages that are not in the
   * inbox are skipped. Returns how many were removed.
   */
  take(agent: number, messages: readonly number[], nowMs: number): number {
    let taken = 0;
    for (const message of messages) {
      const { changes } = this.database
        .sql('DELETE FROM hub_inbox WHERE agent = ? AND message = ?')
        .run(agent, message);
      if (changes === 0) continue;
      taken += 1;
      this.database
        .sql(
          'INSERT INTO hub_receipts (message, sender, reader, read_ms) SELECT seq, sender, ?, ? FROM ' +
            'hub_messages WHERE seq = ?',
        )
        .run(agent, nowMs, message);
    }
    return taken;
  }

  /** The receipts for messages of `agent` that it has not read, oldest first. */
  private listReceipts(agent: number, limit: number): ReceiptRow[] {
    return this.database
      .sql(
        `SELECT t.seq, m.message_id, a.agent_id AS by, t.read_ms / 1000 AS ts
         FROM hub_receipts t JOIN hub_messages m ON m.seq = t.message JOIN hub_agents a ON a.seq = t.reader
         WHERE t.sender = ? AND t.seq > coalesce((SELECT receipts_read FROM hub_polling_agents WHERE agent = ?), 0) ORDER BY t.seq LIMIT ?`,
      )
      .all(agent, agent, limit) as ReceiptRow[];
  }

  /** Records up to which `seq` a polling agent has read its receipts. */
  putReceiptsRead(agent: number, seq: number): void {
    this.database
      .sql(
        'INSERT INTO hub_polling_agents (agent, receipts_read) VALUES (?, ?) ON CONFLICT (agent) DO UPDATE SET ' +
          'receipts_read = excluded.receipts_read',
      )
      .run(agent, seq);
  }

  /** Deletes up to `limit` messages sent before `beforeMs`, from the inboxes too. Returns how many were deleted. */
  prune(beforeMs: number, limit: number): number {
    return this.database
      .sql(
        'DELETE FROM hub_messages WHERE seq IN (SELECT seq FROM hub_messages WHERE sent_ms < ? ORDER BY ' +
          'sent_ms, seq LIMIT ?)',
      )
      .run(beforeMs, limit).changes;
  }
}

function toMessage({ channel, payload, sent_ms, delivered, ...row }: Row): HubMessage {
  return {
    ...row,
    msg_type: channel === null ? 'message' : 'channel_message',
    // Older versions took any text of another daemon.
    payload: parsePayload(payload) ?? null,
    ts: Math.floor(sent_ms / 1000),
    ...(delivered === 1 ? { delivered: true } : {}),
  };
}
