import { stretchesOf } from '../lib/long-words.js';
import { shownWords } from '../lib/shown-words.js';

/** Untrusted text of any length, split so that no browser needs long to break it into lines. */
export function LongWords({ text }: { text: string }) {
  const stretches = stretchesOf(shownWords(text));
  if (stretches.length === 1) return stretches[0];
  // biome-ignore lint/suspicious/noArrayIndexKey: a piece of a text never changes its position.
  return stretches.map((stretch, at) => <span key={at}>{stretch}</span>);
}
