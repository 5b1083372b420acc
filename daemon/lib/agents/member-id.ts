import { MEMBER_ID_PATTERN, RESERVED_MEMBER_IDS } from '../../contract/team.js';
import { MeshError } from '../errors.js';

const MEMBER_ID = new RegExp(MEMBER_ID_PATTERN);
const MAX_ID_LENGTH = 32;

/** Whether `id` can name a member: it matches the pattern and is not a route under `/team`. */
export function isMemberId(id: string): boolean {
  return MEMBER_ID.test(id) && !RESERVED_MEMBER_IDS.includes(id);
}

/**
 * Throws `bad_request` with `path: 'id'` unless `id` can name a member. Callers check this before they open any file by
 * the id.
 */
export function requireMemberId(id: string): void {
  if (isMemberId(id)) return;
  const reason = RESERVED_MEMBER_IDS.includes(id)
    ? `\`${id}\` is a route and cannot name a member: choose another id.`
    : 'A member id starts with a small letter and has 2 to 32 small letters, digits and hyphens, such as ' +
      '`api-developer`.';
  throw new MeshError('bad_request', reason, { details: { path: 'id' } });
}

/** The default display name of a member: `api-developer` becomes `Api Developer`. */
export function nameFromId(id: string): string {
  return id
    .split('-')
    .filter((word) => word !== '')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(' ');
}

/**
 * Derives a member id from a name: `Übersetzer für Doku` becomes `ubersetzer-fur-doku`. Returns a valid id for every
 * name.
 */
export function idFromName(name: string): string {
  const words = name
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^[-0-9]+|-$/g, '')
    .slice(0, MAX_ID_LENGTH)
    .replace(/-$/, '');
  if (words.length < 2) return words === '' ? 'member' : `${words}-member`;
  return RESERVED_MEMBER_IDS.includes(words) ? `${words}-member` : words;
}

/** Returns the first of `id`, `id-2`, `id-3`... that is not taken. */
export function freeId(id: string, isTaken: (id: string) => boolean): string {
  for (let number = 1; ; number += 1) {
    const suffix = number === 1 ? '' : `-${number}`;
    const candidate = `${id.slice(0, MAX_ID_LENGTH - suffix.length).replace(/(?<!-)-+$/, '')}${suffix}`;
    if (!isTaken(candidate)) return candidate;
  }
}
