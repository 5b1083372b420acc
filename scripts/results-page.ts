import { readFileSync, writeFileSync } from 'node:fs';

const [BEGIN, END] = ['<!-- results:begin -->', '<!-- results:end -->'];

/** Returns where the text between the two markers of `page` begins and ends. Throws an Error when one is missing. */
function findResults(page: string, path: string): [from: number, to: number] {
  const from = page.indexOf(BEGIN) + BEGIN.length;
  const to = page.indexOf(END);
  if (from < BEGIN.length || to < from) throw new Error(`${path} must hold ${BEGIN} and ${END}.`);
  return [from, to];
}

/** Returns the text between the two markers of `page`, which is named `path`. Throws an Error when one is missing. */
export const readResults = (page: string, path: string): string => page.slice(...findResults(page, path));

/**
 * Replaces the text between the two markers of the page at `path` with `table`. Throws an Error when a marker is
 * missing.
 */
export function writeResults(path: string, table: string): void {
  const page = readFileSync(path, 'utf8');
  const [from, to] = findResults(page, path);
  writeFileSync(path, `${page.slice(0, from)}\n${table}\n${page.slice(to)}`);
}
