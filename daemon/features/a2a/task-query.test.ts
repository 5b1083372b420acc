import { TaskState } from '@a2a-js/sdk';
import { describe, expect, it } from 'vitest';
import { listRequestIn, numberIn } from './task-query.js';

const NOTHING = {
  tenant: '',
  contextId: '',
  status: TaskState.TASK_STATE_UNSPECIFIED,
  pageSize: undefined,
  pageToken: '',
  historyLength: undefined,
  statusTimestampAfter: undefined,
  includeArtifacts: false,
};

describe('the query of a list of tasks', () => {
  it('asks for all tasks when it is empty', () => {
    expect(listRequestIn({})).toEqual(NOTHING);
  });

  it('takes the camelCase names of 1.0 and the snake_case names of 0.3', () => {
    const wanted = {
      ...{ contextId: 'one', pageToken: 'next', pageSize: 20, historyLength: 3 },
      ...{ statusTimestampAfter: '2026-11-28T10:00:00Z', includeArtifacts: true },
    };
    const camel = { ...wanted, pageSize: '20', historyLength: '3', includeArtifacts: 'true' };
    const snake = {
      ...{ context_id: 'one', page_token: 'next', page_size: '20', history_length: '3' },
      ...{ status_timestamp_after: '2026-11-28T10:00:00Z', include_artifacts: 'true' },
    };
    expect(listRequestIn(camel)).toEqual({ ...NOTHING, ...wanted });
    expect(listRequestIn(snake)).toEqual({ ...NOTHING, ...wanted });
  });

  it.each([
    ['completed', TaskState.TASK_STATE_COMPLETED],
    ['TASK_STATE_COMPLETED', TaskState.TASK_STATE_COMPLETED],
    ['input-required', TaskState.TASK_STATE_INPUT_REQUIRED],
    ['3', TaskState.TASK_STATE_COMPLETED],
    ['33', TaskState.UNRECOGNIZED],
    ['x3', TaskState.UNRECOGNIZED],
    ['no state', TaskState.UNRECOGNIZED],
  ])('reads the state %s', (status, state) => {
    expect(listRequestIn({ status }).status).toBe(state);
  });

  it.each([
    ['12', 12],
    ['-1', -1],
    ['999999999', 999_999_999],
    ['1000000000', Number.NaN],
    ['12x', Number.NaN],
    ['x12', Number.NaN],
    ['1.5', Number.NaN],
  ])('reads the number %s', (pageSize, value) => {
    expect(numberIn({ pageSize }, 'pageSize')).toBe(value);
  });

  it('refuses a name that is given twice, and names it', () => {
    expect(() => numberIn({ page_size: ['1', '2'] }, 'pageSize')).toThrow(
      expect.objectContaining({
        code: 'bad_request',
        message: '"pageSize" may be given once.',
        details: { path: 'pageSize' },
      }),
    );
  });
});
