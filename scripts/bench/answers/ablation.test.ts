import { expect, it } from 'vitest';
import { orderWithout } from './ablation.js';

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
