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
        model: null,
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
    const { name, model, tools, limits, description, 'x-team': team } = parse(FILE).data;
    const same = { name, model, tools, limits, description, 'x-team': team };
    expect(edit(FILE, { ...same, absent: null, color: undefined }, 'Body  \n')).toBe(FILE);
    expect(edit('Only words.\n', { name: null, color: undefined }, 'Only words.\n')).toBe('Only words.\n');
    expect(edit('---\nname: Ada\n---', {}, '')).toBe('---\nname: Ada\n---');
  });

  it('keeps every byte before the body when it replaces the body', () => {
    expect(edit(FILE, {}, 'New\n')).toBe(FILE.replace('Body  \n', 'New\n'));
    expect(edit('---\nname: Ada\n---', {}, 'New')).toBe('---\nname: Ada\n---\n\nNew');
    expect(edit('---\nname: Ada\n---\nOld', {}, 'New\n\nmore')).toBe('---\nname: Ada\n---\nNew\n\nmore');
    expect(edit('---\nname: Ada\n---\nOld', {}, '\nNew')).toBe('---\nname: Ada\n---\n\n\nNew');
    expect(edit('Old', {}, 'New')).toBe('New');
  });

  it.each([
    ['---\nname: Ada\n---\nOld', 'New\n\nmore'],
    ['---\nname: Ada\n---\n\nOld', '\nNew'],
    ['---\r\nname: Ada\r\n---\r\nOld', '\r\nNew'],
    ['---\nname: Ada\n---\n', 'New'],
    ['---\nname: Ada\n---', '\nNew'],
    ['Old', '\nNew --- more\n---'],
    ['\uFEFFOld', 'New'],
    ['Old', '---\nnot: frontmatter\n---\n'],
    ['\uFEFFOld\r\n', '---\r\nnot: frontmatter\r\n---\r\n'],
  ])('reads back from %j the body %j that it was given', (text, body) => {
    const edited = edit(text, {}, body);
    expect([parse(edited).body, parse(edited).data]).toEqual([body, parse(text).data]);
    // No more than the fences of an empty frontmatter is added before it.
    const before = edited.slice(0, -body.length);
    expect(text.startsWith(before) || /^\uFEFF?(---\r?\n){2}\r?\n$|---\r?\n\r?\n$/.test(before)).toBe(true);
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
    ['an anchor before the first key', '---\n&k a: x\n---\n', { color: 'red' }, '---\n&k a: x\ncolor: red\n---\n'],
    [
      'an anchor before the first indented key',
      '---\n  &k a: x\n---\n',
      { color: 'red' },
      '---\n  &k a: x\n  color: red\n---\n',
    ],
    [
      'an indented key below its question mark',
      '---\n  ?\n    a\n  : x\n---\n',
      { color: 'red' },
      '---\n  ?\n    a\n  : x\n  color: red\n---\n',
    ],
    [
      'a key whose line begins with something else, which stays without a value',
      '---\n&k\ta: x\nb: 1\n---\n',
      { a: null },
      '---\n&k\ta: null\nb: 1\n---\n',
    ],
    [
      'one-line frontmatter',
      '---\n{name: Ada, model: x}\n---\n',
      { model: 'y', color: 'red' },
      '---\n{color: red, name: Ada, model: y}\n---\n',
    ],
    ['empty one-line frontmatter', '---\n{}\n---\n', { color: 'red' }, '---\n{color: red}\n---\n'],
    [
      'an empty value in one-line frontmatter',
      '---\n{model:, name: Ada}\n---\n',
      { model: 'y' },
      '---\n{model: y, name: Ada}\n---\n',
    ],
    [
      'a key removed from one-line frontmatter',
      '---\n{model: x, name: Ada}\n---\n',
      { model: null },
      '---\n{model: null, name: Ada}\n---\n',
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
    expect(editMarkdown(`${text}Body\nof two lines\n`, { model: 'other' })).toEqual({
      line: 4,
      column: 1,
      reason: '`model` cannot be changed without changing other keys; edit the text of the file.',
    });
    expect(editMarkdown(text, { model: null })).toMatchObject({
      reason: expect.stringContaining('without changing other keys'),
    });
    expect(edit(text, { 'x-fallback': 'other' })).toBe('---\nmodel: &m strongest\nx-fallback: other\n---\n');
  });

  it('refuses to give a value to a key without a colon in one-line frontmatter', () => {
    expect(editMarkdown('---\n{model, name: Ada}\n---\n', { model: 'x' })).toMatchObject({
      reason: expect.stringContaining('`model` cannot be changed'),
    });
  });

  it('refuses a file that cannot be parsed', () => {
    expect(editMarkdown('---js\n---\n', { name: 'Ada' })).toMatchObject({ line: 1 });
    expect(editMarkdown('---js\n---\n', { name: 'Ada', model: 'x' }, 'New')).toMatchObject({ line: 1 });
    expect(editMarkdown('---js\n---\n', {}, 'New')).toMatchObject({ line: 1 });
    expect(editMarkdown('---\na: [\n---\n', { name: 'Ada' })).toMatchObject({ reason: expect.any(String) });
  });
});

describe('an edit of a list or mapping', () => {
  const LIMITS = { turns: 3, deep: { x: 1, y: 2 }, minutes: 4 };
  const FILE = [
    ...['---', 'tools:', '  - read # a', '  - edit # b', 'limits:', '  turns: 3 # t', '  deep: # d', '    x: 1 # x'],
    ...['    y: 2', '  minutes: 4 # m', '---', ''],
  ].join('\n');
  const ALL_LIMITS = '  turns: 3 # t\n  deep: # d\n    x: 1 # x\n    y: 2\n  minutes: 4 # m\n';
  const ALL_TOOLS = 'tools:\n  - read # a\n  - edit # b\n';

  it.each<[string, Record<string, unknown>, [string, string]]>([
    ['keeps the items that follow a removed one', { tools: ['edit'] }, ['  - read # a\n', '']],
    [
      'replaces one item by another and removes the rest',
      { tools: ['x'] },
      ['  - read # a\n  - edit # b\n', '  - x # a\n'],
    ],
    [
      'adds items after the last one',
      { tools: ['read', 'edit', 'a', 'b'] },
      ['- edit # b\n', '- edit # b\n  - a\n  - b\n'],
    ],
    [
      'sets the items anew when one comes before all others',
      { tools: ['ask', 'read', 'edit'] },
      ['  - read # a\n  - edit # b\n', '  - ask # a\n  - read # b\n  - edit\n'],
    ],
    [
      'writes items that are lists on one line',
      { tools: [['a'], { b: 1 }] },
      ['- read # a\n  - edit', '- [a] # a\n  - {b: 1}'],
    ],
    ['sets an item to nothing', { tools: ['read', null] }, ['- edit # b', '- null # b']],
    ['replaces a list by a text', { tools: 'none' }, [ALL_TOOLS, 'tools: none\n']],
    ['replaces a list by a text of lines', { tools: 'two\nlines' }, [ALL_TOOLS, 'tools: |-\n  two\n  lines\n']],
    ['replaces a list by a mapping', { tools: { a: 1 } }, [ALL_TOOLS, 'tools: {a: 1}\n']],
    ['changes an entry further in', { limits: { ...LIMITS, deep: { x: 9, y: 2 } } }, ['x: 1', 'x: 9']],
    ['removes an entry further in', { limits: { ...LIMITS, deep: { x: 1 } } }, ['    y: 2\n', '']],
    [
      'removes an entry with its lines',
      { limits: { turns: 3, minutes: 4 } },
      ['  deep: # d\n    x: 1 # x\n    y: 2\n', ''],
    ],
    [
      'takes an entry without a value for one to remove, and adds none',
      { limits: { ...LIMITS, turns: undefined, gone: undefined } },
      ['  turns: 3 # t\n', ''],
    ],
    ['adds an entry after the last one', { limits: { ...LIMITS, hours: 5 } }, ['# m\n', '# m\n  hours: 5\n']],
    [
      'adds several entries after the last one',
      { limits: { ...LIMITS, hours: 5, days: 6 } },
      ['# m\n', '# m\n  hours: 5\n  days: 6\n'],
    ],
    [
      'empties a mapping further in',
      { limits: { ...LIMITS, deep: {} } },
      ['deep: # d\n    x: 1 # x\n    y: 2', 'deep: {} # d'],
    ],
    ['empties a mapping', { limits: {} }, [`limits:\n${ALL_LIMITS}`, 'limits: {}\n']],
    ['replaces a mapping by a list', { limits: ['a'] }, [`limits:\n${ALL_LIMITS}`, 'limits: [a]\n']],
    [
      'sets an entry to nothing',
      { limits: { ...LIMITS, deep: null } },
      ['deep: # d\n    x: 1 # x\n    y: 2', 'deep: null # d'],
    ],
    [
      'replaces a mapping further in',
      { limits: { ...LIMITS, deep: 'text' } },
      ['deep: # d\n    x: 1 # x\n    y: 2', 'deep: text # d'],
    ],
    [
      'sets an entry to a list',
      { limits: { ...LIMITS, minutes: ['a b', 'c'] } },
      ['minutes: 4 # m', 'minutes: # m\n    - a b\n    - c'],
    ],
    [
      'sets an entry to a text of lines',
      { limits: { ...LIMITS, turns: 'a\nb' } },
      ['turns: 3 # t', 'turns: |- # t\n    a\n    b'],
    ],
  ])('%s', (_case, changes, [from, to]) => {
    expect(edit(FILE, changes)).toBe(FILE.replace(from, to));
    expect(edit(FILE.replaceAll('\n', '\r\n'), changes)).toBe(FILE.replace(from, to).replaceAll('\n', '\r\n'));
  });

  it.each<[string, string, Record<string, unknown>, string]>([
    ['empty items', 'a:\n  -\n  - x\n', { a: ['y', 'x'] }, 'a:\n  - y\n  - x\n'],
    [
      'an empty last item',
      'a:\n  b:\n    - x\n    -\n',
      { a: { b: ['x', null], c: 3 } },
      'a:\n  b:\n    - x\n    -\n  c: 3\n',
    ],
    ['lists in lists', 'a:\n  - - x\n    - y\n  - z\n', { a: [['x', 'y'], 'w'] }, 'a:\n  - - x\n    - y\n  - w\n'],
    ['a list in a list that is changed', 'a:\n  - - x\n    - y\n', { a: [['x', 'z']] }, 'a:\n  - [x, z]\n'],
    [
      'texts of lines among the items',
      'a:\n  - |\n    text\n\n  - z\n',
      { a: ['text\n', 'z', 'w'] },
      'a:\n  - |\n    text\n\n  - z\n  - w\n',
    ],
    [
      'a text of lines as the last item',
      'a:\n  - z\n  - |\n    text\n\n# c\n',
      { a: ['z', 'text\n', 'w'] },
      'a:\n  - z\n  - |\n    text\n  - w\n\n# c\n',
    ],
    [
      'an empty last value',
      'a:\n  x: 1\n  y:\n# c\nb: 1\n',
      { a: { x: 1, y: null, z: 3 } },
      'a:\n  x: 1\n  y:\n  z: 3\n# c\nb: 1\n',
    ],
    [
      'a text of lines as the last value',
      'a:\n  y: |\n    t\n\n\nb: 1\n',
      { a: { y: 't\n', z: 3 } },
      'a:\n  y: |\n    t\n  z: 3\n\n\nb: 1\n',
    ],
    [
      'comments between items',
      'a:\n  # first\n  - x\n  # second\n  - y\n',
      { a: ['y'] },
      'a:\n  # first\n  # second\n  - y\n',
    ],
    ['blank lines between items', 'a:\n- x\n\n- y\n', { a: ['x', 'y', 'z'] }, 'a:\n- x\n\n- y\n- z\n'],
    [
      'a mapping in a mapping',
      'a:\n  b:\n    c: 1 # c\n    d: 2\n',
      { a: { b: { c: 1, d: 3 } } },
      'a:\n  b:\n    c: 1 # c\n    d: 3\n',
    ],
    [
      'an explicit last key',
      'a:\n  x: 1\n  ? y\n  :\nb: 1\n',
      { a: { x: 1, y: null, z: 3 } },
      'a:\n  x: 1\n  ? y\n  :\n  z: 3\nb: 1\n',
    ],
    [
      'an explicit last key alone',
      'a:\n  x: 1\n  ? y\nb: 1\n',
      { a: { x: 1, y: null, z: 3 } },
      'a:\n  x: 1\n  ? y\n  z: 3\nb: 1\n',
    ],
    ['explicit keys, of which the first is removed', 'a:\n  ? x\n  : 1\n  y: 2\n', { a: { y: 2 } }, 'a: {y: 2}\n'],
    [
      'a list further in that is emptied',
      'a:\n  x: 1 # c\n  y:\n  - z\n',
      { a: { x: 1, y: [] } },
      'a:\n  x: 1 # c\n  y: []\n',
    ],
    ['one of two equal items', 'a:\n  - x # 1\n  - x # 2\n', { a: ['x'] }, 'a:\n  - x # 1\n'],
    [
      'an equal item that is added',
      'a:\n  - w # 1\n  - x # 2\n',
      { a: ['w', 'x', 'x'] },
      'a:\n  - w # 1\n  - x # 2\n  - x\n',
    ],
    [
      'an equal item in front',
      'a:\n  - x # 1\n  - y # 2\n',
      { a: ['x', 'x', 'y'] },
      'a:\n  - x # 1\n  - x\n  - y # 2\n',
    ],
    ['a list after an explicit key', '? a\n: - x\n  - y\nb: 1\n', { a: ['x', 'z'] }, '? a\n: [x, z]\nb: 1\n'],
    ['an anchor and a tab before a key', 'a:\n  x: 1\n  &k\ty: 2\n', { a: { x: 1 } }, 'a: {x: 1}\n'],
    [
      'an anchor as the last value',
      'a:\n  x: 1\n  y: &k # c\nb: 1\n',
      { a: { x: 1, y: null, z: 3 } },
      'a:\n  x: 1\n  y: &k # c\n  z: 3\nb: 1\n',
    ],
    [
      'an empty item with a comment',
      'a:\n  - x\n  - # c\n\nb: 1\n',
      { a: ['x', null, 'z'] },
      'a:\n  - x\n  - # c\n  - z\n\nb: 1\n',
    ],
    ['an empty item with a comment that is set', 'a:\n  - # c\n  - x\n', { a: ['y', 'x'] }, 'a:\n  - y # c\n  - x\n'],
    ['items with anchors', 'a:\n  - &k x\n  - y\n', { a: ['y'] }, 'a:\n  - y\n'],
    ['a list with an anchor', 'a: &s\n  - x\n  - y\n', { a: ['y'] }, 'a: &s\n  - y\n'],
    ['a list with an anchor on its own line', 'a:\n  &s\n  - x\n  - y\n', { a: ['y'] }, 'a:\n  &s\n  - y\n'],
    ['a mapping that is referred to', 'a: &x\n  b: 1\nc: *x\n', { c: { b: 2 } }, 'a: &x\n  b: 1\nc: {b: 2}\n'],
  ])('handles %s', (_case, text, changes, wanted) => {
    expect(edit(`---\n${text}---\n`, changes)).toBe(`---\n${wanted}---\n`);
  });
});

describe('an edit of a whole value', () => {
  it.each<[string, string, unknown, string]>([
    ['a value with an anchor', 'a: &m x # c\n', 'y', 'a: &m y # c\n'],
    ['an anchor without a value', 'a: &m\nb: 1\n', 'y', 'a: &m y\nb: 1\n'],
    ['an anchor without a value beside a comment', 'a: &m # c\nb: 1\n', 'y', 'a: &m y # c\nb: 1\n'],
    ['an anchor without a value that becomes a list', 'a: &m\nb: 1\n', ['x y'], 'a: &m\n  - x y\nb: 1\n'],
    ['a reference', 'b: &m 1\na: *m\n', 'y', 'b: &m 1\na: y\n'],
    ['a text over lines that becomes a list', 'a: "x\n  y" # c\nb: 1\n', ['p q'], 'a: # c\n  - p q\nb: 1\n'],
    ['a text over lines that is removed', 'a: "x\n  y" # c\nb: 1\n', null, 'b: 1\n'],
    ['a mapping over lines in brackets', 'a: {x: 1,\n  y: 2} # c\nb: 1\n', { x: 1 }, 'a: {x: 1} # c\nb: 1\n'],
    ['a list over lines in brackets', 'a: [x,\n  y] # c\nb: 1\n', 'z', 'a: z # c\nb: 1\n'],
    ['a block that is removed before blank lines', 'a: |\n  x\n\n\nb: 1\n', null, '\n\nb: 1\n'],
    ['a folded text that is removed', 'a: >\n  x\n\n  y\n\n\nb: 1\n', null, '\n\nb: 1\n'],
    ['a list that is removed before a comment', 'a:\n  - x\n\n# c\nb: 1\n', null, '\n# c\nb: 1\n'],
    ['an empty value that is removed', 'a: # c\n\nb: 1\n', null, '\nb: 1\n'],
    ['an explicit empty value that is removed', '? a\n:\nb: 1\n', null, 'b: 1\n'],
    ['a quote in a quoted text', "a: 'x'\n", "it's", "a: 'it''s'\n"],
    ['one letter on the next line', 'a:\n  x\nb: 1\n', 'y', 'a: y\nb: 1\n'],
    ['a value with an anchor that becomes a list', 'a: &m x # c\nb: 1\n', ['x y'], 'a: &m  # c\n  - x y\nb: 1\n'],
    ['a text that ends in a no-break space', 'a: x\u00a0 # c\n', 'y', 'a: y # c\n'],
    ['a block of text that ends in a no-break space', 'a: |\n  x\u00a0\n\nb: 1\n', 'y', 'a: y\n\nb: 1\n'],
    ['a block of text without text', 'a: |\n\nb: 1\n', 'y', 'a: y\n\nb: 1\n'],
    ['an explicit key over lines', '? a\n:\n  # c\n  x\nb: 1\n', null, 'b: 1\n'],
    ['a quoted text that becomes a number', "a: 'x'\n", 5, 'a: 5\n'],
    ['a quoted text that gets lines', "a: 'x'\n", 'p\nq', 'a: |-\n  p\n  q\n'],
    ['a text that becomes empty', 'a: x # c\n', '', 'a: "" # c\n'],
    ['an empty value beside a comment', 'a: # c\n', 'b\nc', 'a: |- # c\n  b\n  c\n'],
    ['an empty value', 'a:\nb: 1\n', ['x y', 'z'], 'a:\n  - x y\n  - z\nb: 1\n'],
    ['a value below a comment', 'a:\n  # below\n  x # end\nb: 1\n', 'y', 'a: y\n  # below\nb: 1\n'],
    ['a value on the next line', 'a:\n  x # end\nb: 1\n', ['x y', 'z'], 'a:\n  - x y\n  - z\nb: 1\n'],
    ['a value after an explicit key', '? a\n: x\nb: 1\n', 'y', '? a\n: y\nb: 1\n'],
    ['a value that becomes a list', 'a: x # c\nb: 1\n', ['x y', 'z'], 'a: # c\n  - x y\n  - z\nb: 1\n'],
    ['a quoted value that becomes a list', 'a: "x" # c\n', ['x y'], 'a: # c\n  - x y\n'],
    ['a list on one line', 'a: [x, y] # c\n', ['x', 'z'], 'a: [x, z] # c\n'],
    ['a mapping on one line', 'a: {x: 1} # c\n', { x: 1, y: 2 }, 'a: {x: 1, y: 2} # c\n'],
    ['a block of text', 'b: {x: 1}\na: |\n  x\n', 'y\n', 'b: {x: 1}\na: |\n  y\n'],
    ['a folded text before a blank line', 'a: >\n  x\n  y\n\nb: 1\n', 'z', 'a: z\n\nb: 1\n'],
    ['a block of text that becomes a list', 'a: |-\n  x\nb: 1\n', ['x y'], 'a:\n  - x y\nb: 1\n'],
    ['a value after an anchored key that is removed', '&k a: x\nb: 1\n', null, 'b: 1\n'],
    ['an explicit key without a value that is removed', '? a\nb: 1\n', null, 'b: 1\n'],
  ])('handles %s', (_case, text, value, wanted) => {
    expect(edit(`---\n${text}---\n`, { a: value })).toBe(`---\n${wanted}---\n`);
  });

  it('refuses an explicit key without a value, which has no place for one', () => {
    expect(editMarkdown('---\n? a\nb: 1\n---\n', { a: 'x' })).toMatchObject({ line: 4 });
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
