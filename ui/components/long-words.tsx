import { stretchesOf } from '../lib/long-words.js';
import { shownWords } from '../lib/shown-words.js';

/** Words of any length from a file, a member or a stranger, which no browser takes long to break into lines. */
export function LongWords({ text }: { text: string }) {
  const stretches = stretchesOf(shownWords(text));
  if (stretches.length === 1) return stretches[0];
  // biome-ignore lint/suspicious/noArrayIndexKey: a stretch of a text never changes its place.
  return stretches.map((stretch, at) => <span key={at}>{stretch}</span>);
}
