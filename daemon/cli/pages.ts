/** The maximum number of rows in one page of the daemon. */
export const PAGE_ROWS = 200;

interface Page<Row> {
  rows: Row[];
  /** Null at the end of the list. */
  next_cursor: string | null;
}

/** Reads a list page by page, until it ends or `limit` rows are read. `read` receives the size of the page to read. */
export async function readPages<Row>(
  limit: number,
  read: (size: number, cursor: string | null) => Promise<Page<Row>>,
): Promise<Page<Row>> {
  const rows: Row[] = [];
  let cursor: string | null = null;
  do {
    const page: Page<Row> = await read(Math.min(PAGE_ROWS, limit - rows.length), cursor);
    rows.push(...page.rows);
    cursor = page.next_cursor;
  } while (cursor !== null && rows.length < limit);
  return { rows, next_cursor: cursor };
}

/** The parameters that have a value as a query string, in the order given. */
export function toQuery(parameters: Readonly<Record<string, string | number | null | undefined>>): URLSearchParams {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(parameters)) if (value) query.set(key, String(value));
  return query;
}
