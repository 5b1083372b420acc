/** A file that is being named: where its `@` stands, and what of its path was typed up to the caret. */
export interface Mention {
  from: number;
  words: string;
}

/** The mention that the caret stands in; an `@` within a word, as in an address, is none. */
export function mentionAt(text: string, caret: number): Mention | undefined {
  const match = /(?:^|[\s(])@([^\s@]*)$/.exec(text.slice(0, caret));
  const words = match?.[1];
  return words === undefined ? undefined : { from: caret - words.length - 1, words };
}

/** The text with the whole path in place of what was typed of it, and where the caret stands then. */
export function withMention(text: string, { from, words }: Mention, path: string): { text: string; caret: number } {
  const rest = text.slice(from + 1 + words.length).replace(/^ /, '');
  const before = `${text.slice(0, from)}@${path} `;
  return { text: before + rest, caret: before.length };
}
