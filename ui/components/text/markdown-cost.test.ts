import { describe, expect, it } from 'vitest';
import { isCostlyMarkdown } from './markdown-cost.js';

describe('isCostlyMarkdown', () => {
  it.each([
    ['prose', 'Some **bold** text with `code_like_this` and a [link](http://x.y).\n\n'.repeat(400)],
    ['a table', `| a | b |\n|---|---|\n${'| _x_ | y |\n'.repeat(200)}`],
    ['a wide table', `|${'a|'.repeat(40)}\n|${'-|'.repeat(40)}\n${`|${'a|'.repeat(40)}\n`.repeat(40)}`],
    ['a program full of pipes', 'a || b | c\n'.repeat(390)],
    ['code', `\`\`\`ts\n${'const at = rows[index];\n'.repeat(300)}\`\`\``],
    ['lists in lists', Array.from({ length: 8 }, (_, depth) => `${'  '.repeat(depth)}- a`).join('\n')],
    ['paragraphs full of marks', `${'*a* '.repeat(300)}\n\n`.repeat(40)],
    ['nothing', ''],
  ])('is false for %s', (_, text) => {
    expect(isCostlyMarkdown(text)).toBe(false);
  });

  it.each([
    ['quotes in quotes', '>'.repeat(4_000)],
    ['quotes in quotes, apart', '> '.repeat(12)],
    ['lists in lists on one line', '- '.repeat(2_000)],
    ['brackets that never close', '['.repeat(4_000)],
    ['emphasis that never closes', '*a_ '.repeat(1_000)],
    ['a quote with lazy lines', `> a\n${'b\n'.repeat(2_000)}`],
    ['a table of one line of cells', `|${'a|'.repeat(2_500)}\n|${'-|'.repeat(2_500)}`],
    [
      'a table that is much wider than its rows say',
      `|${'a|'.repeat(100)}\n|${':-:|'.repeat(100)}\n${'|\n'.repeat(300)}`,
    ],
    ['such a table within a quote', `> |${'a|'.repeat(100)}\n> |${'-|'.repeat(100)}\n${'> |\n'.repeat(300)}`],
    ['many tables', `|${'a|'.repeat(20)}\n|${'-|'.repeat(20)}\n\n`.repeat(60)],
    ['lines without end', 'a\n\n'.repeat(4_000)],
  ])('is true for %s', (_, text) => {
    expect(isCostlyMarkdown(text)).toBe(true);
  });
});
