import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ConversationList, PermissionList } from '../../../contract/conversations.js';
import { begin, ended, events, postMessage, read } from '../../../testing/apps/conversing.js';
import { testApp } from '../../../testing/apps/test-app.js';
import { ModelEndpoint } from '../../../testing/stand-ins/model-endpoint.js';
import { anApiClient, aTurn } from '../../../testing/stand-ins/model-endpoint-client.js';
import type { Decide, PermissionQuestion } from '../client.js';
import { openTeamTools } from './team-tools.js';
import { Fields } from './tool.js';

const ask = { calls: [{ name: 'ask_member', input: { member: 'consultant', text: 'Which angle?' } }] };

describe('the daemon’s own tools on a model endpoint', () => {
  it('ask a member at once for one that has the agent tool, else with the permission of the operator', async () => {
    const endpoint = await ModelEndpoint.start([
      ask,
      { text: ['Minus six.'] },
      { text: ['The consultant said it.'] },
      ask,
      { text: ['It was not allowed.'] },
    ]);
    const app = await testApp({ clients: [anApiClient(endpoint, {}).client] });
    const client = await events(app);
    const first = await begin(app, { member: 'roadmap-orchestrator' });
    await ended(client, (await postMessage(app, first.conv, 'Ask')).turn);
    const answer = (await read(app, first.conv)).messages.at(-1);
    expect(answer).toMatchObject({
      text: 'The consultant said it.',
      calls: [{ name: 'ask_member', target: 'consultant', state: 'done', output: 'Minus six.' }],
    });
    const { conversations } = (await app.call('GET', `/conversations?parent=${first.conv}`)).body as ConversationList;
    expect(conversations).toMatchObject([{ member: 'consultant', last_outcome: 'answered' }]);
    expect(JSON.stringify(endpoint.requests[2]?.body.messages)).toContain('Minus six.');

    const second = await begin(app, { member: 'developer' });
    const { turn } = await postMessage(app, second.conv, 'Ask');
    await client.until(({ type }) => type === 'turn.permission');
    const { permissions } = (await app.call('GET', '/permissions')).body as PermissionList;
    expect(permissions).toMatchObject([{ conv: second.conv, tool: 'ask_member', target: 'consultant' }]);
    await app.call('POST', `/conversations/${second.conv}/permissions/${permissions[0]?.pid}`, { decision: 'deny' });
    await ended(client, turn);
    expect((await read(app, second.conv)).messages.at(-1)).toMatchObject({
      text: 'It was not allowed.',
      calls: [{ name: 'ask_member', state: 'failed' }],
    });
  });
});

interface Request {
  headers: IncomingHttpHeaders;
  body: { method: string; params: unknown };
}

const LISTED = [
  { name: 'read_board', description: 'Reads.', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } },
  { name: 'ask_member', description: 'Asks.', inputSchema: {}, annotations: { readOnlyHint: false } },
  { name: 'write_board' },
];

/** The tools of a server whose calls are answered by `reply`, with what was asked. */
async function opened({
  reply = (): unknown => ({ result: { content: [{ text: 'Given.' }] } }),
  list = { result: { tools: LISTED } } as unknown,
  member = [] as string[],
  decision = 'allow_once' as Awaited<ReturnType<Decide>>,
} = {}) {
  const requests: Request[] = [];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += String(chunk);
    const body = JSON.parse(text) as Request['body'];
    requests.push({ headers: request.headers, body });
    const answer = body.method === 'tools/list' ? list : reply();
    response.end(typeof answer === 'string' ? answer : JSON.stringify(answer));
  });
  // The server ends no connection by itself.
  server.keepAliveTimeout = 0;
  const closed = new Promise<void>((resolve) => {
    server.on('connection', (socket) => socket.on('close', () => resolve()));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  const asked: PermissionQuestion[] = [];
  const decide: Decide = async (question) => {
    asked.push(question);
    return decision;
  };
  const turn = { ...aTurn({ tools: member }), tool_server: { url, token: 'tt_1' } };
  const { signal } = new AbortController();
  const { tools, close } = await openTeamTools(turn, decide, signal);
  onTestFinished(close);
  const run = async (name: string, input: object) =>
    tools.find((tool) => tool.name === name)?.run(new Fields(input), signal);
  return { tools, run, requests, asked, close, closed };
}

describe('the tools of the daemon’s server', () => {
  it('are listed with the token of the turn', async () => {
    const { tools, requests } = await opened();
    expect(tools.map(({ name, description, schema }) => [name, description, schema])).toEqual([
      ['read_board', 'Reads.', { type: 'object' }],
      ['ask_member', 'Asks.', {}],
      ['write_board', '', undefined],
    ]);
    expect(requests).toMatchObject([
      {
        headers: {
          authorization: 'Bearer tt_1',
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
        body: { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} },
      },
    ]);
  });

  it('are none without a server', async () => {
    const { tools, close } = await openTeamTools(aTurn({}), async () => 'deny', new AbortController().signal);
    close();
    expect(tools).toEqual([]);
  });

  it('are called by their names with their input', async () => {
    const { run, requests } = await opened();
    expect(await run('read_board', { board: 'b', more: [1] })).toBe('Given.');
    expect(requests[1]?.body).toMatchObject({
      method: 'tools/call',
      params: { name: 'read_board', arguments: { board: 'b', more: [1] } },
    });
  });

  it.each([
    ['read_board', [], false],
    ['write_board', ['agent'], true],
    ['ask_member', ['agent'], false],
    ['ask_member', ['read'], true],
  ])('need the permission of the operator where they do more than read: %s for %j', async (name, member, isAsked) => {
    const { run, asked, requests } = await opened({ member, decision: 'deny' });
    const outcome = await run(name, { board: 'b', text: 'Please.' }).catch((error: Error) => error.message);
    expect(outcome).toBe(
      isAsked ? 'The operator did not allow this: do without it, and say so in your answer.' : 'Given.',
    );
    expect(asked).toEqual(isAsked ? [{ tool: name, target: 'b', reason: 'Please.' }] : []);
    expect(requests).toHaveLength(isAsked ? 1 : 2);
  });

  it.each([
    [{ member: 'm', board: 'b', name: 'n', query: 'q' }, 'm'],
    [{ board: 'b', name: 'n', query: 'q' }, 'b'],
    [{ name: 'n', query: 'q' }, 'n'],
    [{ query: 'q', text: 't' }, 'q'],
    [{ text: 't' }, ''],
  ])('are shown with what they are about: %j', async (input, target) => {
    const { tools } = await opened();
    expect(tools[0]?.target(new Fields(input))).toBe(target);
  });

  it('may answer in a stream of events', async () => {
    const events =
      'event: message\ndata: {"method":"notice"}\n\ndata: {"result":{"content":[{"text":"Streamed."}]}}\n\n';
    expect(await (await opened({ reply: () => events })).run('read_board', {})).toBe('Streamed.');
  });

  it.each([[{ error: { message: 'no' } }], ['not json'], [''], ['data:{"result":{}}'], ['event:{"result":{}}']])(
    'that give no result fail: %j',
    async (answer) => {
      const { run } = await opened({ reply: () => answer });
      await expect(run('read_board', {})).rejects.toMatchObject({
        code: 'internal',
        message: 'The daemon gave no result: go on without it.',
      });
    },
  );

  it.each([
    ['{"message":"No such board."}', 'No such board.'],
    ['{"message":7}', 'It was refused.'],
    ['Words.', 'It was refused.'],
  ])('that are refused say why: %j', async (text, message) => {
    const { run } = await opened({ reply: () => ({ result: { isError: true, content: [{ text }] } }) });
    await expect(run('read_board', {})).rejects.toMatchObject({ code: 'bad_request', message });
  });

  it('give at most 32 KiB, and nothing where there is no text', async () => {
    const giving = async (content: unknown) =>
      (await opened({ reply: () => ({ result: { content } }) })).run('read_board', {});
    expect(await giving([{ text: 'x'.repeat(32 * 1024 + 1) }])).toBe('x'.repeat(32 * 1024));
    expect([await giving([]), await giving('odd')]).toEqual(['', '']);
  });

  it('leave no connection behind', async () => {
    const { close, closed } = await opened();
    close();
    await closed;
  });
});
