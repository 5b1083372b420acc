import { expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/apps/test-app.js';
import { describedOperations } from '../../testing/parts/described-operations.js';
import { answers, ScriptedAgent } from '../../testing/processes/scripted-agent.js';

const AT = '/team/consultant/a2a';
const bearer = async (app: TestApp) => ({ authorization: `Bearer ${await app.getToken('consultant')}` });
const SEND = {
  ...{ jsonrpc: '2.0', id: 1, method: 'SendMessage' },
  params: { message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'Why?' }] } },
};

it('the description of the API tells what A2A serves', async () => {
  const app = await testApp();
  const told = (text: string) => `agent, bearer, 200, ${text}`;
  const described = await describedOperations(app, /^\/team\/\{id\}\/a2a/);
  expect(described).toEqual({
    'POST /team/{id}/a2a': told('A2A over JSON-RPC, 1.0 and 0.3'),
    'GET /team/{id}/a2a/{path}': told('A2A over REST: read, list and subscribe to tasks'),
    'POST /team/{id}/a2a/{path}': told('A2A over REST: send messages, cancel tasks, ask to be told of them'),
    'DELETE /team/{id}/a2a/{path}': told('A2A over REST: forget a push notification configuration'),
  });
  expect(await describedOperations(app, /^\/team\/\{id\}$/)).toMatchObject({
    'POST /team/{id}': told('A2A over JSON-RPC, where clients of 0.3 post to'),
  });
});

it('the version that a caller names is 0.3 or 1.0, in a header or a parameter', async () => {
  const app = await testApp();
  const own = await bearer(app);
  const status = async (header: string | undefined, query = '') => {
    const headers = { ...own, ...(header === undefined ? {} : { 'a2a-version': header }) };
    return (await app.call('GET', `${AT}/tasks${query}`, undefined, headers)).status;
  };
  for (const version of [undefined, '', '0.3', '1.0', ' 1.0 ', '1.0.1234', '0.3.0'])
    expect([version, await status(version)]).toEqual([version, 200]);
  for (const version of ['1', '1.1', '0.4', '1.0.12345', '1.0.', '1.0x', 'x1.0', '0x3'])
    expect([version, await status(version)]).toEqual([version, 400]);
  expect([await status(undefined, '?A2A-Version=1.0'), await status(undefined, '?A2A-Version=2.0')]).toEqual([
    200, 400,
  ]);
  expect(await status('1.0', '?A2A-Version=2.0')).toBe(200);
});

it('an answer of A2A has the type of its form, and a stream is not held back on its way', async () => {
  const app = await testApp({ clients: [new ScriptedAgent('acp', () => answers('So.'))] });
  const own = await bearer(app);
  const post = (path: string, body: unknown) => app.call('POST', path, body, own);
  expect((await post(AT, SEND)).headers.get('content-type')).toBe('application/json; charset=utf-8');
  const sent = await post(`${AT}/message:send`, SEND.params);
  expect(sent.headers.get('content-type')).toBe('application/a2a+json; charset=utf-8');
  const streamed = await post(`${AT}/message:stream`, SEND.params);
  expect([streamed.headers.get('content-type'), streamed.headers.get('x-accel-buffering')]).toEqual([
    ...['text/event-stream; charset=utf-8', 'no'],
  ]);
  const { id } = (sent.body as { task: { id: string } }).task;
  const gone = await app.call('DELETE', `${AT}/tasks/${id}/pushNotificationConfigs/x`, undefined, own);
  expect([gone.status, gone.text]).toEqual([204, '']);
});

it('wrong tokens are counted by member', async () => {
  const app = await testApp();
  const call = (member: string) => app.call('POST', `/team/${member}/a2a`, SEND, { authorization: 'Bearer mk_x' });
  for (let count = 0; count < 20; count += 1) expect((await call('consultant')).status).toBe(401);
  expect([(await call('consultant')).status, (await call('developer')).status]).toEqual([429, 401]);
});
