/** Quotes a text for the shell. */
export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** A word of a shell command, quoted where it must be. */
const shellWord = (word: string): string => (/^[\w./@-]+$/.test(word) ? word : shellQuoted(word));

export const shellWords = (words: readonly string[]): string => words.map(shellWord).join(' ');
