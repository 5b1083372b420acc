import { MeshError } from '../../lib/errors.js';

/**
 * The position where a page of a search ended: the search, the offset, and the last row with its score, which is used
 * when the list is not stored.
 */
export interface Cursor {
  queryId: string;
  digest: string;
  offset: number;
  score: number;
  agentId: string;
}

const SHAPE =
  /^(\d{1,6})\|(\d+(?:\.\d+)?(?:e-\d+)?)\|([A-Za-z0-9_-]{11})\|(q-[A-Za-z0-9_-]{16})\|([A-Za-z0-9_-]{1,64})$/;

export function writeCursor({ queryId, digest, offset, score, agentId }: Cursor): string {
  return Buffer.from(`${offset}|${score}|${digest}|${queryId}|${agentId}`).toString('base64url');
}

/**
 * Parses a cursor. Throws `bad_request` for a malformed cursor, and for one that belongs to another search than the one
 * with `digest`.
 */
export function readCursor(cursor: string, digest: string): Cursor {
  const refuse = (message: string) => new MeshError('bad_request', message, { details: { path: 'cursor' } });
  const [, offset, score, of, queryId, agentId] = SHAPE.exec(Buffer.from(cursor, 'base64url').toString('latin1')) ?? [];
  if (
    offset === undefined ||
    score === undefined ||
    of === undefined ||
    queryId === undefined ||
    agentId === undefined
  ) {
    throw refuse('"cursor" must be a next_cursor of this search, unchanged.');
  }
  if (of !== digest)
    throw refuse('"cursor" is of another search: send the same query and filters as before, or no cursor.');
  return { queryId, digest, offset: Number(offset), score: Number(score), agentId };
}
