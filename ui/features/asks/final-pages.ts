import type { RequestList } from '../../../daemon/contract/asks.js';

type Pages = { pages: readonly RequestList[]; pageParams: readonly string[] };

/** Returns the cached page for `cursor` if it cannot change: all its requests have ended. */
export function findFinalPage(was: Pages | undefined, cursor: string): RequestList | undefined {
  const page = was?.pages[was.pageParams.indexOf(cursor)];
  return page?.requests.every(({ status }) => status === 'done' || status === 'error') ? page : undefined;
}

/** Cuts `page` where `was`, an earlier version of it, ended; undefined when it does not reach that far. */
export function untilItsEnd(page: RequestList, was: RequestList): RequestList | undefined {
  const end = was.requests.at(-1)?.request_id;
  const at = page.requests.findIndex(({ request_id }) => request_id === end);
  if (at === -1) return undefined;
  return { requests: page.requests.slice(0, at + 1), count: at + 1, next_cursor: was.next_cursor };
}
