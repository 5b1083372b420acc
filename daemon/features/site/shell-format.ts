/**
 * Bidirectional controls and other invisible characters, which could make a command read differently from what it does.
 */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Quotes a string as one literal POSIX shell word, for commands that people copy. */
export function shellWord(text: string): string {
  return `'${text.replace(UNSEEN, '').replaceAll("'", "'\\''")}'`;
}
