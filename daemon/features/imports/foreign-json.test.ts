import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isProblem } from '../../storage/members/frontmatter.js';
import { agentEntries, type PlacedJson, readJson } from './foreign-json.js';

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

  it.each([
    ...['0', '-0', '1', '-12', '10.5', '0.25', '1e3', '1E+3', '1e-3', '-1.5e10', 'true', 'false', 'null'],
    ...['[]', '{}', '[[], {}]', '"a\\"b"', '"\\\\"', '{"a":{"b":[1,{"c":"]}"}]}}', `[${'1'.repeat(390)}]`],
  ])('reads %s like JSON.parse', (text) => {
    expect((readJson(text) as PlacedJson).value).toEqual(JSON.parse(text));
  });

  it.each([
    ...['01', '1.', '.5', '+1', '1e', '-', 'truely', 'true.x', 'nul', 'NaN', '1_', '1.2.3', '--1', 'undefined', '-01'],
    ...[
      '[,]',
      '{,}',
      '[1,,2]',
      '[1',
      '{"a":1',
      '{"a"',
      '{"a":',
      '{"a":}',
      "{'a':1}",
      '[1}',
      '"a\nb"',
      '"a\\',
      '/',
      '1 2',
    ],
    ...['/*/', '/*/1', '1 /*', '"\t"', '{} // a\n {}'],
  ])('refuses %j', (text) => {
    expect(isProblem(readJson(text))).toBe(true);
  });

  it.each<[text: string, value: unknown]>([
    ['/**/1', 1],
    ['/*/ */1', 1],
    ['/* * / */1', 1],
    ['1//', 1],
    ['1// a', 1],
    ['//\r\n1', 1],
    ['\t\r\n 1 \t\r\n', 1],
    ['[1,\n]', [1]],
    ['{"a":1,/* b */}', { a: 1 }],
    ['{"a":1,"a":2}', { a: 2 }],
    ['{"a"/* b */: // c\n1}', { a: 1 }],
    ['"// a /* b */"', '// a /* b */'],
    ['{"__proto__":1}', Object.fromEntries([['__proto__', 1]])],
    [`${'['.repeat(65)}${']'.repeat(65)}`, JSON.parse(`${'['.repeat(65)}${']'.repeat(65)}`)],
  ])('reads the comments, commas and depth of %#', (text, value) => {
    expect((readJson(text) as PlacedJson).value).toEqual(value);
  });

  it('is limited to a depth of 64 below the root', () => {
    expect(readJson(`${'['.repeat(66)}${']'.repeat(66)}`)).toMatchObject({ reason: 'It is nested too deeply.' });
    const objects = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
    expect(readJson(objects(64))).toHaveProperty('value');
    expect(readJson(objects(65))).toMatchObject({ reason: 'It is nested too deeply.' });
  });

  it.each([
    ['{"a": 1,\n "b" 2}', 2, 6, 'A colon is expected here.'],
    ['{"a": 1 "b": 2}', 1, 9, 'A comma or `}` is expected here.'],
    ['{\n"a": "b\n"}', 2, 6, 'This text is never closed.'],
    ['1 /* a', 1, 3, 'This comment is never closed.'],
    ['\uFEFFx', 1, 2, 'A value is expected here.'],
  ])('tells where %j is wrong', (text, line, column, reason) => {
    expect(readJson(text)).toEqual({ line, column, reason });
  });

  it('finds the range of a value by its keys, and none for others', () => {
    const { findRange } = readJson('\uFEFF {"a": {"b": [1, 2] }, "c": "d"} ') as PlacedJson;
    expect([findRange([]), findRange(['a']), findRange(['a', 'b']), findRange(['c'])]).toEqual([
      { start: 2, end: 33 },
      { start: 8, end: 22 },
      { start: 14, end: 20 },
      { start: 29, end: 32 },
    ]);
    for (const path of [['x'], ['a', 'x'], ['a', 'b', '0'], ['x', 'y'], ['c', 'd']])
      expect(findRange(path)).toBeUndefined();
  });
});

it('the agents of a configuration are its objects under `agent` and `agents`, which win', () => {
  expect(agentEntries({ agent: { a: { x: 1 }, b: 3, c: null, d: [] } })).toEqual([
    { id: 'a', data: { x: 1 }, folder: 'agent' },
  ]);
  expect(agentEntries({ agents: { a: { x: 1 }, b: 3, c: { permissions: [1] } } })).toEqual([
    { id: 'a', data: { x: 1, permissions: [] }, folder: 'agents' },
    { id: 'c', data: { permissions: [1] }, folder: 'agents' },
  ]);
  expect(agentEntries({ agent: { a: {}, b: {}, c: {} }, agents: { b: { x: 1 }, c: 3 } })).toEqual([
    { id: 'a', data: {}, folder: 'agent' },
    { id: 'c', data: {}, folder: 'agent' },
    { id: 'b', data: { x: 1, permissions: [] }, folder: 'agents' },
  ]);
  for (const none of [undefined, null, 3, 'agent', [], {}, { agent: null }, { agent: [] }, { agents: 3 }])
    expect(agentEntries(none)).toEqual([]);
});
