import type { RequestList } from '../../../daemon/contract/asks.js';

type Pages = { pages: readonly RequestList[]; pageParams: readonly string[] };

/** The page behind `cursor` as it was read, where nothing of it can change any more: all its requests have ended. */
export function lastingPage(was: Pages | undefined, cursor: string): RequestList | undefined {
  const page = was?.pages[was.pageParams.indexOf(cursor)];
  return page?.requests.every(({ status }) => status === 'done' || status === 'error') ? page : undefined;
}

/** `page` up to where `was`, an earlier reading of it, ended; undefined where it does not reach so far. */
export function untilItsEnd(page: RequestList, was: RequestList): RequestList | undefined {
  const end = was.requests.at(-1)?.request_id;
  const at = page.requests.findIndex(({ request_id }) => request_id === end);
  if (at === -1) return undefined;
  return { requests: page.requests.slice(0, at + 1), count: at + 1, next_cursor: was.next_cursor };
}
