import { MeshError } from '../../lib/errors.js';

/** The row before which a page of a list that begins with the newest goes on. Throws `bad_request` for a cursor that no page has given. */
export function rowBefore(cursor: string | undefined): number {
  if (cursor === undefined) return Number.MAX_SAFE_INTEGER;
  if (!/^[1-9]\d{0,14}$/.test(cursor)) {
    throw new MeshError('bad_request', '"cursor" must be one that a page before has given.', {
      details: { path: 'cursor' },
    });
  }
  return Number(cursor);
}
