import type { AnswerTrace } from '../../contract/answer-trace.js';
import type {
  AnswerKind,
  AskErrorCode,
  AskStatus,
  Caller,
  Citation,
  ContextDoc,
  RatingValue,
  Receipt,
  SearchOutcome,
} from '../../contract/asks.js';
import { Conditions } from '../../storage/database/conditions.js';
import type { Database } from '../../storage/database/database.js';
import { toMatchQuery } from '../../storage/database/full-text.js';
import { forgetOldKeys } from '../../storage/database/idempotency.js';
import type { Transaction } from '../../storage/database/transaction.js';

/** A stored ask. Times are epoch milliseconds. */
export interface Ask {
  seq: number;
  request_id: string;
  member: string;
  conv: string;
  session: string | null;
  /** The turn that answers it. */
  turn: string | null;
  status: AskStatus;
  text: string;
  caller: Caller;
  client: string;
  model: string;
  created_ms: number;
  started_ms: number | null;
  finished_ms: number | null;
  collected_ms: number | null;
  result_text: string | null;
  /** As they were given, which is what the receipt covers. */
  citations: Citation[] | null;
  /** Null unless the built-in search has answered. */
  search: SearchOutcome | null;
  receipt: Receipt | null;
  error_code: AskErrorCode | null;
  error_message: string | null;
}

/** An ask in the operator's list. */
export interface ListedAsk extends Ask {
  rating: RatingValue | null;
}

/** What the operator thinks of an answer. */
export interface AskRating {
  value: RatingValue;
  note: string;
  rated_ms: number;
}

interface NewAsk
  extends Pick<
    Ask,
    'request_id' | 'member' | 'conv' | 'session' | 'turn' | 'text' | 'caller' | 'client' | 'model' | 'created_ms'
  > {
  /** The JSON of a list of `ContextDoc`, in UTF-8; undefined when the ask has no documents. */
  documents: Buffer | undefined;
}

interface AskFilter {
  member?: string | undefined;
  status?: AskStatus | undefined;
  rating?: RatingValue | undefined;
  kind?: AnswerKind | undefined;
  words?: string | undefined;
  /** Part of the caller's User-Agent. */
  caller?: string | undefined;
  sinceMs: number;
  beforeSeq?: number | undefined;
  limit: number;
}

/** Selects asks of one member for its caller. */
export interface OwnAsksFilter {
  /** The session, or the conversation id for asks without one. */
  context?: string | undefined;
  statuses?: readonly AskStatus[] | undefined;
  /** Only asks that were cancelled, or only those that were not. */
  isCancelled?: boolean | undefined;
  /** Only asks whose status has changed at this time or later, as A2A says: several may change in one millisecond. */
  changedSinceMs?: number | undefined;
  /** Only asks after this position. */
  after?: { changedMs: number; seq: number } | undefined;
  sinceMs: number;
  limit: number;
}

export type Ending = Pick<
  Ask,
  'finished_ms' | 'result_text' | 'citations' | 'search' | 'receipt' | 'error_code' | 'error_message'
>;

type Row = Record<keyof Ask, string | number | null>;

/** Stores asks durably. */
export class AskStore {
  constructor(private readonly database: Database) {}

  find(requestId: string): Ask | undefined {
    const row = this.database.sql('SELECT * FROM asks WHERE request_id = ?').get(requestId) as Row | undefined;
    return row && toAsk(row);
  }

  /** Returns the documents that came with the ask. */
  listDocuments(requestId: string): ContextDoc[] {
    const row = this.database.sql('SELECT documents FROM ask_documents WHERE request_id = ?').get(requestId);
    return row === undefined ? [] : (JSON.parse((row as { documents: string }).documents) as ContextDoc[]);
  }

  /** Returns the documents that came with the ask that a turn answers. */
  documentsOfTurn(turn: string): ContextDoc[] {
    const ask = this.findByTurn(turn);
    return ask === undefined ? [] : this.listDocuments(ask.request_id);
  }

  /** Counts the member's unfinished asks, without the operator's tests. */
  countLive(member: string): number {
    const sql = `SELECT count(*) AS n FROM asks WHERE member = ? AND status IN ${LIVE} AND ${FROM_OUTSIDE}`;
    return (this.database.sql(sql).get(member) as { n: number }).n;
  }

  /** Counts the unfinished asks of all members. */
  countAllLive(): number {
    return (this.database.sql(`SELECT count(*) AS n FROM asks WHERE status IN ${LIVE}`).get() as { n: number }).n;
  }

  /**
   * Returns the unfinished asks, oldest first. Without INDEXED BY, SQLite would scan the whole table for this order.
   */
  listLive(): Ask[] {
    return (
      this.database.sql(`SELECT * FROM asks INDEXED BY asks_live WHERE status IN ${LIVE} ORDER BY seq`).all() as Row[]
    ).map(toAsk);
  }

  /**
   * Returns the conversation of the member's newest ask in `session`, or of the ask without session with that `conv`.
   */
  findConversation(member: string, session: string): string | undefined {
    const find = (condition: string) =>
      this.database
        .sql(`SELECT conv FROM asks WHERE member = ? AND ${condition} AND ${FROM_OUTSIDE} ORDER BY seq DESC LIMIT 1`)
        .get(member, session) as { conv: string } | undefined;
    return (find('session = ?') ?? find('session IS NULL AND conv = ?'))?.conv;
  }

  findByTurn(turn: string): Ask | undefined {
    const row = this.database.sql('SELECT * FROM asks WHERE turn = ?').get(turn) as Row | undefined;
    return row && toAsk(row);
  }

  /** Stores a new ask as queued. */
  put(transaction: Transaction, ask: NewAsk): void {
    transaction
      .sql(
        `INSERT INTO asks (request_id, member, conv, session, turn, status, text, caller, client, model, created_ms)
         VALUES (?, ?, ?, ?, ?, 'queued', ?, ?, ?, ?, ?)`,
      )
      .run(
        ask.request_id,
        ask.member,
        ask.conv,
        ask.session,
        ask.turn,
        ask.text,
        json(ask.caller),
        ask.client,
        ask.model,
        ask.created_ms,
      );
    if (ask.documents)
      transaction
        .sql('INSERT INTO ask_documents (request_id, documents) VALUES (?, CAST(? AS TEXT))')
        .run(ask.request_id, ask.documents);
    this.indexText(transaction, ask.request_id);
  }

  /** Marks an ask as running on `client` with `model`. */
  putStarted(transaction: Transaction, requestId: string, nowMs: number, client: string, model: string): void {
    transaction
      .sql("UPDATE asks SET status = 'running', started_ms = ?, client = ?, model = ? WHERE request_id = ?")
      .run(nowMs, client, model, requestId);
  }

  /** Sets whether a running ask waits for a person. */
  putWaiting(transaction: Transaction, requestId: string, isWaiting: boolean): void {
    transaction
      .sql(`UPDATE asks SET status = ? WHERE request_id = ? AND status IN ${LIVE}`)
      .run(isWaiting ? 'needs_input' : 'running', requestId);
  }

  /** Ends an ask permanently. */
  putEnded(transaction: Transaction, requestId: string, status: 'done' | 'error', ending: Ending): void {
    transaction
      .sql(
        `UPDATE asks SET status = ?, finished_ms = ?, result_text = ?, citations = ?, search = ?, receipt = ?, error_code = ?, error_message = ?
         WHERE request_id = ? AND status IN ${LIVE}`,
      )
      .run(
        status,
        ending.finished_ms,
        ending.result_text,
        json(ending.citations),
        json(ending.search),
        json(ending.receipt),
        ending.error_code,
        ending.error_message,
        requestId,
      );
    this.indexText(transaction, requestId);
  }

  /** Records the first time that the caller read the ended ask. */
  putCollected(transaction: Transaction, requestId: string, nowMs: number): void {
    transaction
      .sql(`UPDATE asks SET collected_ms = ? WHERE request_id = ? AND collected_ms IS NULL AND status NOT IN ${LIVE}`)
      .run(nowMs, requestId);
  }

  /** Returns how the built-in search found the answer; undefined when no trace is kept. */
  findTrace(requestId: string): AnswerTrace | undefined {
    const row = this.database.sql('SELECT trace FROM ask_traces WHERE request_id = ?').get(requestId);
    return row === undefined ? undefined : (JSON.parse((row as { trace: string }).trace) as AnswerTrace);
  }

  putTrace(transaction: Transaction, requestId: string, trace: AnswerTrace): void {
    transaction
      .sql('INSERT OR REPLACE INTO ask_traces (request_id, trace) VALUES (?, ?)')
      .run(requestId, JSON.stringify(trace));
  }

  /** Returns what the operator thinks of the answer. */
  findRating(requestId: string): AskRating | undefined {
    return this.database.sql('SELECT value, note, rated_ms FROM ask_ratings WHERE request_id = ?').get(requestId) as
      | AskRating
      | undefined;
  }

  /** Returns what the operator thinks of the answer that a turn gave. */
  findRatingOfTurn(turn: string): AskRating | undefined {
    const ask = this.findByTurn(turn);
    return ask && this.findRating(ask.request_id);
  }

  /** Replaces the rating of an ask. */
  putRating(transaction: Transaction, requestId: string, { value, note, rated_ms }: AskRating): void {
    transaction
      .sql('INSERT OR REPLACE INTO ask_ratings (request_id, value, note, rated_ms) VALUES (?, ?, ?, ?)')
      .run(requestId, value, note, rated_ms);
  }

  removeRating(transaction: Transaction, requestId: string): void {
    transaction.sql('DELETE FROM ask_ratings WHERE request_id = ?').run(requestId);
  }

  /** Newest first. */
  list({ member, status, rating, kind, words, caller, sinceMs, beforeSeq, limit }: AskFilter): ListedAsk[] {
    const { where, values } = new Conditions()
      .and('created_ms >= ?', sinceMs)
      .and('member = ?', member)
      .and('status = ?', status)
      .and('request_id IN (SELECT request_id FROM ask_ratings WHERE value = ?)', rating)
      .and(`${KIND} = ?`, kind)
      .and('seq < ?', beforeSeq)
      .and(`instr(folded(${CALLER_WORDS}), folded(?)) > 0`, caller)
      .and(
        'seq IN (SELECT rowid FROM asks_text WHERE asks_text MATCH ?)',
        words === undefined ? undefined : toMatchQuery(words),
      );
    const sql = `SELECT *, ${RATING} FROM asks ${where} ORDER BY seq DESC LIMIT ?`;
    const rows = this.database.sql(sql).all(...values, limit) as (Row & Pick<ListedAsk, 'rating'>)[];
    return rows.map((row) => ({ ...toAsk(row), rating: row.rating }));
  }

  /** Returns a member's asks, latest status change first, and the number of matches without position and limit. */
  listOwn(member: string, filter: OwnAsksFilter): { asks: Ask[]; total: number } {
    const { context, statuses, isCancelled, changedSinceMs, after, sinceMs, limit } = filter;
    const matches = new Conditions()
      .and('member = ?', member)
      .and('created_ms >= ?', sinceMs)
      .and(FROM_OUTSIDE)
      .and(`coalesce(session, conv) = ?`, context)
      .and('status IN (SELECT value FROM json_each(?))', statuses && JSON.stringify(statuses))
      .and(`(error_code = 'cancelled') = ?`, isCancelled === undefined ? undefined : Number(isCancelled))
      .and(`${CHANGED} >= ?`, changedSinceMs);
    const total = (
      this.database.sql(`SELECT count(*) AS n FROM asks ${matches.where}`).get(...matches.values) as { n: number }
    ).n;
    const { where, values } = matches.and(`(${CHANGED}, seq) < (?, ?)`, after?.changedMs, after?.seq);
    const sql = `SELECT * FROM asks ${where} ORDER BY ${CHANGED} DESC, seq DESC LIMIT ?`;
    return { asks: (this.database.sql(sql).all(...values, limit) as Row[]).map(toAsk), total };
  }

  /** Returns how long the last answers of a member to other programs took, in milliseconds from ask to answer. */
  listLatencies(member: string, limit: number): number[] {
    const sql = `SELECT finished_ms - created_ms AS ms FROM asks
      WHERE member = ? AND status = 'done' AND ${FROM_OUTSIDE} ORDER BY seq DESC LIMIT ?`;
    return (this.database.sql(sql).all(member, limit) as { ms: number }[]).map(({ ms }) => ms);
  }

  /** Deletes ended asks created before `beforeMs`, and expired idempotency keys. */
  prune(transaction: Transaction, beforeMs: number, nowMs: number): void {
    transaction
      .sql(`DELETE FROM asks_text WHERE rowid IN (SELECT seq FROM asks WHERE created_ms < ? AND status NOT IN ${LIVE})`)
      .run(beforeMs);
    transaction.sql(`DELETE FROM asks WHERE created_ms < ? AND status NOT IN ${LIVE}`).run(beforeMs);
    forgetOldKeys(transaction, nowMs);
  }

  private indexText(transaction: Transaction, requestId: string): void {
    transaction
      .sql(
        'INSERT OR REPLACE INTO asks_text (rowid, text, result_text) SELECT seq, text, coalesce(result_text, ' +
          "'') FROM asks WHERE request_id = ?",
      )
      .run(requestId);
  }
}

const RATING = '(SELECT value FROM ask_ratings r WHERE r.request_id = asks.request_id) AS rating';
/** The kind of the answer; null for a request without one. */
const KIND = "iif(status = 'done', coalesce(json_extract(search, '$.confidence'), 'answered'), NULL)";
/** Time of the last stored status change. */
const CHANGED = 'coalesce(finished_ms, started_ms, created_ms)';
const LIVE = "('queued', 'running', 'needs_input')";
/**
 * The text that the caller filter searches: the User-Agent, after `you` for the operator and `a browser` for browsers.
 */
const CALLER_WORDS =
  "iif(json_extract(caller, '$.operator'), 'you ', '') || " +
  "iif(json_extract(caller, '$.user_agent') LIKE 'Mozilla/%', 'a browser ', '') || " +
  "coalesce(json_extract(caller, '$.user_agent'), '')";
const FROM_OUTSIDE = "json_extract(caller, '$.test') IS NULL";

const json = (value: unknown) => (value === null ? null : JSON.stringify(value));
const parsed = <T>(text: string | number | null) => (text === null ? null : (JSON.parse(String(text)) as T));

function toAsk(row: Row): Ask {
  return {
    ...(row as unknown as Ask),
    caller: parsed<Caller>(row.caller) as Caller,
    citations: parsed<Citation[]>(row.citations),
    search: parsed<SearchOutcome>(row.search),
    receipt: parsed<Receipt>(row.receipt),
  };
}

/** Whether an ask has ended. */
export const isOver = (ask: Pick<Ask, 'status'>) => ask.status === 'done' || ask.status === 'error';
