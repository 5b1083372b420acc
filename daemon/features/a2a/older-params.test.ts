import { describe, expect, it } from 'vitest';
import { olderParams } from './older-params.js';

describe('Parameters of older clients', () => {
  it('get the kind of a part from its content, the state names of 1.0, and an object where there is none', () => {
    const parts = [{ text: 'a' }, { type: 'text', text: 'b' }, { kind: 'data', data: {} }, { file: {} }, {}, 3];
    expect(olderParams('message/send', { message: { parts } })).toMatchObject({
      message: { parts: [{ kind: 'text' }, { kind: 'text' }, { kind: 'data' }, { kind: 'file' }, {}, 3] },
    });
    expect(olderParams('ListTasks', { status: 'input-required' })).toEqual({ status: 'TASK_STATE_INPUT_REQUIRED' });
    expect(olderParams('ListTasks')).toEqual({});
    expect(olderParams('SendMessage', [1])).toEqual([1]);
  });

  it('of message/send wait for the answer unless they say otherwise, as servers of 0.3 do', () => {
    const blocking = (configuration: unknown, method = 'message/send') =>
      olderParams(method, { message: { parts: [] }, configuration });
    const message = { parts: [] };
    const modes = { acceptedOutputModes: ['text/plain'] };
    expect(blocking(modes)).toEqual({ message, configuration: { ...modes, blocking: true } });
    expect(blocking({ blocking: null })).toEqual({ message, configuration: { blocking: true } });
    expect(olderParams('message/send', { configuration: {} })).toEqual({ configuration: { blocking: true } });
    for (const configuration of [{ blocking: false }, { blocking: true }, { blocking: 'x' }, undefined, null, 3])
      expect(blocking(configuration)).toEqual({ message, configuration });
    for (const method of ['message/stream', 'SendMessage'])
      expect(blocking(modes, method)).toEqual({ message, configuration: modes });
  });
});
