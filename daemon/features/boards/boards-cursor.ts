import { MeshError } from '../../lib/errors.js';

/** The `seq` before which a page of a newest-first list continues. Throws `bad_request` for a malformed cursor. */
export function rowBefore(cursor: string | undefined): number {
  if (cursor === undefined) return Number.MAX_SAFE_INTEGER;
  if (!/^[1-9]\d{0,14}$/.test(cursor)) {
    throw new MeshError('bad_request', '"cursor" must be one that a page before has given.', {
      details: { path: 'cursor' },
    });
  }
  return Number(cursor);
}
