import { describe, expect, it } from 'vitest';
import { AcpSettings, findValue, readOnlyMode } from './acp-settings.js';

const settings = (opened: object) => new AcpSettings('session-1', opened as Record<string, unknown>);
const select = (id: string, category: string | undefined, ...values: string[]) => ({
  id,
  ...(category === undefined ? {} : { category }),
  type: 'select',
  options: values.map((value) => ({ value, name: value.toUpperCase() })),
});

describe('the settings of a session', () => {
  it('are its config options by category, and are set by their ids', () => {
    const { model, mode, effort } = settings({
      configOptions: [
        select('m', 'model', 'a', 'b'),
        select('how', 'mode', 'plan'),
        select('think', 'thought_level', 'low', 'high'),
      ],
    });
    expect(model?.values).toEqual(['a', 'b']);
    expect(model?.names).toEqual({ a: 'A', b: 'B' });
    expect(mode?.values).toEqual(['plan']);
    expect(effort?.values).toEqual(['low', 'high']);
    expect(effort?.request('high')).toEqual({
      method: 'session/set_config_option',
      params: { sessionId: 'session-1', configId: 'think', value: 'high' },
    });
  });

  it('are found by id where no option has the category, and by the category first', () => {
    expect(settings({ configOptions: [select('model', undefined, 'a')] }).model?.values).toEqual(['a']);
    const both = [select('model', 'other', 'a'), select('m', 'model', 'b')];
    expect(settings({ configOptions: both }).model?.values).toEqual(['b']);
  });

  it('are only those from which a value is selected', () => {
    const switched = { ...select('model', 'model', 'a'), type: 'boolean' };
    expect(settings({ configOptions: [switched, 'text'] }).model).toBeUndefined();
  });

  it('may have their values in groups', () => {
    const option = {
      ...select('model', 'model'),
      options: [
        { name: 'Lab', options: [{ value: 'lab/a', name: 'A' }, 'no value'] },
        { value: 'b', name: 'B' },
      ],
    };
    expect(settings({ configOptions: [option] }).model).toMatchObject({
      values: ['lab/a', '', 'b'],
      names: { 'lab/a': 'A', b: 'B' },
    });
  });

  it('of the older interface are the models and the modes', () => {
    const { model, mode, effort } = settings({
      models: { availableModels: [{ modelId: 'pro', name: 'Pro' }] },
      modes: { availableModes: [{ id: 'plan', name: 'Plan' }] },
    });
    expect([model?.values, model?.names, model?.request('pro')]).toEqual([
      ['pro'],
      { pro: 'Pro' },
      { method: 'session/set_model', params: { sessionId: 'session-1', modelId: 'pro' } },
    ]);
    expect([mode?.values, mode?.names, mode?.request('plan')]).toEqual([
      ['plan'],
      { plan: 'Plan' },
      { method: 'session/set_mode', params: { sessionId: 'session-1', modeId: 'plan' } },
    ]);
    expect(effort).toBeUndefined();
  });

  it('come from the config options where a session has both', () => {
    const { model } = settings({
      configOptions: [select('m', 'model', 'new')],
      models: { availableModels: [{ modelId: 'old' }] },
    });
    expect(model?.values).toEqual(['new']);
  });

  it.each([[{}], [{ models: null, modes: { availableModes: [] }, configOptions: 'none' }]])(
    'are none in %j',
    (opened) => {
      const { model, mode, effort } = settings(opened);
      expect([model, mode, effort]).toEqual([undefined, undefined, undefined]);
    },
  );
});

it.each([
  [['default', 'plan'], 'plan'],
  [['code', 'Read-Only', 'plan'], 'Read-Only'],
  [['readonly'], 'readonly'],
  [['ASK'], 'ASK'],
  [['https://agent.example/modes#plan'], 'https://agent.example/modes#plan'],
  [['modes/ask'], 'modes/ask'],
  [['plan/code', 'plan#code'], undefined],
  [['planning', 'my-plan', 'asks', 'task', 'read--only', 'read only'], undefined],
  [[], undefined],
])('of the modes %j the one that only reads is %j', (values, quiet) => {
  const { mode } = settings({ configOptions: [select('mode', 'mode', ...values)] });
  expect(readOnlyMode(mode)).toBe(quiet);
});

it('a session without modes has none that only reads', () => {
  expect(readOnlyMode(undefined)).toBeUndefined();
});

it.each([
  ['lab/one', 'lab/one'],
  ['Two', 'lab/two'],
  ['two', 'lab/two'],
  ['same', undefined],
  ['lab', undefined],
  ['three', undefined],
  ['four', 'four'],
])('a value that is asked for as %j is %j', (asked, value) => {
  const { model } = settings({
    models: {
      availableModels: [
        { modelId: 'lab/one', name: 'One' },
        { modelId: 'lab/two', name: 'Two' },
        { modelId: 'a/same', name: '' },
        { modelId: 'b/same', name: '' },
        { modelId: 'lab/four', name: '' },
        { modelId: 'four', name: '' },
      ],
    },
  });
  expect(model && findValue(model, asked)).toBe(value);
});
