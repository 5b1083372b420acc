import { ErrorPanel } from '../components/states.js';

/**
 * Replaces a page that throws. Retry reloads the page, because some browsers do not request a failed import again
 * before that.
 */
export function PageError({ error }: { error: unknown }) {
  return <ErrorPanel what="This page could not be drawn." error={error} onRetry={() => window.location.reload()} />;
}
