import { toDisplayText } from '../../../lib/format/display-text.js';
import { levelLabels, ruleSentences } from '../board-format.js';
import styles from '../boards.module.css';
import type { BoardRules } from './board-rules.js';

/** The effective rules of a board in words. Inherited ones are greyed. */
export function RulesList({ rules }: { rules: BoardRules }) {
  const sentences = ruleSentences(rules);
  if (sentences.length === 0) return <p className="quiet small">No rules beyond the charter.</p>;
  return (
    <ul className={styles.rules} aria-label="Rules">
      {sentences.map(({ said, from }) => (
        <li key={said} className={from === 'room' ? styles.inherited : undefined}>
          {toDisplayText(said)}
          {from === 'room' && <span> ({levelLabels.room})</span>}
        </li>
      ))}
    </ul>
  );
}
