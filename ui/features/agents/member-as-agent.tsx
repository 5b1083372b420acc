import { useQuery } from '@tanstack/react-query';
import { Section } from '../../components/section.js';
import { toDisplayText } from '../../lib/format/display-text.js';
import styles from './agent.module.css';
import { registrationsQuery } from './agents-queries.js';
import { findRegistrationProblem } from './self-registration-format.js';
import { SurfaceRegistrations } from './self-registration-panel.js';

/** The ids and registrations of an exposed member as an agent. Renders nothing for a member that is not exposed. */
export function MemberAsAgent({ member }: { member: string }) {
  const registration = useQuery(registrationsQuery()).data?.registrations.find((one) => one.member === member);
  if (!registration) return null;
  const problem = findRegistrationProblem(registration);
  return (
    <Section title="As an agent">
      <div className={styles.card}>
        <SurfaceRegistrations registration={registration} />
        {problem !== undefined && <p className={styles.problem}>{toDisplayText(problem)}</p>}
      </div>
    </Section>
  );
}
