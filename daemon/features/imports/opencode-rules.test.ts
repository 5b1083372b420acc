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

  it('belongs to its keys', () => {
    expect([effort.member, effort.foreign]).toEqual(['effort', ['reasoningEffort', 'options']]);
    expect([tools.member, tools.foreign]).toEqual(['tools', ['permission', 'tools']]);
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
