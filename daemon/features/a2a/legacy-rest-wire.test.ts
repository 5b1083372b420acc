import { describe, expect, it } from 'vitest';
import {
  cardToWire,
  eventToWire,
  getPushBody,
  pushToWire,
  resultToWire,
  sendFromWire,
  taskToWire,
} from './legacy-rest-wire.js';

type Task = Parameters<typeof taskToWire>[0];
const TASK: Task = { kind: 'task', id: 'req-1', contextId: 'c', status: { state: 'completed', timestamp: 'NOW' } };
const SAID = { kind: 'message', messageId: 'm', role: 'agent', parts: [{ kind: 'text', text: 'So.' }] } as const;
const said = { messageId: 'm', role: 'ROLE_AGENT', content: [{ text: 'So.' }] };

describe('a message of 0.3 over REST', () => {
  const read = (message: object, more: object = {}) => sendFromWire({ message: { content: [], ...message }, ...more });

  it('is read in both spellings of its names', () => {
    const whole = { messageId: 'm', contextId: 'c', taskId: 't', role: 'ROLE_AGENT', metadata: { a: 1 } };
    const expected = {
      kind: 'message',
      messageId: 'm',
      role: 'agent',
      parts: [],
      contextId: 'c',
      taskId: 't',
      metadata: { a: 1 },
    };
    expect(read(whole)).toEqual({ message: expected });
    const snake = { message_id: 'm', context_id: 'c', task_id: 't', role: 'agent', metadata: { a: 1 } };
    expect(read(snake)).toEqual({ message: expected });
    expect(read({ role: 'ROLE_USER', contextId: '', taskId: 7, metadata: null })).toEqual({
      message: { kind: 'message', messageId: '', role: 'user', parts: [] },
    });
  });

  it.each([
    [{ text: 'x' }, { kind: 'text', text: 'x' }],
    [{ text: '' }, { kind: 'text', text: '' }],
    [
      { file: { fileWithUri: 'u', mimeType: 'm', name: 'n' } },
      { kind: 'file', file: { uri: 'u', mimeType: 'm', name: 'n' } },
    ],
    [{ file: { uri: 'u' } }, { kind: 'file', file: { uri: 'u' } }],
    [{ file: { file_with_bytes: 'Yg==', mime_type: 'm' } }, { kind: 'file', file: { bytes: 'Yg==', mimeType: 'm' } }],
    [{ file: { bytes: 'Yg==', name: '' } }, { kind: 'file', file: { bytes: 'Yg==' } }],
    [{ file: {} }, { kind: 'file', file: { bytes: '' } }],
    [{ data: { data: { a: 1 } } }, { kind: 'data', data: { a: 1 } }],
    [{ data: { a: 1 } }, { kind: 'data', data: { a: 1 } }],
    [{ data: { data: 7 } }, { kind: 'data', data: { data: 7 } }],
    [{ data: 7 }, { kind: 'data', data: { value: 7 } }],
    [{}, { kind: 'data', data: {} }],
  ])('has the part %j', (part, expected) => {
    expect(read({ parts: [part], content: undefined }).message.parts).toEqual([expected]);
    expect(read({ content: [part], parts: [{ text: 'other' }] }).message.parts).toEqual([expected]);
  });

  it('waits only if it says so, and may have no configuration', () => {
    const configured = (configuration: unknown) => read({}, { configuration }).configuration;
    expect(configured({ blocking: true })).toEqual({ blocking: true });
    expect([configured({}), configured({ blocking: 1 })]).toEqual([{ blocking: false }, { blocking: false }]);
    expect(read({}, { configuration: 7 })).not.toHaveProperty('configuration');
  });

  it('has the modes, the history and the push configuration that it wants', () => {
    const configured = (configuration: object) => read({}, { configuration }).configuration;
    expect(configured({ accepted_output_modes: ['text'], history_length: 3 })).toEqual({
      ...{ blocking: false, acceptedOutputModes: ['text'], historyLength: 3 },
    });
    for (const historyLength of [0, -1, '3', null]) expect(configured({ historyLength })).toEqual({ blocking: false });
    const push = { blocking: false, pushNotificationConfig: { url: 'u', id: 'a' } };
    for (const name of ['pushNotification', 'push_notification', 'pushNotificationConfig'])
      expect(configured({ [name]: { url: 'u', id: 'a' } })).toEqual(push);
    expect(configured({ pushNotification: {} })).toEqual({ blocking: false, pushNotificationConfig: { url: '' } });
    expect(configured({ pushNotification: 7 })).toEqual({ blocking: false });
  });
});

describe('a task of 0.3 over REST', () => {
  it.each([
    ['completed', 'TASK_STATE_COMPLETED'],
    ['canceled', 'TASK_STATE_CANCELLED'],
    ['input-required', 'TASK_STATE_INPUT_REQUIRED'],
  ] as const)('has the state %s as %s', (state, written) => {
    expect(taskToWire({ ...TASK, status: { state } })).toEqual({
      id: 'req-1',
      contextId: 'c',
      status: { state: written },
    });
  });

  it('has its messages and artifacts without kinds', () => {
    const file = { kind: 'file', file: { uri: 'u', mimeType: 'm', name: 'n' } } as const;
    const bytes = { kind: 'file', file: { bytes: 'Yg==' } } as const;
    const artifacts = [{ artifactId: 'answer', parts: [{ kind: 'data' as const, data: { a: 1 } }, file, bytes] }];
    const written = taskToWire({
      ...TASK,
      ...{
        status: { state: 'failed', message: { ...SAID } as never },
        artifacts,
        history: [{ ...SAID, role: 'user' }] as never,
      },
    });
    expect(written).toEqual({
      ...{ id: 'req-1', contextId: 'c', status: { state: 'TASK_STATE_FAILED', message: said } },
      artifacts: [
        {
          artifactId: 'answer',
          parts: [
            { data: { data: { a: 1 } } },
            { file: { fileWithUri: 'u', mimeType: 'm', name: 'n' } },
            { file: { fileWithBytes: 'Yg==' } },
          ],
        },
      ],
      history: [{ ...said, role: 'ROLE_USER' }],
    });
  });

  it('is a result and an event, beside messages and updates', () => {
    const task = taskToWire(TASK);
    expect([resultToWire(TASK), resultToWire(SAID as never)]).toEqual([{ task }, { message: said }]);
    expect([eventToWire(TASK as never), eventToWire(SAID as never)]).toEqual([{ task }, { message: said }]);
    const named = { taskId: 'req-1', contextId: 'c' };
    const status = { state: 'working' };
    expect(eventToWire({ kind: 'status-update', ...named, final: true, status } as never)).toEqual({
      statusUpdate: { ...named, final: true, status: { state: 'TASK_STATE_WORKING' } },
    });
    const artifact = { artifactId: 'a', parts: [{ kind: 'text', text: 'x' }] };
    expect(eventToWire({ kind: 'artifact-update', ...named, append: true, artifact } as never)).toEqual({
      artifactUpdate: { ...named, append: true, artifact: { artifactId: 'a', parts: [{ text: 'x' }] } },
    });
  });
});

it('a card of 0.3 over REST has its schemes under their kinds', () => {
  const securitySchemes = { token: { type: 'http', scheme: 'Bearer' } };
  expect(cardToWire({ name: 'Lamp', securitySchemes, security: [{ token: [] }] } as never)).toEqual({
    name: 'Lamp',
    securitySchemes: { token: { httpAuthSecurityScheme: { scheme: 'Bearer' } } },
    security: [{ schemes: { token: { list: [] } } }],
  });
  expect(cardToWire({ name: 'Lamp' } as never)).toEqual({ name: 'Lamp', securitySchemes: {}, security: [] });
});

it('a push configuration of 0.3 is found wherever it stands, and named by its task', () => {
  const push = { url: 'u' };
  for (const body of [
    push,
    { pushNotificationConfig: push },
    { push_notification_config: push },
    { config: push },
    { config: { pushNotificationConfig: push } },
    { config: 7, pushNotificationConfig: push },
  ])
    expect(getPushBody(body)).toEqual(push);
  const named = (config: object) => pushToWire({ taskId: 't', pushNotificationConfig: { url: 'u', ...config } });
  expect(named({ id: 'a' })).toEqual({
    name: 'tasks/t/pushNotificationConfigs/a',
    pushNotificationConfig: { url: 'u', id: 'a' },
  });
  expect(named({})['name']).toBe('tasks/t/pushNotificationConfigs/');
});
