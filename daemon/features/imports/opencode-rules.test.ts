import { describe, expect, it } from 'vitest';
import { TOOLS } from '../../contract/team.js';
import type { Data } from './foreign-agent.js';
import { opencodeEffortRule as effort, opencodeToolsRule as tools } from './opencode-rules.js';

const without = (...words: string[]) => TOOLS.filter((word) => !words.includes(word));

describe('the effort', () => {
  it.each<[data: Data, level: string | undefined]>([
    [{ reasoningEffort: 'low' }, 'low'],
    [{ options: { reasoningEffort: 'low' } }, 'low'],
    [{ reasoningEffort: 'high', options: { reasoningEffort: 'low' } }, 'high'],
    [{ reasoningEffort: 'none' }, 'minimal'],
    [{ options: 'low' }, undefined],
    [{}, undefined],
  ])('in %j is %j', (data, level) => {
    expect(effort.read(data).value).toBe(level);
  });

  it.each<[level: string | undefined, data: Data, written: Data]>([
    ['low', {}, { reasoningEffort: 'low' }],
    ['max', {}, { reasoningEffort: 'xhigh' }],
    [undefined, {}, { reasoningEffort: null }],
    ['low', { options: { x: 1 } }, { reasoningEffort: 'low' }],
    ['low', { options: { reasoningEffort: 'high', x: 1 } }, { options: { reasoningEffort: 'low', x: 1 } }],
    [undefined, { options: { reasoningEffort: 'high', x: 1 } }, { options: { x: 1 } }],
    ['low', { reasoningEffort: 'max', options: { reasoningEffort: 'high' } }, { reasoningEffort: 'low' }],
  ])('%j over %j is written as %j', (level, data, written) => {
    expect(effort.write(level, data)).toEqual(written);
  });

  it.each(['permissions', 'request', 'system', 'disabled', 'cache'])(
    'has no place beside %s, which no older version knows',
    (key) => {
      expect(effort.write('low', { description: 'D', [key]: [] })).toEqual({});
      expect(effort.write('low', { temperature: 1, [key]: [] })).toEqual({ reasoningEffort: 'low' });
    },
  );

  it('belongs to its keys', () => {
    expect([effort.member, effort.foreign]).toEqual(['effort', ['reasoningEffort', 'options']]);
    expect([tools.member, tools.foreign]).toEqual(['tools', ['permission', 'tools', 'permissions']]);
  });
});

const PERMISSIONS: [permission: string, word: string][] = [
  ['read', 'read'],
  ['grep', 'search'],
  ['glob', 'search'],
  ['edit', 'edit'],
  ['bash', 'execute'],
  ['webfetch', 'web'],
  ['websearch', 'web'],
  ['task', 'agent'],
  ['todowrite', 'todo'],
  ['question', 'ask'],
];

describe('the tools', () => {
  it.each(PERMISSIONS)('without the permission %s lack %s', (permission, word) => {
    expect(tools.read({ permission: { [permission]: 'deny' } }).value).toEqual(without(word));
    expect(tools.read({ permission: { [permission]: { '*': 'deny', x: 'allow' } } }).value).toEqual(without(word));
    for (const action of ['ask', 'allow', { x: 'deny' }])
      expect(tools.read({ permission: { [permission]: action } }).value).toBeUndefined();
    const denied = PERMISSIONS.filter(([, one]) => one === word).map(([name]) => [name, 'deny']);
    expect(tools.write(without(word), {})).toEqual({ permission: Object.fromEntries(denied) });
  });

  it.each<[data: Data, words: readonly string[] | undefined]>([
    [{}, undefined],
    [{ permission: 'allow' }, undefined],
    [{ permission: 'deny' }, []],
    [{ permission: ['deny'] }, undefined],
    [{ permission: { '*': 'deny', bash: 'ask' } }, ['execute']],
    [{ permission: { '*': { '*': 'deny' } } }, []],
    [{ permission: { '*': 'deny', bash: { 'git *': 'deny' } } }, ['execute']],
    [{ permission: { '*': { 'git *': 'deny' } } }, undefined],
    [{ tools: { '*': false } }, []],
    [{ tools: { '*': false, bash: true } }, ['execute']],
    [{ tools: { bash: false } }, without('execute')],
    [{ tools: { bash: false }, permission: { bash: 'ask' } }, undefined],
    [{ tools: { bash: true }, permission: { '*': 'deny' } }, ['execute']],
    [{ tools: { bash: 'no' } }, undefined],
    [{ tools: { write: false } }, without('edit')],
    [{ tools: { patch: false, edit: true } }, without('edit')],
    [{ tools: { edit: true, write: true } }, undefined],
    [{ tools: ['bash'] }, undefined],
  ])('in %j are %j', (data, words) => {
    expect(tools.read(data).value).toEqual(words);
  });

  it.each<[title: string, words: readonly string[] | undefined, data: Data, written: Data]>([
    ['nothing is denied', undefined, {}, { permission: null }],
    ['all are denied', [], { permission: 'deny' }, { permission: { '*': 'deny' } }],
    ['a denial goes', undefined, { permission: { bash: 'deny', x: 'ask' } }, { permission: { x: 'ask' } }],
    [
      'another setting stays',
      without('execute'),
      { permission: { edit: 'ask' } },
      {
        permission: { edit: 'ask', bash: 'deny' },
      },
    ],
    [
      'one denial comes after what stood there',
      without('execute'),
      { permission: { bash: 'ask', edit: 'ask' } },
      {
        permission: { edit: 'ask', bash: 'deny' },
      },
    ],
    [
      'one is allowed after the general rule',
      ['execute'],
      { permission: { bash: 'deny', '*': 'deny' } },
      {
        permission: { '*': 'deny', bash: 'allow' },
      },
    ],
    [
      'one is allowed over the general switch',
      ['execute'],
      { tools: { '*': false } },
      {
        permission: { bash: 'allow' },
        tools: { '*': false },
      },
    ],
    [
      'one is allowed without a general rule',
      undefined,
      { permission: { '*': 'ask', bash: 'deny' } },
      {
        permission: { '*': 'ask' },
      },
    ],
    [
      'the switches of one go',
      undefined,
      { tools: { edit: false, write: false, patch: false, x: true } },
      {
        permission: null,
        tools: { x: true },
      },
    ],
    ['no switch is left', undefined, { tools: { bash: false } }, { permission: null, tools: null }],
    [
      'a switch that denies is enough',
      without('execute'),
      { tools: { bash: false } },
      {
        permission: null,
        tools: { bash: false },
      },
    ],
  ])('are written: %s', (_title, words, data, written) => {
    const result = tools.write(words, data);
    expect(result).toEqual(written);
    expect(Object.keys((result['permission'] ?? {}) as Data)).toEqual(
      Object.keys((written['permission'] ?? {}) as Data),
    );
    expect(tools.read({ ...data, ...result }).value).toEqual(words);
  });
});

describe('the rules of opencode 2', () => {
  const rule = (action: string, effect: string, resource = '*') => ({ action, resource, effect });
  const NAMES = PERMISSIONS.map(([name, word]) => [{ bash: 'shell', task: 'subagent' }[name] ?? name, word]);
  const allDenied = NAMES.map(([name]) => rule(name as string, 'deny'));

  it.each([...NAMES, ['bash', 'execute'], ['task', 'agent']] as [string, string][])(
    'that deny %s take away %s',
    (action, word) => {
      expect(tools.read({ permissions: [rule(action, 'deny')] }).value).toEqual(without(word));
      for (const effect of ['ask', 'allow'])
        expect(tools.read({ permissions: [rule(action, 'deny'), rule(action, effect)] }).value).toBeUndefined();
    },
  );

  it.each<[data: Data, words: readonly string[] | undefined]>([
    [{ permissions: [] }, undefined],
    [{ permissions: 'deny' }, undefined],
    [{ permissions: ['deny', null, 3] }, undefined],
    [{ permissions: [rule('*', 'deny')] }, []],
    [{ permissions: [rule('*', 'deny'), rule('shell', 'ask')] }, ['execute']],
    [{ permissions: [rule('shell', 'ask'), rule('*', 'deny')] }, []],
    [{ permissions: [rule('*', 'deny'), rule('*', 'allow')] }, undefined],
    [{ permissions: [rule('web*', 'deny')] }, without('web')],
    [{ permissions: [rule('shell', 'deny', 'git push *')] }, undefined],
    [{ permissions: [rule('shell', 'deny'), rule('shell', 'allow', 'git *')] }, without('execute')],
    [{ permissions: [{ action: 'shell', effect: 'deny' }] }, undefined],
    [{ permissions: [rule('shell', 'deny')], permission: { edit: 'deny' } }, without('edit', 'execute')],
    [{ permissions: [rule('shell', 'allow')], tools: { bash: false } }, without('execute')],
  ])('in %j leave its tools', (data, words) => {
    expect(tools.read(data).value).toEqual(words);
  });

  it.each<[title: string, words: readonly string[] | undefined, data: Data, written: Data]>([
    ['all denied', [], { permissions: [] }, { permissions: allDenied }],
    ['beside a key of theirs', [], { disabled: true }, { permissions: allDenied }],
    [
      'a denial goes',
      undefined,
      { permissions: [rule('x', 'ask'), rule('bash', 'deny'), rule('shell', 'deny')] },
      { permissions: [rule('x', 'ask')] },
    ],
    [
      'one is allowed after the general rule, and exceptions stay',
      ['execute'],
      { permissions: [rule('*', 'deny'), rule('shell', 'deny'), rule('shell', 'allow', 'git *')] },
      { permissions: [rule('*', 'deny'), rule('shell', 'allow', 'git *'), rule('shell', 'allow')] },
    ],
    [
      'one is denied after what stood there',
      without('agent'),
      { permissions: [rule('subagent', 'ask'), rule('edit', 'ask')] },
      { permissions: [rule('subagent', 'ask'), rule('edit', 'ask'), rule('subagent', 'deny')] },
    ],
    [
      'both forms where a key of the older one stands too',
      without('execute'),
      { permissions: [rule('edit', 'deny')], permission: { edit: 'deny' }, temperature: 1 },
      { permissions: [rule('shell', 'deny')], permission: { bash: 'deny' } },
    ],
  ])('are written: %s', (_title, words, data, written) => {
    const result = tools.write(words, data);
    expect(result).toEqual(written);
    expect(tools.read({ ...data, ...result }).value).toEqual(words);
  });
});
