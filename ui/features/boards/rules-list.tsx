import { shownWords } from '../../lib/shown-words.js';
import type { BoardRules } from './board-rules.js';
import { levelWords, ruleSentences } from './board-words.js';
import styles from './boards.module.css';

/** The effective rules of a board in words. Inherited ones are greyed. */
export function RulesList({ rules }: { rules: BoardRules }) {
  const sentences = ruleSentences(rules);
  if (sentences.length === 0) return <p className="quiet small">No rules beyond the charter.</p>;
  return (
    <ul className={styles.rules} aria-label="Rules">
      {sentences.map(({ said, from }) => (
        <li key={said} className={from === 'room' ? styles.inherited : undefined}>
          {shownWords(said)}
          {from === 'room' && <span> ({levelWords.room})</span>}
        </li>
      ))}
    </ul>
  );
}
