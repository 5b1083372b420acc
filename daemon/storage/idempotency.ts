import { IDEMPOTENCY_KEPT_HOURS } from '../contract/limits.js';
import { MeshError } from '../lib/errors.js';
import type { Database } from './database.js';

/** Keys that are removed with each new one. */
const FORGOTTEN_ON_WRITE = 10;
const KEPT_MS = IDEMPOTENCY_KEPT_HOURS * 3_600_000;

export interface IdempotencyKey {
  /** Whose key space it is: a route and the caller's credential or subject. */
  scope: string;
  key: string;
  /** SHA-256 of the request body, hex. */
  body_sha256: string;
}

/**
 * Runs `change` once per key for 24 hours, inside the caller's write transaction: a repeat with the same body gets the first answer, one with
 * another body is `idempotency_mismatch`. Since the answer is written with the change itself, a crash leaves both or neither. Secrets must not be
 * part of the answer.
 */
export function once<T>(
  database: Pick<Database, 'sql'>,
  key: IdempotencyKey | undefined,
  nowMs: number,
  change: () => T,
): T {
  const known = findAnswer<T>(database, key, nowMs);
  if (known) return known.answer;
  const answer = change();
  putAnswer(database, key, nowMs, answer);
  return answer;
}

/** The first answer to a request with this key, or undefined. Throws `idempotency_mismatch` when its body was another one. */
export function findAnswer<T>(
  database: Pick<Database, 'sql'>,
  key: IdempotencyKey | undefined,
  nowMs: number,
): { answer: T } | undefined {
  if (!key) return undefined;
  const row = database
    .sql('SELECT body_sha256, response FROM idempotency WHERE scope = ? AND key = ? AND created_ms > ?')
    .get(key.scope, key.key, nowMs - KEPT_MS) as { body_sha256: string; response: string } | undefined;
  if (row && row.body_sha256 !== key.body_sha256) {
    throw new MeshError('idempotency_mismatch', 'This Idempotency-Key was used with another body: take a fresh key.');
  }
  return row && { answer: JSON.parse(row.response) as T };
}

/** Records the answer that repeats of the request get. To be called in the transaction that makes the change. */
export function putAnswer(
  database: Pick<Database, 'sql'>,
  key: IdempotencyKey | undefined,
  nowMs: number,
  answer: unknown,
): void {
  if (!key) return;
  forgetSome(database, nowMs);
  database
    .sql('INSERT OR REPLACE INTO idempotency (scope, key, body_sha256, response, created_ms) VALUES (?, ?, ?, ?, ?)')
    .run(key.scope, key.key, key.body_sha256, JSON.stringify(answer), nowMs);
}

/** Removes the keys of every scope that begins with `prefix`, with the answers that they hold: to be called where what they tell of is wiped. */
export function forgetKeysOf(database: Database, prefix: string): void {
  database.sql('DELETE FROM idempotency WHERE scope >= ? AND scope < ?').run(prefix, `${prefix}\u{10ffff}`);
}

/** Removes the keys of `scope` whose answer is about `id`: to be called where that is wiped, so that no replay tells of it. */
export function forgetAnswersAbout(database: Database, scope: string, id: string): void {
  database.sql(`DELETE FROM idempotency WHERE scope = ? AND response ->> '$.id' = ?`).run(scope, id);
}

/** Removes a few of the keys whose day is over: more than come with the new ones, so that there are never more than a day's for long. */
function forgetSome(database: Pick<Database, 'sql'>, nowMs: number): void {
  database
    .sql('DELETE FROM idempotency WHERE rowid IN (SELECT rowid FROM idempotency WHERE created_ms <= ? LIMIT ?)')
    .run(nowMs - KEPT_MS, FORGOTTEN_ON_WRITE);
}

/** Removes the keys whose day is over. */
export function forgetOldKeys(database: Pick<Database, 'sql'>, nowMs: number): void {
  database.sql('DELETE FROM idempotency WHERE created_ms <= ?').run(nowMs - KEPT_MS);
}
