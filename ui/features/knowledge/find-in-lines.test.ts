import { expect, it } from 'vitest';
import { findMatches, MATCHES_MAX, markPieces } from './find-in-lines.js';

it('finds what is typed as it is, whatever the case, with the places in their lines', () => {
  const lines = ['const İ = lamp[0];', '', 'LAMP[0](lamp[0]) // $&'];
  expect(findMatches(lines, 'Lamp[0]').map(({ line, start, end }) => [line, start, end])).toEqual([
    [1, 10, 17],
    [3, 0, 7],
    [3, 8, 15],
  ]);
  expect(findMatches(lines, '$&')).toEqual([{ line: 3, start: 20, end: 22 }]);
  expect(findMatches(lines, '')).toEqual([]);
  expect(findMatches(lines, '/')).toHaveLength(2);
});

it('returns no more than the most', () => {
  expect(findMatches(['e'.repeat(MATCHES_MAX), 'e'], 'e')).toHaveLength(MATCHES_MAX);
});

it('splits coloured parts where an occurrence begins and ends, also across several', () => {
  const pieces = [
    { text: 'const ', kind: 'keyword' },
    { text: 'lamp', kind: '' },
    { text: ' = lamp;', kind: 'constant' },
  ];
  const [first, second] = [
    { line: 1, start: 4, end: 8 },
    { line: 1, start: 13, end: 17 },
  ];
  expect(markPieces(pieces, [first, second]).map(({ text, kind, match }) => [text, kind, match])).toEqual([
    ['cons', 'keyword', undefined],
    ['t ', 'keyword', first],
    ['la', '', first],
    ['mp', '', undefined],
    [' = ', 'constant', undefined],
    ['lamp', 'constant', second],
    [';', 'constant', undefined],
  ]);
});
