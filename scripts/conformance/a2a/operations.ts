import { until } from '../../hard/drill.js';
import { holds, oneOf, type Scenario, same } from '../scenarios.js';
import { type A2aClient, type News, type Task, toTask } from './binding.js';
import { failsWith, newId, type Subject, untilEnded, withWorkingTask } from './subject.js';

const QUESTION = 'Which port is it?';

const repeated = (client: A2aClient): Scenario => ({
  title: 'Agents may utilize the messageId to detect duplicate messages',
  run: async () => {
    const contextId = newId('talk');
    const messageId = newId('m');
    const first = await client.task({ messageId, text: QUESTION, contextId });
    const again = await client.task({ messageId, text: QUESTION, contextId });
    same('task of the exact repetition', again.id, first.id);
    const others = [
      await client.task({ messageId, text: 'Another question', contextId }),
      await client.task({ messageId, text: QUESTION, contextId: newId('talk') }),
    ];
    same('new tasks', new Set([first.id, ...others.map(({ id }) => id)]).size, 3);
    same('states', [...new Set(others.map(({ state }) => state))], ['completed']);
  },
});

function sending(client: A2aClient): Scenario[] {
  return [
    {
      title: 'A blocking call MUST wait until the task reaches a terminal state, with all artifacts',
      run: async () => {
        const task = await client.task({ messageId: newId('m'), text: QUESTION });
        same('state', task.state, 'completed');
        holds('the answer is an artifact', task.answer?.includes('4747') === true, task);
        holds('a task id and a context id are generated', task.id !== '' && task.contextId !== '', task);
      },
    },
    {
      title: 'Agents MUST accept and preserve client-provided contextId values',
      run: async () => {
        const contextId = newId('talk');
        const first = await client.task({ messageId: newId('m'), text: QUESTION, contextId });
        const second = await client.task({ messageId: newId('m'), text: 'And then?', contextId });
        same('contexts', [first.contextId, second.contextId], [contextId, contextId]);
        holds('a unique taskId for each new task', first.id !== second.id, [first.id, second.id]);
      },
    },
    repeated(client),
    {
      title: 'Messages sent to Tasks in a terminal state cannot accept further messages',
      run: async () => {
        const { id, contextId } = await client.task({ messageId: newId('m'), text: QUESTION });
        const { failure } = await client.send({ messageId: newId('m'), text: 'More', taskId: id, contextId });
        failsWith(client, failure, 'UNSUPPORTED_OPERATION');
      },
    },
    {
      title: 'Agents MUST return TaskNotFoundError when the taskId of a message is of no existing task',
      run: async () => {
        const { failure } = await client.send({ messageId: newId('m'), text: 'More', taskId: newId('no-task') });
        failsWith(client, failure, 'TASK_NOT_FOUND');
      },
    },
    {
      title: 'Agents MUST reject messages containing mismatching contextId and taskId',
      run: async () => {
        const { id } = await client.task({ messageId: newId('m'), text: QUESTION });
        const said = { messageId: newId('m'), text: 'More', taskId: id, contextId: newId('other') };
        holds('an error', (await client.send(said)).failure !== undefined, 'none');
      },
    },
  ];
}

const recent = (client: A2aClient): Scenario => ({
  title: 'historyLength: at most this many recent messages; 0: no history; unset: the default of the server',
  run: async () => {
    const messageId = newId('m');
    const sent = await client.task({ messageId, text: QUESTION }, { historyLength: 1 });
    same('sent with 1', sent.history, [{ messageId, text: QUESTION }]);
    const { value: whole } = await client.get(sent.id);
    same('unset', whole?.history?.[0], { messageId, text: QUESTION });
    const { value: one } = await client.get(sent.id, 1);
    same('1', one?.history?.length, 1);
    // In the protocol buffers of 0.3, 0 is the same as unset.
    if (client.binding.name === '0.3 over REST') return;
    const { value: none } = await client.get(sent.id, 0);
    same('0', none?.history?.length ?? 0, 0);
    const { history } = await client.task({ messageId: newId('m'), text: QUESTION }, { historyLength: 0 });
    same('sent with 0', history?.length ?? 0, 0);
  },
});

function reading(subject: Subject, client: A2aClient): Scenario[] {
  return [
    {
      title: 'A non-blocking call MUST return immediately, even if processing is still in progress',
      run: () =>
        withWorkingTask(subject, client, async (task, release) => {
          oneOf('state', task.state, ['submitted', 'working']);
          release();
          const ended = await untilEnded(client, task.id);
          same('state at the end', ended.state, 'completed');
          holds('the answer', ended.answer?.includes('4747') === true, ended);
        }),
    },
    recent(client),
    {
      title: 'TaskNotFoundError: The task ID does not exist or is not accessible',
      run: async () => {
        failsWith(client, (await client.get(newId('no-task'))).failure, 'TASK_NOT_FOUND');
        failsWith(client, (await client.cancel(newId('no-task'))).failure, 'TASK_NOT_FOUND');
      },
    },
    {
      title: 'A negative historyLength is an invalid parameter',
      run: async () => {
        const { id } = await client.task({ messageId: newId('m'), text: QUESTION });
        failsWith(client, (await client.get(id, -1)).failure, 'INVALID_PARAMS');
      },
    },
    {
      title: 'Cancel Task returns the updated task; TaskNotCancelableError when it is completed or canceled already',
      run: async () => {
        let id = '';
        await withWorkingTask(subject, client, async (task) => {
          id = task.id;
          same('answer of the cancellation', (await client.cancel(id)).value?.state, 'canceled');
        });
        same('state afterwards', (await client.get(id)).value?.state, 'canceled');
        failsWith(client, (await client.cancel(id)).failure, 'TASK_NOT_CANCELABLE');
        const done = await client.task({ messageId: newId('m'), text: QUESTION });
        failsWith(client, (await client.cancel(done.id)).failure, 'TASK_NOT_CANCELABLE');
      },
    },
    {
      title: 'Get Extended Agent Card: available if the public card declares it, to authenticated clients',
      run: async () => {
        const { value } = await client.do('card', {});
        same('name', value?.name, 'Guide');
        holds('skills', value?.skills?.length > 0, value);
        if (client.binding.version === '1.0') holds('interfaces', value.supportedInterfaces?.length > 0, value);
        else holds('url and protocolVersion', value.url && value.protocolVersion.startsWith('0.3'), value);
      },
    },
  ];
}

function listing(client: A2aClient): Scenario[] {
  if (client.binding.name === '0.3 over JSON-RPC') return [unlisted(client)];
  return [
    {
      title: 'ListTasks returns tasks sorted by their last update time in descending order, filtered by context',
      run: async () => {
        const contextId = newId('talk');
        const ids: string[] = [];
        for (const text of ['One?', 'Two?', 'Three?'])
          ids.unshift((await client.task({ messageId: newId('m'), text, contextId })).id);
        const { value } = await client.do('list', { contextId });
        const tasks: Task[] = (value?.tasks ?? []).map(toTask);
        same(
          'tasks',
          tasks.map(({ id }) => id),
          ids,
        );
        same('artifacts are omitted unless asked for', tasks.filter((task) => task.hasArtifacts).length, 0);
        same('nextPageToken of the final page', value.nextPageToken, '');
        const { value: other } = await client.do('list', { contextId: newId('nobody') });
        same('another context', [other?.tasks, other?.nextPageToken], [[], '']);
        const { value: whole } = await client.do('list', { contextId, includeArtifacts: true });
        holds('artifacts when asked for', whole.tasks.map(toTask)[0].answer?.includes('4747'), whole);
        const { value: first } = await client.do('list', { contextId, pageSize: 2 });
        const { value: second } = await client.do('list', { contextId, pageSize: 2, pageToken: first.nextPageToken });
        same(
          'pages',
          [first, second].map(({ tasks: page }) => page.map((task: { id: string }) => task.id)),
          [ids.slice(0, 2), ids.slice(2)],
        );
        same('token of the last page', second.nextPageToken, '');
        const { value: done } = await client.do('list', { contextId, status: 'TASK_STATE_COMPLETED' });
        same('completed ones', done.tasks.length, 3);
        const { value: working } = await client.do('list', { contextId, status: 'TASK_STATE_WORKING' });
        same('working ones', working.tasks, []);
      },
    },
    {
      title: 'Servers MUST validate all input parameters: a page size out of range, an unknown page token',
      run: async () => {
        for (const params of [{ pageSize: 0 }, { pageSize: 101 }, { pageToken: 'unknown' }])
          failsWith(client, (await client.do('list', params)).failure, 'INVALID_PARAMS');
      },
    },
  ];
}

/** The method table of 0.3: "List tasks (gRPC/REST only)". */
const unlisted = (client: A2aClient): Scenario => ({
  title: 'tasks/list is of gRPC and REST only: MethodNotFoundError',
  run: async () => same('code', (await client.do('list', {})).failure?.code, -32601),
});

function streaming(subject: Subject, client: A2aClient): Scenario[] {
  const isOfMessages = client.binding.name === '0.3 over JSON-RPC';
  const endsWell = (news: readonly News[]) => {
    same('first event', news[0]?.kind, 'task');
    const last = news.findLast(({ state }) => state !== undefined);
    same('last state', last?.state, 'completed');
    const text = news.map((one) => one.text ?? '').join('');
    holds('the answer in artifact updates', text.includes('4747'), news);
    if (isOfMessages) same('final of the last event', news.at(-1)?.isFinal, true);
  };
  return [
    {
      title: 'The stream MUST begin with the Task object and MUST close when the task reaches a terminal state',
      run: async () => {
        const { answer, news } = await client.stream({ messageId: newId('m'), text: QUESTION });
        holds('Content-Type', answer.type.startsWith('text/event-stream'), answer.type);
        endsWell(news);
        if (client.binding.transport === 'JSON-RPC') {
          const ids = answer.events.map((event) => `${event.jsonrpc} ${event.id}`);
          same('each event is a response to the request', [...new Set(ids)], ['2.0 request-1']);
        }
      },
    },
    {
      title: 'Subscribe returns a Task first; events MUST be broadcast to all active streams for that task',
      run: () =>
        withWorkingTask(subject, client, async (task, release) => {
          let open = 0;
          const onNews = ({ kind }: News) => {
            if (kind === 'task') open += 1;
          };
          const streams = [client.subscribe(task.id, onNews), client.subscribe(task.id, onNews)];
          await until(
            'Both streams are open',
            10_000,
            () => open,
            (count) => count === 2,
          );
          release();
          const [first, second] = await Promise.all(streams);
          for (const stream of [first, second]) {
            same('first event', stream?.news[0]?.kind, 'task');
            same('last state', stream?.news.findLast(({ state }) => state)?.state, 'completed');
          }
          same('the same events in the same order', second?.news.slice(1), first?.news.slice(1));
        }),
    },
    {
      title: 'Subscribe: UnsupportedOperationError on a task in a terminal state, TaskNotFoundError on an unknown one',
      run: async () => {
        const { id } = await client.task({ messageId: newId('m'), text: QUESTION });
        failsWith(client, client.binding.failure((await client.subscribe(id)).answer), 'UNSUPPORTED_OPERATION');
        const unknown = await client.subscribe(newId('no-task'));
        failsWith(client, client.binding.failure(unknown.answer), 'TASK_NOT_FOUND');
      },
    },
  ];
}

/** The scenarios of every version and transport. */
export const operations = (subject: Subject, client: A2aClient): Scenario[] => [
  ...sending(client),
  ...reading(subject, client),
  ...listing(client),
  ...streaming(subject, client),
];
