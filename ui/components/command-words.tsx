import styles from './code-block.module.css';

/** Longer words are broken where a line ends. */
const WHOLE_CHARS = 32;

/**
 * A command whose short words stay whole where its lines are broken: `--json` is no word after a hyphen, and the backslash of a line that goes on
 * stands behind its last word.
 */
export function CommandWords({ text }: { text: string }) {
  const words = text.split(/(\s+)/);
  const isEnd = (at: number) => words[at] === '\\' && words[at - 1] === ' ';
  return words.map((word, at) => {
    if (isEnd(at) || isEnd(at + 1)) return null;
    const next = isEnd(at + 2) ? `${word} \\` : word;
    const isWhole = next.length <= WHOLE_CHARS && (next !== word || word.includes('-'));
    if (!isWhole) return next;
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: a word is its place in the text.
      <span key={at} className={styles.whole}>
        {next}
      </span>
    );
  });
}
