import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Badge } from '../../components/badge.js';
import { Button } from '../../components/button.js';
import { Loaded } from '../../components/loaded.js';
import { EmptyState } from '../../components/notes.js';
import rows from '../../components/rows.module.css';
import { Section } from '../../components/section.js';
import { ErrorPanel } from '../../components/states.js';
import { Flag } from '../../components/text/flag.js';
import { toDisplayText } from '../../lib/format/display-text.js';
import { HOLD_WORDS } from '../team/is-open.js';
import { teamQuery } from '../team/team-queries.js';
import styles from './agreements-panel.module.css';
import { useExposeMembers, useKeepInternal } from './exposure-queries.js';

/** The members whose files expose them and that are internal: those that need approval, and those kept internal. */
export function AgreementsPanel() {
  const team = useQuery(teamQuery());
  const expose = useExposeMembers();
  const keep = useKeepInternal();
  const isBusy = expose.isPending || keep.isPending;
  const error = expose.error ?? keep.error;
  const held = team.data?.members.filter(({ exposure_hold }) => exposure_hold !== undefined) ?? [];
  return (
    <Section title="Approvals to expose" count={team.data && held.length}>
      <Loaded query={team} what="The team could not be loaded.">
        {() =>
          held.length === 0 ? (
            <EmptyState command="meshd team ls">
              No member waits for your approval. A file of the repository exposes a member only once you approved it on
              this machine.
            </EmptyState>
          ) : (
            <ul className={rows.rows}>
              {held.map(({ id, name, exposure_hold: hold }) => (
                <li key={id} className={styles.member}>
                  <Flag id={id} />
                  <Link to="/team/$id" params={{ id }} search={{ tab: 'access' }} className={rows.main}>
                    {toDisplayText(name)}
                  </Link>
                  {hold && <Badge tone={hold === 'agreement' ? 'needs' : undefined}>{HOLD_WORDS[hold]}</Badge>}
                  <span className={`cluster ${styles.decide}`}>
                    {hold !== 'tests' && (
                      <Button isSmall isBusy={isBusy} onClick={() => expose.mutate([id])}>
                        Expose<span className="visually-hidden"> {toDisplayText(name)}</span>
                      </Button>
                    )}
                    {hold === 'agreement' && (
                      <Button isSmall isBusy={isBusy} onClick={() => keep.mutate([id])}>
                        Keep<span className="visually-hidden"> {toDisplayText(name)}</span> internal
                      </Button>
                    )}
                  </span>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      {error && <ErrorPanel what="The decision was not saved." error={error} />}
    </Section>
  );
}
