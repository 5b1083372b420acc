import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isProblem, type ParsedMarkdown, parseMarkdown } from './frontmatter.js';
import { editMarkdown, newMarkdown } from './frontmatter-edit.js';

const edit = (text: string, changes: Record<string, unknown>, body?: string): string => {
  const edited = editMarkdown(text, changes, body);
  if (isProblem(edited)) throw new Error(edited.reason);
  return edited;
};
const parse = (text: string) => parseMarkdown(text) as ParsedMarkdown;

describe('newMarkdown', () => {
  it('writes the given keys in their order, and the body', () => {
    const text = newMarkdown(
      {
        name: 'Ada: the first',
        description: 'Two\nlines',
        tools: ['read', 'search'],
        limits: { turns: 3, minutes: 4 },
        examples: ['What is this?', 'Why, #1?'],
        color: undefined,
      },
      'You are Ada.\n',
    );
    expect(text).toBe(
      '---\nname: "Ada: the first"\ndescription: |-\n  Two\n  lines\ntools: [read, search]\nlimits: {turns: 3, ' +
        'minutes: 4}\n' +
        'examples:\n  - What is this?\n  - "Why, #1?"\n---\n\nYou are Ada.\n',
    );
    expect(parse(text).body).toBe('You are Ada.\n');
  });

  it('parses back to the same keys and body', () => {
    const json = fc
      .jsonValue({ maxDepth: 3 })
      .filter((value) => value !== null && JSON.stringify(value) === JSON.stringify(JSON.parse(JSON.stringify(value))));
    fc.assert(
      fc.property(
        fc.dictionary(fc.string({ unit: 'grapheme', minLength: 1 }), json, { noNullPrototype: true }),
        fc.string(),
        (keys, body) => {
          const { data, body: readBody } = parse(newMarkdown(keys, body));
          expect(JSON.parse(JSON.stringify(data))).toEqual(JSON.parse(JSON.stringify(keys)));
          expect(readBody).toBe(body);
        },
      ),
      { numRuns: 300, seed: 20261121 },
    );
  });
});

describe('editMarkdown', () => {
  const FILE = [
    '---',
    '# who',
    "name:   'Ada'   # her name",
    '',
    'x-team: {a: 1,   b: [2,3]}   # not ours',
    'model: strongest',
    'tools: # what she may use',
    '  - read # always',
    '  # the next one is rare',
    '  - edit',
    '  - web # sometimes',
    'limits:',
    '  turns: 3 # low',
    '  minutes:   4',
    'description: |',
    '  Two',
    '',
    '  lines',
    '',
    '# tail',
    '---',
    '',
    'Body  ',
    '',
  ].join('\n');

  it.each<[string, Record<string, unknown>, [string, string]]>([
    ['keeps quoting, spacing and the comment beside a value', { name: 'Bea' }, ["'Ada'", "'Bea'"]],
    ['sets a plain value', { model: 'opus' }, ['model: strongest', 'model: opus']],
    ['quotes what needs it', { model: 'a: b' }, ['model: strongest', 'model: "a: b"']],
    ['adds one item to a list', { tools: ['read', 'edit', 'ask', 'web'] }, ['  - edit\n', '  - edit\n  - ask\n']],
    ['removes one item from a list', { tools: ['read', 'web'] }, ['  - edit\n', '']],
    ['changes one item of a list', { tools: ['read', 'search', 'web'] }, ['  - edit\n', '  - search\n']],
    ['changes one entry of a mapping', { limits: { turns: 3, minutes: 9 } }, ['minutes:   4', 'minutes:   9']],
    [
      'adds one entry to a mapping',
      { limits: { turns: 3, minutes: 4, hours: 5 } },
      ['  minutes:   4\n', '  minutes:   4\n  hours: 5\n'],
    ],
    [
      'replaces a block of text',
      { description: 'One line' },
      ['description: |\n  Two\n\n  lines\n', 'description: One line\n'],
    ],
    ['adds a key after the others', { color: 'red' }, ['# tail\n---', '# tail\ncolor: red\n---']],
    ['removes the line of a key', { model: null }, ['model: strongest\n', '']],
    ['removes a key with its lines', { limits: null }, ['limits:\n  turns: 3 # low\n  minutes:   4\n', '']],
    [
      'empties a list',
      { tools: [] },
      [
        'tools: # what she may use\n  - read # always\n  # the next one is rare\n  - edit\n  - web # sometimes\n',
        'tools: [] # what she may use\n',
      ],
    ],
  ])('%s', (_case, changes, [from, to]) => {
    expect(edit(FILE, changes)).toBe(FILE.replace(from, to));
    expect(edit(FILE.replaceAll('\n', '\r\n'), changes)).toBe(FILE.replace(from, to).replaceAll('\n', '\r\n'));
  });

  it('changes nothing when the values are equal to the present ones', () => {
    const { name, model, tools, limits, description } = parse(FILE).data;
    expect(edit(FILE, { name, model, tools, limits, description, absent: null }, 'Body  \n')).toBe(FILE);
  });

  it('keeps every byte before the body when it replaces the body', () => {
    expect(edit(FILE, {}, 'New\n')).toBe(FILE.replace('Body  \n', 'New\n'));
    expect(edit('---\nname: Ada\n---', {}, 'New')).toBe('---\nname: Ada\n---\n\nNew');
    expect(edit('---\nname: Ada\n---\nOld', {}, '\nNew')).toBe('---\nname: Ada\n---\n\n\nNew');
    expect(edit('Old', {}, 'New')).toBe('New');
  });

  it('adds frontmatter to a file that has none', () => {
    expect(edit('Only words.\n', { name: 'Ada' })).toBe('---\nname: Ada\n---\n\nOnly words.\n');
    expect(edit('\uFEFFWords\r\n', { name: 'Ada' })).toBe('\uFEFF---\r\nname: Ada\r\n---\r\n\r\nWords\r\n');
    expect(edit('---\n---\nBody', { name: 'Ada' })).toBe('---\nname: Ada\n---\nBody');
  });

  it.each([
    ['an empty value', '---\ncolor: # none yet\n---\n', { color: 'red' }, '---\ncolor: red # none yet\n---\n'],
    [
      'a value on the next line',
      '---\nname:\n  Ada\nmodel: x\n---\n',
      { name: 'Bea' },
      '---\nname: Bea\nmodel: x\n---\n',
    ],
    ['a list at the margin', '---\ntools:\n- read\n- edit\n---\n', { tools: ['read'] }, '---\ntools:\n- read\n---\n'],
    ['a key in quotes', '---\n"model" : x\n---\n', { model: 'y' }, '---\n"model" : y\n---\n'],
    ['an explicit key', '---\n? model\n: x\n---\n', { model: null }, '---\n---\n'],
    [
      'indented keys',
      '---\n  name: Ada\n  model: x\n---\n',
      { color: 'red' },
      '---\n  name: Ada\n  model: x\n  color: red\n---\n',
    ],
    [
      'one-line frontmatter',
      '---\n{name: Ada, model: x}\n---\n',
      { model: 'y', color: 'red' },
      '---\n{color: red, name: Ada, model: y}\n---\n',
    ],
    [
      'a text over several lines',
      '---\nname: Ada\n  Lovelace\nmodel: x\n---\n',
      { name: 'Bea' },
      '---\nname: Bea\nmodel: x\n---\n',
    ],
    [
      'a last text that keeps its blank lines',
      '---\na: |+\n  x\n\nmodel: x\n\n---\n',
      { model: null },
      '---\na: |+\n  x\n\nmodel: null\n\n---\n',
    ],
  ])('handles %s', (_case, text, changes, wanted) => {
    expect(edit(text, changes)).toBe(wanted);
  });

  it('refuses to change a value that other keys refer to', () => {
    const text = '---\nmodel: &m strongest\nx-fallback: *m\n---\n';
    expect(editMarkdown(text, { model: 'other' })).toMatchObject({
      reason: expect.stringContaining('without changing other keys'),
    });
    expect(edit(text, { 'x-fallback': 'other' })).toBe('---\nmodel: &m strongest\nx-fallback: other\n---\n');
  });

  it('refuses a file that cannot be parsed', () => {
    expect(editMarkdown('---js\n---\n', { name: 'Ada' })).toMatchObject({ line: 1 });
    expect(editMarkdown('---\na: [\n---\n', { name: 'Ada' })).toMatchObject({ reason: expect.any(String) });
  });
});

/** Lines of a frontmatter as people write them: one entry of the key, in many layouts. */
const word = fc.stringMatching(/^[A-Za-z][A-Za-z0-9 é-]{0,12}[A-Za-z0-9]$/);
const comment = fc.constantFrom('', '  # why', ' # "a: b"', '   ', '\t# tab');
const entryLines = (key: string): fc.Arbitrary<string[]> =>
  fc.oneof(
    fc
      .tuple(fc.constantFrom(' ', '   '), word, comment)
      .map(([space, text, after]) => [`${key}:${space}${text}${after}`]),
    fc.tuple(word, comment).map(([text, after]) => [`${key}: '${text}'${after}`]),
    fc.tuple(word, comment).map(([text, after]) => [`"${key}": "${text}: #"${after}`]),
    fc.tuple(fc.integer(), comment).map(([number, after]) => [`${key} : ${number}${after}`]),
    comment.map((after) => [`${key}:${after}`]),
    fc.array(word, { maxLength: 3 }).map((items) => [`${key}: [ ${items.join(' ,  ')} ] # list`]),
    fc
      .tuple(fc.array(fc.tuple(word, comment), { minLength: 1, maxLength: 4 }), fc.constantFrom('', '  ', '    '))
      .map(([items, indent]) => [
        `${key}:  # items`,
        ...items.flatMap(([item, after], i) => [
          ...(i === 1 ? [`${indent}# between`, ''] : []),
          `${indent}-  ${item}${after}`,
        ]),
      ]),
    fc
      .array(fc.tuple(word, comment), { minLength: 1, maxLength: 3 })
      .map((items) => [
        `${key}:`,
        ...items.flatMap(([item, after], i) => [`    in${i}:  ${item}${after}`, ...(i === 0 ? ['    # inside'] : [])]),
      ]),
    fc
      .tuple(fc.constantFrom('|', '>', '|-', '>+', '|+'), word, word)
      .map(([mark, a, b]) => [`${key}: ${mark} # block`, `   ${a}`, '', `   ${b}`, '']),
    fc.tuple(word, word).map(([a, b]) => [`${key}: "${a}`, '', `  ${b}"`]),
    fc.tuple(word, word).map(([a, b]) => [`${key}:`, `   ${a}`, `   ${b} # end`]),
  );
const between = fc.constantFrom([], [''], ['# a comment'], ['', '  # indented comment', '']);
const KEYS = ['name', 'model', 'x-own', 'tools', 'limits', '__proto__', 'emoji'];
const aFile = fc
  .tuple(
    fc
      .shuffledSubarray(KEYS, { minLength: 1 })
      .chain((keys) => fc.tuple(...keys.map((key) => fc.tuple(between, entryLines(key))))),
    between,
    fc.constantFrom('\n', '\r\n'),
    fc.constantFrom('', '\uFEFF'),
    fc.constantFrom('', '\nBody\n', 'Body', '\n\n  a: b\n---\nmore\n'),
  )
  .map(([entries, last, eol, mark, body]) => {
    const lines = ['---', ...entries.flatMap(([before, lines]) => [...before, ...lines]), ...last, '---', ''];
    return mark + lines.join(eol) + body.replaceAll('\n', eol);
  })
  .filter((text) => !isProblem(parseMarkdown(text)));
const aValue = fc.oneof(
  word,
  fc.string(),
  fc.integer(),
  fc.boolean(),
  fc.array(word, { maxLength: 4 }),
  fc.dictionary(fc.constantFrom('in0', 'in1', 'in2', 'new'), word, { noNullPrototype: true }),
  fc.constant('two\nlines'),
  fc.constant(null),
);

/** Strips the common lines from both ends and returns the removed and the added lines in between. */
function untouched(before: string, after: string): { isPrefix: number; removed: string; added: string } {
  const a = before.split('\n');
  const b = after.split('\n');
  let start = 0;
  while (start < Math.min(a.length, b.length) && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < Math.min(a.length, b.length) - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1;
  return {
    isPrefix: start,
    removed: a.slice(start, a.length - end).join('\n'),
    added: b.slice(start, b.length - end).join('\n'),
  };
}

describe('after editing one key', () => {
  it('only that key differs, and every byte outside its lines is the same', () => {
    fc.assert(
      fc.property(
        aFile,
        fc.constantFrom(...KEYS.filter((key) => key !== '__proto__'), 'color'),
        aValue,
        (text, key, value) => {
          const before = parse(text);
          const edited = edit(text, { [key]: value });
          const after = parse(edited);
          const { [key]: was, ...othersBefore } = before.data;
          const { [key]: is, ...othersAfter } = after.data;
          expect(othersAfter).toEqual(othersBefore);
          expect(JSON.parse(JSON.stringify(is ?? null))).toEqual(JSON.parse(JSON.stringify(value)));
          expect(after.body).toBe(before.body);
          expect(Object.keys(after.data).filter((other) => other !== key)).toEqual(
            Object.keys(before.data).filter((other) => other !== key),
          );
          const { removed } = untouched(text, edited);
          const others = Object.keys(othersBefore).filter((other) => new RegExp(`^"?${other}"? ?:`, 'm').test(removed));
          expect(others).toEqual([]);
          if (was === undefined) expect(removed).toBe('');
          if (/\r\n/.test(text)) expect(edited.replaceAll('\r\n', '').includes('\n')).toBe(false);
        },
      ),
      { numRuns: 1000, seed: 20261121 },
    );
  });
});
