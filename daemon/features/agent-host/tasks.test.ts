import { describe, expect, it } from 'vitest';
import type { AskRecord } from '../../contract/asks.js';
import type { TaskSendBody } from '../../contract/network/hosted-agents.js';
import { aSkill } from '../../testing/parts/an-agent-spec.js';
import { memberTask } from './member-task.js';
import { finishedTask, taskInput } from './tasks.js';

const sent = (...parts: object[]) => ({ message: { parts } }) as TaskSendBody;
const inputOf = (body: TaskSendBody, properties?: object) =>
  taskInput(aSkill(properties ? { input_schema: { type: 'object', properties } } : {}), body);

describe('the input in a task', () => {
  it.each([
    ['its data part', [{ type: 'data', data: { a: 1 } }], { a: 1 }],
    ['its data part of the other spelling', [{ kind: 'data', data: { a: 1 } }], { a: 1 }],
    [
      'the data beside a text',
      [
        { type: 'text', text: 'x' },
        { type: 'data', data: { a: 1 } },
      ],
      { a: 1 },
    ],
    [
      'the text beside a list',
      [
        { type: 'data', data: [1] },
        { type: 'text', text: 'x' },
      ],
      { text: 'x' },
    ],
    [
      'the text, whatever else it is called',
      [{ type: 'text', kind: 'data', text: 'x', data: { a: 1 } }],
      { text: 'x' },
    ],
    [
      'all of its texts',
      [
        { type: 'text', text: 'x' },
        { kind: 'text', text: 'y' },
      ],
      { text: 'x\n\ny' },
    ],
    [
      'its texts alone',
      [
        { type: 'text', text: 7 },
        { type: 'file', text: 'z' },
        { type: 'text', text: 'y' },
      ],
      { text: 'y' },
    ],
    ['a text that is an object', [{ type: 'text', text: ' {"a": 1}' }], { a: 1 }],
    ['a text that begins like one', [{ type: 'text', text: '{a}' }], { text: '{a}' }],
    ['a text that is a list', [{ type: 'text', text: '[1]' }], { text: '[1]' }],
  ])('is %s', (_what, parts, input) => {
    expect(inputOf(sent(...parts))).toEqual(input);
  });

  it.each([
    [['question', 'input', 'query', 'prompt', 'text'], 'text'],
    [['question', 'input', 'query', 'prompt'], 'prompt'],
    [['question', 'input', 'query'], 'query'],
    [['question', 'input'], 'input'],
    [['question'], 'question'],
    [['folder'], 'text'],
  ])('puts a text under the first name of %j that stands for one', (names, key) => {
    const properties = Object.fromEntries(names.map((name) => [name, { type: 'string' }]));
    expect(inputOf(sent({ type: 'text', text: 'x' }), properties)).toEqual({ [key]: 'x' });
  });

  it('is a text under `text` where the schema says nothing of properties', () => {
    const skill = { ...aSkill(), input_schema: { type: 'object', properties: 'prompt' } };
    expect(taskInput(skill, sent({ type: 'text', text: 'x' }))).toEqual({ text: 'x' });
  });

  it.each([[[{ type: 'file' }]], [[{ type: 'text', text: '  ' }]], [[{ type: 'data', data: 'x' }]]])(
    'is refused where there is none: %#',
    (parts) => {
      expect(() => inputOf(sent(...parts))).toThrow(
        expect.objectContaining({
          ...{ code: 'bad_request', message: '"message.parts" must hold a text or a data part.' },
          details: { path: 'message.parts' },
        }),
      );
    },
  );
});

describe('a finished task', () => {
  const finished = (output: unknown, requestId?: string) =>
    finishedTask({ output, requestId, skill: 'count', session: undefined, nowMs: 0 });

  it('has an id of its own where no request was recorded', () => {
    expect(finished(1).id).toMatch(/^req-[A-Za-z0-9_-]{16}$/);
    expect(finished(1, 'req-1').id).toBe('req-1');
  });

  it.each([[{ files: 3 }], [{ result_text: 7 }], ['x'], [null]])('has its output as data: %j', (output) => {
    expect(finished(output).artifacts).toEqual([
      { index: 0, name: 'answer', parts: [{ type: 'data', kind: 'data', data: output }] },
    ]);
  });
});

describe('a request of a member as a task', () => {
  const RECORD: AskRecord = {
    ...{ request_id: 'req-1', member: 'guide', conv: 'conv-1', status: 'queued', created_at: 'CREATED' },
    ...{ client: 'acp', model: 'm-1' },
  };

  it.each([
    ['queued', 'submitted'],
    ['running', 'working'],
    ['needs_input', 'working'],
    ['done', 'completed'],
    ['error', 'failed'],
  ] as const)('is, when %s, %s', (status, state) => {
    expect(memberTask({ ...RECORD, status }).status.state).toBe(state);
  });

  it('has the id of the request, and the time of its last step', () => {
    expect(memberTask(RECORD)).toEqual({
      ...{ id: 'req-1', kind: 'task', status: { state: 'submitted', timestamp: 'CREATED' } },
      metadata: { member: 'guide', conv: 'conv-1' },
    });
    const running = { ...RECORD, started_at: 'STARTED' };
    expect(memberTask(running, 's')).toMatchObject({ sessionId: 's', status: { timestamp: 'STARTED' } });
    expect(memberTask({ ...running, finished_at: 'FINISHED' }).status.timestamp).toBe('FINISHED');
  });

  it('that was cancelled or failed says why', () => {
    const failed = (code: 'cancelled' | 'deadline') =>
      memberTask({ ...RECORD, status: 'error', error: { code, message: 'Why.' } }).status;
    const message = { role: 'agent', parts: [{ type: 'text', kind: 'text', text: 'Why.' }] };
    expect(failed('cancelled')).toEqual({ state: 'canceled', timestamp: 'CREATED', message });
    expect(failed('deadline')).toEqual({ state: 'failed', timestamp: 'CREATED', message });
  });

  it('that was answered has the text, and beside it what belongs to it', () => {
    const { artifacts } = memberTask({ ...RECORD, status: 'done', result_text: 'So.' });
    expect(artifacts).toEqual([
      {
        ...{ index: 0, name: 'answer' },
        parts: [
          { type: 'text', kind: 'text', text: 'So.' },
          { type: 'data', kind: 'data', data: { citations: [], client: 'acp', model: 'm-1' } },
        ],
      },
    ]);
  });
});
