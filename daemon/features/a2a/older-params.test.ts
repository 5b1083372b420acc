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
});
