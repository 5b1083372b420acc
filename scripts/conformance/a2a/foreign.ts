import { randomUUID } from 'node:crypto';
import { Role, type SendMessageRequest, type StreamResponse, TaskState } from '@a2a-js/sdk';
import {
  type Client,
  ClientFactory,
  createAuthenticatingFetchWithRetry,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from '@a2a-js/sdk/client';
import { holds, type Scenario, same } from '../scenarios.js';
import { newId, type Subject } from './subject.js';

/** The client of the protocol's own SDK, as its documentation builds one for a version and a transport. */
async function createClient({ base, authorization }: Subject, version: string, transport: string): Promise<Client> {
  const fetchImpl = createAuthenticatingFetchWithRetry(fetch, {
    headers: async () => authorization,
    shouldRetryWithHeaders: async () => undefined,
  });
  const options = { fetchImpl, legacyCompat: { enabled: true } };
  const factory = new ClientFactory({
    transports: [new JsonRpcTransportFactory(options), new RestTransportFactory(options)],
    preferredTransports: [transport],
  });
  const card = await new DefaultAgentCardResolver({ fetchImpl }).resolve(`${base}/.well-known/agent-card.json`, '');
  const supportedInterfaces = card.supportedInterfaces.filter((one) => one.protocolVersion === version);
  return factory.createFromAgentCard({ ...card, supportedInterfaces });
}

const asked = (text: string, returnImmediately = false): SendMessageRequest => ({
  tenant: '',
  message: {
    messageId: randomUUID(),
    contextId: '',
    taskId: '',
    role: Role.ROLE_USER,
    parts: [{ content: { $case: 'text', value: text }, metadata: undefined, filename: '', mediaType: 'text/plain' }],
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
  },
  configuration: {
    acceptedOutputModes: [],
    taskPushNotificationConfig: undefined,
    historyLength: undefined,
    returnImmediately,
  },
  metadata: undefined,
});

async function lastState(events: AsyncGenerator<StreamResponse>): Promise<TaskState | undefined> {
  let state: TaskState | undefined;
  for await (const { payload } of events) {
    if (payload?.$case === 'task' || payload?.$case === 'statusUpdate') state = payload.value.status?.state ?? state;
  }
  return state;
}

async function sent(client: Client, text: string, returnImmediately?: boolean) {
  const result = await client.sendMessage(asked(text, returnImmediately));
  if (!('status' in result)) throw new Error('The answer is no task.');
  return result;
}

const operations = (subject: Subject, of: () => Promise<Client>, version: string): Scenario[] => [
  {
    title: 'The client of the SDK sends, gets, and finds no task that is not there',
    run: async () => {
      const client = await of();
      const task = await sent(client, 'Which port?');
      same('state', task.status?.state, TaskState.TASK_STATE_COMPLETED);
      same('get', (await client.getTask({ tenant: '', id: task.id, historyLength: undefined })).id, task.id);
      const missing = client.getTask({ tenant: '', id: 'none', historyLength: undefined });
      const error: unknown = await missing.catch((reason: unknown) => reason);
      same('error', (error as Error).name, 'TaskNotFoundError');
      // The SDK does not list over 0.3.
      if (version !== '1.0') return;
      const { tasks } = await client.listTasks({
        tenant: '',
        contextId: task.contextId,
        status: TaskState.TASK_STATE_COMPLETED,
        pageToken: '',
        statusTimestampAfter: undefined,
      });
      same(
        'list',
        tasks.map(({ id }) => id),
        [task.id],
      );
    },
  },
  {
    title: 'The client of the SDK streams, subscribes and cancels',
    run: async () => {
      const client = await of();
      const streamed = await lastState(client.sendMessageStream(asked('Which port?')));
      same('stream', streamed, TaskState.TASK_STATE_COMPLETED);
      const name = newId('held');
      const held = await sent(client, `hold:${name}`, true);
      const news = lastState(client.resubscribeTask({ tenant: '', id: held.id }));
      subject.agents.release(name);
      same('subscribe', await news, TaskState.TASK_STATE_COMPLETED);
      const running = await sent(client, `hold:${newId('held')}`, true);
      const cancelled = await client.cancelTask({ tenant: '', id: running.id, metadata: undefined });
      same('cancel', cancelled.status?.state, TaskState.TASK_STATE_CANCELED);
    },
  },
  {
    title: 'The client of the SDK sets, gets, lists and deletes push notification configs, and gets the extended card',
    run: async () => {
      const client = await of();
      const { id: taskId } = await sent(client, 'Which port?');
      const url = subject.receiver.url('never');
      const config = { tenant: '', id: 'hook', taskId, url, token: 't', authentication: undefined };
      same('set', (await client.createTaskPushNotificationConfig(config)).url, url);
      same('get', (await client.getTaskPushNotificationConfig({ tenant: '', taskId, id: 'hook' })).url, url);
      const list = () => client.listTaskPushNotificationConfig({ tenant: '', taskId, pageSize: 0, pageToken: '' });
      same('list', (await list()).configs.length, 1);
      await client.deleteTaskPushNotificationConfig({ tenant: '', taskId, id: 'hook' });
      same('list afterwards', (await list()).configs.length, 0);
      const card = await client.getAgentCard();
      holds('card', card.name === 'Guide', card);
    },
  },
];

/** Scenarios of the SDK's client by the name of their group. */
export const foreignClients = (subject: Subject): Readonly<Record<string, Scenario[]>> =>
  Object.fromEntries(
    ['1.0', '0.3'].flatMap((version) =>
      ['JSONRPC', 'HTTP+JSON'].map((transport) => [
        `A2A ${version} over ${transport}, client of the SDK`,
        operations(subject, () => createClient(subject, version, transport), version),
      ]),
    ),
  );
