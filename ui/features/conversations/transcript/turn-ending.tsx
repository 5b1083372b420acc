import type { Turn } from '../../../../daemon/contract/conversations.js';
import { Button } from '../../../components/button.js';
import { StatusMark } from '../../../components/status-mark.js';
import { toDisplayText } from '../../../lib/format/display-text.js';
import { formatDuration } from '../../../lib/format/time-format.js';
import { formatEnding, formatUsage, outcomeWord, wasWithdrawn } from '../conversation-format.js';
import { SearchInstead } from './search-instead.js';
import styles from './transcript.module.css';

interface TurnEndingProps {
  turn: Turn;
  /** What was asked for, when there is no answer. */
  text?: string | undefined;
  onRetry: (() => void) | undefined;
  isRetrying: boolean;
}

/** The end of a turn: a quiet line after an answer, otherwise the reason and a retry button. */
export function TurnEnding({ turn, text, onRetry, isRetrying }: TurnEndingProps) {
  if (turn.outcome === null) return null;
  if (wasWithdrawn(turn)) {
    return (
      <p className="quiet small cluster">
        Removed before it started. No agent has read it.
        {onRetry && (
          <Button isSmall look="quiet" isBusy={isRetrying} onClick={onRetry}>
            Send again
          </Button>
        )}
      </p>
    );
  }
  if (turn.code === 'no_working_client')
    return <NotStarted turn={turn} text={text} onRetry={onRetry} isRetrying={isRetrying} />;
  const took =
    turn.started_at && turn.finished_at
      ? formatDuration(Date.parse(turn.finished_at) - Date.parse(turn.started_at))
      : '';
  const facts = [took, turn.client, turn.model, turn.usage ? formatUsage(turn.usage) : ''].filter(
    (fact) => fact !== '' && fact !== 'none',
  );
  if (turn.outcome === 'answered') return <p className={styles.facts}>{facts.join(' · ')}</p>;
  return (
    <div className={turn.outcome === 'cancelled' ? styles.ending : `${styles.ending} ${styles.endingFailed}`}>
      <StatusMark word={outcomeWord(turn.outcome)} />
      <p className={styles.endingWords}>
        {toDisplayText(formatEnding(turn))}
        <span className={styles.facts}>
          {' '}
          {[turn.code === 'cancelled' ? null : turn.code, ...facts].filter(Boolean).join(' · ')}
        </span>
      </p>
      {onRetry && (
        <Button isSmall isBusy={isRetrying} onClick={onRetry}>
          Retry
        </Button>
      )}
    </div>
  );
}

/** A turn that no model runs. It is no failure of the member, which starts once a model is connected. */
function NotStarted({ turn, text, onRetry, isRetrying }: TurnEndingProps) {
  return (
    <div className={styles.ending}>
      <p className={styles.endingWords}>{toDisplayText(formatEnding(turn))}</p>
      <span className="cluster">
        {text !== undefined && <SearchInstead text={text} />}
        {onRetry && (
          <Button isSmall look="quiet" isBusy={isRetrying} onClick={onRetry}>
            Retry
          </Button>
        )}
      </span>
    </div>
  );
}
