import { HANDLE_MAX_CHARS } from '../../contract/wall.js';
import { MeshError } from '../errors.js';

/**
 * Control, format (including bidirectional and zero-width), private-use and surrogate characters, and line or paragraph
 * separators.
 */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/u;

/** Printable ASCII without a space at either end: the fast path for nearly all handles. */
const PLAIN = /^[!-~](?:[ -~]{0,62}[!-~])?$/;

/** Whether `text` can be the handle of a member: 1 to 64 visible characters, no space at either end, in Unicode NFC. */
export function isHandle(text: unknown): text is string {
  if (typeof text !== 'string') return false;
  if (PLAIN.test(text)) return true;
  if (text === '' || text.length > HANDLE_MAX_CHARS * 2) return false;
  return (
    [...text].length <= HANDLE_MAX_CHARS && !UNSEEN.test(text) && text.trim() === text && text.normalize('NFC') === text
  );
}

/**
 * Returns `agent` of a request as a handle. Handles are self-asserted. Throws `bad_request` when it is missing or
 * invalid. Spec: Authentication.
 */
export function checkedHandle(agent: unknown): string {
  if (isHandle(agent)) return agent;
  throw new MeshError(
    'bad_request',
    `"agent" must be your handle: 1 to ${HANDLE_MAX_CHARS} characters (NFC), none of them a control or ` +
      'bidirectional one, no space at the ends.',
    { details: { path: 'agent' } },
  );
}
