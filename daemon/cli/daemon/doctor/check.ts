import type { DoctorCheck } from '../../../contract/system.js';

/**
 * The result of one check. `mend` applies the fix where that loses no data and returns a description of what it did.
 */
export type Finding = DoctorCheck & { mend?: () => string };

/** Returns constructors for the findings of one check. */
export function about(id: string, title: string) {
  return {
    ok: (found: string): Finding => ({ id, title, state: 'ok', found }),
    warn: (found: string, fix: string, mend?: () => string): Finding => ({
      id,
      title,
      state: 'warn',
      found,
      fix,
      ...(mend && { mend }),
    }),
    fail: (found: string, fix: string, mend?: () => string): Finding => ({
      id,
      title,
      state: 'fail',
      found,
      fix,
      ...(mend && { mend }),
    }),
  };
}

/** Quotes a path as one word of a shell command. */
export const quoted = (path: string) =>
  /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;
