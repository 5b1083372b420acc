import { Link } from '@tanstack/react-router';
import type { Schedule, ScheduleRun } from '../../../daemon/contract/work/schedules.js';
import { Button } from '../../components/button.js';
import rows from '../../components/rows.module.css';
import { Flag } from '../../components/text/flag.js';
import { Ago } from '../../components/text/time.js';
import { toDisplayText } from '../../lib/format/display-text.js';
import { describeNeed } from './schedule-format.js';
import styles from './schedules.module.css';
import { usePatchSchedule } from './schedules-queries.js';

/** A run that the operator should know of, on the home page. */
export default function ScheduleNeed({ schedule, run }: { schedule: Schedule; run: ScheduleRun }) {
  const patch = usePatchSchedule();
  const { id, title, member } = schedule;
  return (
    <li className={`${styles.need} ${rows.trouble}`}>
      <Flag id={member} />
      <div className={styles.words}>
        <Link to="/schedules" search={{ show: id }} className={rows.main} data-row="">
          {toDisplayText(title)}
        </Link>
        <p className="small quiet">
          Schedule · {member} · <Ago at={run.due_at} /> · {toDisplayText(describeNeed(run))}
        </p>
      </div>
      <Button
        isSmall
        className={styles.above ?? ''}
        isBusy={patch.isPending}
        onClick={() => patch.mutate({ id, patch: { seen: run.run } })}
      >
        Mark as seen<span className="visually-hidden">: {toDisplayText(title)}</span>
      </Button>
    </li>
  );
}
