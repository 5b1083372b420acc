import { readFileSync, writeFileSync } from 'node:fs';

const [BEGIN, END] = ['<!-- results:begin -->', '<!-- results:end -->'];

/**
 * Replaces the text between the two markers of the page at `path` with `table`. Throws an Error when a marker is
 * missing.
 */
export function writeResults(path: string, table: string): void {
  const page = readFileSync(path, 'utf8');
  const from = page.indexOf(BEGIN) + BEGIN.length;
  const to = page.indexOf(END);
  if (from < BEGIN.length || to < from) throw new Error(`${path} must hold ${BEGIN} and ${END}.`);
  writeFileSync(path, `${page.slice(0, from)}\n${table}\n${page.slice(to)}`);
}
