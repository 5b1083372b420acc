import { randomUUID } from 'node:crypto';
import { Role, type StreamResponse, type Task, TaskState } from '@a2a-js/sdk';
import {
  type Client,
  ClientFactory,
  ClientFactoryOptions,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from '@a2a-js/sdk/client';
import { describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/apps/test-app.js';
import { answers, heldAnswer, ScriptedAgent } from '../../testing/processes/scripted-agent.js';

const MEMBER = 'consultant';

const said = (text: string, more: { contextId?: string; taskId?: string; messageId?: string } = {}) => ({
  message: {
    messageId: randomUUID(),
    contextId: '',
    taskId: '',
    role: Role.ROLE_USER,
    parts: [{ content: { $case: 'text' as const, value: text }, metadata: undefined, filename: '', mediaType: '' }],
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
    ...more,
  },
  tenant: '',
  metadata: undefined,
  configuration: undefined,
});
const atOnce = { acceptedOutputModes: [], taskPushNotificationConfig: undefined, returnImmediately: true };

/** The official client over the given transport, with the member's token. */
/** `at` is the base and the path of the card, as the SDK takes them. */
async function getClient(
  app: TestApp,
  transport: 'JSONRPC' | 'HTTP+JSON',
  at: readonly [base: string, path?: string] = [app.address, `team/${MEMBER}/.well-known/agent-card.json`],
): Promise<Client> {
  const token = await app.getToken(MEMBER);
  const fetchImpl: typeof fetch = (input, init) => {
    const headers = new Headers(init?.headers);
    headers.set('authorization', `Bearer ${token}`);
    return fetch(input, { ...init, headers });
  };
  const options = ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
    transports: [new JsonRpcTransportFactory({ fetchImpl }), new RestTransportFactory({ fetchImpl })],
    preferredTransports: [transport],
  });
  return new ClientFactory(options).createFromUrl(...at);
}

const toText = (task: Pick<Task, 'artifacts'>) =>
  task.artifacts
    .flatMap(({ parts }) => parts.flatMap(({ content }) => (content?.$case === 'text' ? [content.value] : [])))
    .join('');
const toTask = (value: unknown) => value as Task;

async function all(stream: AsyncIterable<StreamResponse>): Promise<StreamResponse[]> {
  const events: StreamResponse[] = [];
  for await (const event of stream) events.push(event);
  return events;
}
const kinds = (events: StreamResponse[]) =>
  events.map(({ payload }) =>
    payload?.$case === 'statusUpdate' ? TaskState[payload.value.status?.state ?? 0] : payload?.$case,
  );

describe('Official A2A client', () => {
  it('finds the member at its address with a slash, and at that of its card', async () => {
    const app = await testApp();
    const address = `${app.address}/team/${MEMBER}`;
    for (const at of [[`${address}/`], [`${address}/.well-known/agent-card.json`, '']] as const) {
      const client = await getClient(app, 'JSONRPC', at);
      expect(toText(toTask(await client.sendMessage(said('On which port does it listen?'))))).toContain('8123');
    }
    await expect(getClient(app, 'JSONRPC', [address])).rejects.toThrow('404');
  });
});

describe.each(['JSONRPC', 'HTTP+JSON'] as const)('Official A2A client over %s', (transport) => {
  it('sends a message and receives the completed answer with its citations', async () => {
    const app = await testApp();
    const client = await getClient(app, transport);
    const question = said('On which port does it listen?');
    const task = toTask(await client.sendMessage(question));
    expect(task.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
    expect(toText(task)).toContain('8123');
    const data = task.artifacts[0]?.parts[1]?.content;
    expect(data).toMatchObject({
      $case: 'data',
      value: { citations: [expect.objectContaining({ status: 'checked' })], client: 'builtin' },
    });
    expect(task.history.map(({ messageId }) => messageId)).toEqual([question.message.messageId]);
    // The request id is the task id.
    expect((await app.poll(MEMBER, task.id)).status).toBe('done');
    expect(toTask(await client.getTask({ tenant: '', id: task.id, historyLength: 0 })).history).toEqual([]);
  });

  it('streams a task, resubscribes to it, and rejects a subscription after its end', async () => {
    const agent = new ScriptedAgent('acp', heldAnswer);
    const app = await testApp({ clients: [agent] });
    const client = await getClient(app, transport);
    const streaming = all(client.sendMessageStream(said('Why?')));
    await agent.untilHeld(1);
    const [running] = (await client.listTasks({ ...LIST, status: TaskState.TASK_STATE_WORKING })).tasks;
    const again = client.resubscribeTask({ tenant: '', id: running?.id ?? '' });
    // The text written so far is sent first.
    const begun = [(await again.next()).value, (await again.next()).value] as StreamResponse[];
    expect(kinds(begun)).toEqual(['task', 'artifactUpdate']);
    agent.finishAll();
    const events = await streaming;
    expect(kinds(events)).toEqual([
      'task',
      'TASK_STATE_WORKING',
      'artifactUpdate',
      'artifactUpdate',
      'artifactUpdate',
      'TASK_STATE_COMPLETED',
    ]);
    expect(kinds(await all(again))).toEqual(['artifactUpdate', 'artifactUpdate', 'TASK_STATE_COMPLETED']);
    await expect(all(client.resubscribeTask({ tenant: '', id: running?.id ?? '' }))).rejects.toThrow(/has ended/);
  });

  it('cancels a running task once, but not an ended one', async () => {
    const agent = new ScriptedAgent('acp', heldAnswer);
    const app = await testApp({ clients: [agent] });
    const client = await getClient(app, transport);
    const { id } = toTask(await client.sendMessage({ ...said('Why?'), configuration: atOnce }));
    await agent.untilHeld(1);
    const cancelled = await client.cancelTask({ tenant: '', id, metadata: undefined });
    expect(cancelled.status?.state).toBe(TaskState.TASK_STATE_CANCELED);
    await expect(client.cancelTask({ tenant: '', id, metadata: undefined })).rejects.toThrow(/has ended/);
    await expect(client.cancelTask({ tenant: '', id: 'req-nothing', metadata: undefined })).rejects.toThrow(
      /no request `req-nothing`/,
    );
  });

  it('lists tasks by context and state, page by page, most recent change first', async () => {
    const app = await testApp({ clients: [new ScriptedAgent('acp', () => answers('Yes.'))] });
    const client = await getClient(app, transport);
    const ids: string[] = [];
    for (const contextId of ['one', 'two', 'one']) {
      ids.push(toTask(await client.sendMessage(said('Is it?', { contextId }))).id);
      app.clock.advance(1000);
    }
    const first = await client.listTasks({ ...LIST, pageSize: 2 });
    expect([first.tasks.map(({ id }) => id), first.totalSize]).toEqual([[ids[2], ids[1]], 3]);
    const second = await client.listTasks({ ...LIST, pageSize: 2, pageToken: first.nextPageToken });
    expect([second.tasks.map(({ id }) => id), second.nextPageToken]).toEqual([[ids[0]], '']);
    const ofOne = await client.listTasks({ ...LIST, contextId: 'one', includeArtifacts: true });
    expect(ofOne.tasks.map(({ id }) => id)).toEqual([ids[2], ids[0]]);
    expect(toText(ofOne.tasks[0] as Task)).toBe('Yes.');
    expect((await client.listTasks({ ...LIST, status: TaskState.TASK_STATE_FAILED })).tasks).toEqual([]);
    expect(
      (await client.listTasks({ ...LIST, statusTimestampAfter: new Date(app.clock.now()).toISOString() })).tasks,
    ).toEqual([]);
    const conversations = new Set(await Promise.all(ids.map(async (id) => (await app.poll(MEMBER, id)).conv)));
    expect(conversations.size).toBe(2);
  });

  it('reads the extended card, which contains the client that runs the member', async () => {
    const app = await testApp();
    const client = await getClient(app, transport);
    const card = await client.getAgentCard();
    expect(card.capabilities?.extensions).toContainEqual(
      expect.objectContaining({ uri: 'urn:meshd:running', params: expect.objectContaining({ client: 'builtin' }) }),
    );
  });
});

const LIST = {
  tenant: '',
  contextId: '',
  status: TaskState.TASK_STATE_UNSPECIFIED,
  pageSize: 50,
  pageToken: '',
  historyLength: undefined,
  statusTimestampAfter: undefined,
  includeArtifacts: false,
};
