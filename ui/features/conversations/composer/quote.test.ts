import { expect, it } from 'vitest';
import { formatQuote } from './quote.js';

it('quotes each line, also empty ones and those of a quotation', () => {
  expect(formatQuote('\n/rewind it.\r\n\n> Why?\n')).toBe('> /rewind it.\n>\n> > Why?\n\n');
});

it('cuts what is too long', () => {
  expect(formatQuote('long '.repeat(2_000))).toMatch(/^> (long ){799}long …\n\n$/);
});
