import { toDisplayText } from '../../lib/format/display-text.js';
import { splitLongText } from '../../lib/format/split-long-text.js';

/** Untrusted text of any length, split so that no browser needs long to break it into lines. */
export function BreakableText({ text }: { text: string }) {
  const stretches = splitLongText(toDisplayText(text));
  if (stretches.length === 1) return stretches[0];
  // biome-ignore lint/suspicious/noArrayIndexKey: a piece of a text never changes its position.
  return stretches.map((stretch, at) => <span key={at}>{stretch}</span>);
}
