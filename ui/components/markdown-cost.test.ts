import { describe, expect, it } from 'vitest';
import { isCostlyMarkdown } from './markdown-cost.js';

describe('a text that is read as Markdown', () => {
  it.each([
    ['prose', 'Some **bold** text with `code_like_this` and a [link](http://x.y).\n\n'.repeat(400)],
    ['a table', `| a | b |\n|---|---|\n${'| _x_ | y |\n'.repeat(200)}`],
    ['code', `\`\`\`ts\n${'const at = rows[index];\n'.repeat(300)}\`\`\``],
    ['lists in lists', Array.from({ length: 8 }, (_, depth) => `${'  '.repeat(depth)}- a`).join('\n')],
    ['paragraphs full of marks', `${'*a* '.repeat(300)}\n\n`.repeat(40)],
    ['nothing', ''],
  ])('is read: %s', (_, text) => {
    expect(isCostlyMarkdown(text)).toBe(false);
  });

  it.each([
    ['quotes in quotes', '>'.repeat(4_000)],
    ['quotes in quotes, apart', '> '.repeat(12)],
    ['lists in lists on one line', '- '.repeat(2_000)],
    ['brackets that never close', '['.repeat(4_000)],
    ['emphasis that never closes', '*a_ '.repeat(1_000)],
    ['a quote with lazy lines', `> a\n${'b\n'.repeat(2_000)}`],
    ['lines without end', 'a\n\n'.repeat(4_000)],
  ])('is left as it is: %s', (_, text) => {
    expect(isCostlyMarkdown(text)).toBe(true);
  });
});
