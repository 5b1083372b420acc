import { Link } from '@tanstack/react-router';
import { Button } from '../../components/button.js';
import rows from '../../components/rows.module.css';
import { toDisplayText } from '../../lib/format/display-text.js';
import { formatDuration } from '../../lib/format/time-format.js';
import { TestMark } from './test-mark.js';
import styles from './tests.module.css';
import { expectationLines, type ShownTest } from './tests-format.js';

/** One test: state, expectations, what was missing, and its request. */
export function TestRow({
  shown: { test, standing: testStatus, result },
  requestId,
  onRun,
}: {
  shown: ShownTest;
  /** Id of the running ask. */
  requestId: string | null;
  /** Runs this test alone; undefined during a run. */
  onRun: (() => void) | undefined;
}) {
  const request = result?.request_id ?? (testStatus === 'asking' ? requestId : null);
  const question = toDisplayText(test.question);
  return (
    <li className={testStatus === 'failed' ? rows.trouble : undefined}>
      <TestMark standing={testStatus} />
      <div className={styles.words}>
        <p className={styles.question}>{question}</p>
        <ul className={styles.expected} aria-label="Expected">
          {expectationLines(test).map((line) => (
            <li key={line}>{toDisplayText(line)}</li>
          ))}
        </ul>
        {result && result.failures.length > 0 && (
          <ul className={styles.failures} aria-label="Failure">
            {result.failures.map((failure) => (
              <li key={failure}>{toDisplayText(failure)}</li>
            ))}
          </ul>
        )}
      </div>
      <div className={styles.side}>
        {result?.latency_ms != null && <span className="mono small">{formatDuration(result.latency_ms)}</span>}
        {request && (
          <Link to="/requests/$rid" params={{ rid: request }} aria-label={`The request of: ${question}`}>
            Request
          </Link>
        )}
        {onRun && (
          <Button look="quiet" isSmall onClick={onRun} aria-label={`Ask again: ${question}`}>
            Ask again
          </Button>
        )}
      </div>
    </li>
  );
}
