import { ErrorPanel } from '../components/states.js';

/** In the place of a page that throws. A browser that remembers a failed import asks for it again once the page is loaded anew. */
export function PageError({ error }: { error: unknown }) {
  return <ErrorPanel what="This page could not be drawn." error={error} onRetry={() => window.location.reload()} />;
}
