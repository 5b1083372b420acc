/** Directions of writing and other characters that are not seen, with which a command could read as another than it is. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** A word that a POSIX shell takes as it stands, whatever is in it, for commands that people copy. */
export function shellWord(text: string): string {
  return `'${text.replace(UNSEEN, '').replaceAll("'", "'\\''")}'`;
}
