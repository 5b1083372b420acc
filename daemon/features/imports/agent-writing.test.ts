import { describe, expect, it } from 'vitest';
import { inOrder, listLosses, writeKeys } from './agent-writing.js';
import type { Data, SharedKeys } from './foreign-agent.js';
import { FORMATS } from './formats.js';

const losses = (all: Data, keys: SharedKeys = {}, written: Data = {}, id = 'some') =>
  listLosses(FORMATS.cursor, id, { all, keys }, written);

describe('what another tool cannot say', () => {
  it.each<[key: string, value: unknown, why: string]>([
    ['kind', 'singleton', 'that tool has no singletons: any number may run there'],
    ['required', true, 'that tool has no required agents'],
    ['agent_type', 'review', 'only this daemon has prompt families'],
    ['client', 'acp', 'the tool runs the agent itself'],
    ['exposure', 'external', 'only this daemon lets other programs ask'],
    ['pinned_order', 0, 'that tool sorts by itself'],
    ['emoji', 'x', 'that tool shows none'],
    ['examples', [], 'that tool has no place for them'],
    ['refs', [], 'that tool has no place for them: name them in the prompt'],
    ['pricing', {}, 'only this daemon has prices'],
    ['payment', {}, 'only this daemon is paid'],
    ['skills', [], 'skills of this daemon are no skills there'],
  ])('is told: %s', (key, value, why) => {
    expect(losses({ [key]: value })).toEqual([{ key, why: `Left out: ${why}.` }]);
    expect([losses({ [key]: null }), losses({ [key]: undefined })]).toEqual([[], []]);
  });

  it('is not told of what means nothing', () => {
    const nothing = { kind: 'profile', required: false, agent_type: 'custom', client: 'auto', exposure: 'internal' };
    expect(losses({ ...nothing, body: 'x' })).toEqual([]);
  });

  it.each<[title: string, keys: SharedKeys, written: Data, whys: string[]]>([
    ['a key that the tool has', { description: 'D' }, { description: 'D' }, []],
    ['the strongest model', { model: 'strongest' }, {}, []],
    ['the default effort', { effort: 'default' }, {}, []],
    ['the name that the id has', { name: 'Some' }, {}, []],
    ['another name', { name: 'Ada' }, {}, ['Left out: a file of Cursor does not say it.']],
    ['a word that the tool lacks', { model: 'a/b' }, {}, ['Left out: Cursor has no word for "a/b".']],
    [
      'a word that means something else there',
      { tools: ['read'] },
      { readonly: true },
      ['Becomes ["read","search"]: Cursor has no word for ["read"].'],
    ],
    [
      'a long word',
      { model: 'x'.repeat(200) },
      { model: 'y'.repeat(200) },
      [`Becomes "${'y'.repeat(119)}: Cursor has no word for "${'x'.repeat(119)}.`],
    ],
    [
      'a long word without another',
      { model: 'x'.repeat(200) },
      {},
      [`Left out: Cursor has no word for "${'x'.repeat(119)}.`],
    ],
  ])('of the shared keys: %s', (_title, keys, written, whys) => {
    expect(losses({}, keys, written).map(({ why }) => why)).toEqual(whys);
  });

  it('is the choice of the strongest model', () => {
    const why = 'Left out: Cursor chooses its own default instead of the strongest.';
    expect(losses({ model: 'strongest' })).toEqual([{ key: 'model', why }]);
    expect(losses({ model: 'strongest' }, {}, { model: 'inherit' })).toEqual([]);
    expect(losses({ model: 'gpt-5' })).toEqual([]);
  });

  it('is what belongs to another tool', () => {
    expect(losses({ vendor: { claude: {}, cursor: {}, codex: {} } })).toEqual([
      { key: 'vendor.claude', why: 'Stays in the member file: it is for claude only.' },
      { key: 'vendor.codex', why: 'Stays in the member file: it is for codex only.' },
    ]);
    expect(losses({ vendor: 'claude' })).toEqual([]);
  });
});

describe('the keys of another tool', () => {
  it.each<[title: string, format: keyof typeof FORMATS, keys: SharedKeys, vendor: Data, written: Data]>([
    [
      'stand where they stood',
      'cursor',
      { model: 'b', description: 'D' },
      { x: 1, model: 'a', y: 2 },
      {
        ...{ x: 1, model: 'b', y: 2, description: 'D' },
      },
    ],
    ['go with the member’s', 'cursor', {}, { x: null, model: 'a', description: 'D' }, { x: null }],
    ['are the tool’s own choice', 'cursor', { model: 'strongest' }, { model: 'inherit' }, { model: 'inherit' }],
    ['are no default effort', 'claude', { effort: 'default' }, { effort: 'low' }, {}],
    [
      'lose what stands in the way',
      'claude',
      { tools: ['read', 'execute'] },
      { disallowedTools: 'Bash' },
      {
        tools: 'Read, Bash',
      },
    ],
    ['lose a second spelling', 'opencode', {}, { steps: 3, maxSteps: 4 }, {}],
    ['keep what cannot be helped', 'cursor', { tools: ['edit'] }, { readonly: true, x: 1 }, { x: 1 }],
  ])('%s', (_title, format, keys, vendor, written) => {
    const result = writeKeys(FORMATS[format], keys, vendor);
    expect(result).toEqual(written);
    expect(Object.keys(result)).toEqual(Object.keys(written));
  });

  it('come in the order of the tool, then in their own', () => {
    expect(Object.keys(inOrder({ order: ['a', 'b', 'c'] }, { x: 1, c: undefined, a: 2, y: 3 }))).toEqual([
      ...['a', 'c', 'x', 'y'],
    ]);
  });
});
