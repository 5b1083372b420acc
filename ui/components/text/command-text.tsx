import styles from './code-block.module.css';

/** Longer words may break at a line end. */
const WHOLE_CHARS = 32;

/**
 * A command whose short words do not break across lines: `--json` does not break after a hyphen, and a trailing
 * backslash stays with the word before it.
 */
export function CommandText({ text }: { text: string }) {
  const words = text.split(/(\s+)/);
  const isEnd = (at: number) => words[at] === '\\' && words[at - 1] === ' ';
  return words.map((word, at) => {
    if (isEnd(at) || isEnd(at + 1)) return null;
    const next = isEnd(at + 2) ? `${word} \\` : word;
    const isWhole = next.length <= WHOLE_CHARS && (next !== word || word.includes('-'));
    if (!isWhole) return next;
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: a word is identified by its position in the text.
      <span key={at} className={styles.whole}>
        {next}
      </span>
    );
  });
}
