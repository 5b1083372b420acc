/** A file mention being typed: the index of its `@`, and the text between that and the caret. */
interface Mention {
  from: number;
  words: string;
}

/** Returns the mention at the caret; undefined for an `@` inside a word, as in an address. */
export function mentionAt(text: string, caret: number): Mention | undefined {
  const match = /(?:^|[\s(])@([^\s@]*)$/.exec(text.slice(0, caret));
  const words = match?.[1];
  return words === undefined ? undefined : { from: caret - words.length - 1, words };
}

/** Returns the text with the mention replaced by the whole path, and the new caret position. */
export function withMention(text: string, { from, words }: Mention, path: string): { text: string; caret: number } {
  const rest = text.slice(from + 1 + words.length).replace(/^ /, '');
  const before = `${text.slice(0, from)}@${path} `;
  return { text: before + rest, caret: before.length };
}
