import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Surface } from '../../../daemon/contract/agents.js';
import type { HouseAgent, HouseStanding } from '../../../daemon/contract/house-agents.js';
import { Flag } from '../../components/flag.js';
import { Loaded } from '../../components/loaded.js';
import { EmptyState } from '../../components/notes.js';
import { PresenceMark } from '../../components/presence-mark.js';
import rows from '../../components/rows.module.css';
import { Section } from '../../components/section.js';
import { shownWords } from '../../lib/shown-words.js';
import { useNow } from '../../lib/use-now.js';
import styles from './agent.module.css';
import { registrationsQuery } from './agents-queries.js';
import { houseProblem, livenessWords, SURFACES_SHOWN, surfaceNames } from './house-words.js';

/** The exposed members as agents, with their registration on each of the two independent surfaces. */
export function HouseAgentsPanel() {
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
              {data.registrations.map((house) => (
                <HouseRow key={house.member} house={house} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </Section>
  );
}

function HouseRow({ house }: { house: HouseAgent }) {
  const problem = houseProblem(house);
  return (
    <li className={problem === undefined ? styles.house : `${styles.house} ${rows.trouble}`}>
      <Flag id={house.member} isExposed />
      <Link to="/team/$id" params={{ id: house.member }} search={{ tab: 'door' }} className={rows.main}>
        {shownWords(house.member)}
      </Link>
      <Standings house={house} />
      {problem !== undefined && <p className={`${styles.standings} ${styles.problem}`}>{shownWords(problem)}</p>}
    </li>
  );
}

export function Standings({ house }: { house: HouseAgent }) {
  return (
    <div className={styles.standings}>
      {SURFACES_SHOWN.map((surface) => (
        <Standing key={surface} surface={surface} standing={house.surfaces[surface]} />
      ))}
    </div>
  );
}

function Standing({ surface, standing }: { surface: Surface; standing: HouseStanding }) {
  const now = useNow(10_000);
  return (
    <div className={styles.standing}>
      <p className="cluster">
        <strong>{surfaceNames[surface]}</strong>
        {standing.registered && <PresenceMark isOnline={standing.online} />}
      </p>
      {standing.agent_id !== null && (
        <p className="mono small">
          <Link to="/agents/$id" params={{ id: standing.agent_id }}>
            {shownWords(standing.agent_id)}
          </Link>
        </p>
      )}
      <p className="quiet small">{livenessWords(standing, now)}</p>
    </div>
  );
}
