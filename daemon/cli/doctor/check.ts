import type { DoctorCheck } from '../../contract/system.js';

/** One thing that was looked at; `mend` does what the fix says, where that loses nothing, and says what it did. */
export type Finding = DoctorCheck & { mend?: () => string };

/** Makes the findings about one thing. */
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

/** A path as one word of a line for a shell. */
export const quoted = (path: string) =>
  /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;
