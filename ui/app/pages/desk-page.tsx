import { useQuery } from '@tanstack/react-query';
import { ErrorBoundary } from '../../components/error-boundary.js';
import { PageHead } from '../../components/section.js';
import { Skeleton } from '../../components/states.js';
import { preferencesQuery } from '../../features/system/system-queries.js';
import { teamQuery } from '../../features/team/team-queries.js';
import { fetched } from '../../lib/fetched.js';
import { useNow } from '../../lib/use-now.js';
import { usePageTitle } from '../page-title.js';
import { useCounts } from '../use-counts.js';

const FirstRun = fetched(() => import('../first-run.js'));
/** Loaded while the first responses are pending. */
export const DeskBody = fetched(() => import('../desk/desk-body.js'), <Skeleton rows={8} />);

const FIRST_RUN_CARDS = 3;

export function DeskPage() {
  const members = useQuery(teamQuery()).data?.members;
  const preferences = useQuery(preferencesQuery()).data;
  const { needs } = useCounts();
  usePageTitle('Home', needs.length);
  const isFirstRun = preferences !== undefined && preferences.first_run_dismissed.length < FIRST_RUN_CARDS;
  return (
    <>
      <PageHead title="Home" lede={<Today />} />
      {isFirstRun && members && (
        <ErrorBoundary what="The first steps could not be drawn.">
          <FirstRun preferences={preferences} members={members} />
        </ErrorBoundary>
      )}
      <ErrorBoundary what="What waits and works could not be drawn.">
        <DeskBody />
      </ErrorBoundary>
    </>
  );
}

const date = new Intl.DateTimeFormat('en-GB', { weekday: 'long', day: 'numeric', month: 'long' });

function Today() {
  return date.format(useNow(60_000));
}
