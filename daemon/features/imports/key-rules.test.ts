import { describe, expect, it } from 'vitest';
import { TOOLS } from '../../contract/team.js';
import { codexNicknameRule } from './codex-nickname.js';
import type { Data } from './foreign-agent.js';
import {
  colorRule,
  descriptionRule,
  effortRule,
  type KeyRule,
  modelRule,
  nameRule,
  numberRule,
  objectAt,
  parseEffort,
  readOnlyRule,
  shortened,
  toolsRule,
} from './key-rules.js';

const value = (rule: KeyRule, data: Data) => rule.read(data).value;
const note = (rule: KeyRule, data: Data) => rule.read(data).note;

it.each([
  ['as it is', 'one two', 7, 'one two'],
  ['at a word boundary', 'one two three', 10, 'one two…'],
  ['after half of it only', 'a long-word-without-any-blank', 11, 'a long-wor…'],
  ['where the boundary is just in the middle', 'one23 67890', 10, 'one23 678…'],
  ['where the boundary is just behind the middle', 'one234 7890', 10, 'one234…'],
  ['without blanks at its end', `a${' '.repeat(20)}`, 9, 'a…'],
  ['not within a character', 'abcd\u{1d11e}fgh', 6, 'abcd…'],
  ['with a character in full', 'abcd\u{1d11e}fgh', 7, 'abcd\u{1d11e}…'],
  ['at another kind of blank', 'one two\nthree', 10, 'one two…'],
])('a text is shortened %s', (_how, text, max, short) => {
  expect(shortened(text, max)).toBe(short);
});

describe('a description and a name', () => {
  it.each([
    [descriptionRule(), 'description', 'description', 400],
    [descriptionRule('about'), 'description', 'about', 400],
    [nameRule('name'), 'name', 'name', 80],
    [nameRule('display_name'), 'name', 'display_name', 80],
  ] as const)('%# is a text, cut to its limit', (rule, member, foreign, max) => {
    expect([rule.member, rule.foreign]).toEqual([member, [foreign]]);
    const text = 'x'.repeat(max);
    expect(rule.read({ [foreign]: text })).toEqual({ value: text });
    expect(rule.read({ [foreign]: `${text}x` })).toEqual({
      value: `${'x'.repeat(max - 1)}…`,
      note: `Cut to ${max} characters here; the whole text is kept for export.`,
    });
    for (const none of [undefined, null, 3, '', ' \n', ['x']]) expect(value(rule, { [foreign]: none })).toBeUndefined();
    expect(rule.write('x', {})).toEqual({ [foreign]: 'x' });
    expect([rule.write(undefined, {}), rule.write(null, {})]).toEqual([{ [foreign]: null }, { [foreign]: null }]);
  });
});

describe('a colour', () => {
  const rule = colorRule((color) => color.startsWith('#'), { red: '#f00' });

  it('is read as it is, up to its limit', () => {
    expect(rule).toMatchObject({ member: 'color', foreign: ['color'] });
    expect(value(rule, { color: 'red' })).toBe('red');
    expect(value(rule, { color: 'x'.repeat(40) })).toBe('x'.repeat(40));
    expect(value(rule, { color: 'x'.repeat(41) })).toBe(`${'x'.repeat(39)}…`);
  });

  it('is written in the words of the tool, or left out', () => {
    expect(rule.write('red', {})).toEqual({ color: '#f00' });
    expect(rule.write('#123', {})).toEqual({ color: '#123' });
    for (const none of ['blue', undefined, 3, 'toString']) expect(rule.write(none, {})).toEqual({ color: null });
    expect(colorRule().write('any', {})).toEqual({ color: 'any' });
    expect(colorRule().write(3, {})).toEqual({ color: null });
  });
});

describe('a number', () => {
  const rule = numberRule('limits.turns', ['steps', 'maxSteps'], 10);

  it.each<[data: Data, read: number | undefined]>([
    [{ steps: 1 }, 1],
    [{ steps: 10 }, 10],
    [{ maxSteps: 3 }, 3],
    [{ steps: null, maxSteps: 3 }, 3],
    [{ steps: 2, maxSteps: 3 }, 2],
    [{ steps: 0, maxSteps: 3 }, undefined],
    [{ steps: 11 }, undefined],
    [{ steps: -1 }, undefined],
    [{ steps: 1.5 }, undefined],
    [{ steps: '3' }, undefined],
    [{}, undefined],
  ])('in %j is %j', (data, read) => {
    expect(value(rule, data)).toBe(read);
  });

  it('is written in the spelling that is there, else in the first', () => {
    expect([rule.member, rule.foreign]).toEqual(['limits.turns', ['steps', 'maxSteps']]);
    expect(rule.write(4, {})).toEqual({ steps: 4 });
    expect(rule.write(4, { maxSteps: 9 })).toEqual({ maxSteps: 4 });
    expect(rule.write(4, { steps: null, maxSteps: 9 })).toEqual({ maxSteps: 4 });
    expect(rule.write(undefined, { maxSteps: 9 })).toEqual({ maxSteps: null });
  });
});

describe('a model', () => {
  const rule = modelRule((model) => model.startsWith('a'), ['inherit']);

  it('is a text up to its limit, or the first of a list', () => {
    expect([rule.member, rule.foreign]).toEqual(['model', ['model']]);
    expect(rule.read({ model: 'x' })).toEqual({ value: 'x' });
    expect(value(rule, { model: 'x'.repeat(200) })).toBe('x'.repeat(200));
    for (const none of ['x'.repeat(201), '', ' ', 3, null, undefined, [], [3]])
      expect(rule.read({ model: none })).toEqual({ value: undefined });
    expect(rule.read({ model: ['x'] })).toEqual({ value: 'x' });
    expect(rule.read({ model: ['x', 'y'] })).toEqual({
      value: 'x',
      note: 'The first of the list; the others are kept for export.',
    });
  });

  it('that the tool inherits is the strongest', () => {
    for (const model of ['inherit', ['inherit', 'x']])
      expect(rule.read({ model })).toEqual({
        value: 'strongest',
        note: '`inherit` has no meaning here: `strongest` instead. It is kept for export.',
      });
    expect(
      value(
        modelRule(() => true),
        { model: 'inherit' },
      ),
    ).toBe('inherit');
  });

  it('is written when the tool knows it, and first where there is a list', () => {
    expect(rule.write('ab', {})).toEqual({ model: 'ab' });
    expect(rule.write('ab', { model: 'x' })).toEqual({ model: 'ab' });
    expect(rule.write('ab', { model: ['x', 'ab', 'y'] })).toEqual({ model: ['ab', 'x', 'y'] });
    for (const none of ['x', undefined, 3]) expect(rule.write(none, { model: ['ab'] })).toEqual({ model: null });
  });
});

describe('an effort', () => {
  const rule = effortRule('effort', { none: 'minimal' }, { max: 'xhigh' });

  it('is a level, or what a word of the tool means', () => {
    expect([rule.member, rule.foreign]).toEqual(['effort', ['effort']]);
    for (const level of ['minimal', 'low', 'medium', 'high', 'xhigh', 'max'])
      expect([level, value(rule, { effort: level })]).toEqual([level, level]);
    expect(rule.read({ effort: 'none' })).toEqual({
      value: 'minimal',
      note: '`none` is `minimal` here; it is kept for export.',
    });
    for (const none of ['frantic', 3, undefined, 'toString']) expect(value(rule, { effort: none })).toBeUndefined();
    expect(parseEffort('none', {})).toEqual({ value: undefined });
  });

  it('is written as the nearest level that the tool has', () => {
    expect(rule.write('max', {})).toEqual({ effort: 'xhigh' });
    expect(rule.write('low', {})).toEqual({ effort: 'low' });
    expect(rule.write(undefined, {})).toEqual({ effort: null });
  });
});

describe('tools', () => {
  const none = { read: [], search: [], edit: [], execute: [], web: [], agent: [], todo: [], ask: [] };
  const names = { ...none, read: ['Read'], search: ['Grep', 'Glob'], edit: ['Edit', 'Write'], execute: ['Bash'] };
  const text = toolsRule('text', names, { without: 'disallowed', everything: ['*', 'all'] });
  const list = toolsRule('list', names);

  it('are those that are listed and not excluded', () => {
    expect([text.member, text.foreign, list.foreign]).toEqual(['tools', ['tools', 'disallowed'], ['tools']]);
    expect(value(text, { tools: 'Bash, Read' })).toEqual(['read', 'execute']);
    expect(value(text, { tools: 'Bash, Read, x', disallowed: 'Bash, x' })).toEqual(['read']);
    expect(value(text, { disallowed: 'Bash' })).toEqual(TOOLS.filter((word) => word !== 'execute'));
    expect(value(text, { tools: 'Read, *', disallowed: ['Bash'] })).toEqual(TOOLS.filter((word) => word !== 'execute'));
    expect(value(list, { tools: ['Read'], disallowed: 'Read' })).toEqual(['read']);
  });

  it('are not told when all are allowed', () => {
    for (const data of [{}, { tools: '*' }, { tools: ['Read', 'all'] }, { tools: 3 }, { tools: '*', disallowed: '' }])
      expect(text.read(data)).toEqual({ value: undefined });
    expect(value(list, { tools: ['*'] })).toEqual(['*']);
  });

  it('without an effect here are noted, and so are those beyond the limits', () => {
    expect(text.read({ tools: 'Read' })).toEqual({ value: ['read'] });
    expect(note(text, { tools: 'Read, a, b' })).toBe('Not used here: a, b.');
    const [most, more] = ['x'.repeat(80), 'x'.repeat(81)];
    expect(list.read({ tools: ['Read', most] })).toMatchObject({ value: ['read', most] });
    expect(list.read({ tools: ['Read', more] })).toEqual({ value: ['read'], note: '1 more are kept for export only.' });
    const many = Array.from({ length: 66 }, (_, at) => `t${at}`);
    const read = list.read({ tools: many });
    expect(read.value).toEqual(many.slice(0, 64));
    expect(read.note).toMatch(/^Not used here: t0, t1, .*…\. No tool is left: .* 2 more are kept for export only\.$/);
    expect(String(read.note).length).toBeLessThanOrEqual('Not used here: '.length + 160 + 1 + 35 + 60);
  });

  it('are written in the spelling of the tool, or of the file', () => {
    expect(text.write(['read', 'edit', 'x'], {})).toEqual({ tools: 'Read, Edit, Write, x' });
    expect(text.write(['read', 'edit'], { tools: [] })).toEqual({ tools: ['Read', 'Edit', 'Write'] });
    expect(list.write(['read', 'edit'], { tools: 'Read' })).toEqual({ tools: ['Read', 'Edit', 'Write'] });
    expect(list.write(['read', 'read', 'todo'], {})).toEqual({ tools: ['Read'] });
    expect(text.write(undefined, { tools: 'Read' })).toEqual({ tools: null });
  });

  it('that stand in the file keep their names and their order', () => {
    const tools = ['Bash', 'NotebookRead', 'Grep', 'x'];
    expect(list.write(['read', 'search', 'x', 'edit'], { tools })).toEqual({
      tools: ['NotebookRead', 'Grep', 'x', 'Edit', 'Write'],
    });
  });

  it('that the tool has no name for are left out', () => {
    const rule = toolsRule('list', names, { ownName: (name) => (name === 'x' ? 'own_x' : undefined) });
    expect(rule.write(['read', 'x', 'y'], {})).toEqual({ tools: ['Read', 'own_x'] });
  });
});

describe('a switch for reading only', () => {
  const rule = readOnlyRule('readonly', true);

  it('is read and written as the tools for reading and searching', () => {
    expect([rule.member, rule.foreign]).toEqual(['tools', ['readonly']]);
    expect(value(rule, { readonly: true })).toEqual(['read', 'search']);
    for (const other of [false, undefined, 'true']) expect(value(rule, { readonly: other })).toBeUndefined();
    expect(rule.write(['read', 'search'], {})).toEqual({ readonly: true });
    expect(rule.write(['read'], { readonly: true })).toEqual({ readonly: null });
    expect(rule.write(undefined, { readonly: true })).toEqual({ readonly: null });
    expect([rule.write(['read'], { readonly: false }), rule.write(['search', 'read'], {})]).toEqual([{}, {}]);
  });
});

it('an object is found under its key, and an empty one for anything else', () => {
  const inner = { a: 1 };
  expect(objectAt({ x: inner }, 'x')).toBe(inner);
  for (const other of [undefined, null, [], 'a', 3]) expect(objectAt({ x: other }, 'x')).toEqual({});
});

describe('a nickname of Codex', () => {
  const rule = codexNicknameRule;

  it('is the first of the list', () => {
    expect([rule.member, rule.foreign]).toEqual(['name', ['nickname_candidates']]);
    const read = (...names: unknown[]) => rule.read({ nickname_candidates: names });
    expect(read('Ada-1_b C')).toEqual({ value: 'Ada-1_b C' });
    expect(read('Ada', 'Bea')).toEqual({ value: 'Ada', note: 'The first nickname; the others are kept for export.' });
    expect(read('x'.repeat(80)).value).toBe('x'.repeat(80));
    for (const none of ['', '  ', 'x'.repeat(81), 'Zoë', 'Ada!', '!Ada', 3]) expect(read(none).value).toBeUndefined();
    for (const none of [undefined, 'Ada', {}]) expect(rule.read({ nickname_candidates: none }).value).toBeUndefined();
  });

  it('takes the place of the first, and the others stay', () => {
    const write = (name: unknown, names?: unknown) => rule.write(name, { nickname_candidates: names });
    expect(write('Ada')).toEqual({ nickname_candidates: ['Ada'] });
    expect(write('Ada', ['Zoe', 'Ada', 'Bea'])).toEqual({ nickname_candidates: ['Ada', 'Bea'] });
    expect(write('Ada', 'Zoe')).toEqual({ nickname_candidates: ['Ada'] });
    for (const none of ['Zoë', undefined, 3]) expect(write(none, ['Ada'])).toEqual({ nickname_candidates: null });
  });
});
