import { describe, expect, it } from 'vitest';
import type { AgentFormat, FieldFate } from '../../contract/imports.js';
import { readAgent, shownValue } from './agent-reading.js';
import type { Data } from './foreign-agent.js';
import { FORMATS } from './formats.js';

const read = (format: AgentFormat, data: Data, body = 'x') => readAgent(FORMATS[format], { data, body });
const ref = (name: string) => `\${${name}}`;
const KEY = 'sk-0123456789abcdefghij';

const ALL_STRANGE = 'Not used here: mcp__x. No tool is left: the member answers from its prompt alone.';

describe('the keys of an agent', () => {
  it.each<[format: AgentFormat, data: Data, field: Partial<FieldFate>]>([
    ['claude', { name: 'a' }, { key: 'name', shown: 'a', fate: 'taken', to: 'id' }],
    ['claude', { description: 'D' }, { key: 'description', shown: 'D', fate: 'taken', to: 'description' }],
    ['claude', { color: 'red' }, { key: 'color', shown: 'red', fate: 'unused', to: 'color' }],
    ['claude', { other: { a: 1 } }, { key: 'other', shown: '{"a":1}', fate: 'kept' }],
    ['claude', { description: 3 }, { key: 'description', shown: '3', fate: 'kept' }],
    ['claude', { tools: 'mcp__x' }, { key: 'tools', shown: 'mcp__x', fate: 'unused', to: 'tools', note: ALL_STRANGE }],
    ['copilot', { tools: [] }, { key: 'tools', shown: '[]', fate: 'taken', to: 'tools' }],
    ['copilot', { name: 'Ada' }, { key: 'name', shown: 'Ada', fate: 'taken', to: 'name' }],
  ])('%# has its fate', (format, data, field) => {
    expect(read(format, data).fields).toEqual([field]);
  });

  it.each([
    ['disabled', 'Members are not switched off here: leave the file out instead.'],
    ['disable', 'Members are not switched off here: leave the file out instead.'],
    ['initialPrompt', 'A first message there, not the prompt: the prompt is the body.'],
    ['hooks', 'Never run here.'],
    ['permissionMode', 'Who may do what is asked here each time.'],
    ['mode', 'Imported members are profiles.'],
  ])('explain themselves where one could expect more: %s', (key, note) => {
    const reading = read('claude', { [key]: 'x' });
    expect(reading.fields).toEqual([{ key, shown: 'x', fate: 'kept', note }]);
    expect(reading.notes).toEqual([`${key}: ${note}`]);
  });

  it('that mean one thing together have its note once', () => {
    const { fields, keys, notes } = read('claude', { tools: 'Read, mcp__x', disallowedTools: 'Read' });
    expect(keys).toEqual({ tools: ['mcp__x'] });
    expect(fields).toEqual([
      { key: 'tools', shown: 'Read, mcp__x', fate: 'unused', to: 'tools', note: ALL_STRANGE },
      { key: 'disallowedTools', shown: 'Read', fate: 'unused', to: 'tools' },
    ]);
    expect(notes).toEqual([`tools: ${ALL_STRANGE}`]);
  });

  it('that take away a part of a tool or what is no tool here are told as what they do', () => {
    const { fields } = read('claude', { disallowedTools: 'Bash(git push *)' });
    expect(fields).toEqual([{ key: 'disallowedTools', shown: 'Bash(git push *)', fate: 'taken', to: 'tools' }]);
    expect(read('claude', { disallowedTools: 'mcp__slack' }).fields).toEqual([
      { key: 'disallowedTools', shown: 'mcp__slack', fate: 'kept' },
    ]);
  });

  it('without an effect on the value are kept', () => {
    const { fields } = read('opencode', { steps: 3, maxSteps: 4 });
    expect(fields.map(({ key, fate }) => [key, fate])).toEqual([
      ['steps', 'taken'],
      ['maxSteps', 'kept'],
    ]);
  });

  it('with secrets are told without them', () => {
    const env = { A_TOKEN: 'x', B_TOKEN: 'y' };
    const reading = read('claude', { mcp: { env }, hooks: KEY, other: { env } });
    const [note, single] = [`${ref('A_TOKEN')}, ${ref('B_TOKEN')}`, ref('HOOKS')].map(
      (names) => `Secrets are not taken: ${names} stands in their place.`,
    );
    expect(reading.fields.map((field) => field.note)).toEqual([note, single, note]);
    expect(reading.secrets).toEqual(['A_TOKEN', 'B_TOKEN', 'HOOKS']);
    expect(reading.data).toMatchObject({ hooks: ref('HOOKS') });
    const taken = read('claude', { model: 'inherit', tools: ['Read', KEY] });
    expect(taken.fields[1]?.note).toMatch(/^Not used here: \$.+\. Secrets are not taken: .+\.$/);
  });
});

it('a prompt that the tool cuts is noted', () => {
  expect(read('copilot', {}, 'x'.repeat(30_000)).notes).toEqual([]);
  expect(read('copilot', {}, 'x'.repeat(30_001)).notes).toEqual([
    'The prompt has more than the 30,000 characters that Copilot reads.',
  ]);
  expect(read('claude', {}, 'x'.repeat(30_001)).notes).toEqual([]);
});

describe('the data that is kept for an export', () => {
  it.each<[format: AgentFormat, data: Data, vendor: Data]>([
    ['claude', { name: 'a', description: 'D', other: 1 }, { name: 'a', other: 1 }],
    ['claude', { tools: 'Read, Grep, Glob' }, {}],
    ['claude', { tools: 'Grep' }, { tools: 'Grep' }],
    ['claude', { model: 'inherit' }, { model: 'inherit' }],
    ['cursor', { readonly: true }, {}],
    ['cursor', { readonly: false }, { readonly: false }],
    ['codex', { model_reasoning_effort: 'none' }, { model_reasoning_effort: 'none' }],
  ])('%# is only what the member does not say', (format, data, vendor) => {
    expect(read(format, data).vendor).toEqual(vendor);
  });

  it('is all of it where a part would not suffice', () => {
    const data = { permission: { edit: 'deny' }, tools: { bash: false } };
    expect(read('opencode', data).vendor).toEqual(data);
  });
});

describe('a value that is shown', () => {
  it.each<[value: unknown, shown: string]>([
    ['a  b\n\tc ', 'a b c'],
    [{ a: ['b', 1] }, '{"a":["b",1]}'],
    [undefined, ''],
    [null, 'null'],
    ['x'.repeat(120), 'x'.repeat(120)],
    ['x'.repeat(121), `${'x'.repeat(119)}…`],
    [`${' '.repeat(959)}ab`, 'a'],
    [KEY, 'not shown: it holds a secret'],
    [{ key: KEY }, 'not shown: it holds a secret'],
  ])('%# is one short line', (value, shown) => {
    expect(shownValue(value)).toBe(shown);
  });
});
