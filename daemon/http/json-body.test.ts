import { describe, expect, it } from 'vitest';
import { BODY_VALUES_MAX } from '../contract/limits.js';
import { testApp } from '../testing/apps/test-app.js';
import { openServer } from '../testing/open-server.js';
import { getRawBody, jsonDepth, jsonExtent } from './json-body.js';
import type { AnyRequest } from './route-types.js';

describe('the extent of a JSON text', () => {
  it.each<[string, number, number]>([
    ['7', 0, 1],
    ['{"a":1,"b":2}', 1, 3],
    ['[[],[],[]]', 2, 7],
    ['"[,,,{"', 0, 1],
    ['"\\"[,"', 0, 1],
    ['["\\\\",[1]]', 2, 4],
    ['{"a":{"b":[{}]},"c":{}}', 4, 7],
    ['[{},{},[]]', 2, 7],
    ['"a",":{"', 0, 2],
  ])('is computed for %s', (text, depth, values) => {
    expect(jsonExtent(Buffer.from(text))).toEqual({ depth, values });
  });
});

it('the depth of a text is that of its arrays and objects', () => {
  expect([jsonDepth('"["'), jsonDepth('[1]'), jsonDepth('{"a":[[]]}')]).toEqual([0, 1, 3]);
});

describe('a body of any route', () => {
  async function aServer() {
    const app = await openServer();
    app.post('/', async ({ body, raw }) => ({ body: body ?? null, raw: getRawBody({ raw } as AnyRequest) }));
    const send = async (payload: string, headers: Record<string, string> = {}) => {
      const all = { 'content-type': 'application/json', ...headers };
      const answer = await app.inject({ method: 'POST', url: '/', headers: all, payload });
      return [answer.statusCode, answer.json()];
    };
    return { app, send };
  }

  it('may be nested 32 levels deep and no deeper', async () => {
    const { send } = await aServer();
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
    expect((await send(nested(32)))[0]).toBe(200);
    expect(await send(nested(33))).toEqual([
      400,
      { error: 'bad_request', message: 'The body is nested deeper than 32 levels.', path: '' },
    ]);
  });

  it('counts as none when it is empty', async () => {
    const { send } = await aServer();
    expect(await send('')).toEqual([200, { body: null, raw: '' }]);
  });

  it.each(['{"__proto__":{}}', '{"constructor":{"prototype":{}}}', '{', 'lamp'])(
    'is refused as %s',
    async (payload) => {
      const { send } = await aServer();
      expect(await send(payload)).toMatchObject([400, { error: 'bad_request' }]);
    },
  );

  it('is JSON alone', async () => {
    const { send } = await aServer();
    for (const type of ['text/plain', 'application/x-www-form-urlencoded'])
      expect(await send('{}', { 'content-type': type })).toMatchObject([415, { error: 'unsupported_media_type' }]);
  });

  it('is kept as it was sent when it is signed', async () => {
    const { send } = await aServer();
    expect(await send('{ "a":1}', { 'mesh-sig': 'x' })).toEqual([200, { body: { a: 1 }, raw: '{ "a":1}' }]);
    expect(await send('{ "a":1}')).toEqual([200, { body: { a: 1 }, raw: '' }]);
  });

  it('is read in event loop ticks of its own when it is large', async () => {
    const { app, send } = await aServer();
    let ticks = 0;
    let isDone = false;
    const tick = () => {
      ticks += 1;
      if (!isDone) setImmediate(tick);
    };
    app.addHook('preParsing', async () => {
      ticks = 0;
      isDone = false;
      setImmediate(tick);
    });
    app.addHook('preValidation', async () => {
      isDone = true;
    });
    const ticksFor = async (bytes: number) => {
      await send(`"${'x'.repeat(bytes - 2)}"`);
      return ticks;
    };
    expect((await ticksFor(4_097)) - (await ticksFor(4_096))).toBeGreaterThanOrEqual(3);
  });
});

describe('a body', () => {
  const keys = (count: number) =>
    `{${Array.from({ length: count }, (_, number) => `"k${number}":${number}`).join(',')}}`;

  it('on a caller’s route is refused above the maximum number of values, which the error names', async () => {
    const app = await testApp();
    expect(await app.call('POST', '/agents/token', keys(BODY_VALUES_MAX))).toMatchObject({
      status: 413,
      body: { error: 'too_large', message: expect.stringContaining(String(BODY_VALUES_MAX)) },
    });
    expect(await app.call('POST', '/agents/token', keys(BODY_VALUES_MAX - 1))).toMatchObject({
      status: 400,
    });
  });

  it('on an operator route has no maximum number of values', async () => {
    const app = await testApp();
    expect((await app.call('POST', '/team', keys(BODY_VALUES_MAX))).body).toMatchObject({ error: 'unknown_key' });
  });

  it('that is too large is refused with the limit of its own route', async () => {
    const app = await testApp();
    const { status, body } = await app.call('POST', '/receipts/verify', `{"receipt":"${'x'.repeat(8_192)}"}`);
    expect([status, body]).toMatchObject([413, { error: 'too_large', message: 'The body is larger than 8192 bytes.' }]);
  });
});
