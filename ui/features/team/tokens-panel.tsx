import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Flag } from '../../components/flag.js';
import { Loaded } from '../../components/loaded.js';
import { EmptyState } from '../../components/notes.js';
import rows from '../../components/rows.module.css';
import { Section } from '../../components/section.js';
import { shownWords } from '../../lib/shown-words.js';
import { teamQuery } from './team-queries.js';
import styles from './tokens-panel.module.css';

/** Which members have a token; never the token. */
export function TokensPanel() {
  const team = useQuery(teamQuery());
  return (
    <Section title="Member tokens">
      <Loaded query={team} what="The roster could not be read.">
        {(data) => {
          const open = data.members.filter((member) => member.token_last4 !== undefined);
          if (open.length === 0)
            return <EmptyState command="meshd team expose consultant">Every door is closed: no member has a token.</EmptyState>;
          return (
            <ul className={rows.rows}>
              {open.map((member) => (
                <li key={member.id} className={styles.token}>
                  <Flag id={member.id} isRaised={member.instances > 0} isExposed />
                  <Link to="/team/$id" params={{ id: member.id }} search={{ tab: 'door' }} className={rows.main}>
                    {shownWords(member.name)}
                  </Link>
                  <span className="mono quiet">••••{member.token_last4}</span>
                </li>
              ))}
            </ul>
          );
        }}
      </Loaded>
    </Section>
  );
}
