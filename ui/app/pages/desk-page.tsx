import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense, useMemo } from 'react';
import type { RequestRow as Row } from '../../../daemon/contract/asks.js';
import type { Conversation } from '../../../daemon/contract/conversations.js';
import type { Health } from '../../../daemon/contract/system.js';
import type { Member } from '../../../daemon/contract/team.js';
import { ErrorBoundary } from '../../components/error-boundary.js';
import { Flag } from '../../components/flag.js';
import { Loaded } from '../../components/loaded.js';
import rows from '../../components/rows.module.css';
import { PageHead, Section } from '../../components/section.js';
import { StatusMark, statusWord } from '../../components/status-mark.js';
import { Ago, useNow } from '../../components/time.js';
import { recentRequestsQuery } from '../../features/asks/asks-queries.js';
import { RequestRow } from '../../features/asks/request-row.js';
import { healthQuery, preferencesQuery } from '../../features/system/system-queries.js';
import { teamQuery } from '../../features/team/team-queries.js';
import { lengthWords } from '../../lib/time-words.js';
import { isLive, type Need } from '../needs-you.js';
import { usePageTitle } from '../page-title.js';
import { useCounts } from '../use-counts.js';
import styles from './desk-page.module.css';

const FirstRun = lazy(() => import('../first-run.js'));
const PermissionNeed = lazy(() => import('../../features/conversations/permission-need.js'));
const WorkingTurn = lazy(() => import('../../features/conversations/working-turn.js'));

const FIRST_RUN_CARDS = 2;
const ANSWERED = 6;

export function DeskPage() {
  const team = useQuery(teamQuery());
  const requests = useQuery(recentRequestsQuery());
  const preferences = useQuery(preferencesQuery()).data;
  const { needs, talks } = useCounts();
  usePageTitle('Desk', needs.length);
  // What waits for you stands above.
  const working = useMemo(() => talks.filter(({ permissions }) => permissions.length === 0), [talks]);
  const members = team.data?.members;
  const exposed = useMemo(
    () => new Set((members ?? []).filter((member) => member.exposure === 'external').map((member) => member.id)),
    [members],
  );
  const isFirstRun = preferences !== undefined && preferences.first_run_dismissed.length < FIRST_RUN_CARDS;
  return (
    <>
      <PageHead title="Desk" lede={<Today />} />
      {isFirstRun && members && (
        <ErrorBoundary what="The first steps could not be drawn.">
          <Suspense>
            <FirstRun preferences={preferences} members={members} />
          </Suspense>
        </ErrorBoundary>
      )}
      <div className={styles.columns}>
        <div className={styles.main}>
          <div id="needs-you">
            <Section title="Needs you" count={needs.length}>
              {needs.length === 0 ? (
                <p className={styles.quietLine}>Nothing waits for you.</p>
              ) : (
                <ul className={rows.rows}>
                  {needs.map((need) => (
                    <NeedRow key={keyOf(need)} need={need} exposed={exposed} />
                  ))}
                </ul>
              )}
            </Section>
          </div>
          <ErrorBoundary what="The requests could not be drawn.">
            <Loaded query={requests} what="The requests could not be read." rows={6}>
              {(data) => <Underway requests={data} talks={working} exposed={exposed} />}
            </Loaded>
          </ErrorBoundary>
        </div>
        <div className={styles.main}>
          <Loaded query={team} what="The roster could not be read.">
            {(data) => <Exposed members={data.members.filter((member) => exposed.has(member.id))} requests={requests.data ?? []} />}
          </Loaded>
          <ErrorBoundary what="The daemon’s health could not be drawn.">
            <HealthLine />
          </ErrorBoundary>
        </div>
      </div>
    </>
  );
}

const date = new Intl.DateTimeFormat('en-GB', { weekday: 'long', day: 'numeric', month: 'long' });

function Today() {
  return date.format(useNow(60_000));
}

function keyOf(need: Need): string {
  if (need.kind === 'permission') return need.permission.pid;
  return need.kind === 'broken' ? need.member.id : need.request.request_id;
}

function NeedRow({ need, exposed }: { need: Need; exposed: Set<string> }) {
  if (need.kind === 'permission') {
    const { permission, conversation } = need;
    return (
      <Suspense>
        <PermissionNeed permission={permission} conversation={conversation} isExposed={exposed.has(conversation.member ?? '')} />
      </Suspense>
    );
  }
  const isExposed = exposed.has(need.kind === 'broken' ? need.member.id : need.request.member);
  if (need.kind === 'broken') {
    const { member } = need;
    return (
      <li className={`${styles.need} ${rows.trouble}`}>
        <Flag id={member.id} isExposed={isExposed} />
        <div className={styles.words}>
          <Link to="/team/$id" params={{ id: member.id }} className={rows.main} data-row="">
            {member.name}: the file cannot be read
          </Link>
          <p className="small quiet truncate">
            {member.problem && `line ${member.problem.line}, column ${member.problem.column}: ${member.problem.reason}`}
          </p>
        </div>
        <StatusMark word="needs you" />
      </li>
    );
  }
  const { request } = need;
  return (
    <li className={`${styles.need} ${need.kind === 'failed' ? rows.trouble : rows.needs}`}>
      <Flag id={request.member} isExposed={isExposed} isRaised={need.kind === 'question'} />
      <div className={styles.words}>
        <Link
          to="/requests/$rid"
          params={{ rid: request.request_id }}
          className={`${rows.main} truncate`}
          style={{ display: 'block' }}
          data-row=""
        >
          {request.question}
        </Link>
        <p className="small quiet truncate">
          {request.member} · <Ago at={need.at} />
          {request.error && ` · ${request.error.message}`}
        </p>
      </div>
      <StatusMark word={statusWord(request.status, request.error?.code)} />
    </li>
  );
}

function Underway({ requests, talks, exposed }: { requests: Row[]; talks: Conversation[]; exposed: Set<string> }) {
  const working = requests.filter((request) => isLive(request) && request.status !== 'needs_input');
  const answered = requests.filter((request) => request.status === 'done').slice(0, ANSWERED);
  return (
    <>
      <Section title="Working now" count={working.length + talks.length}>
        {working.length + talks.length === 0 ? (
          <p className={styles.quietLine}>All flags are down.</p>
        ) : (
          <ul className={rows.rows}>
            <Suspense>
              {talks.map((conversation) => (
                <WorkingTurn key={conversation.conv} conversation={conversation} isExposed={exposed.has(conversation.member ?? '')} />
              ))}
            </Suspense>
            {working.map((request) => (
              <RequestRow key={request.request_id} request={request} isExposed={exposed.has(request.member)} />
            ))}
          </ul>
        )}
      </Section>
      <Section title="Just answered" actions={<Link to="/requests">All requests</Link>}>
        {answered.length === 0 ? (
          <p className={styles.quietLine}>No answer has been given yet.</p>
        ) : (
          <ul className={rows.rows}>
            {answered.map((request) => (
              <RequestRow key={request.request_id} request={request} isExposed={exposed.has(request.member)} />
            ))}
          </ul>
        )}
      </Section>
    </>
  );
}

function Exposed({ members, requests }: { members: Member[]; requests: Row[] }) {
  return (
    <Section title="Open to programs" count={members.length}>
      {members.length === 0 ? (
        <p className={styles.quietLine}>Every door is closed.</p>
      ) : (
        <ul className={rows.rows}>
          {members.map((member) => {
            const last = requests.find((request) => request.member === member.id);
            return (
              <li key={member.id} className={styles.exposed}>
                <Flag id={member.id} isRaised={member.instances > 0} isExposed />
                <Link to="/team/$id" params={{ id: member.id }} search={{ tab: 'door' }} className={`${rows.main} truncate`} data-row="">
                  {member.name}
                </Link>
                <span className="small quiet">{last ? <Ago at={last.created_at} /> : 'not asked yet'}</span>
              </li>
            );
          })}
        </ul>
      )}
    </Section>
  );
}

function HealthLine() {
  const health = useQuery(healthQuery());
  return (
    <Loaded query={health} what="The daemon’s health could not be read." rows={1}>
      {(data) => <HealthWords health={data} />}
    </Loaded>
  );
}

function HealthWords({ health }: { health: Health }) {
  const now = useNow(60_000);
  const { knowledge } = health;
  const upMs = Math.max(1, Math.floor((now - Date.parse(health.started_at)) / 60_000)) * 60_000;
  const index = {
    idle: 'index idle',
    indexing: `indexing ${knowledge.files_done} of ${knowledge.files_total} files`,
    ready: `${knowledge.files_total} files indexed`,
    failed: 'index failed',
  }[knowledge.state];
  return (
    <p className={styles.health}>
      meshd {health.version} · up {lengthWords(upMs)} · store {health.store} · {index}
      {knowledge.commit && ` at ${knowledge.commit.slice(0, 7)}`} · {health.members} members
      {health.members_broken > 0 && `, ${health.members_broken} broken`} · <Link to="/system">System</Link>
    </p>
  );
}
