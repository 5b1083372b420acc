import { Role, TaskState } from '@a2a-js/sdk';
import { describe, expect, it } from 'vitest';
import type { Citation, Receipt } from '../../contract/asks.js';
import type { Ask } from '../asks/ask-store.js';
import { notification } from './a2a-protocol.js';
import { taskPage } from './task-pages.js';
import { answerPiece, finalAnswer, statusUpdate } from './task-updates.js';
import { asksOfState, toTask, toTaskStatus } from './task-view.js';

const QUEUED: Ask = {
  ...{ seq: 7, request_id: 'req-1', member: 'guide', conv: 'conv-1', session: null, turn: 't', status: 'queued' },
  ...{ text: 'Why?', caller: { user_agent: null, idempotency_key: null }, client: 'acp', model: 'm-1', created_ms: 0 },
  ...{ started_ms: null, finished_ms: null, collected_ms: null, result_text: null, citations: null, search: null },
  ...{ receipt: null, error_code: null, error_message: null },
};
const DONE: Ask = { ...QUEUED, status: 'done', started_ms: 1_000, finished_ms: 2_000, result_text: 'So.' };
const none = () => [];
const part = (value: string, filename = '') => ({
  ...{ content: { $case: 'text', value }, metadata: undefined, filename, mediaType: 'text/plain' },
});
const facts = (value: object) => ({
  ...{ content: { $case: 'data', value }, metadata: undefined, filename: '', mediaType: 'application/json' },
});
const artifact = (...parts: object[]) => ({
  ...{ artifactId: 'answer', name: 'answer', description: '', parts, metadata: undefined, extensions: [] },
});
const CLIENT = { client: 'acp', model: 'm-1' };

describe('a request as a task', () => {
  it.each([
    ['queued', TaskState.TASK_STATE_SUBMITTED],
    ['running', TaskState.TASK_STATE_WORKING, ['running', 'needs_input']],
    ['needs_input', TaskState.TASK_STATE_WORKING, ['running', 'needs_input']],
    ['done', TaskState.TASK_STATE_COMPLETED],
    ['error', TaskState.TASK_STATE_FAILED],
  ] as const)('is, when %s, in its state, and found by it', (status, state, statuses: readonly string[] = [status]) => {
    expect(toTaskStatus({ ...QUEUED, status }).state).toBe(state);
    expect(asksOfState(state)).toEqual({ statuses, ...(status === 'error' ? { isCancelled: false } : {}) });
  });

  it('that was cancelled has a state of its own, and other states nothing', () => {
    expect(toTaskStatus({ ...QUEUED, status: 'error', error_code: 'cancelled' }).state).toBe(
      TaskState.TASK_STATE_CANCELED,
    );
    expect(asksOfState(TaskState.TASK_STATE_CANCELED)).toEqual({ statuses: ['error'], isCancelled: true });
    expect(asksOfState(TaskState.TASK_STATE_UNSPECIFIED)).toEqual({});
    expect(asksOfState(TaskState.TASK_STATE_REJECTED)).toBe('none');
    expect(asksOfState(TaskState.TASK_STATE_INPUT_REQUIRED)).toBe('none');
  });

  it('has the time of its last step, and a message where one is needed', () => {
    expect(toTaskStatus(QUEUED)).toEqual({
      ...{ state: TaskState.TASK_STATE_SUBMITTED, timestamp: '1970-01-01T00:00:00.000Z', message: undefined },
    });
    expect(toTaskStatus({ ...DONE, finished_ms: null }).timestamp).toBe('1970-01-01T00:00:01.000Z');
    expect(toTaskStatus(DONE).timestamp).toBe('1970-01-01T00:00:02.000Z');
    const said = (ask: Partial<Ask>) => toTaskStatus({ ...QUEUED, ...ask }).message;
    expect(said({ status: 'needs_input' })).toMatchObject({
      messageId: 'req-1-needs_input',
      parts: [
        part('The operator of this agent is asked for a permission; without one within a minute the task fails.'),
      ],
    });
    expect(said({ status: 'error', error_message: 'Too late.', session: 's' })).toEqual({
      ...{ messageId: 'req-1-error', role: Role.ROLE_AGENT, parts: [part('Too late.')], contextId: 's' },
      ...{ taskId: 'req-1', metadata: undefined, extensions: [], referenceTaskIds: [] },
    });
  });

  it('has the question with its documents as history, unless none is wanted', () => {
    const documents = (id: string) => [{ filename: `${id}.md`, content: 'x' }];
    const task = toTask({ ...QUEUED, session: 's' }, documents);
    expect(task).toEqual({
      ...{ id: 'req-1', contextId: 's', status: toTaskStatus(QUEUED), artifacts: [] },
      history: [
        {
          ...{ messageId: 'req-1-question', role: Role.ROLE_USER, parts: [part('Why?'), part('x', 'req-1.md')] },
          ...{ contextId: 's', taskId: 'req-1', metadata: undefined, extensions: [], referenceTaskIds: [] },
        },
      ],
      metadata: { member: 'guide', conv: 'conv-1' },
    });
    expect(toTask(QUEUED, none, { historyLength: 0 }).history).toEqual([]);
    expect(toTask(QUEUED, none, { historyLength: 1 }).history).toHaveLength(1);
    const own = { user_agent: null, idempotency_key: 'mine' };
    expect(toTask({ ...QUEUED, caller: own }, none).history[0]?.messageId).toBe('mine');
    expect(toTask(QUEUED, none).contextId).toBe('conv-1');
  });

  it('has its answer with what belongs to it, unless it is not wanted', () => {
    expect(toTask(DONE, none).artifacts).toEqual([artifact(part('So.'), facts({ citations: [], ...CLIENT }))]);
    const citations = [{ path: 'a.ts' }] as Citation[];
    const search = { confidence: 'found', searched: { files: 1, left_out: 0 }, total: 1 } as const;
    const receipt = { v: 1 } as Receipt;
    expect(toTask({ ...DONE, citations, search, receipt }, none).artifacts).toEqual([
      artifact(part('So.'), facts({ citations, ...search, ...CLIENT, receipt })),
    ]);
    expect(toTask(DONE, none, { withArtifacts: false }).artifacts).toEqual([]);
  });
});

describe('news of a task', () => {
  const named = { taskId: 'req-1', contextId: 'conv-1', metadata: undefined };

  it('tell a status, a piece of the answer and the whole answer', () => {
    const status = toTaskStatus(QUEUED);
    expect(statusUpdate(QUEUED, status)).toEqual({ payload: { $case: 'statusUpdate', value: { ...named, status } } });
    for (const hasBegun of [false, true])
      expect(answerPiece(QUEUED, 'So', hasBegun)).toEqual({
        payload: {
          $case: 'artifactUpdate',
          value: { ...named, artifact: artifact(part('So')), append: hasBegun, lastChunk: false },
        },
      });
    const whole = artifact(part('So.'), facts({ citations: [], ...CLIENT }));
    expect([...finalAnswer(DONE)]).toEqual([
      { payload: { $case: 'artifactUpdate', value: { ...named, artifact: whole, append: false, lastChunk: true } } },
    ]);
    expect([...finalAnswer(QUEUED)]).toEqual([]);
  });

  it('are sent in the version of their receiver', () => {
    const current = notification(DONE, '1.0');
    expect(current.contentType).toBe('application/a2a+json');
    expect(JSON.parse(current.text)).toMatchObject({
      task: { id: 'req-1', status: { state: 'TASK_STATE_COMPLETED' } },
    });
    expect(JSON.parse(current.text).task).not.toHaveProperty('history');
    const legacy = notification(DONE, '0.3');
    expect(legacy.contentType).toMatch(/^application\/json/);
    expect(JSON.parse(legacy.text)).toMatchObject({ id: 'req-1', kind: 'task', status: { state: 'completed' } });
  });
});

describe('a page of tasks', () => {
  const asked: unknown[] = [];
  /** Lists `found`, of `total`. */
  const page = (request: object, found: Partial<Ask>[] = [], total = found.length) => {
    asked.length = 0;
    const asks = {
      listOwn: (...given: unknown[]) => {
        asked.push(given);
        return { asks: found.map((one) => ({ ...QUEUED, ...one })), total };
      },
    };
    const base = { tenant: '', contextId: '', status: TaskState.TASK_STATE_UNSPECIFIED, pageToken: '' };
    return taskPage(asks as never, 'guide', { ...base, ...request } as never);
  };
  const token = (text: string) => Buffer.from(text).toString('base64url');

  it('asks for one more than it has, and names the last where there is more', () => {
    const two = [{ seq: 1 }, { seq: 2, started_ms: 5 }, { seq: 3 }];
    expect(page({ pageSize: 2 }, two, 9)).toMatchObject({
      ...{ asks: [{ seq: 1 }, { seq: 2 }], nextPageToken: token('5.2'), pageSize: 2, totalSize: 9 },
    });
    expect(page({ pageSize: 3 }, two)).toMatchObject({ nextPageToken: '', pageSize: 3 });
    expect(page({ pageSize: 1 }, [{ seq: 4, finished_ms: 9, started_ms: 5 }, {}]).nextPageToken).toBe(token('9.4'));
    expect(page({ pageSize: 1 }, [{ seq: 4, created_ms: 3 }, {}]).nextPageToken).toBe(token('3.4'));
    expect(page({})).toEqual({ asks: [], nextPageToken: '', pageSize: 50, totalSize: 0 });
    expect(asked).toEqual([['guide', { context: undefined, changedSinceMs: undefined, after: undefined, limit: 51 }]]);
  });

  it('is selected by context, state, time and place', () => {
    page({
      ...{ contextId: 'c', status: TaskState.TASK_STATE_CANCELED, statusTimestampAfter: '1970-01-01T00:00:01Z' },
      ...{ pageToken: token('12.34'), pageSize: 100 },
    });
    expect(asked).toEqual([
      [
        'guide',
        {
          ...{ statuses: ['error'], isCancelled: true, context: 'c', changedSinceMs: 1_000, limit: 101 },
          after: { changedMs: 12, seq: 34 },
        },
      ],
    ]);
    expect(page({ status: TaskState.TASK_STATE_REJECTED, pageSize: 7 }, [{}])).toEqual({
      ...{ asks: [], nextPageToken: '', pageSize: 7, totalSize: 0 },
    });
    expect(asked).toEqual([]);
  });

  it.each([
    [{ pageSize: 0 }, 'pageSize', 'must be 1 to 100'],
    [{ pageSize: 101 }, 'pageSize', 'must be 1 to 100'],
    [{ pageSize: 1.5 }, 'pageSize', 'must be 1 to 100'],
    [{ statusTimestampAfter: 'soon' }, 'statusTimestampAfter', 'must be an ISO 8601 time'],
    [{ status: TaskState.UNRECOGNIZED }, 'status', 'must be a state of A2A, such as TASK_STATE_WORKING'],
    ...['x', '1', '1.2.3', ' 1.2', '1.2 ', `${'1'.repeat(16)}.1`, `1.${'1'.repeat(16)}`, 'a1.2'].map(
      (text) => [{ pageToken: token(text) }, 'pageToken', 'must be the nextPageToken of an earlier page'] as const,
    ),
  ] as const)('is refused with the place of the mistake: %#', (request, path, message) => {
    expect(() => page(request)).toThrow(
      expect.objectContaining({ code: 'bad_request', message: `"${path}" ${message}.`, details: { path } }),
    );
  });

  it('has at least one task and at most 100', () => {
    expect([page({ pageSize: 1 }).pageSize, page({ pageSize: 100 }).pageSize]).toEqual([1, 100]);
    expect(page({ pageToken: token(`${'9'.repeat(15)}.${'9'.repeat(15)}`) }).asks).toEqual([]);
  });
});
