import { expect, it } from 'vitest';
import { pattern, patternWith } from './pattern.js';

it('joins the lines of a pattern and keeps the spaces within them, escapes and flags', () => {
  const made = pattern`
    \b(?:one two
      |a\/b)\b
    |\w+ \d
  `;
  expect([made.source, made.flags]).toEqual(['\\b(?:one two|a\\/b)\\b|\\w+ \\d', '']);
  expect(patternWith('gi')`a b`).toEqual(/a b/gi);
});
