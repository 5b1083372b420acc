import { findSecretRanges } from '../secrets/secrets.js';
import { escapeInvisibleJson } from './display-text.js';

const SHOWN_CHARS = 60;
/** Secrets are found in this many characters, so that none is shown in part. */
const SEARCHED_CHARS = 1_000;
const SECRET_NAME = /token|key|passw|passphrase|secret|seed|credential|authorization|jwt|sig$|signature|proof/i;

/**
 * Returns the end of a message about a value of the wrong format, for example `, not "Norway"`: shortened to 60
 * characters, with invisible characters escaped. `path` is its dotted path in the request. Empty for a value that is no
 * text, that resembles a secret, or whose field is named as one.
 */
export function describeRefused(path: string, value: unknown): string {
  if (typeof value !== 'string' || path.split('.').some((step) => SECRET_NAME.test(step))) return '';
  if (findSecretRanges(value.slice(0, SEARCHED_CHARS)).length > 0) return '';
  const characters = [...value.slice(0, SEARCHED_CHARS)];
  const shown = characters.length > SHOWN_CHARS ? `${characters.slice(0, SHOWN_CHARS - 1).join('')}…` : value;
  return `, not ${escapeInvisibleJson(JSON.stringify(shown))}`;
}
