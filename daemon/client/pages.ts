import { type CallOptions, call } from './call.js';
import type { Daemon } from './daemon.js';

/** Reads a list page by page, each when it is needed. A page has `query.limit` rows, 50 by default. */
export async function* pages<Page extends { next_cursor: string | null }>(
  daemon: Daemon,
  path: string,
  options: CallOptions = {},
): AsyncGenerator<Page, void, undefined> {
  let cursor: string | null = null;
  do {
    const page: Page = await call<Page>(daemon, path, {
      ...options,
      query: { ...options.query, cursor: cursor ?? undefined },
    });
    yield page;
    cursor = page.next_cursor;
  } while (cursor !== null);
}

/** Reads a list row by row. The rows are in `field` of each page. */
export async function* rows<Row>(
  daemon: Daemon,
  path: string,
  field: string,
  options: CallOptions = {},
): AsyncGenerator<Row, void, undefined> {
  for await (const page of pages<{ next_cursor: string | null } & Record<string, unknown>>(daemon, path, options)) {
    yield* page[field] as Row[];
  }
}
