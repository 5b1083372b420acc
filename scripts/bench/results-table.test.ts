import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { readResults } from '../results-page.js';
import type { Measure } from './measure.js';
import { mergeResults } from './results-table.js';

const measure = (bench: string, ours: number, more: Partial<Measure> = {}): Measure => ({
  bench,
  measure: 'time',
  unit: 'ms',
  ours,
  rounds: 1,
  goal: '<= 2 ms',
  pass: ours <= 2,
  machine: 'a machine',
  ...more,
});
const first = mergeResults('', [measure('start', 1), measure('search', 3)], { day: '2026-01-01', tree: 'aaa' });

it('lists measures with a goal or that are to be listed, with tree, day and machine', () => {
  const page = mergeResults(
    '',
    [
      measure('start', 3, { peer: { name: 'node', value: 2 }, ratio: 1.5 }),
      { bench: 'start', measure: 'memory', unit: 'MB', ours: 9, rounds: 1, machine: 'a machine', isListed: true },
      { bench: 'start', measure: 'noise', unit: 'MB', ours: 9, rounds: 1, machine: 'a machine' },
    ],
    { day: '2026-01-01', tree: 'aaa' },
  );
  expect(page).toContain(
    '| start: time | 3 ms | node: 2 | 1.5× | <= 2 ms (missed) |\n| start: memory | 9 MB |  |  |  |\n',
  );
  expect(page).not.toContain('noise');
  expect(page).toContain('| start | 2026-01-01 | aaa | a machine |');
});

it('replaces the rows of the benches that ran and keeps the others with what they were run on', () => {
  const next = mergeResults(first, [measure('search', 1), measure('fanout', 2)], { day: '2026-02-02', tree: 'bbb' });
  expect(next.split('\n').filter((line) => line.includes('time'))).toEqual([
    '| start: time | 1 ms |  |  | <= 2 ms |',
    '| search: time | 1 ms |  |  | <= 2 ms |',
    '| fanout: time | 2 ms |  |  | <= 2 ms |',
  ]);
  expect(next).toContain('| start | 2026-01-01 | aaa | a machine |\n| search, fanout | 2026-02-02 | bbb | a machine |');
});

it('reads the page as it is, and writes it unchanged when nothing ran', () => {
  const path = fileURLToPath(new URL('./RESULTS.md', import.meta.url));
  const page = readResults(readFileSync(path, 'utf8'), path).trim();
  expect(mergeResults(page, [], { day: '2026-03-03', tree: 'ccc' })).toBe(page);
  expect(mergeResults(first, [], { day: '2026-03-03', tree: 'ccc' })).toBe(first);
});
