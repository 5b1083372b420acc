import type { Confidence, SearchOutcome } from '../../../daemon/contract/asks.js';
import styles from './answer-kind.module.css';
import { formatSearched, KIND_LABELS } from './citation-format.js';

const looks: Record<Confidence, { tone: string | undefined; shape: React.ReactNode }> = {
  found: {
    tone: styles.found,
    shape: (
      <>
        <circle cx="8" cy="8" r="6.5" />
        <path d="m5 8.300 2.200 2.200L11.200 6" />
      </>
    ),
  },
  likely: {
    tone: styles.likely,
    shape: (
      <>
        <circle cx="8" cy="8" r="6.5" strokeDasharray="2.500 2.500" />
        <circle className={styles.solid} cx="8" cy="8" r="2.500" />
      </>
    ),
  },
  none: {
    tone: styles.none,
    shape: (
      <>
        <circle cx="8" cy="8" r="6.5" />
        <path d="m3.500 12.500 9-9" />
      </>
    ),
  },
};

interface AnswerKindProps extends Partial<SearchOutcome> {
  /** The answer is finished and has no citations. */
  isUnquoted?: boolean;
}

/**
 * How sure an answer of the built-in search is, as shape, colour and word, with what was searched; and that an answer
 * of a model has nothing that can be verified. Renders nothing for other answers.
 */
export function AnswerKind({ confidence, searched, isUnquoted = false }: AnswerKindProps) {
  if (confidence === undefined)
    return isUnquoted ? (
      <p className="small quiet">No quotes: nothing in this answer was verified against the files.</p>
    ) : null;
  const { tone, shape } = looks[confidence];
  return (
    <p className={styles.kind}>
      <span className={`${styles.word} ${tone}`}>
        <svg className={styles.shape} viewBox="0 0 16 16" aria-hidden="true" focusable="false">
          {shape}
        </svg>
        {KIND_LABELS[confidence]}
      </span>
      {searched && <span className={styles.searched}>{formatSearched(searched)}</span>}
    </p>
  );
}
