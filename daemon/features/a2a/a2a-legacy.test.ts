import { describe, expect, it } from 'vitest';
import type { PublicCard } from '../../contract/network/card.js';
import { type TestApp, testApp } from '../../testing/apps/test-app.js';
import { answers, heldAnswer, ScriptedAgent } from '../../testing/processes/scripted-agent.js';

type Json = Record<string, unknown>;
interface LegacyTask {
  kind: string;
  id: string;
  contextId: string;
  status: { state: string };
  artifacts?: { parts: { kind: string; text?: string }[] }[];
  history?: { messageId: string; role: string }[];
}

const message = (text: string, more: Json = {}) => ({
  message: {
    kind: 'message',
    messageId: `m-${text.length}-${JSON.stringify(more).length}`,
    role: 'user',
    parts: [{ kind: 'text', text }],
    ...more,
  },
});

/** A 0.3 client that uses JSON-RPC only and sends no version header. */
async function getLegacy(app: TestApp, path = '/team/consultant') {
  const headers = { authorization: `Bearer ${await app.getToken('consultant')}` };
  return async (method: string, params: Json) => {
    const { body } = await app.call('POST', path, { jsonrpc: '2.0', id: 7, method, params }, headers);
    return body as { id: number; result?: LegacyTask; error?: { code: number; message: string } };
  };
}

describe('A2A 0.3 client', () => {
  it.each(['/team/consultant', '/team/consultant/a2a', '/team/consultant/a2a/'])(
    'sends, gets and cancels at %s',
    async (path) => {
      const agent = new ScriptedAgent('acp', heldAnswer);
      const app = await testApp({ clients: [agent] });
      const call = await getLegacy(app, path);
      const sending = call('message/send', {
        ...message('Why?', { contextId: 'talk' }),
        configuration: { blocking: true },
      });
      await agent.untilHeld(1);
      agent.finishAll();
      const { id, result } = await sending;
      expect([id, result?.kind, result?.status.state, result?.contextId]).toEqual([7, 'task', 'completed', 'talk']);
      expect(result?.artifacts?.[0]?.parts[0]).toEqual(
        expect.objectContaining({ kind: 'text', text: 'Thinking. Done.' }),
      );
      expect(result?.history?.[0]?.role).toBe('user');
      expect((await call('tasks/get', { id: result?.id })).result?.status.state).toBe('completed');
      expect((await call('tasks/cancel', { id: result?.id })).error?.code).toBe(-32002);
      const later = await call('message/send', { ...message('And then?'), configuration: { blocking: false } });
      expect(later.result?.status.state).toMatch(/submitted|working/);
      expect((await call('tasks/cancel', { id: later.result?.id })).result?.status.state).toBe('canceled');
      expect((await call('tasks/get', { id: 'req-none' })).error?.code).toBe(-32001);
    },
  );

  it('is given the answer unless it says that it does not wait', async () => {
    const app = await testApp({ clients: [new ScriptedAgent('acp', () => answers('Because.'))] });
    const call = await getLegacy(app);
    for (const configuration of [undefined, null, {}, { acceptedOutputModes: ['text/plain'] }, { blocking: null }]) {
      const { result } = await call('message/send', {
        ...message('Why?', { messageId: `m-${JSON.stringify(configuration)}` }),
        configuration,
      });
      expect([configuration, result?.status.state]).toEqual([configuration, 'completed']);
    }
  });

  it('streams, with the last event marked as final', async () => {
    const app = await testApp({ clients: [new ScriptedAgent('acp', () => answers('Because.'))] });
    const reply = await fetch(`${app.address}/team/consultant`, {
      method: 'POST',
      headers: { authorization: `Bearer ${await app.getToken('consultant')}`, 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 's', method: 'message/stream', params: message('Why?') }),
    });
    expect(reply.headers.get('content-type')).toContain('text/event-stream');
    const events = (await reply.text())
      .split('\n\n')
      .filter((event) => event.startsWith('data: '))
      .map((event) => (JSON.parse(event.slice('data: '.length)) as { result: Json }).result);
    expect(events[0]?.['kind']).toBe('task');
    expect(events.at(-1)).toMatchObject({ kind: 'status-update', final: true, status: { state: 'completed' } });
    expect(events.at(-2)).toMatchObject({ kind: 'artifact-update', lastChunk: true, append: false });
  });

  it('resubscribes to a running task', async () => {
    const agent = new ScriptedAgent('acp', heldAnswer);
    const app = await testApp({ clients: [agent] });
    const call = await getLegacy(app);
    const { result } = await call('message/send', { ...message('Why?'), configuration: { blocking: false } });
    await agent.untilHeld(1);
    const reply = await fetch(`${app.address}/team/consultant`, {
      method: 'POST',
      headers: { authorization: `Bearer ${await app.getToken('consultant')}`, 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 'r', method: 'tasks/resubscribe', params: { id: result?.id } }),
    });
    expect(reply.headers.get('content-type')).toContain('text/event-stream');
    agent.finishAll();
    const text = await reply.text();
    expect(text).toContain(`"id":"${result?.id}"`);
    expect(text).toMatch(/"state":"completed"[^\n]*"final":true|"final":true[^\n]*"state":"completed"/);
  });

  it('finds its address and both transports in the Tier-2 card', async () => {
    const app = await testApp();
    const card = (await app.call('GET', '/team/consultant/.well-known/agent.json')).body as PublicCard & {
      additionalInterfaces: Json[];
    };
    expect(card.url).toBe(`${app.address}/team/consultant`);
    expect([card.protocolVersion, card.preferredTransport]).toEqual(['0.3.0', 'JSONRPC']);
    expect(card.additionalInterfaces).toEqual(
      ['JSONRPC', 'HTTP+JSON'].map((transport) => ({ url: `${app.address}/team/consultant/a2a`, transport })),
    );
  });

  it('uses REST in the encoding of the official 0.3 client', async () => {
    const app = await testApp({ clients: [new ScriptedAgent('acp', () => answers('Because.'))] });
    const headers = { authorization: `Bearer ${await app.getToken('consultant')}`, 'a2a-version': '0.3' };
    const at = '/team/consultant/a2a/v1';
    const body = {
      message: { messageId: 'm1', role: 'ROLE_USER', content: [{ text: 'Why?' }] },
      configuration: { blocking: true },
    };
    const sent = await app.call('POST', `${at}/message:send`, body, headers);
    expect([sent.status, sent.body]).toEqual([
      201,
      {
        task: expect.objectContaining({
          status: expect.objectContaining({ state: 'TASK_STATE_COMPLETED' }),
          artifacts: [
            expect.objectContaining({ parts: [{ text: 'Because.' }, { data: { data: expect.any(Object) } }] }),
          ],
          history: [expect.objectContaining({ role: 'ROLE_USER', content: [{ text: 'Why?' }] })],
        }),
      },
    ]);
    const { id } = (sent.body as { task: { id: string } }).task;
    expect((await app.call('GET', `${at}/tasks/${id}?historyLength=1`, undefined, headers)).body).toMatchObject({ id });
    expect((await app.call('GET', `${at}/tasks/req-none`, undefined, headers)).status).toBe(404);
    expect((await app.call('POST', `${at}/tasks/${id}:cancel`, undefined, headers)).body).toMatchObject({
      code: -32002,
    });
    expect((await app.call('GET', `${at}/card`, undefined, headers)).body).toMatchObject({
      name: 'Consultant',
      securitySchemes: { memberToken: { httpAuthSecurityScheme: { scheme: 'Bearer' } } },
      security: [{ schemes: { memberToken: { list: [] } } }],
    });
    const streamed = await app.call(
      'POST',
      `${at}/message:stream`,
      { message: { ...body.message, messageId: 'm2' } },
      headers,
    );
    expect(streamed.text).toContain('"statusUpdate"');
  });

  it('lists its tasks and sets a push configuration over REST, also in snake_case', async () => {
    const app = await testApp({ clients: [new ScriptedAgent('acp', () => answers('Because.'))] });
    const headers = { authorization: `Bearer ${await app.getToken('consultant')}` };
    const at = '/team/consultant/a2a/v1';
    const message = { message_id: 'm1', context_id: 'talk', role: 'ROLE_USER', content: [{ text: 'Why?' }] };
    const sent = await app.call('POST', `${at}/message:send`, { message, configuration: { blocking: true } }, headers);
    const { id } = (sent.body as { task: { id: string } }).task;
    const list = async (query: string) => (await app.call('GET', `${at}/tasks?${query}`, undefined, headers)).body;
    const task = { id, contextId: 'talk', status: expect.objectContaining({ state: 'TASK_STATE_COMPLETED' }) };
    const whole = (await list('context_id=talk')) as { tasks: Json[] };
    expect(whole).toMatchObject({ tasks: [task], nextPageToken: '', totalSize: 1 });
    expect(whole.tasks[0]).not.toHaveProperty('artifacts');
    expect(await list('status=completed&includeArtifacts=true')).toMatchObject({ tasks: [{ artifacts: [{}] }] });
    expect(await list('status=working')).toMatchObject({ tasks: [] });
    expect((await app.call('GET', `${at}/tasks?pageSize=0`, undefined, headers)).status).toBe(400);
    const name = `tasks/${id}/pushNotificationConfigs/hook`;
    const push = { id: 'hook', url: 'https://example.com/hook', authentication: {} };
    const body = { parent: `tasks/${id}`, config_id: 'hook', config: { name, push_notification_config: push } };
    const set = await app.call('POST', `${at}/tasks/${id}/pushNotificationConfigs`, body, headers);
    expect(set.body).toMatchObject({ name, pushNotificationConfig: { url: push.url } });
  });
});
