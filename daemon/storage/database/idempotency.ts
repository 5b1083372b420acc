import { IDEMPOTENCY_RETENTION_HOURS } from '../../contract/limits.js';
import { MeshError } from '../../lib/errors.js';
import type { Database } from './database.js';

/** Expired keys that are removed with each new one. */
const FORGOTTEN_ON_WRITE = 10;
const RETENTION_MS = IDEMPOTENCY_RETENTION_HOURS * 3_600_000;

/** Where responses are stored: of requests about this daemon alone, or of those that change shared tables. */
type AnswerTable = 'idempotency' | 'shared_answers';

export interface IdempotencyKey {
  /** The key space: a route and the caller's credential or subject. */
  scope: string;
  key: string;
  /** SHA-256 of the request body, in hex. */
  body_sha256: string;
}

/**
 * Runs `change` once per key within 24 hours, inside the caller's write transaction. A repeat with the same body
 * returns the first response; one with another body throws `idempotency_mismatch`. Since the response is written
 * together with the change, a crash leaves both or neither. The response must not contain secrets.
 */
export function once<T>(
  database: Pick<Database, 'sql'>,
  key: IdempotencyKey | undefined,
  nowMs: number,
  change: () => T,
): T {
  return onceIn('idempotency', database, key, nowMs, change);
}

/**
 * `once` for deciders of commands: the key, the time and the body's digest are the command's, so that every replica
 * knows the same responses.
 */
export function onceShared<T>(
  database: Pick<Database, 'sql'>,
  key: IdempotencyKey | undefined,
  nowMs: number,
  change: () => T,
): T {
  return onceIn('shared_answers', database, key, nowMs, change);
}

function onceIn<T>(
  table: AnswerTable,
  database: Pick<Database, 'sql'>,
  key: IdempotencyKey | undefined,
  nowMs: number,
  change: () => T,
): T {
  const known = findAnswer<T>(database, key, nowMs, table);
  if (known) return known.answer;
  const answer = change();
  putAnswer(database, key, nowMs, answer, table);
  return answer;
}

/**
 * Returns the first response to a request with this key, or undefined. Throws
 * `idempotency_mismatch` when its body differs.
 */
export function findAnswer<T>(
  database: Pick<Database, 'sql'>,
  key: IdempotencyKey | undefined,
  nowMs: number,
  table: AnswerTable = 'idempotency',
): { answer: T } | undefined {
  if (!key) return undefined;
  const row = database
    .sql(`SELECT body_sha256, response FROM ${table} WHERE scope = ? AND key = ? AND created_ms > ?`)
    .get(key.scope, key.key, nowMs - RETENTION_MS) as { body_sha256: string; response: string } | undefined;
  if (row && row.body_sha256 !== key.body_sha256) {
    throw new MeshError('idempotency_mismatch', 'This Idempotency-Key was used with another body: take a fresh key.');
  }
  return row && { answer: JSON.parse(row.response) as T };
}

/** Stores the response for repeats of the request. Must be called in the transaction that makes the change. */
export function putAnswer(
  database: Pick<Database, 'sql'>,
  key: IdempotencyKey | undefined,
  nowMs: number,
  answer: unknown,
  table: AnswerTable = 'idempotency',
): void {
  if (!key) return;
  deleteExpired(database, nowMs, table);
  database
    .sql(`INSERT OR REPLACE INTO ${table} (scope, key, body_sha256, response, created_ms) VALUES (?, ?, ?, ?, ?)`)
    .run(key.scope, key.key, key.body_sha256, JSON.stringify(answer), nowMs);
}

/**
 * Removes the keys of commands, with their responses, of every scope that begins with `prefix`. Must be called where
 * the data behind the responses is erased.
 */
export function deleteKeysWithPrefix(database: Database, prefix: string): void {
  database.sql('DELETE FROM shared_answers WHERE scope >= ? AND scope < ?').run(prefix, `${prefix}\u{10ffff}`);
}

/**
 * Removes the keys of commands in `scope` whose response has the id `id`. Must be called where that object is erased,
 * so that no replay reveals it.
 */
export function forgetAnswersAbout(database: Database, scope: string, id: string): void {
  database.sql(`DELETE FROM shared_answers WHERE scope = ? AND response ->> '$.id' = ?`).run(scope, id);
}

/**
 * Removes a few expired keys, the oldest first: more than are added, so that the table does not stay larger than one
 * day's keys for long.
 */
function deleteExpired(database: Pick<Database, 'sql'>, nowMs: number, table: AnswerTable): void {
  database
    .sql(
      `DELETE FROM ${table} WHERE rowid IN (SELECT rowid FROM ${table} WHERE created_ms <= ?
       ORDER BY created_ms, scope, key LIMIT ?)`,
    )
    .run(nowMs - RETENTION_MS, FORGOTTEN_ON_WRITE);
}

/** Removes all expired keys. */
export function forgetOldKeys(
  database: Pick<Database, 'sql'>,
  nowMs: number,
  table: AnswerTable = 'idempotency',
): void {
  database.sql(`DELETE FROM ${table} WHERE created_ms <= ?`).run(nowMs - RETENTION_MS);
}
