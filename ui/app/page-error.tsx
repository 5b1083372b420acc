import { ErrorPanel } from '../components/states.js';

/**
 * In the place of a page that throws. It is loaded anew to try again: until then, some browsers do not ask again for an
 * import that failed.
 */
export function PageError({ error }: { error: unknown }) {
  return <ErrorPanel what="This page could not be drawn." error={error} onRetry={() => window.location.reload()} />;
}
