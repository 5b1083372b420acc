import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useRouterState } from '@tanstack/react-router';
import { useEffect, useMemo, useState } from 'react';
import type { Member } from '../../../daemon/contract/team.js';
import { ErrorBoundary } from '../../components/error-boundary.js';
import rows from '../../components/rows.module.css';
import { Section } from '../../components/section.js';
import { NoModelNotice } from '../../features/models/no-model-notice.js';
import { ForeignStateNotice } from '../../features/system/foreign-state-notice.js';
import { preferencesQuery } from '../../features/system/system-queries.js';
import { isOpen } from '../../features/team/is-open.js';
import { teamQuery } from '../../features/team/team-queries.js';
import { fetched } from '../../lib/fetched.js';
import type { Need } from '../needs-you.js';
import { useCounts } from '../use-counts.js';
import { ClustersNow } from './clusters-now.js';
import styles from './desk.module.css';
import { Exposed } from './exposed.js';
import { HealthLine } from './health-line.js';
import { HomeAsk } from './home-ask.js';
import { NeedRow } from './need-row.js';
import { Underway } from './underway.js';

const FirstRun = fetched(() => import('../first-run/first-run.js'), <div className={styles.firstRun} />);
const FIRST_RUN_CARDS = 3;
const route = getRouteApi('/');

/** Anchor that the "needs you" counter of the top bar links to. */
const NEEDS = 'needs-you';

/** The body of the home page: the question box, the first steps, and what needs the operator and what is running. */
export default function DeskBody() {
  const members = useQuery(teamQuery()).data?.members;
  const preferences = useQuery(preferencesQuery()).data;
  const isIntroduced = route.useSearch().about !== undefined;
  const isFirstRun = preferences && (preferences.first_run_dismissed.length < FIRST_RUN_CARDS || isIntroduced);
  const { needs, talks } = useCounts();
  const columns = <DeskColumns key="columns" members={members} needs={needs} talks={talks} />;
  const firstRun = isFirstRun && members && (
    <ErrorBoundary key="first-run" what="The first steps could not be drawn.">
      <FirstRun preferences={preferences} members={members} isIntroduced={isIntroduced} />
    </ErrorBoundary>
  );
  // What is to be done now comes before what could be done first. It stays there until the next visit, so that nothing
  // moves under the focus when the last of it is done.
  const isBusy = needs.length > 0 || talks.length > 0;
  const [wasBusy, setWasBusy] = useState(isBusy);
  if (isBusy && !wasBusy) setWasBusy(true);
  const isColumnsFirst = wasBusy && !isIntroduced;
  return (
    <>
      {members ? <HomeAsk members={members} /> : <div className={styles.ask} />}
      {isColumnsFirst ? [columns, firstRun] : [firstRun, columns]}
    </>
  );
}

interface DeskColumnsProps extends Pick<ReturnType<typeof useCounts>, 'needs' | 'talks'> {
  members: readonly Member[] | undefined;
}

/**
 * What needs the operator, what is running, and what was answered last; beside it the exposed members and the daemon's
 * health.
 */
function DeskColumns({ members, needs, talks }: DeskColumnsProps) {
  // The history key changes with each visit through the counter, from this page or another. The section is scrolled to,
  // because the first-run cards may be above it.
  const cameBy = useRouterState({
    select: ({ location }) => (location.hash === NEEDS ? location.state.__TSR_key : undefined),
  });
  useEffect(() => {
    if (cameBy === undefined) return;
    const region = document.getElementById(NEEDS);
    region?.focus({ preventScroll: true });
    region?.scrollIntoView({ block: 'start' });
  }, [cameBy]);
  // Conversations that wait for a permission are listed above.
  const working = useMemo(() => talks.filter(({ permissions }) => permissions.length === 0), [talks]);
  const exposed = useMemo(() => new Set((members ?? []).filter(isOpen).map((member) => member.id)), [members]);
  return (
    <div className={styles.columns}>
      <div className={styles.main}>
        <ForeignStateNotice />
        <NoModelNotice isHome />
        <Section title="Needs you" count={needs.length} anchor={NEEDS}>
          {needs.length === 0 ? (
            <p className={styles.quietLine}>Nothing needs you.</p>
          ) : (
            <ul className={rows.rows}>
              {needs.map((need) => (
                <NeedRow key={createKey(need)} need={need} members={members ?? []} exposed={exposed} />
              ))}
            </ul>
          )}
        </Section>
        <ErrorBoundary what="The requests could not be drawn.">
          <Underway talks={working} exposed={exposed} />
        </ErrorBoundary>
      </div>
      <div className={styles.main}>
        <Exposed exposed={exposed} />
        <ErrorBoundary what="The clusters could not be drawn.">
          <ClustersNow />
        </ErrorBoundary>
        <ErrorBoundary what="The daemon’s health could not be drawn.">
          <HealthLine />
        </ErrorBoundary>
      </div>
    </div>
  );
}

function createKey(need: Need): string {
  if (need.kind === 'permission') return need.permission.pid;
  if (need.kind === 'payment') return need.approval.call_id;
  if (need.kind === 'budget') return need.budget.scope;
  if (need.kind === 'exposure') return 'exposure';
  if (need.kind === 'scheduled') return need.run.run;
  return need.kind === 'broken' ? need.member.id : need.request.request_id;
}
