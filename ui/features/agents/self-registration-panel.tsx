import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Surface } from '../../../daemon/contract/network/agents.js';
import type {
  SelfRegistrationRecord,
  SurfaceRegistration,
} from '../../../daemon/contract/network/self-registration.js';
import { Loaded } from '../../components/loaded.js';
import { EmptyState } from '../../components/notes.js';
import { PresenceMark } from '../../components/presence-mark.js';
import rows from '../../components/rows.module.css';
import { Section } from '../../components/section.js';
import { Flag } from '../../components/text/flag.js';
import { toDisplayText } from '../../lib/format/display-text.js';
import { useNow } from '../../lib/use-now.js';
import styles from './agent.module.css';
import { registrationsQuery } from './agents-queries.js';
import { findRegistrationProblem, formatLiveness, SURFACES_SHOWN, surfaceNames } from './self-registration-format.js';

/** The exposed members as agents, with their registration on each of the two independent surfaces. */
export function SelfRegistrationPanel() {
  const registrations = useQuery(registrationsQuery());
  return (
    <Section title="Registrations" count={registrations.data?.count}>
      <Loaded query={registrations} what="The registrations could not be read.">
        {(data) =>
          data.registrations.length === 0 ? (
            <EmptyState command="meshd team expose consultant">
              No registrations: no member is exposed. An exposed member is registered on both surfaces automatically.
            </EmptyState>
          ) : (
            <ul className={rows.rows}>
              {data.registrations.map((registration) => (
                <SelfRegistrationRow key={registration.member} registration={registration} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </Section>
  );
}

function SelfRegistrationRow({ registration }: { registration: SelfRegistrationRecord }) {
  const problem = findRegistrationProblem(registration);
  return (
    <li className={problem === undefined ? styles.self : `${styles.self} ${rows.trouble}`}>
      <Flag id={registration.member} isExposed />
      <Link to="/team/$id" params={{ id: registration.member }} search={{ tab: 'access' }} className={rows.main}>
        {toDisplayText(registration.member)}
      </Link>
      <SurfaceRegistrations registration={registration} />
      {problem !== undefined && <p className={`${styles.registrations} ${styles.problem}`}>{toDisplayText(problem)}</p>}
    </li>
  );
}

export function SurfaceRegistrations({ registration }: { registration: SelfRegistrationRecord }) {
  return (
    <div className={styles.registrations}>
      {SURFACES_SHOWN.map((surface) => (
        <SurfaceRegistrationLine key={surface} surface={surface} standing={registration.surfaces[surface]} />
      ))}
    </div>
  );
}

function SurfaceRegistrationLine({
  surface,
  standing: registration,
}: {
  surface: Surface;
  standing: SurfaceRegistration;
}) {
  const now = useNow(10_000);
  return (
    <div className={styles.registration}>
      <p className="cluster">
        <strong>{surfaceNames[surface]}</strong>
        {registration.registered && <PresenceMark isOnline={registration.online} />}
      </p>
      {registration.agent_id !== null && (
        <p className="mono small">
          <Link to="/agents/$id" params={{ id: registration.agent_id }}>
            {toDisplayText(registration.agent_id)}
          </Link>
        </p>
      )}
      <p className="quiet small">{formatLiveness(registration, now)}</p>
    </div>
  );
}
