import { MeshError } from './errors.js';

/** The `seq` after which a page begins; 0 without a cursor. Throws `bad_request` for a malformed cursor. */
export function parseSequenceCursor(cursor: string | undefined): number {
  if (cursor === undefined) return 0;
  if (!/^[1-9]\d{0,14}$/.test(cursor)) {
    throw new MeshError('bad_request', '"cursor" must be one that a page before has given.', {
      details: { path: 'cursor' },
    });
  }
  return Number(cursor);
}
