import { useQuery } from '@tanstack/react-query';
import type { LogLevel, LogLine } from '../../../daemon/contract/system.js';
import { Button } from '../../components/button.js';
import { FilterField, SelectField } from '../../components/field.js';
import { Loaded } from '../../components/loaded.js';
import { EmptyState } from '../../components/notes.js';
import { Section } from '../../components/section.js';
import { formatClockTimeWithSeconds } from '../../lib/format/clock-format.js';
import { toDisplayText } from '../../lib/format/display-text.js';
import { formatExactTime } from '../../lib/format/time-format.js';
import styles from './log-panel.module.css';
import { logQuery } from './log-queries.js';
import { LOG_AREAS_SHOWN, type LogSearch } from './system-search.js';

const LEVELS = [
  { value: '', label: 'All' },
  { value: 'info', label: 'info and above' },
  { value: 'warn', label: 'warn and above' },
  { value: 'error', label: 'error and above' },
] as const;
const AREAS = [{ value: '', label: 'All' }, ...LOG_AREAS_SHOWN];
const SPANS = [
  { value: '', label: 'Any time' },
  { value: 'hour', label: 'The last hour' },
  { value: 'day', label: 'The last day' },
  { value: 'week', label: 'The last week' },
] as const;
const isBad = (level: LogLevel) => level === 'error' || level === 'fatal';

interface LogPanelProps {
  search: LogSearch;
  onSearch: (changed: LogSearch) => Promise<void>;
}

/** The end of the daemon's log, newest line first, with filters. */
export function LogPanel({ search, onSearch }: LogPanelProps) {
  const log = useQuery(logQuery(search));
  const isFiltered = Object.values(search).some((value) => value !== undefined);
  const clear = () => onSearch({ log: undefined, area: undefined, q: undefined, since: undefined });
  return (
    <Section
      title="Lines"
      count={log.data?.lines.length}
      actions={
        <Button isSmall isBusy={log.isFetching} onClick={() => void log.refetch()}>
          {log.isFetching ? 'Reading' : 'Reload'}
        </Button>
      }
    >
      <LogFilters search={search} onSearch={onSearch} />
      <Loaded query={log} what="The log could not be read." rows={6}>
        {({ lines, path }) => (
          <>
            {lines.length === 0 ? (
              <EmptyState
                command={`tail -n 50 ${path}`}
                action={isFiltered && <Button onClick={clear}>Clear the filters</Button>}
              >
                {isFiltered ? 'No line at the end of the log matches these filters.' : 'The log is empty.'}
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

function LogFilters({ search: { log, area, q, since }, onSearch }: LogPanelProps) {
  return (
    <search className={styles.head}>
      <FilterField label="Text of the line" maxLength={200} value={q} onChange={(q) => onSearch({ q })} />
      <SelectField
        label="Level"
        value={log ?? ''}
        options={LEVELS}
        onChange={({ target }) => onSearch({ log: (target.value || undefined) as LogSearch['log'] })}
      />
      <SelectField
        label="Area"
        value={area ?? ''}
        options={AREAS}
        onChange={({ target }) => onSearch({ area: (target.value || undefined) as LogSearch['area'] })}
      />
      <SelectField
        label="Since"
        value={since ?? ''}
        options={SPANS}
        onChange={({ target }) => onSearch({ since: (target.value || undefined) as LogSearch['since'] })}
      />
    </search>
  );
}

function Line({ line: { at, level, area, text, details } }: { line: LogLine }) {
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
      <span className={styles.area}>{area}</span>
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
