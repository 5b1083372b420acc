import { expect, it } from 'vitest';
import type { Citation } from '../../../daemon/contract/asks.js';
import { type Asked, countRight, findFault, type Judged, toPlaces } from './evaluation.js';
import type { Fact, FactKind } from './generate.js';

const fact = (kind: FactKind, paths: string[], says?: string): Fact => ({
  kind,
  language: 'Go',
  question: 'Where?',
  word: 'word',
  paths,
  ...(says === undefined ? {} : { says }),
});
const answer = (confidence: Judged['confidence'], paths: string[], result_text = ''): Judged => ({
  confidence,
  result_text,
  citations: paths.map((path) => ({ path, start_line: 1, end_line: 2 }) as Citation),
});

it('takes one of the first three places of a text, and the first of the graph', () => {
  const places = ['a.md', 'b.md', 'c.md', 'd.md'];
  expect(findFault(fact('sentence', ['c.md']), answer('likely', places))).toBeUndefined();
  expect(findFault(fact('comment', ['d.md']), answer('found', places))).toBe('cites a.md, b.md, c.md');
  expect(findFault(fact('definition', ['a.md']), answer('found', places))).toBeUndefined();
  expect(findFault(fact('definition', ['b.md']), answer('found', places))).toBe('cites a.md');
  expect(findFault(fact('value', ['a.md']), answer('found', []))).toBe('cites nothing');
});

it('wants what the answer says, and every caller without another', () => {
  expect(findFault(fact('value', ['a.c'], '1003'), answer('found', ['a.c'], 'It is 1003.'))).toBeUndefined();
  expect(findFault(fact('value', ['a.c'], '1003'), answer('found', ['a.c'], 'It is 103.'))).toBe('does not say 1003');
  const callers = fact('callers', ['a.ts', 'b.ts']);
  expect(findFault(callers, answer('found', ['b.ts', 'a.ts', 'a.ts']))).toBeUndefined();
  expect(findFault(callers, answer('found', ['a.ts']))).toBe('1 of 2 are missing, 0 are wrong');
  expect(findFault(callers, answer('found', ['a.ts', 'b.ts', 'c.ts']))).toBe('0 of 2 are missing, 1 are wrong');
});

it('takes no refusal for what is there, and nothing but a refusal for what is not', () => {
  expect(findFault(fact('sentence', ['a.md']), answer('none', []))).toBe('none: it is there');
  expect(findFault(fact('absent', []), answer('none', []))).toBeUndefined();
  expect(findFault(fact('absent', []), answer('likely', ['a.md']))).toBe('likely: cites a.md');
});

it('counts both kinds apart, and tells answers apart by their places', () => {
  const asked = (kind: FactKind, fault: string | undefined): Asked => ({
    fact: fact(kind, []),
    fault,
    places: '',
    ms: 1,
  });
  expect(countRight([asked('value', undefined), asked('callers', 'x'), asked('absent', undefined)])).toEqual({
    planted: { right: 1, all: 2 },
    absent: { right: 1, all: 1 },
  });
  expect(toPlaces(answer('found', ['a.md']))).toBe('found a.md:1-2');
  expect(toPlaces(answer('likely', ['a.md']))).not.toBe(toPlaces(answer('found', ['a.md'])));
});
