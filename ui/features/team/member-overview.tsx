import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense } from 'react';
import type { MemberDetail, MemberFile } from '../../../daemon/contract/team.js';
import { EmptyState, KeyValue } from '../../components/notes.js';
import { Section } from '../../components/section.js';
import { toDisplayText } from '../../lib/format/display-text.js';
import { BudgetPanel } from '../budgets/budget-panel.js';
import { MemberPrice } from '../payments/member-price.js';
import styles from './member-overview.module.css';
import { describeModel } from './roster/roster-sort.js';
import { memberFileQuery } from './team-queries.js';

const Markdown = lazy(() => import('../../components/text/markdown.js'));

function formatCommitState({ text, committed_text }: MemberFile): string {
  if (committed_text === null) return 'not committed yet';
  return committed_text === text ? 'as committed' : 'changed since the last commit';
}

/** What runs a member, and its limits. */
function runsAs(member: MemberDetail): [string, string][] {
  const { kind, required, client, client_resolved: resolved, effort, limits } = member;
  const isSingleton = kind === 'singleton';
  return [
    [
      'Kind',
      `${kind}: ${isSingleton ? 'one conversation at a time' : 'any number of conversations'}${required ? ', required' : ''}`,
    ],
    ['Client', client === resolved ? client : `${client} → ${resolved}`],
    ['Model', describeModel(member)],
    ['Effort', effort],
    ['Limits', `${limits.turns} turns, ${limits.minutes} min a run`],
  ];
}

/** What a member is, what it may do, and its instructions. */
export function MemberOverview({
  member,
  activity,
  aside,
}: {
  member: MemberDetail;
  activity: ReactNode;
  aside?: ReactNode;
}) {
  return (
    <div className={styles.columns}>
      <div className="sections">
        {activity}
        <Section title="Initial prompt">
          <InitialPrompt member={member} />
        </Section>
      </div>
      <div className="sections">
        <Section title="Facts">
          <Facts member={member} />
        </Section>
        {member.serving && <BudgetPanel scope={`member:${member.id}`} title="Budget of a day" />}
        {member.pricing !== undefined && <MemberPrice member={member} />}
        {aside}
        {member.examples && member.examples.length > 0 && (
          <Section title="Example asks">
            <ul className={styles.examples}>
              {member.examples.map((example) => (
                <li key={example}>{toDisplayText(example)}</li>
              ))}
            </ul>
          </Section>
        )}
      </div>
    </div>
  );
}

function InitialPrompt({ member }: { member: MemberDetail }) {
  if (!member.serving)
    return (
      <div className={styles.prompt}>
        <p className="quiet">The file cannot be read, so its prompt is unknown.</p>
      </div>
    );
  if (member.body.trim() === '')
    return (
      <EmptyState command={`meshd team edit ${member.id}`}>
        The file has no body. The member gets only its description.
      </EmptyState>
    );
  return (
    <div className={styles.prompt}>
      <Suspense>
        <Markdown text={member.body} />
      </Suspense>
    </div>
  );
}

function Facts({ member }: { member: MemberDetail }) {
  const file = useQuery(memberFileQuery(member.id)).data;
  return (
    <KeyValue
      rows={[
        [
          'File',
          <span key="file" className="mono">
            .mesh/team/{member.id}.md
          </span>,
        ],
        file && ['In git', formatCommitState(file)],
        ...(member.serving ? runsAs(member) : []),
        [
          'Conversations',
          member.instances === 0 ? (
            'none'
          ) : (
            <Link key="live" to="/team/$id" params={{ id: member.id }} search={{ tab: 'talk' }}>
              {member.instances} {member.instances === 1 ? 'conversation' : 'conversations'}
            </Link>
          ),
        ],
        member.tools && member.tools.length > 0 && ['Tools', member.tools.join(', ')],
        member.refs &&
          member.refs.length > 0 && [
            'Knows',
            <ul key="refs">
              {member.refs.map((ref) => (
                <li key={ref} className="mono">
                  {toDisplayText(ref)}
                </li>
              ))}
            </ul>,
          ],
        member.unknown_keys.length > 0 && ['Unknown keys', `${member.unknown_keys.join(', ')} (kept, not used)`],
        [
          'Revision',
          <span key="revision" className="mono">
            {member.revision.slice(0, 12)}
          </span>,
        ],
      ]}
    />
  );
}
