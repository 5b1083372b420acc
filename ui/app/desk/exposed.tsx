import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { RequestRow } from '../../../daemon/contract/asks.js';
import type { Member } from '../../../daemon/contract/team.js';
import { Loaded } from '../../components/loaded.js';
import rows from '../../components/rows.module.css';
import { Section } from '../../components/section.js';
import { Flag } from '../../components/text/flag.js';
import { Ago } from '../../components/text/time.js';
import { recentRequestsQuery } from '../../features/asks/asks-queries.js';
import { teamQuery } from '../../features/team/team-queries.js';
import { toDisplayText } from '../../lib/format/display-text.js';
import styles from './desk.module.css';

/** The exposed members, each with the time of its last request. */
export function Exposed({ exposed }: { exposed: ReadonlySet<string> }) {
  const team = useQuery(teamQuery());
  const { data: requests } = useQuery(recentRequestsQuery());
  return (
    <Loaded query={team} what="The team could not be loaded.">
      {(data) => <ExposedList members={data.members.filter(({ id }) => exposed.has(id))} requests={requests ?? []} />}
    </Loaded>
  );
}

function ExposedList({ members, requests }: { members: Member[]; requests: RequestRow[] }) {
  return (
    <Section title="Exposed to programs" count={members.length}>
      {members.length === 0 ? (
        <p className={styles.quietLine}>No member is exposed.</p>
      ) : (
        <ul className={rows.rows}>
          {members.map((member) => {
            const last = requests.find((request) => request.member === member.id);
            return (
              <li key={member.id} className={styles.exposed}>
                <Flag id={member.id} isRaised={member.instances > 0} isExposed />
                <Link
                  to="/team/$id"
                  params={{ id: member.id }}
                  search={{ tab: 'access' }}
                  className={`${rows.main} truncate`}
                  data-row=""
                >
                  {toDisplayText(member.name)}
                </Link>
                <span className="small quiet">{last ? <Ago at={last.created_at} /> : 'no requests yet'}</span>
              </li>
            );
          })}
        </ul>
      )}
    </Section>
  );
}
