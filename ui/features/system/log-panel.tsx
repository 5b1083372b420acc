import { useQuery } from '@tanstack/react-query';
import type { LogLevel, LogLine } from '../../../daemon/contract/system.js';
import { Button } from '../../components/button.js';
import { SelectField } from '../../components/field.js';
import { Loaded } from '../../components/loaded.js';
import { EmptyState } from '../../components/notes.js';
import { Section } from '../../components/section.js';
import { formatClockTimeWithSeconds } from '../../lib/format/clock-format.js';
import { toDisplayText } from '../../lib/format/display-text.js';
import { formatExactTime } from '../../lib/format/time-format.js';
import styles from './log-panel.module.css';
import { logQuery } from './log-queries.js';
import type { LogFrom } from './system-search.js';

const LEVELS = [
  { value: '', label: 'All' },
  { value: 'info', label: 'info and above' },
  { value: 'warn', label: 'warn and above' },
  { value: 'error', label: 'error and above' },
] as const;
const isBad = (level: LogLevel) => level === 'error' || level === 'fatal';

/** The end of the daemon's log, newest line first. */
export function LogPanel({ from, onFrom }: { from: LogFrom | undefined; onFrom: (from: LogFrom | undefined) => void }) {
  const log = useQuery(logQuery(from));
  return (
    <Section
      title="Log"
      actions={
        <Button isSmall isBusy={log.isFetching} onClick={() => void log.refetch()}>
          {log.isFetching ? 'Reading' : 'Reload'}
        </Button>
      }
    >
      <div className={styles.head}>
        <SelectField
          label="Level"
          value={from ?? ''}
          options={LEVELS}
          onChange={(event) => onFrom((event.target.value || undefined) as LogFrom | undefined)}
        />
      </div>
      <Loaded query={log} what="The log could not be read." rows={6}>
        {({ lines, path }) => (
          <>
            {lines.length === 0 ? (
              <EmptyState command={`tail -n 50 ${path}`}>
                {from === undefined ? 'The log is empty.' : `No line of ${from} or above is at the end of the log.`}
              </EmptyState>
            ) : (
              // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard.
              <ol className={styles.lines} aria-label="Lines of the log, newest first" tabIndex={0}>
                {lines.toReversed().map((line, at) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: two lines may be identical.
                  <Line key={`${line.at} ${at}`} line={line} />
                ))}
              </ol>
            )}
            <p className={`quiet small ${styles.foot}`}>
              The end of <code>{path}</code>, without secrets. Older lines are in the file and its rotations.
            </p>
          </>
        )}
      </Loaded>
    </Section>
  );
}

function Line({ line: { at, level, text, details } }: { line: LogLine }) {
  const then = at === null ? Number.NaN : Date.parse(at);
  return (
    <li className={isBad(level) ? styles.bad : undefined}>
      <span className={styles.at}>
        {Number.isNaN(then) ? (
          '–'
        ) : (
          <time dateTime={at ?? undefined} title={formatExactTime(then)}>
            {formatClockTimeWithSeconds(then)}
          </time>
        )}
      </span>
      <span className={styles.level}>{level}</span>
      <div className={styles.text}>
        {details === undefined ? (
          toDisplayText(text)
        ) : (
          <details>
            <summary>{toDisplayText(text)}</summary>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard. */}
            <pre tabIndex={0}>{toDisplayText(details)}</pre>
          </details>
        )}
      </div>
    </li>
  );
}
