import { holds, oneOf, type Scenario, same } from '../scenarios.js';
import type { A2aClient, PushConfig } from './binding.js';
import type { Body } from './http.js';
import { failsWith, newId, type Subject, withWorkingTask } from './subject.js';

/** The state in a notification, in the format of the version: a stream response, or a task. */
function stateIn({ binding }: A2aClient, body: Body): string | undefined {
  if (binding.version === '0.3') return body?.kind === 'task' ? body.status?.state : body?.task?.status?.state;
  return (body?.task ?? body?.statusUpdate)?.status?.state;
}
const isCompleted = (client: A2aClient, body: Body) => /completed$/i.test(stateIn(client, body) ?? '');

const changed = (subject: Subject, client: A2aClient): Scenario => ({
  title: 'Push notification configs are set, got, listed and deleted; multiple deletions have the same effect',
  run: async () => {
    const { binding } = client;
    const { id: taskId } = await client.task({ messageId: newId('m'), text: 'Which port?' });
    const url = subject.receiver.url(newId('never'));
    const ids = [newId('push'), newId('push')];
    for (const id of ids) {
      const { value, failure } = await client.do('pushSet', binding.pushParams(taskId, { id, url }));
      same('failure of the creation', failure, undefined);
      same('created', binding.configIn(value), { id, url });
    }
    const { value: got } = await client.do('pushGet', binding.pushNamed(taskId, ids[0]));
    same('got', binding.configIn(got), { id: ids[0], url });
    const list = async () => {
      const { value } = await client.do('pushList', binding.pushNamed(taskId));
      return (Array.isArray(value) ? value : (value?.configs ?? [])).map((one: Body) => binding.configIn(one).id);
    };
    same('listed', await list(), ids);
    for (const time of ['first', 'second']) {
      const { failure } = await client.do('pushDelete', binding.pushNamed(taskId, ids[0]));
      same(`failure of the ${time} deletion`, failure, undefined);
    }
    same('listed afterwards', await list(), ids.slice(1));
    failsWith(client, (await client.do('pushGet', binding.pushNamed(taskId, ids[0]))).failure, 'TASK_NOT_FOUND');
  },
});

const unknown = (subject: Subject, client: A2aClient): Scenario => ({
  title: 'Push notification configs: TaskNotFoundError when the task ID does not exist',
  run: async () => {
    const { binding } = client;
    const none = newId('no-task');
    const config = { id: 'p', url: subject.receiver.url('never') };
    failsWith(client, (await client.do('pushSet', binding.pushParams(none, config))).failure, 'TASK_NOT_FOUND');
    failsWith(client, (await client.do('pushList', binding.pushNamed(none))).failure, 'TASK_NOT_FOUND');
    failsWith(client, (await client.do('pushDelete', binding.pushNamed(none, 'p'))).failure, 'TASK_NOT_FOUND');
  },
});

const delivered = (subject: Subject, client: A2aClient): Scenario => ({
  title: 'Agents MUST include authentication in webhook requests and attempt delivery at least once',
  run: async () => {
    const path = newId('hook');
    const push: PushConfig = {
      id: path,
      url: subject.receiver.url(path),
      token: 'of-this-task',
      credentials: 'secret-1',
    };
    await withWorkingTask(
      subject,
      client,
      async ({ id }, release) => {
        release();
        const sent = await subject.receiver.until(path, ({ body }) => isCompleted(client, body));
        for (const { headers, body } of sent) {
          same('token', headers['x-a2a-notification-token'], 'of-this-task');
          same('authorization', headers['authorization'], 'Bearer secret-1');
          holds('a JSON content type', /^application\/(a2a\+)?json/.test(String(headers['content-type'])), headers);
          const told = body.task ?? body.statusUpdate ?? body;
          oneOf('the task', told.id ?? told.taskId, [id]);
        }
      },
      { push },
    );
  },
});

const later = (subject: Subject, client: A2aClient): Scenario => ({
  title: 'A configuration that is set while the task runs gets what follows; none is sent after its deletion',
  run: async () => {
    const paths = [newId('hook'), newId('deleted')] as const;
    await withWorkingTask(subject, client, async ({ id }, release) => {
      for (const path of paths)
        await client.do('pushSet', client.binding.pushParams(id, { id: path, url: subject.receiver.url(path) }));
      // Its present state, which is sent when a configuration is set, may otherwise arrive after the deletion.
      await subject.receiver.until(paths[1], () => true);
      await client.do('pushDelete', client.binding.pushNamed(id, paths[1]));
      const before = subject.receiver.sentTo(paths[1]).length;
      release();
      await subject.receiver.until(paths[0], ({ body }) => isCompleted(client, body));
      same('sent after the deletion', subject.receiver.sentTo(paths[1]).length, before);
    });
  },
});

const refused = (client: A2aClient): Scenario => ({
  title: 'Agents SHOULD validate webhook URLs to prevent SSRF',
  run: async () => {
    const { binding } = client;
    const { id: taskId } = await client.task({ messageId: newId('m'), text: 'Which port?' });
    for (const url of ['http://169.254.169.254/latest', 'https://10.0.0.1/hook', 'not a url'])
      failsWith(
        client,
        (await client.do('pushSet', binding.pushParams(taskId, { id: 'p', url }))).failure,
        'INVALID_PARAMS',
      );
  },
});

export const pushes = (subject: Subject, client: A2aClient): Scenario[] => [
  changed(subject, client),
  unknown(subject, client),
  delivered(subject, client),
  later(subject, client),
  refused(client),
];
