import { ErrorBoundary } from '../../components/error-boundary.js';
import { PageHead } from '../../components/section.js';
import { Skeleton } from '../../components/states.js';
import { fetched } from '../../lib/fetched.js';
import { useNow } from '../../lib/use-now.js';
import { usePageTitle } from '../page-title.js';
import { useCounts } from '../use-counts.js';

/** Loaded while the first responses are pending. */
export const DeskBody = fetched(() => import('../desk/desk-body.js'), <Skeleton rows={8} />);

export function DeskPage() {
  usePageTitle('Home', useCounts().needs.length);
  return (
    <>
      <PageHead title="Home" lede={<Today />} />
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
