import { expect, it } from 'vitest';
import { putBeside } from './search-programs.js';

it('puts a row beside each program, and says which is not installed', () => {
  const row = { measure: 'text', unit: 'MB/s', ours: 10 };
  const searched = [
    { name: 'ripgrep', times: [100, 200, 300] },
    { name: 'git grep', times: [] },
  ];
  expect(putBeside(row, searched, (ms) => 8_000 / ms)).toEqual([
    { ...row, peer: { name: 'one search by ripgrep', value: 40 }, ratio: 0.25 },
    { ...row, measure: 'text (git grep is not installed)' },
  ]);
});
