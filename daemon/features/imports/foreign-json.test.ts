import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isProblem } from '../../storage/members/frontmatter.js';
import { type PlacedJson, readJson } from './foreign-json.js';

describe('readJson', () => {
  it('returns the same value as JSON.parse, with the range of each value', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue(), { noNullPrototype: true }),
        fc.constantFrom(undefined, 2, '\t'),
        (value, space) => {
          const text = JSON.stringify(value, null, space);
          const read = readJson(text) as PlacedJson;
          expect(read.value).toEqual(JSON.parse(text));
          for (const key of Object.keys(value)) {
            const { start, end } = read.findRange([key]) as { start: number; end: number };
            expect(JSON.parse(text.slice(start, end))).toEqual(JSON.parse(JSON.stringify(value[key])));
          }
        },
      ),
      { numRuns: 200, seed: 20261121 },
    );
  });

  it('accepts comments, trailing commas and a byte order mark', () => {
    expect(readJson('\uFEFF// a\n{"a": /* b */ [1, 2,], "u": "http://x", }\n// end')).toMatchObject({
      value: { a: [1, 2], u: 'http://x' },
    });
  });

  it.each([
    ['{"a": 1} x', 1, 10, 'Nothing may stand after the value.'],
    ['{\n  a: 1\n}', 2, 3, 'A key in double quotes is expected here.'],
    ['{"a" 1}', 1, 6, 'A colon is expected here.'],
    ['[1 2]', 1, 4, 'A comma or `]` is expected here.'],
    ['{"a": "b', 1, 7, 'This text is never closed.'],
    ['{"a": "\\q"}', 1, 7, 'This text has a character or an escape that JSON does not know.'],
    ['/* a', 1, 1, 'This comment is never closed.'],
    ['', 1, 1, 'A value is expected here.'],
    ['[01]', 1, 2, 'A value is expected here.'],
    ['['.repeat(100_000), 1, 66, 'It is nested too deeply.'],
  ])('returns a problem with line, column and reason for invalid text: %#', (text, line, column, reason) => {
    const read = readJson(text);
    expect(isProblem(read)).toBe(true);
    expect(read).toMatchObject({ line, column, reason });
  });
});
