import { EventEmitter } from 'node:events';
import Value from 'typebox/value';
import { expect, it } from 'vitest';
import { NetworkCreate, NetworkJoin, NetworkRestore } from '../../contract/shared/network.js';
import { NetworkAskBody, NetworkPollQuery } from '../../contract/shared/network-asks.js';
import type { App } from '../../http/route-types.js';
import { networkAskRoutes } from './asks/network-ask-routes.js';
import { networkRoutes } from './network-routes.js';

interface Schema {
  summary: string;
  tags: string[];
  response: Record<string, { $ref: string }>;
  body?: unknown;
  querystring?: unknown;
}
type Handler = (request: object, reply: object) => unknown;

/** The routes, and what their handlers ask of the network: each call returns its name and what it was given. */
async function listRoutes() {
  const routes: { route: string; schema: Schema; handler: Handler }[] = [];
  const add =
    (method: string) =>
    (path: string, { schema }: { schema: Schema }, handler: Handler) => {
      routes.push({ route: `${method} ${path}`, schema, handler });
    };
  const app = { get: add('GET'), post: add('POST'), put: add('PUT'), delete: add('DELETE') } as unknown as App;
  const calls: unknown[][] = [];
  const noting = () =>
    new Proxy({} as never, {
      get:
        (_, name: string) =>
        (...given: unknown[]) => {
          calls.push([name, ...given]);
          return name;
        },
    });
  await networkRoutes(app, { network: noting() });
  await networkAskRoutes(app, { colleagues: noting(), members: noting() });
  const run = async (route: string, request = {}) => {
    calls.length = 0;
    const raw = Object.assign(new EventEmitter(), { writableEnded: false });
    const reply = { raw, code: (status: number) => ({ send: (body: unknown) => [status, body] }) };
    const answer = await routes.find((one) => one.route === route)?.handler(request, reply);
    return { answer, calls: [...calls], raw };
  };
  return { routes, run };
}

it('are described, with what they answer', async () => {
  const { routes } = await listRoutes();
  const of = ({ response }: Schema) => Object.entries(response).map(([status, { $ref }]) => `${status} ${$ref}`);
  expect(routes.map(({ route, schema }) => [route, schema.summary, ...of(schema)])).toEqual([
    ['GET /network', 'The network of this daemon, and how far it follows it', '200 NetworkStatus'],
    ['GET /network/members', 'The daemons of the network, and who is there', '200 NetworkMembers'],
    ['POST /network', 'Create a network on NATS servers and join it', '200 NetworkStatus'],
    ['PUT /network', 'Join a network of NATS servers, or replace the credentials of the own one', '200 NetworkStatus'],
    ['DELETE /network', 'Leave the network; what was shared stays here', '200 NetworkStatus'],
    ['GET /network/copies', 'The shared data that were set aside before others replaced them', '200 NetworkCopies'],
    ['POST /network/restore', 'Replace the shared data by a copy; refused in a network', '200 NetworkCopies'],
    ['GET /network/agents', 'The members that daemons of the network share', '200 NetworkAgents'],
    [
      ...['PUT /network/agents/:member', 'Share an exposed member of this daemon with the network'],
      '200 NetworkAgents',
    ],
    [
      ...['DELETE /network/agents/:member', 'Stop sharing a member of this daemon with the network'],
      '200 NetworkAgents',
    ],
    ['POST /network/asks', 'Ask a member of another daemon; poll for the answer', '202 NetworkAsk'],
    [
      'GET /network/asks/:id',
      'An ask of a member of another daemon; wait holds the answer until it ends or there is more text',
      '200 NetworkAsk',
    ],
    ['DELETE /network/asks/:id', 'Cancel an ask of a member of another daemon', '200 NetworkAsk'],
  ]);
  for (const { schema } of routes) expect(schema.tags).toEqual(['system']);
  const taken = routes.flatMap(({ schema: { body, querystring } }) => body ?? querystring ?? []);
  expect(taken).toEqual([NetworkCreate, NetworkJoin, NetworkRestore, NetworkAskBody, NetworkPollQuery]);
});

it('take a name of this daemon that can be seen', () => {
  const isTaken = (name: string) =>
    Value.Check(NetworkCreate, { url: 'nats://127.0.0.1:4222', network: 'harbour', name }) &&
    Value.Check(NetworkJoin, { url: 'nats://127.0.0.1:4222', network: 'harbour', name });
  expect(['Quay', '  ', '', 'x'.repeat(101)].map(isTaken)).toEqual([true, false, false, false]);
});

it.each([
  ['GET /network', {}, 'status', []],
  ['GET /network/members', {}, 'members', []],
  ['POST /network', { body: 'what' }, 'create', ['what']],
  ['PUT /network', { body: 'what' }, 'join', ['what']],
  ['DELETE /network', {}, 'leave', []],
  ['GET /network/copies', {}, 'copies', []],
  ['POST /network/restore', { body: 'what' }, 'restore', ['what']],
  ['GET /network/agents', {}, 'list', []],
  ['DELETE /network/asks/:id', { params: { id: 'one' } }, 'cancel', ['one']],
])('%s is answered by the network', async (route, request, name, given) => {
  const { run } = await listRoutes();
  expect(await run(route, request)).toMatchObject({ answer: name, calls: [[name, ...given]] });
});

it('shares a member, or ends that, and answers with the list', async () => {
  const { run } = await listRoutes();
  const request = { params: { member: 'consultant' } };
  expect(await run('PUT /network/agents/:member', request)).toMatchObject({
    ...{ answer: 'list', calls: [['share', 'consultant'], ['list']] },
  });
  expect(await run('DELETE /network/agents/:member', request)).toMatchObject({
    ...{ answer: 'list', calls: [['unshare', 'consultant'], ['list']] },
  });
});

it('accepts an ask, which is polled until its caller is gone', async () => {
  const { run } = await listRoutes();
  const asked = await run('POST /network/asks', { body: 'what' });
  expect(asked).toMatchObject({ answer: [202, 'ask'], calls: [['ask', 'what']] });
  const { answer, calls, raw } = await run('GET /network/asks/:id', { params: { id: 'one' }, query: 'how' });
  const [[name, id, query, signal] = []] = calls as [string, string, string, AbortSignal][];
  expect([answer, name, id, query, signal?.aborted]).toEqual(['poll', 'poll', 'one', 'how', false]);
  raw.emit('close');
  expect(signal?.aborted).toBe(true);
});
