import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Preferences } from '../../daemon/contract/system.js';
import type { Member } from '../../daemon/contract/team.js';
import { Button, buttonClass } from '../components/button.js';
import { Icon } from '../components/text/icon.js';
import { AskBox } from '../features/asks/ask-box.js';
import { setExposure } from '../features/exposure/exposure-queries.js';
import { canImport, formatCount } from '../features/imports/import-choice.js';
import { importsQuery } from '../features/imports/imports-queries.js';
import { usePatchPreferences } from '../features/system/system-mutations.js';
import { isOpen } from '../features/team/is-open.js';
import { memberQuery, teamKeys } from '../features/team/team-queries.js';
import styles from './first-run.module.css';

type CardName = 'ask' | 'bring' | 'program';

/** The first-run cards. Each offers a real action and can be dismissed permanently. */
export default function FirstRun({ preferences, members }: { preferences: Preferences; members: Member[] }) {
  const patch = usePatchPreferences();
  const dismissed = new Set(preferences.first_run_dismissed);
  const dismiss = (card: CardName) => patch.mutate({ first_run_dismissed: [...dismissed, card] });
  const consultant = members.find((member) => member.id === 'consultant') ?? members.find(isOpen);
  if (!consultant) return null;
  return (
    <section className={styles.cards} aria-label="First steps">
      {!dismissed.has('ask') && (
        <Card title="Ask your consultant" onDismiss={() => dismiss('ask')}>
          <AskConsultant consultant={consultant} />
        </Card>
      )}
      {!dismissed.has('bring') && <BringAgents onDismiss={() => dismiss('bring')} />}
      {!dismissed.has('program') && (
        <Card title="Let a program ask" onDismiss={() => dismiss('program')}>
          <p>
            Expose a member, and any program on this machine that has its token can ask it: one curl to ask, one to get
            the answer.
          </p>
          <p>
            <Link to="/team/$id" params={{ id: consultant.id }} search={{ tab: 'door' }} className={buttonClass()}>
              {isOpen(consultant) ? 'Copy curl' : 'Show API access'}
            </Link>
          </p>
        </Card>
      )}
    </section>
  );
}

/** Agents of other tools found in the project. Counting them writes nothing. */
function BringAgents({ onDismiss }: { onDismiss: () => void }) {
  const found = useQuery(importsQuery('project')).data?.found;
  const importable = found?.filter(canImport) ?? [];
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

function AskConsultant({ consultant }: { consultant: Member }) {
  const client = useQueryClient();
  const isClosed = !isOpen(consultant);
  const token = async () => {
    if (isClosed) {
      const opened = await setExposure(consultant.id, true);
      await client.invalidateQueries({ queryKey: teamKeys.all });
      return opened.token ?? '';
    }
    return (await client.fetchQuery(memberQuery(consultant.id))).token ?? '';
  };
  return (
    <>
      <p>
        It answers with facts from this project. Each quote is verified against its file and lines.
        {isClosed &&
          ' It is internal. Asking exposes it to programs on this machine that have its token. You can make it ' +
            'internal again on its page.'}
      </p>
      <AskBox
        place="desk.ask"
        member={consultant}
        token={token}
        question="What does this project do?"
        askWords={isClosed ? 'Expose and ask' : 'Ask'}
      />
    </>
  );
}
