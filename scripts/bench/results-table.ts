import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { readResults, writeResults } from '../results-page.js';
import type { Measure } from './measure.js';

const PAGE = fileURLToPath(new URL('./RESULTS.md', import.meta.url));
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const HEAD = ['measure', 'ours (median)', 'beside', 'ratio', 'goal'];
const RUNS_HEAD = ['benches', 'day', 'tree', 'machine'];
const toRow = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
const toCells = (row: string) =>
  row
    .slice(1, -1)
    .split(' | ')
    .map((cell) => cell.trim());

/** Where and of what some benches were run. */
interface Run {
  day: string;
  /** Digest of the tree that git has for it, and whether files differed from it. */
  tree: string;
  machine: string;
}

/** Returns the bench of a row, which its first cell begins with. */
const getBench = (row: string) => toCells(row)[0]?.split(':')[0] ?? '';

function measureRow({ bench, measure, ours, unit, peer, ratio, goal, pass }: Measure): string {
  return toRow([
    `${bench}: ${measure}`,
    `${ours} ${unit}`.trim(),
    peer ? `${peer.name}: ${peer.value}` : '',
    ratio === undefined ? '' : `${ratio}×`,
    `${goal ?? ''}${pass === false ? ' (missed)' : ''}`,
  ]);
}

/** Returns the rows below the heading `head` of a page, without it. */
function rowsBelow(page: string, head: readonly string[]): string[] {
  const lines = page.split('\n');
  const start = lines.indexOf(toRow(head));
  if (start === -1) return [];
  const end = lines.findIndex((line, index) => index > start && !line.startsWith('|'));
  return lines.slice(start + 2, end === -1 ? undefined : end);
}

/** Returns the runs that a page names, by bench. */
function readRuns(page: string): Map<string, Run> {
  return new Map(
    rowsBelow(page, RUNS_HEAD).flatMap((row) => {
      const [benches = '', day = '', tree = '', machine = ''] = toCells(row);
      return benches.split(', ').map((bench): [string, Run] => [bench, { day, tree, machine }]);
    }),
  );
}

function runRows(runs: ReadonlyMap<string, Run>): string[] {
  const benches = new Map<string, string[]>();
  for (const [bench, { day, tree, machine }] of runs) {
    const said = [day, tree, machine].join(' | ');
    benches.set(said, [...(benches.get(said) ?? []), bench]);
  }
  return [...benches].map(([said, names]) => `| ${names.join(', ')} | ${said} |`);
}

/**
 * Returns the tables of `page` with the rows of the benches in `measures` replaced, or added at the end, and those of
 * other benches as they were, with what each was run on. A row is a measure that has a goal or is marked as listed.
 */
export function mergeResults(page: string, measures: readonly Measure[], run: Omit<Run, 'machine'>): string {
  const fresh = new Map<string, string[]>();
  for (const one of measures)
    if (one.goal !== undefined || one.isListed)
      fresh.set(one.bench, [...(fresh.get(one.bench) ?? []), measureRow(one)]);
  const rows = new Map<string, string[]>();
  for (const row of rowsBelow(page, HEAD)) rows.set(getBench(row), [...(rows.get(getBench(row)) ?? []), row]);
  const runs = readRuns(page);
  for (const [bench, own] of fresh) {
    rows.set(bench, own);
    runs.set(bench, { ...run, machine: measures.find((one) => one.bench === bench)?.machine ?? '' });
  }
  const shown = new Map(
    [...rows.keys()].flatMap((bench) => {
      const known = runs.get(bench);
      return known ? [[bench, known] as const] : [];
    }),
  );
  const rule = (cells: readonly string[]) => toRow(cells.map(() => '---'));
  return [
    toRow(HEAD),
    rule(HEAD),
    ...[...rows.values()].flat(),
    '',
    'Written by `npm run bench -- --results`, and for a bench by its name before the option.',
    '',
    toRow(RUNS_HEAD),
    rule(RUNS_HEAD),
    ...runRows(shown),
  ].join('\n');
}

/** Returns the digest of the tree that is checked out, and whether files but the results differ from it. */
function describeTree(): string {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  try {
    const changed = git(
      'status',
      '--porcelain',
      '--',
      '.',
      ':(exclude)scripts/bench/RESULTS.md',
      ':(exclude)scripts/bench/growth.svg',
    );
    return `${git('rev-parse', '--short=12', 'HEAD^{tree}')}${changed === '' ? '' : ', with changes'}`;
  } catch {
    return 'not in git';
  }
}

/** Replaces the rows of the benches that ran in `RESULTS.md`. */
export function writeBenchResults(measures: readonly Measure[]): void {
  const run = { day: new Date().toISOString().slice(0, 10), tree: describeTree() };
  writeResults(PAGE, mergeResults(readResults(readFileSync(PAGE, 'utf8'), PAGE), measures, run));
}
