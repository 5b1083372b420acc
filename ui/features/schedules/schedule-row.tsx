import { Link } from '@tanstack/react-router';
import { useId } from 'react';
import type { Schedule, ScheduleRun } from '../../../daemon/contract/work/schedules.js';
import { Badge } from '../../components/badge.js';
import { Button } from '../../components/button.js';
import rows from '../../components/rows.module.css';
import { StatusMark } from '../../components/status-mark.js';
import { Flag } from '../../components/text/flag.js';
import { Ago } from '../../components/text/time.js';
import { toDisplayText } from '../../lib/format/display-text.js';
import { useNow } from '../../lib/use-now.js';
import { describeNeed, formatRunFacts, formatUntil, formatWhen, getRunStatus } from './schedule-format.js';
import styles from './schedules.module.css';

interface ScheduleRowProps {
  schedule: Schedule;
  isShown: boolean;
  isBusy: boolean;
  onShow: (isShown: boolean) => void;
  onRun: () => void;
  onPause: (paused: boolean) => void;
  onEdit: () => void;
  onDelete: () => void;
  onSeen: (run: ScheduleRun) => void;
}

/** A schedule: what is done, when next, how its last runs ended, and its actions. */
export function ScheduleRow({ schedule, isShown, isBusy, onShow, onSeen, ...acts }: ScheduleRowProps) {
  const { title, member, paused, paused_reason, last_runs, needs_you, text } = schedule;
  const [last] = last_runs;
  const id = useId();
  const status = last && getRunStatus(last);
  return (
    <li className={needs_you ? `${styles.schedule} ${rows.trouble}` : styles.schedule}>
      <Flag id={member} size={24} isRaised={status === 'working'} />
      <div className={styles.words}>
        <p>
          <strong id={id}>{toDisplayText(title)}</strong> {paused && <Badge>paused</Badge>}
        </p>
        <p className="small quiet">
          {member} ·{' '}
          <span className={schedule.cron === null ? undefined : 'mono'}>{toDisplayText(formatWhen(schedule))}</span>
        </p>
        {text !== title && <p className="small quiet truncate">{toDisplayText(text.replace(/\s+/g, ' '))}</p>}
        {paused_reason && <p className={styles.trouble}>{toDisplayText(paused_reason)}</p>}
        {needs_you && (
          <p className={styles.trouble}>
            {toDisplayText(describeNeed(needs_you))}{' '}
            <Button isSmall look="quiet" isBusy={isBusy} onClick={() => onSeen(needs_you)}>
              Mark as seen<span className="visually-hidden">: {toDisplayText(title)}</span>
            </Button>
          </p>
        )}
      </div>
      <NextRun schedule={schedule} />
      <Actions {...acts} schedule={schedule} isBusy={isBusy} isRunning={status === 'working' || status === 'queued'} />
      <details
        className={styles.runs}
        open={isShown}
        onToggle={(event) => {
          if (event.currentTarget.open !== isShown) onShow(event.currentTarget.open);
        }}
      >
        <summary>
          {last ? 'Last runs' : 'No runs yet'}
          <span className="visually-hidden"> of {toDisplayText(title)}</span>
          {last && status && (
            <span className={styles.last}>
              <StatusMark word={status} />
            </span>
          )}
        </summary>
        {last && (
          <ul aria-labelledby={id} className={styles.list}>
            {last_runs.map((run) => (
              <RunRow key={run.run} run={run} zone={schedule.zone} />
            ))}
          </ul>
        )}
      </details>
    </li>
  );
}

function NextRun({ schedule: { paused, next_runs, zone, after_task } }: { schedule: Schedule }) {
  const now = useNow(30_000);
  const [next] = next_runs;
  if (!next)
    return (
      <p className={`small quiet ${styles.next}`}>{paused || after_task === null ? '' : 'When its task is done'}</p>
    );
  return (
    <p className={styles.next}>
      <span>Next run {formatUntil(Date.parse(next.at), now)}</span>
      <time dateTime={next.at} className="small quiet" title={`${zone ?? ''} ${next.offset}`}>
        {next.local}
      </time>
    </p>
  );
}

type ActionsProps = Pick<ScheduleRowProps, 'schedule' | 'isBusy' | 'onRun' | 'onPause' | 'onEdit' | 'onDelete'>;

function Actions({
  schedule,
  isBusy,
  isRunning,
  onRun,
  onPause,
  onEdit,
  onDelete,
}: ActionsProps & { isRunning: boolean }) {
  const { title, paused } = schedule;
  const of = <span className="visually-hidden">: {toDisplayText(title)}</span>;
  return (
    <span className={styles.acts}>
      <Button
        isSmall
        isBusy={isBusy}
        reasonDisabled={isRunning ? 'A run has not ended yet.' : undefined}
        onClick={onRun}
      >
        Run now{of}
      </Button>
      <Button isSmall look="quiet" isBusy={isBusy} onClick={() => onPause(!paused)}>
        {paused ? 'Resume' : 'Pause'}
        {of}
      </Button>
      <Button isSmall look="quiet" onClick={onEdit}>
        Edit{of}
      </Button>
      <Button isSmall look="quiet" onClick={onDelete}>
        Delete{of}
      </Button>
    </span>
  );
}

/** One run: when, how it ended and why, and its conversation. */
function RunRow({ run, zone }: { run: ScheduleRun; zone: string | null }) {
  const status = getRunStatus(run);
  const facts = formatRunFacts(run);
  const due = new Intl.DateTimeFormat('en-GB', {
    ...{ dateStyle: 'medium', timeStyle: 'short', hourCycle: 'h23' },
    ...(zone === null ? {} : { timeZone: zone }),
  }).format(Date.parse(run.due_at));
  return (
    <li className={styles.run}>
      <span>
        <time dateTime={run.due_at}>{due}</time>{' '}
        <span className="small quiet">
          (<Ago at={run.due_at} />)
        </span>
      </span>
      <span>{status ? <StatusMark word={status} /> : <Badge>skipped</Badge>}</span>
      <span>
        {run.conv !== null && (
          <Link to="/talk/$conv" params={{ conv: run.conv }} data-row="">
            {run.state === 'running' ? 'Watch' : 'Conversation'}
            <span className="visually-hidden"> of {due}</span>
          </Link>
        )}
      </span>
      {facts !== '' && <p className="small quiet">{toDisplayText(facts)}</p>}
    </li>
  );
}
