import { holds, oneOf, type Scenario, same } from '../scenarios.js';
import { A2aClient, toTask } from './binding.js';
import { restThen, rpcNow, rpcThen } from './bindings.js';
import { type Body, call } from './http.js';
import { newId, type Subject, untilEnded } from './subject.js';

/** Requests in the words of clients that are older than the version that they call, or that leave out what they may. */
class OlderClient {
  constructor(
    readonly subject: Subject,
    readonly url: string,
  ) {}

  post(path: string, body: Body, headers: Readonly<Record<string, string>> = {}) {
    return call({ url: this.url + path, body, headers: { ...headers, ...this.subject.authorization } });
  }

  get(path: string) {
    return call({ method: 'GET', url: this.url + path, headers: this.subject.authorization });
  }

  /** The result of a JSON-RPC call. */
  async rpc(method: string, params: Body, path = '', headers: Readonly<Record<string, string>> = {}): Promise<Body> {
    const { body } = await this.post(path, { jsonrpc: '2.0', id: 1, method, params }, headers);
    same(`error of ${method}`, body.error, undefined);
    return body.result;
  }
}

const text = (more: Body = {}) => ({ kind: 'text', text: 'Which port?', ...more });
const completed = (what: string, task: Body) => {
  same(`${what}: state`, toTask(task).state, 'completed');
  holds(`${what}: the answer`, toTask(task).answer?.includes('4747') === true, task);
};

const listRpcScenarios = (older: OlderClient): Scenario[] => [
  {
    title: '1.0: optional members are left out: configuration, version header, media types, params',
    run: async () => {
      const message = { messageId: newId('m'), role: 'ROLE_USER', parts: [{ text: 'Which port?' }] };
      completed('no configuration', (await older.rpc('SendMessage', { message })).task);
      const empty = { message: { ...message, messageId: newId('m'), contextId: '', taskId: '' }, configuration: {} };
      completed('empty texts and configuration', (await older.rpc('SendMessage', empty)).task);
      const nothing = { ...message, messageId: newId('m'), contextId: null, taskId: null, metadata: null };
      completed('null members', (await older.rpc('SendMessage', { message: nothing, configuration: null })).task);
      const { body } = await older.post('', { jsonrpc: '2.0', id: 1, method: 'GetExtendedAgentCard' });
      same('card without params', body.result?.name, 'Guide');
      same(
        'list without params',
        (await older.post('', { jsonrpc: '2.0', id: 1, method: 'ListTasks' })).body.error,
        undefined,
      );
    },
  },
  {
    title: '1.0: Implementations SHOULD ignore unrecognized fields in messages',
    run: async () => {
      const parts = [{ text: 'Which port?', colour: 'red', metadata: { a: [1] } }];
      const message = { messageId: newId('m'), role: 'ROLE_USER', parts, urgency: 3, extensions: ['urn:x'] };
      const configuration = { acceptedOutputModes: ['text/plain'], colour: 'red', returnImmediately: false };
      const { task } = await older.rpc('SendMessage', { message, configuration, tenant: '', later: {} });
      completed('unknown members', task);
      same('get', (await older.rpc('GetTask', { id: task.id, colour: 'red' })).id, task.id);
    },
  },
  {
    title: '1.0: messages in the words of 0.3: `kind`, lower-case roles and state names',
    run: async () => {
      const message = { kind: 'message', messageId: newId('m'), role: 'user', parts: [text()] };
      const { task } = await older.rpc('SendMessage', { message });
      completed('message of 0.3', task);
      const { tasks } = await older.rpc('ListTasks', { contextId: task.contextId, status: 'completed' });
      same('tasks of the state "completed"', tasks?.length, 1);
    },
  },
  {
    title: '1.0: an empty A2A-Version is 0.3; patch numbers do not count; a trailing slash is ignored',
    run: async () => {
      const message = () => ({ messageId: newId('m'), role: 'ROLE_USER', parts: [{ text: 'Which port?' }] });
      for (const version of ['', '1.0', '1.0.1'])
        completed(
          version,
          (await older.rpc('SendMessage', { message: message() }, '', { 'A2A-Version': version })).task,
        );
      completed('a query', (await older.rpc('SendMessage', { message: message() }, '?A2A-Version=1.0')).task);
      completed('a slash', (await older.rpc('SendMessage', { message: message() }, '/')).task);
    },
  },
  {
    title: '1.0: files and data beside the text; the agent reads text in any encoding of a part',
    run: async () => {
      const raw = Buffer.from('port=4747').toString('base64');
      const parts = [
        { text: 'Which port?' },
        { raw, filename: 'port.txt', mediaType: 'text/plain' },
        { raw, filename: 'port.bin', mediaType: 'application/octet-stream' },
        { raw, filename: 'port' },
        { data: { port: 4747 } },
        { text: 'port', filename: 'more.md', mediaType: 'text/markdown' },
      ];
      completed(
        'parts',
        (await older.rpc('SendMessage', { message: { messageId: newId('m'), role: 'ROLE_USER', parts } })).task,
      );
    },
  },
];

const listRestScenarios = (older: OlderClient): Scenario[] => [
  {
    title: '1.0 over REST: application/json and no version header, as the first clients sent it',
    run: async () => {
      const message = { messageId: newId('m'), role: 'ROLE_USER', parts: [{ text: 'Which port?' }] };
      completed('no header', (await older.post('/message:send', { message })).body.task);
    },
  },
  {
    title: '1.0 over REST: the paths of its draft, below /v1, with lower-case roles',
    run: async () => {
      const message = { messageId: newId('m'), role: 'user', parts: [{ text: 'Which port?' }] };
      const { status, body } = await older.post('/v1/message:send', { message, configuration: { blocking: true } });
      holds('2xx', status < 300, [status, body]);
      completed('message', body.task);
      same('get', (await older.get(`/v1/tasks/${body.task.id}`)).body.id, body.task.id);
      const { tasks } = (await older.get(`/v1/tasks?contextId=${body.task.contextId}`)).body;
      same('list', tasks.length, 1);
    },
  },
  {
    title: '1.0 over REST: GET of :subscribe, as the proto file had it',
    run: async () => {
      const message = { messageId: newId('m'), role: 'ROLE_USER', parts: [{ text: 'Which port?' }] };
      const { task } = (await older.post('/message:send', { message })).body;
      same('of an ended task', (await older.get(`/tasks/${task.id}:subscribe`)).status, 400);
    },
  },
];

const listEarlierRpcScenarios = (older: OlderClient): Scenario[] => [
  {
    title: '0.3: optional members are left out: configuration, `kind` of the message and of its parts',
    run: async () => {
      const client = new A2aClient(rpcThen(older.url), older.subject.authorization);
      const sent = async (message: Body) => {
        const task = await older.rpc('message/send', { message: { messageId: newId('m'), role: 'user', ...message } });
        same('kind', task.kind, 'task');
        same('state', (await untilEnded(client, task.id)).state, 'completed');
      };
      await sent({ kind: 'message', parts: [text()] });
      await sent({ parts: [text()] });
      await sent({ parts: [{ text: 'Which port?' }] });
      await sent({ kind: 'message', parts: [{ type: 'text', text: 'Which port?' }] });
    },
  },
  {
    title: '0.3: unknown members are ignored, in messages, configurations and parameters',
    run: async () => {
      const message = {
        kind: 'message',
        messageId: newId('m'),
        role: 'user',
        parts: [text({ colour: 'red' })],
        urgency: 3,
      };
      const configuration = { blocking: true, acceptedOutputModes: ['text'], colour: 'red' };
      const task = await older.rpc('message/send', { message, configuration, metadata: { a: 1 }, later: {} });
      completed('message', task);
      same('get', (await older.rpc('tasks/get', { id: task.id, metadata: {}, colour: 'red' })).id, task.id);
    },
  },
  {
    title: '0.3: file parts with bytes and data parts',
    run: async () => {
      const bytes = Buffer.from('port=4747').toString('base64');
      const parts = [
        text(),
        { kind: 'file', file: { bytes, name: 'port.txt', mimeType: 'text/plain' } },
        { kind: 'file', file: { bytes } },
        { kind: 'data', data: { port: 4747 } },
      ];
      const message = { kind: 'message', messageId: newId('m'), role: 'user', parts };
      completed('parts', await older.rpc('message/send', { message, configuration: { blocking: true } }));
    },
  },
  {
    title: '0.2: tasks/pushNotificationConfig/get names the task alone; a configuration has no id and no schemes',
    run: async () => {
      const message = { kind: 'message', messageId: newId('m'), role: 'user', parts: [text()] };
      const { id } = await older.rpc('message/send', { message, configuration: { blocking: true } });
      const pushNotificationConfig = { url: older.subject.receiver.url('never'), token: 't', authentication: {} };
      const set = await older.rpc('tasks/pushNotificationConfig/set', { taskId: id, pushNotificationConfig });
      same('set', [set.taskId, set.pushNotificationConfig.url], [id, pushNotificationConfig.url]);
      const got = await older.rpc('tasks/pushNotificationConfig/get', { id });
      same('got', got.pushNotificationConfig.url, pushNotificationConfig.url);
    },
  },
  {
    title: '0.2 and 0.3: JSON-RPC goes to the `url` of the card; method names of 0.1 are not found',
    run: async () => {
      const message = { messageId: newId('m'), role: 'user', parts: [text()] };
      const sent = { message, configuration: { blocking: true } };
      for (const url of [older.subject.base, `${older.subject.base}/a2a`, `${older.subject.base}/a2a/`]) {
        const task = await new OlderClient(older.subject, url).rpc('message/send', sent);
        completed(url, task);
      }
      for (const method of ['tasks/send', 'tasks/sendSubscribe']) {
        const { status, body } = await older.post('', { jsonrpc: '2.0', id: 1, method, params: { id: 'x', message } });
        same(method, [status, body.error?.code], [200, -32601]);
      }
    },
  },
];

const listEarlierRestScenarios = (older: OlderClient): Scenario[] => [
  {
    title: '0.3 over REST: snake_case members and parts as in JSON-RPC, as its clients sent them',
    run: async () => {
      const configuration = { blocking: true, history_length: 1, accepted_output_modes: ['text/plain'] };
      const message = {
        message_id: newId('m'),
        context_id: newId('talk'),
        role: 'ROLE_USER',
        content: [{ text: 'Port?' }],
      };
      const { body } = await older.post('/v1/message:send', { message, configuration });
      completed('snake_case', body.task);
      same('context', body.task.contextId, message.context_id);
      same('get', (await older.get(`/v1/tasks/${body.task.id}?history_length=1`)).body.history?.length, 1);
      const { tasks } = (await older.get(`/v1/tasks?context_id=${message.context_id}&page_size=5`)).body;
      same('list', tasks.length, 1);
      const plain = { kind: 'message', messageId: newId('m'), role: 'user', parts: [text()] };
      const sent = await older.post('/v1/message:send', { message: plain, configuration: { blocking: true } });
      completed('as in JSON-RPC', sent.body.task);
    },
  },
  {
    title: '0.3 over REST: a push configuration inside the request of the proto file',
    run: async () => {
      const client = new A2aClient(restThen(older.url), older.subject.authorization);
      const { id } = await client.task({ messageId: newId('m'), text: 'Which port?' });
      const name = `tasks/${id}/pushNotificationConfigs/hook-1`;
      const url = older.subject.receiver.url('never');
      const push_notification_config = { id: 'hook-1', url, token: '', authentication: {} };
      const body = { parent: `tasks/${id}`, config_id: 'hook-1', config: { name, push_notification_config } };
      const set = await older.post(`/v1/tasks/${id}/pushNotificationConfigs`, body);
      holds('2xx', set.status < 300, [set.status, set.body]);
      same('set', [set.body.name, set.body.pushNotificationConfig?.url], [name, url]);
      const got = await older.get(`/v1/tasks/${id}/pushNotificationConfigs/hook-1`);
      same('got', got.body.pushNotificationConfig?.url, url);
    },
  },
];

/** HTTP routes of clients before 0.2, which the agent keeps. */
const createTasksSendScenario = (older: OlderClient): Scenario => ({
  title: 'Before 0.2: POST of tasks/send and GET of the task, with `type` in the parts',
  run: async () => {
    const message = { role: 'user', parts: [{ type: 'text', text: 'Which port?' }] };
    const { status, body } = await older.post('/tasks/send', { id: newId('t'), message });
    holds('2xx', status < 300, [status, body]);
    oneOf('state', body.status?.state, ['submitted', 'working', 'completed']);
    const client = new A2aClient(rpcNow(`${older.url}/a2a`), older.subject.authorization);
    await untilEnded(client, body.id);
    const got = await older.get(`/tasks/${body.id}`);
    same('state afterwards', got.body.status?.state, 'completed');
  },
});

/** Scenarios of older clients by the name of their group. */
export const olderClients = (subject: Subject): Readonly<Record<string, Scenario[]>> => {
  const shared = new OlderClient(subject, `${subject.base}/a2a`);
  return {
    'A2A 1.0 over JSON-RPC, older clients': listRpcScenarios(shared),
    'A2A 1.0 over REST, older clients': listRestScenarios(shared),
    'A2A 0.3 over JSON-RPC, older clients': listEarlierRpcScenarios(shared),
    'A2A 0.3 over REST, older clients': listEarlierRestScenarios(shared),
    'A2A before 0.2': [createTasksSendScenario(new OlderClient(subject, subject.base))],
  };
};
