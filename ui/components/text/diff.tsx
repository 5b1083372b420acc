import { useMemo } from 'react';
import { toDisplayText } from '../../lib/format/display-text.js';
import { type DiffLine, diffLines, hunks } from '../../lib/format/line-diff.js';
import styles from './diff.module.css';

const signs: Record<DiffLine['kind'], { sign: string; words: string }> = {
  same: { sign: ' ', words: '' },
  added: { sign: '+', words: 'added: ' },
  removed: { sign: '−', words: 'removed: ' },
};

/** The changes from `before` to `after`, without unchanged parts. */
export function Diff({
  label,
  before,
  after,
  sameWords,
  isFragment = false,
}: {
  label: string;
  before: string;
  after: string;
  sameWords: string;
  /** The texts are parts of files, so their line numbers would mean nothing. */
  isFragment?: boolean;
}) {
  const places = useMemo(() => hunks(diffLines(before, after)), [before, after]);
  if (places.length === 0) return <p className="quiet">{sameWords}</p>;
  return (
    <section className={isFragment ? `${styles.diff} ${styles.fragment}` : styles.diff} aria-label={label}>
      {places.map((place) => (
        <div key={`${place.lines[0]?.oldNumber}-${place.lines[0]?.newNumber}`}>
          {place.skipped > 0 && (
            <p className={styles.skipped}>{place.skipped === 1 ? '1 line' : `${place.skipped} lines`} the same</p>
          )}
          {place.lines.map((line) => (
            <div
              key={`${line.oldNumber}-${line.newNumber}`}
              className={`${styles.line} ${line.kind === 'same' ? '' : styles[line.kind]}`}
            >
              <span className={styles.number}>{line.oldNumber}</span>
              <span className={styles.number}>{line.newNumber}</span>
              <span aria-hidden="true">{signs[line.kind].sign}</span>
              <span>
                <span className="visually-hidden">{signs[line.kind].words}</span>
                {toDisplayText(line.text) || ' '}
              </span>
            </div>
          ))}
        </div>
      ))}
    </section>
  );
}
