import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../daemon/testing/temporary-folder.js';
import { digestOf, keepScore, listNotes, listSources, readScores } from './kept-scores.mjs';
import { isDrawn } from './sampled-mutants.mjs';
import { getInterval, getScore, type MutantResult, toLine } from './score.js';

const HTTP = 'daemon/http';
const COUNTS = { tests: [HTTP], killed: 0, timed_out: 0, survived: 0, uncovered: 0, date: '2026-11-27' };

function project() {
  const root = temporaryFolder({
    'scripts/mutants/scores.json': '[]\n',
    'daemon/http/guard.ts': 'export const a = 1;\n',
    'daemon/http/deep/headers.ts': 'export const b = 2;\n',
    'daemon/http/guard.test.ts': 'it();\n',
    'daemon/http/types.d.ts': 'export {};\n',
    'daemon/lib/ids.ts': 'export const c = 3;\n',
  });
  const put = (path: string, text: string) => writeFileSync(join(root, path), text);
  const measure = (folder: string, score: number) =>
    keepScore(root, { ...COUNTS, folder, score, digest: digestOf(root, folder) ?? '' });
  return { root, put, measure };
}

it('measures the sources of a folder and its sub folders, without tests and declarations', () => {
  expect(listSources(project().root, HTTP)).toEqual(['daemon/http/deep/headers.ts', 'daemon/http/guard.ts']);
});

it('keeps one score for each folder, in order', () => {
  const { root, measure } = project();
  measure('daemon/lib', 90);
  measure(HTTP, 80);
  measure(HTTP, 97);
  expect(readScores(root).map(({ folder, score }) => [folder, score])).toEqual([
    [HTTP, 97],
    ['daemon/lib', 90],
  ]);
  // In the form that the formatter gives it, so that a measurement breaks no check.
  expect(readFileSync(join(root, 'scripts/mutants/scores.json'), 'utf8')).toMatch(
    /^\[\n {2}\{\n {4}"tests": \["daemon\/http"\],\n[\s\S]*\n {2}\}\n\]\n$/,
  );
});

it('notes a folder whose sources have changed since, one that is gone, and one below its goal', () => {
  const { root, put, measure } = project();
  measure('daemon/lib', 85);
  measure(HTTP, 95);
  put('daemon/http/guard.test.ts', 'it.each();\n');
  expect(listNotes(root)).toEqual([]);
  measure(HTTP, 94.9);
  expect(listNotes(root)).toEqual([expect.stringContaining('the goal is 95 %')]);
  put('daemon/http/guard.ts', 'export const a = 2;\n');
  expect(listNotes(root)).toEqual([expect.stringContaining('npm run mutants -- daemon/http')]);
  keepScore(root, { ...COUNTS, folder: 'daemon/left', score: 100, digest: 'x' });
  expect(listNotes(root)).toContainEqual(expect.stringContaining('daemon/left is gone'));
});

it('notes for the scores of this repository name folders that exist', () => {
  const notes = listNotes(fileURLToPath(new URL('../..', import.meta.url)));
  expect(notes.filter((note) => note.includes('is gone'))).toEqual([]);
});

it('scores what was found out of all that could be, rounded down', () => {
  const of = (...states: MutantResult['status'][]) => getScore(states.map((status) => ({ status })));
  expect(of('Killed', 'Timeout', 'Survived', 'NoCoverage', 'Ignored', 'CompileError')).toEqual({
    score: 50,
    killed: 1,
    timed_out: 1,
    survived: 1,
    uncovered: 1,
  });
  expect(of('Killed', 'Killed', 'Survived').score).toBe(66.6);
  expect(of().score).toBe(100);
});

it('shows a survivor on one line, with what stood in its place', () => {
  const survivor = {
    fileName: '/work/daemon/http/guard.ts',
    location: { start: { line: 7, column: 3 }, end: { line: 9, column: 4 } },
    mutatorName: 'BlockStatement',
    replacement: `{\n  ${'x'.repeat(200)}\n}`,
    status: 'NoCoverage',
  } as MutantResult;
  expect(toLine(survivor, '/work')).toBe(`daemon/http/guard.ts:7:3 BlockStatement (no test): { ${'x'.repeat(78)}…`);
});

it('draws the part of the mutants that was asked for, the same ones each time, and others with another seed', () => {
  const mutants = Array.from({ length: 4000 }, (_, line) => ({
    fileName: 'daemon/http/guard.ts',
    location: { start: { line, column: 2 }, end: { line, column: 6 } },
    mutatorName: 'BooleanLiteral',
    replacement: 'false',
  }));
  const draw = (part: number, seed: string) => mutants.filter((mutant) => isDrawn(mutant, part, seed));
  expect(draw(0.1, '1').length / mutants.length).toBeCloseTo(0.1, 1);
  expect(draw(0.1, '1')).toEqual(draw(0.1, '1'));
  expect(draw(0.1, '2')).not.toEqual(draw(0.1, '1'));
  expect(draw(0.2, '1')).toEqual(expect.arrayContaining(draw(0.1, '1')));
  expect([draw(0, '1').length, draw(1, '1').length]).toEqual([0, mutants.length]);
});

// Wilson's bounds as in Newcombe 1998, table I: 81 of 263 and 0 of 20.
it.each([
  [81, 263, [25.5, 36.6]],
  [0, 20, [0, 16.1]],
  [20, 20, [83.9, 100]],
  [0, 0, [0, 100]],
] as const)('tells how far a draw of %i found of %i can be trusted', (found, all, bounds) => {
  expect(getInterval(found, all)).toEqual(bounds);
});
