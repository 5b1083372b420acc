import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import type { RequestRow } from '../../../daemon/contract/asks.js';
import type { Preferences } from '../../../daemon/contract/system.js';
import type { Member } from '../../../daemon/contract/team.js';
import { Button, buttonClass } from '../../components/button.js';
import { Icon } from '../../components/text/icon.js';
import { recentRequestsQuery } from '../../features/asks/asks-queries.js';
import { canImport, formatCount } from '../../features/imports/import-choice.js';
import { importsQuery } from '../../features/imports/imports-queries.js';
import { usePatchPreferences } from '../../features/system/system-mutations.js';
import { isOpen } from '../../features/team/is-open.js';
import { findAnswerer } from '../find-answerer.js';
import styles from './first-run.module.css';
import { Introduction } from './introduction.js';

/** The cards by the names under which their dismissal is stored; `ask` is the introduction. */
type CardName = 'ask' | 'bring' | 'program';

interface FirstRunProps {
  preferences: Preferences;
  members: readonly Member[];
  /** Shows the introduction although it was dismissed. */
  isIntroduced: boolean;
}

/** The first-run cards. Each vanishes for good when it is dismissed, or when what it proposes was done. */
export default function FirstRun({ preferences, members, isIntroduced }: FirstRunProps) {
  const navigate = useNavigate();
  const { mutate } = usePatchPreferences();
  const requests = useQuery(recentRequestsQuery()).data;
  const dismissed = preferences.first_run_dismissed;
  const dismiss = (card: CardName) => {
    if (!dismissed.includes(card)) mutate({ first_run_dismissed: [...dismissed, card] });
    if (card === 'ask' && isIntroduced) void navigate({ to: '/', search: {}, replace: true });
  };
  const isOver = (card: CardName) => dismissed.includes(card);
  const hasAsked = requests?.some(isFromProgram) ?? false;
  useEffect(() => {
    if (hasAsked && !dismissed.includes('program')) mutate({ first_run_dismissed: [...dismissed, 'program'] });
  }, [hasAsked, dismissed, mutate]);
  const exposed = findAnswerer(members);
  const isEmpty = isOver('ask') && isOver('bring') && isOver('program') && !isIntroduced;
  if (isEmpty) return null;
  return (
    <section className={styles.cards} aria-label="First steps">
      {(isIntroduced || !isOver('ask')) && (
        <Card title="What meshd is" onDismiss={() => dismiss('ask')}>
          <Introduction />
        </Card>
      )}
      {!isOver('bring') && <BringAgents onDismiss={() => dismiss('bring')} />}
      {exposed && !isOver('program') && !hasAsked && (
        <Card title="Let a program ask" onDismiss={() => dismiss('program')}>
          <p>
            Expose a member, and any program on this machine that has its token can ask it: one curl to ask, one to get
            the answer.
          </p>
          <p>
            <Link to="/team/$id" params={{ id: exposed.id }} search={{ tab: 'access' }} className={buttonClass()}>
              {isOpen(exposed) ? 'Copy curl' : 'Show API access'}
            </Link>
          </p>
        </Card>
      )}
    </section>
  );
}

/** Reports whether a program asked, and neither this dashboard nor a test of the operator. */
const isFromProgram = ({ caller }: RequestRow) => !caller.test && !caller.user_agent?.startsWith('Mozilla/');

/** Agents of other tools found in the project. Counting them writes nothing. Vanishes when all of them are members. */
function BringAgents({ onDismiss }: { onDismiss: () => void }) {
  const found = useQuery(importsQuery('project')).data?.found;
  const importable = found?.filter(canImport) ?? [];
  const isDone = importable.length === 0 && found?.some(({ state, written_for }) => state === 'same' && !written_for);
  if (isDone) return null;
  return (
    <Card title="Bring your agents" onDismiss={onDismiss}>
      <p>
        {found === undefined
          ? 'Agents of other tools become members. Their files are not changed.'
          : importable.length === 0
            ? 'No agents of other tools to import in this project. Your home folder may have some.'
            : `Found ${importable.length} in this project: ${formatCount(importable)}. Each can become a member; ` +
              'its file is not changed.'}
      </p>
      <p>
        <Link to="/import" search={importable.length === 0 && found ? { home: 'shown' } : {}} className={buttonClass()}>
          {importable.length === 0 && found ? 'Scan the home folder' : 'Review import'}
        </Link>
      </p>
    </Card>
  );
}

function Card({ title, onDismiss, children }: { title: string; onDismiss: () => void; children: React.ReactNode }) {
  return (
    <div className={styles.card}>
      <div className={styles.head}>
        <h2>{title}</h2>
        <Button look="quiet" isSmall aria-label={`Dismiss “${title}”`} onClick={onDismiss}>
          <Icon name="close" />
        </Button>
      </div>
      {children}
    </div>
  );
}
