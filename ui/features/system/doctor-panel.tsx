import { useQuery } from '@tanstack/react-query';
import type { CHECK_STATES } from '../../../daemon/contract/system.js';
import { Button } from '../../components/button.js';
import { Loaded } from '../../components/loaded.js';
import rows from '../../components/rows.module.css';
import { Section } from '../../components/section.js';
import { CopyButton } from '../../components/text/copy-button.js';
import styles from './doctor-panel.module.css';
import { doctorQuery } from './system-queries.js';

type CheckState = (typeof CHECK_STATES)[number];

const looks: Record<CheckState, { words: string; path: string }> = {
  ok: { words: 'ok', path: 'm2 8.500 4 4 8-9.500' },
  warn: { words: 'warning', path: 'M8 2.500v7M8 12.500v1.500' },
  fail: { words: 'failed', path: 'm3 3 10 10M13 3 3 13' },
};
const order: CheckState[] = ['fail', 'warn', 'ok'];

/** The daemon's self-check. Failures are listed first, with their remedy. */
export function DoctorPanel() {
  const doctor = useQuery(doctorQuery());
  return (
    <Section
      title="Doctor"
      actions={
        <Button isSmall isBusy={doctor.isFetching} onClick={() => void doctor.refetch()}>
          {doctor.isFetching ? 'Checking' : 'Check again'}
        </Button>
      }
    >
      <Loaded query={doctor} what="The doctor failed." rows={6}>
        {(report) => (
          <ul className={rows.rows} aria-live="polite">
            {report.checks
              .toSorted((a, b) => order.indexOf(a.state) - order.indexOf(b.state))
              .map((check) => (
                <li key={check.id} className={styles.check}>
                  <span className={`${styles.mark} ${styles[check.state]}`}>
                    <svg viewBox="0 0 16 16" aria-hidden="true" focusable="false">
                      <path d={looks[check.state].path} />
                    </svg>
                    {looks[check.state].words}
                  </span>
                  <div>
                    <p>
                      <span className={styles.title}>{check.title}</span> <span className="quiet">{check.found}</span>
                    </p>
                    {check.fix && check.state !== 'ok' && (
                      <p className={styles.fix}>
                        <code>{check.fix}</code>
                        <CopyButton look="quiet" text={check.fix} />
                      </p>
                    )}
                  </div>
                </li>
              ))}
          </ul>
        )}
      </Loaded>
    </Section>
  );
}
