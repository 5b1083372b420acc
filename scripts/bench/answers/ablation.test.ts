import { expect, it } from 'vitest';
import { comparePart, orderWithout } from './ablation.js';

const none = { words: 0, close: 0, neighbours: 0, literals: 0, file_name: 0, kind: 1, whole_file: 0 };
const asked = { kind: 'thread', text: 'Where?', answers: [] } as never;
const candidate = (path: string, grounds: object) =>
  ({ path, start_line: 1, end_line: 2, fate: 'quoted', grounds: { ...none, ...grounds } }) as const;

it('orders candidates anew without one ground', () => {
  const all = [
    { base: 'town', asked, candidates: [candidate('a.c', { words: 1, kind: 2 }), candidate('b.c', { words: 1.5 })] },
  ];
  const paths = (left?: Parameters<typeof orderWithout>[1]) =>
    orderWithout(all, left)[0]?.places.map(({ path }) => path);
  expect(paths()).toEqual(['a.c', 'b.c']);
  expect(paths(['kind', 'the kind of file', 1])).toEqual(['b.c', 'a.c']);
});

it('compares an index without a part with the whole one, absent questions apart', () => {
  const outcome = (kind: string, confidence: string, path: string) =>
    ({
      base: 'town',
      asked: { kind, text: 'Where?', answers: kind === 'absent' ? [] : [{ path: 'a.c', lines: [1, 2] }] },
      confidence,
      places: [{ path, startLine: 1, endLine: 2 }],
      ms: 1,
    }) as never;
  const whole = [outcome('thread', 'found', 'a.c'), outcome('absent', 'none', '')];
  const without = [outcome('thread', 'none', 'b.c'), outcome('absent', 'found', 'b.c')];
  const figures = comparePart(without, whole).map(({ measure, value, whole: beside }) => [
    measure,
    value.value,
    beside,
  ]);
  expect(figures).toEqual([
    ['passage in the first three', 0, 1],
    ['file first', 0, 1],
    ['file in the first three', 0, 1],
    ['answerable: `none`', 1, 0],
    ['absent: `none`', 0, 1],
    ['absent: `found`', 1, 0],
  ]);
});
