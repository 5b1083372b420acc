import type { AskErrorCode, AskStatus, Caller, Citation, ContextDoc, Receipt } from '../../contract/asks.js';
import type { Database } from '../../storage/database.js';
import { asMatch } from '../../storage/full-text.js';
import { forgetOldKeys, type IdempotencyKey, once } from '../../storage/idempotency.js';

/** One ask as it is kept. Times are epoch milliseconds. */
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
  citations: Citation[] | null;
  receipt: Receipt | null;
  error_code: AskErrorCode | null;
  error_message: string | null;
}

export interface NewAsk
  extends Pick<
    Ask,
    'request_id' | 'member' | 'conv' | 'session' | 'turn' | 'text' | 'caller' | 'client' | 'model' | 'created_ms'
  > {
  /** JSON of a list of `ContextDoc`, in UTF-8; undefined when none came with it. */
  documents: Buffer | undefined;
}

export interface AskFilter {
  member?: string | undefined;
  status?: AskStatus | undefined;
  words?: string | undefined;
  /** Part of the caller's User-Agent. */
  caller?: string | undefined;
  sinceMs: number;
  beforeSeq?: number | undefined;
  limit: number;
}

/** Which asks of one member a caller wants to see. */
export interface OwnAsksFilter {
  /** Their session; for those without one, the id of their conversation. */
  context?: string | undefined;
  status?: AskStatus | undefined;
  /** Only those that ended so: called off by somebody, or not. */
  isCancelled?: boolean | undefined;
  /** Only those whose status has changed after it. */
  changedAfterMs?: number | undefined;
  /** Only those that come after this one. */
  after?: { changedMs: number; seq: number } | undefined;
  sinceMs: number;
  limit: number;
}

export type Ending = Pick<
  Ask,
  'finished_ms' | 'result_text' | 'citations' | 'receipt' | 'error_code' | 'error_message'
>;

type Row = Record<keyof Ask, string | number | null>;

/** Asks, durable. Every change is on disk when its promise resolves. */
export class AsksStore {
  constructor(private readonly database: Database) {}

  /**
   * Inside one transaction: repeats the first answer of a known key, else lets `accept` decide from what is live now and inserts what it
   * returns. `accept` throws to refuse.
   */
  submit<T>(key: IdempotencyKey | undefined, nowMs: number, accept: () => { ask: NewAsk; answer: T }): Promise<T> {
    return this.database.write(() =>
      once(this.database, key, nowMs, () => {
        const { ask, answer } = accept();
        this.insert(ask);
        return answer;
      }),
    );
  }

  find(requestId: string): Ask | undefined {
    const row = this.database.sql('SELECT * FROM asks WHERE request_id = ?').get(requestId) as Row | undefined;
    return row && asAsk(row);
  }

  /** What came with it. */
  documentsOf(requestId: string): ContextDoc[] {
    const row = this.database.sql('SELECT documents FROM ask_documents WHERE request_id = ?').get(requestId);
    return row === undefined ? [] : (JSON.parse((row as { documents: string }).documents) as ContextDoc[]);
  }

  /** What came with the ask that a turn answers. */
  documentsOfTurn(turn: string): ContextDoc[] {
    const ask = this.findByTurn(turn);
    return ask === undefined ? [] : this.documentsOf(ask.request_id);
  }

  /** How many of the member's asks are not over, the operator's tests left out. */
  countLive(member: string): number {
    const sql = `SELECT count(*) AS n FROM asks WHERE member = ? AND status IN ${LIVE} AND ${FROM_OUTSIDE}`;
    return (this.database.sql(sql).get(member) as { n: number }).n;
  }

  /** How many asks are not over, of all members. */
  countAllLive(): number {
    return (this.database.sql(`SELECT count(*) AS n FROM asks WHERE status IN ${LIVE}`).get() as { n: number }).n;
  }

  /** Asks that are not over, oldest first. In this order SQLite would look at all there ever were, unless it is told which index to use. */
  listLive(): Ask[] {
    return (
      this.database.sql(`SELECT * FROM asks INDEXED BY asks_live WHERE status IN ${LIVE} ORDER BY seq`).all() as Row[]
    ).map(asAsk);
  }

  /** The conversation of the member's newest ask of `session`; one without a session goes under the id of its conversation. */
  findConversation(member: string, session: string): string | undefined {
    const find = (condition: string) =>
      this.database
        .sql(`SELECT conv FROM asks WHERE member = ? AND ${condition} AND ${FROM_OUTSIDE} ORDER BY seq DESC LIMIT 1`)
        .get(member, session) as { conv: string } | undefined;
    return (find('session = ?') ?? find('session IS NULL AND conv = ?'))?.conv;
  }

  findByTurn(turn: string): Ask | undefined {
    const row = this.database.sql('SELECT * FROM asks WHERE turn = ?').get(turn) as Row | undefined;
    return row && asAsk(row);
  }

  /** Marks an ask as running on `client` with `model`. To be called inside a write transaction. */
  putStarted(requestId: string, nowMs: number, client: string, model: string): void {
    this.database
      .sql("UPDATE asks SET status = 'running', started_ms = ?, client = ?, model = ? WHERE request_id = ?")
      .run(nowMs, client, model, requestId);
  }

  /** Says whether a running ask waits for a person. To be called inside a write transaction. */
  putWaiting(requestId: string, isWaiting: boolean): void {
    this.database
      .sql(`UPDATE asks SET status = ? WHERE request_id = ? AND status IN ${LIVE}`)
      .run(isWaiting ? 'needs_input' : 'running', requestId);
  }

  /** Ends an ask for good. To be called inside a write transaction. */
  putEnded(requestId: string, status: 'done' | 'error', ending: Ending): void {
    this.database
      .sql(
        `UPDATE asks SET status = ?, finished_ms = ?, result_text = ?, citations = ?, receipt = ?, error_code = ?, error_message = ?
         WHERE request_id = ? AND status IN ${LIVE}`,
      )
      .run(
        status,
        ending.finished_ms,
        ending.result_text,
        json(ending.citations),
        json(ending.receipt),
        ending.error_code,
        ending.error_message,
        requestId,
      );
    this.indexText(requestId);
  }

  /** Notes that the caller has read the ended ask, the first time. */
  collect(requestId: string, nowMs: number): Promise<void> {
    return this.database.write(() => {
      this.database
        .sql(`UPDATE asks SET collected_ms = ? WHERE request_id = ? AND collected_ms IS NULL AND status NOT IN ${LIVE}`)
        .run(nowMs, requestId);
    });
  }

  /** Newest first. */
  list({ member, status, words, caller, sinceMs, beforeSeq, limit }: AskFilter): Ask[] {
    const where = ['created_ms >= ?'];
    const values: (string | number)[] = [sinceMs];
    const and = (clause: string, value: string | number | undefined) => {
      if (value === undefined) return;
      where.push(clause);
      values.push(value);
    };
    and('member = ?', member);
    and('status = ?', status);
    and('seq < ?', beforeSeq);
    and(`instr(lower(${CALLER_WORDS}), lower(?)) > 0`, caller);
    and(
      'seq IN (SELECT rowid FROM asks_text WHERE asks_text MATCH ?)',
      words === undefined ? undefined : asMatch(words),
    );
    const sql = `SELECT * FROM asks WHERE ${where.join(' AND ')} ORDER BY seq DESC LIMIT ?`;
    return (this.database.sql(sql).all(...values, limit) as Row[]).map(asAsk);
  }

  /** A member's asks, the one whose status has changed last first, and how many the filter lets through without its place and limit. */
  listOwn(member: string, filter: OwnAsksFilter): { asks: Ask[]; total: number } {
    const { context, status, isCancelled, changedAfterMs, after, sinceMs, limit } = filter;
    const where = ['member = ?', 'created_ms >= ?', FROM_OUTSIDE];
    const values: (string | number)[] = [member, sinceMs];
    const and = (clause: string, ...more: (string | number | undefined)[]) => {
      if (more.some((value) => value === undefined)) return;
      where.push(clause);
      values.push(...(more as (string | number)[]));
    };
    and(`coalesce(session, conv) = ?`, context);
    and('status = ?', status);
    and(`(error_code = 'cancelled') = ?`, isCancelled === undefined ? undefined : Number(isCancelled));
    and(`${CHANGED} > ?`, changedAfterMs);
    const total = (
      this.database.sql(`SELECT count(*) AS n FROM asks WHERE ${where.join(' AND ')}`).get(...values) as { n: number }
    ).n;
    and(`(${CHANGED}, seq) < (?, ?)`, after?.changedMs, after?.seq);
    const sql = `SELECT * FROM asks WHERE ${where.join(' AND ')} ORDER BY ${CHANGED} DESC, seq DESC LIMIT ?`;
    return { asks: (this.database.sql(sql).all(...values, limit) as Row[]).map(asAsk), total };
  }

  /** Removes ended asks created before `beforeMs`, and idempotency keys whose day is over. */
  prune(beforeMs: number, nowMs: number): Promise<void> {
    return this.database.write(() => {
      this.database
        .sql(
          `DELETE FROM asks_text WHERE rowid IN (SELECT seq FROM asks WHERE created_ms < ? AND status NOT IN ${LIVE})`,
        )
        .run(beforeMs);
      this.database.sql(`DELETE FROM asks WHERE created_ms < ? AND status NOT IN ${LIVE}`).run(beforeMs);
      forgetOldKeys(this.database, nowMs);
    });
  }

  private insert(ask: NewAsk): void {
    this.database
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
      this.database
        .sql('INSERT INTO ask_documents (request_id, documents) VALUES (?, CAST(? AS TEXT))')
        .run(ask.request_id, ask.documents);
    this.indexText(ask.request_id);
  }

  private indexText(requestId: string): void {
    this.database
      .sql(
        "INSERT OR REPLACE INTO asks_text (rowid, text, result_text) SELECT seq, text, coalesce(result_text, '') FROM asks WHERE request_id = ?",
      )
      .run(requestId);
  }
}

/** When its status has changed last, as far as that is kept. */
const CHANGED = 'coalesce(finished_ms, started_ms, created_ms)';
const LIVE = "('queued', 'running', 'needs_input')";
/** What a caller is found by: what it says it is, and that it is a browser, which its User-Agent does not say in words. */
const CALLER_WORDS =
  "iif(json_extract(caller, '$.user_agent') LIKE 'Mozilla/%', 'a browser ', '') || coalesce(json_extract(caller, '$.user_agent'), '')";
const FROM_OUTSIDE = "json_extract(caller, '$.test') IS NULL";

const json = (value: unknown) => (value === null ? null : JSON.stringify(value));
const parsed = <T>(text: string | number | null) => (text === null ? null : (JSON.parse(String(text)) as T));

function asAsk(row: Row): Ask {
  return {
    ...(row as unknown as Ask),
    caller: parsed<Caller>(row.caller) as Caller,
    citations: parsed<Citation[]>(row.citations),
    receipt: parsed<Receipt>(row.receipt),
  };
}

/** Whether an ask has ended for good. */
export const isOver = (ask: Pick<Ask, 'status'>) => ask.status === 'done' || ask.status === 'error';
