import { readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type TestApp, testApp } from '../../testing/apps/test-app.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { aFreePort } from '../../testing/processes/free-port.js';
import { heldAnswer, ScriptedAgent } from '../../testing/processes/scripted-agent.js';

type Json = Record<string, unknown>;
const AT = '/team/consultant/a2a';

interface Notification {
  headers: IncomingHttpHeaders;
  body: Json;
}

/** A loopback receiver that responds with `statuses` in order, then with 204. */
async function receiver(statuses: number[] = []) {
  const got: Notification[] = [];
  const waiting: { isMet: () => boolean; wake: () => void }[] = [];
  const until = (isMet: () => boolean) =>
    isMet() ? Promise.resolve() : new Promise<void>((wake) => waiting.push({ isMet, wake }));
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (piece: Buffer) => {
      text += String(piece);
    });
    request.on('end', () => {
      got.push({ headers: request.headers, body: JSON.parse(text) as Json });
      response.writeHead(statuses.shift() ?? 204).end();
      for (const one of waiting) if (one.isMet()) one.wake();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}/told?of=it`,
    endpoint: `127.0.0.1:${port}`,
    got,
    until: (count: number) => until(() => got.length >= count),
    /** Resolves when a notification with this state was received. */
    untilTold: (state: string) => until(() => got.some((one) => getState(one) === state)),
  };
}

const bearer = async (app: TestApp) => ({ authorization: `Bearer ${await app.getToken('consultant')}` });
const send = async (app: TestApp, messageId: string, taskPushNotificationConfig?: Json) => {
  const message = { messageId, role: 'ROLE_USER', parts: [{ text: 'Why?' }] };
  const configuration = {
    returnImmediately: true,
    ...(taskPushNotificationConfig ? { taskPushNotificationConfig } : {}),
  };
  const reply = await app.call('POST', `${AT}/message:send`, { message, configuration }, await bearer(app));
  return { status: reply.status, text: reply.text, id: (reply.body as { task?: { id: string } }).task?.id ?? '' };
};
const getState = ({ body }: Notification) => ((body['task'] ?? body) as { status: { state: string } }).status.state;
const env = (...endpoints: string[]) => ({ MESHD_LOOPBACK_ENDPOINTS: endpoints.join(',') });

describe('Push notifications', () => {
  it('report each state of a task to the receiver, with the configured secrets', async () => {
    const to = await receiver();
    const agent = new ScriptedAgent('acp', heldAnswer);
    const app = await testApp({ clients: [agent], env: env(to.endpoint) });
    const authentication = { scheme: 'Bearer', credentials: 'their-secret' };
    const { id } = await send(app, 'm', { id: 'mine', url: to.url, token: 'shared-word', authentication });
    await agent.untilHeld(1);
    agent.finishAll();
    await to.untilTold('TASK_STATE_COMPLETED');
    // The task may start before the submitted state can be sent.
    expect(to.got.map(getState).slice(-2)).toEqual(['TASK_STATE_WORKING', 'TASK_STATE_COMPLETED']);
    const [last] = to.got.slice(-1) as [Notification];
    expect(last.headers).toMatchObject({
      authorization: 'Bearer their-secret',
      'x-a2a-notification-token': 'shared-word',
      'content-type': 'application/a2a+json',
    });
    expect(last.body).toMatchObject({ task: { id, artifacts: [expect.any(Object)] } });
    // The secrets are stored with the credentials only.
    const file = join(app.root, '.mesh/credentials/a2a-push.json');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, 'utf8')).toContain('their-secret');
    const state = join(app.root, '.mesh/state');
    const kept = readdirSync(state, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    for (const entry of kept)
      expect(readFileSync(join(entry.parentPath, entry.name)).includes('their-secret')).toBe(false);
    expect(app.log.join('')).not.toMatch(/their-secret|shared-word/);
  });

  it('are set, read without secrets, listed and deleted over REST, JSON-RPC and A2A 0.3', async () => {
    const to = await receiver();
    const agent = new ScriptedAgent('acp', heldAnswer);
    const app = await testApp({ clients: [agent], env: env(to.endpoint) });
    const headers = await bearer(app);
    const { id } = await send(app, 'm');
    const at = `${AT}/tasks/${id}/pushNotificationConfigs`;
    const set = await app.call('POST', at, { id: 'a', url: to.url, token: 'shared-word' }, headers);
    expect([set.status, set.body]).toEqual([
      201,
      expect.objectContaining({ id: 'a', taskId: id, url: to.url, token: 'shared-word' }),
    ]);
    expect((await app.call('GET', `${at}/a`, undefined, headers)).text).not.toContain('shared-word');
    const rpc = async (method: string, params: Json) =>
      (await app.call('POST', AT, { jsonrpc: '2.0', id: 1, method, params }, headers)).body as {
        result?: never;
        error?: { code: number };
      };
    const legacy = { taskId: id, pushNotificationConfig: { url: to.url, token: 'other-word' } };
    expect((await rpc('tasks/pushNotificationConfig/set', legacy)).result).toEqual({
      taskId: id,
      pushNotificationConfig: { id, url: to.url, token: 'other-word' },
    });
    expect((await rpc('tasks/pushNotificationConfig/get', { id })).result).toMatchObject({
      pushNotificationConfig: { url: to.url },
    });
    expect((await rpc('ListTaskPushNotificationConfigs', { taskId: id })).result).toMatchObject({
      configs: [{ id: 'a' }, { id }],
    });
    // One notification per configuration has arrived: the current task in the version of each.
    await to.until(2);
    expect(to.got.map(({ body }) => body['kind'] ?? Object.keys(body)[0]).sort()).toEqual(['task', 'task']);
    expect((await app.call('DELETE', `${at}/a`, undefined, headers)).status).toBe(204);
    expect(
      (await rpc('tasks/pushNotificationConfig/delete', { id, pushNotificationConfigId: id })).error,
    ).toBeUndefined();
    expect((await app.call('GET', at, undefined, headers)).body).toEqual({ configs: [] });
    expect((await app.call('GET', `${at}/a`, undefined, headers)).status).toBe(404);
    expect(readFileSync(join(app.root, '.mesh/credentials/a2a-push.json'), 'utf8')).not.toContain('word');
  });

  it('are rejected for every blocked address before anything is asked', async () => {
    const app = await testApp({ clients: [new ScriptedAgent('acp', heldAnswer)] });
    const urls = [
      'http://127.0.0.1:9/',
      `${app.address}/roadmap/stop`,
      'https://10.0.0.1/hook',
      'http://169.254.169.254/latest',
      'https://[::ffff:127.0.0.1]/',
      'https://localhost/',
      'http://hook.example/',
      'hook',
    ];
    for (const url of urls) {
      const { status, text } = await send(app, 'm', { url });
      expect([url, status, text]).toEqual([url, 400, expect.stringContaining('pushNotificationConfig.url')]);
    }
    expect((await app.call('GET', '/requests')).body).toMatchObject({ count: 0 });
  });

  it('are never sent to the daemon itself, whatever is listed', async () => {
    const port = await aFreePort();
    const app = await testApp({ port, env: env(`127.0.0.1:${port}`) });
    expect(app.address).toBe(`http://127.0.0.1:${port}`);
    expect((await send(app, 'm', { url: `${app.address}/roadmap/stop` })).status).toBe(400);
  });

  it('are retried with back-off and abandoned after four attempts', async () => {
    const to = await receiver([500, 503, 500, 500]);
    const clock = new SteppingClock();
    const agent = new ScriptedAgent('acp', heldAnswer);
    const app = await testApp({ clients: [agent], env: env(to.endpoint), clock });
    await send(app, 'm', { url: to.url });
    for (const [tries, pause] of [
      [1, 1_100],
      [2, 5_500],
      [3, 27_500],
    ] as const) {
      await to.until(tries);
      await clock.untilSet(pause);
      app.clock.advance(pause);
    }
    await to.until(4);
    await agent.untilHeld(1);
    agent.finishAll();
    await to.untilTold('TASK_STATE_COMPLETED');
    expect(new Set(to.got.slice(0, 4).map(getState)).size).toBe(1);
    expect(app.log.join('')).toContain('was given up: its receiver answered 500');
  });

  it('survive a restart, after which the outcome of an interrupted task is sent', async () => {
    const to = await receiver();
    const agent = new ScriptedAgent('acp', heldAnswer);
    const first = await testApp({ clients: [agent], env: env(to.endpoint) });
    const { id } = await send(first, 'm', { url: to.url, token: 'shared-word' });
    await to.untilTold('TASK_STATE_WORKING');
    await first.stop();
    const second = await testApp({ root: first.root, env: env(to.endpoint), clients: [agent] });
    await to.untilTold('TASK_STATE_FAILED');
    expect(to.got.at(-1)?.headers['x-a2a-notification-token']).toBe('shared-word');
    const task = await second.call('GET', `${AT}/tasks/${id}`, undefined, await bearer(second));
    expect(task.body).toMatchObject({
      id,
      status: { state: 'TASK_STATE_FAILED', message: { parts: [expect.any(Object)] } },
    });
  });

  it('end when the token that created them is revoked', async () => {
    const to = await receiver();
    const agent = new ScriptedAgent('acp', heldAnswer);
    const app = await testApp({ clients: [agent], env: env(to.endpoint) });
    const { id } = await send(app, 'm', { url: to.url });
    await to.untilTold('TASK_STATE_WORKING');
    await app.call('POST', '/team/consultant/token/rotate', {});
    agent.finishAll();
    await app.poll('consultant', id, 30);
    const at = `${AT}/tasks/${id}/pushNotificationConfigs`;
    expect((await app.call('GET', at, undefined, await bearer(app))).body).toEqual({ configs: [] });
    expect(to.got.map(getState)).not.toContain('TASK_STATE_COMPLETED');
  });
});

/** A clock that lets a test wait until a timer has been set. */
class SteppingClock extends FakeClock {
  private readonly set = new Map<number, () => void>();
  private readonly seen = new Set<number>();

  override after(ms: number, run: () => void): () => void {
    this.seen.add(ms);
    this.set.get(ms)?.();
    return super.after(ms, run);
  }

  /** Resolves when a timer of `ms` has been set. */
  untilSet(ms: number): Promise<void> {
    return this.seen.has(ms) ? Promise.resolve() : new Promise((resolve) => void this.set.set(ms, resolve));
  }
}
