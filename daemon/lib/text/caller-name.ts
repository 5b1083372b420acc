import type { Caller } from '../../contract/asks.js';
import { CALLER_TESTS, CALLER_YOU, USAGE_OTHERS } from '../../contract/usage.js';
import { scrubSecrets } from '../secrets/secrets.js';
import { sanitizeDisplayLine } from './display-text.js';

const CHARS_MAX = 60;
const RESERVED: ReadonlySet<string> = new Set([CALLER_YOU, CALLER_TESTS, USAGE_OTHERS]);

/**
 * Returns the name under which a caller is counted: the operator's own, else the first product of its User-Agent, at
 * most 60 characters and without anything that resembles a secret. Nothing proves that, so a name of the operator in it
 * is quoted.
 */
export function getCallerName({
  user_agent: userAgent,
  test,
  operator,
}: Partial<Pick<Caller, 'user_agent' | 'test' | 'operator'>>): string {
  if (test) return CALLER_TESTS;
  if (operator) return CALLER_YOU;
  if (!userAgent) return 'unknown program';
  if (userAgent.startsWith('Mozilla/')) return 'a browser';
  const name =
    sanitizeDisplayLine(scrubSecrets(userAgent.slice(0, 400)))
      .trim()
      .split(' ')[0] ?? '';
  if (name === '') return 'unknown program';
  return RESERVED.has(name) ? `"${name}"` : [...name].slice(0, CHARS_MAX).join('');
}
