import { HANDLE_MAX_CHARS } from '../../contract/wall.js';
import { MeshError } from '../errors.js';

/**
 * Control, format (including bidirectional and zero-width), private-use and surrogate characters, and line or paragraph
 * separators.
 */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/u;

/**
 * The emoji that Unicode recommends, with the joiners and tags of those that are sequences. Made on first use: V8 reads
 * all their sequences then, which is a thirtieth of the daemon's start.
 */
let emoji: RegExp | undefined;

/** Arabic letters that are never joined to the next one. */
const ARABIC_APART =
  '\u0621-\u0625\u0627\u0629\u062f-\u0632\u0648\u0671-\u0677\u0688-\u0699\u06c0\u06c3-\u06cb\u06cd\u06cf\u06d2\u06d3';

/**
 * The joiners without which a text looks different (RFC 5892, appendix A): between two Arabic letters that would be
 * joined, after the virama of an Indic letter, and beside that of a whole ra. Anywhere else a joiner is not seen, and
 * two handles would look the same.
 */
const JOINERS = [
  new RegExp(
    `(?<=(?=\\p{L})(?![${ARABIC_APART}])[\u0620-\u06d3]\\p{M}*)\u200c(?=\\p{L})(?=[\u0620\u0622-\u06d5])`,
    'gu',
  ),
  /(?<=[\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d4d\u0dca])[\u200c\u200d](?=\p{L})(?=[\u0900-\u0dff])/gu,
  /(?<=[\u09b0\u0cb0])\u200d(?=[\u09cd\u0ccd])/gu,
];

/** Printable ASCII without a space at either end: the fast path for nearly all handles. */
const PLAIN = /^[!-~](?:[ -~]{0,62}[!-~])?$/;

/**
 * Returns the handle of a member that `text` stands for, in Unicode NFC; undefined for none. A handle has 1 to 64
 * visible characters and no space at either end.
 */
export function toHandle(text: unknown): string | undefined {
  if (typeof text !== 'string') return undefined;
  if (PLAIN.test(text)) return text;
  if (text === '' || text.length > HANDLE_MAX_CHARS * 4) return undefined;
  const handle = text.normalize('NFC');
  // biome-ignore lint/complexity/useRegexLiterals: TypeScript refuses the flag v in a literal for the target.
  emoji ??= new RegExp('\\p{RGI_Emoji}', 'gv');
  const rest = JOINERS.reduce((left, joiners) => left.replace(joiners, ''), handle.replace(emoji, '.'));
  const isSeen = !UNSEEN.test(rest) && handle.trim() === handle;
  return isSeen && [...handle].length <= HANDLE_MAX_CHARS ? handle : undefined;
}

/** Whether `text` is a handle as it is kept. */
export function isHandle(text: unknown): text is string {
  return typeof text === 'string' && toHandle(text) === text;
}

/**
 * Returns the handle that `agent` of a request stands for. Handles are self-asserted. Throws `bad_request` when it is
 * missing or invalid. Spec: Authentication.
 */
export function checkedHandle(agent: unknown): string {
  const handle = toHandle(agent);
  if (handle !== undefined) return handle;
  throw new MeshError(
    'bad_request',
    `"agent" must be your handle: 1 to ${HANDLE_MAX_CHARS} characters, none of them a control, bidirectional or ` +
      'invisible one, no space at the ends.',
    { details: { path: 'agent' } },
  );
}
