import { expect, it } from 'vitest';
import { toPlainLines, wrapLine } from './plain-text.js';

const plain = (markdown: string) => toPlainLines(markdown).map(({ text }) => text);

it.each([
  ['**Run\\_it**: see `a_b.ts`, lines 1 to 2. [1]', ['Run_it: see a_b.ts, lines 1 to 2. [1]']],
  ['`a\\_b` and \\`c', ['a\\_b and `c']],
  ['a ` b \\_', ['a ` b _']],
  ['`a\\_b` stays', ['a\\_b stays']],
  ['2 * 3 ** 4, a\\\\b', ['2 * 3 ** 4, a\\b']],
  ['> quoted **text**\n>\n> more', ['    quoted text', '', '    more']],
  ['````ts\nconst a = `x\\_y`; // **no**\n\n```\n````', ['    const a = `x\\_y`; // **no**', '', '    ```']],
  ['~~~\n```\n~~~\nafter', ['    ```', 'after']],
  ['```\nnever closed', ['    never closed']],
])('%j becomes %j', (markdown, lines) => {
  expect(plain(markdown)).toEqual(lines);
});

it('takes time proportional to the text', () => {
  const started = performance.now();
  for (const piece of ['**a ', '`', '\\', '> ', '[1] `', '** '])
    toPlainLines(piece.repeat(200_000)).flatMap(({ text }) => wrapLine(text, 80));
  expect(performance.now() - started).toBeLessThan(5_000);
});

it('wraps at spaces, with the indentation of the line, and breaks no word', () => {
  expect(wrapLine('one two three four five six', 20)).toEqual(['one two three four', 'five six']);
  expect(wrapLine('    one two three four five', 20)).toEqual(['    one two three', '    four five']);
  expect(wrapLine('- one two three four five', 20)).toEqual(['- one two three four', '  five']);
  expect(wrapLine(`a ${'x'.repeat(40)} b`, 20)).toEqual(['a', 'x'.repeat(40), 'b']);
  expect(wrapLine('one two three four five six', 5)).toEqual(['one two three four five six']);
});
