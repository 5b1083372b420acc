import { useQuery } from '@tanstack/react-query';
import { Section } from '../../components/section.js';
import { shownWords } from '../../lib/shown-words.js';
import styles from './agent.module.css';
import { registrationsQuery } from './agents-queries.js';
import { Standings } from './house-agents-panel.js';
import { houseProblem } from './house-words.js';

/** The ids and registrations of an exposed member as an agent. Renders nothing for a member that is not exposed. */
export function MemberAsAgent({ member }: { member: string }) {
  const house = useQuery(registrationsQuery()).data?.registrations.find((one) => one.member === member);
  if (!house) return null;
  const problem = houseProblem(house);
  return (
    <Section title="As an agent">
      <div className={styles.card}>
        <Standings house={house} />
        {problem !== undefined && <p className={styles.problem}>{shownWords(problem)}</p>}
      </div>
    </Section>
  );
}
