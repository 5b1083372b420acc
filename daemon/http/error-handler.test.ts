import Fastify, { errorCodes } from 'fastify';
import { describe, expect, it } from 'vitest';
import { ERROR_CODES, type ErrorCode } from '../contract/errors.js';
import { MeshError } from '../lib/errors.js';
import { answerError, STATUS } from './error-handler.js';

/** Returns the whole response of a route that throws `error`, and what was logged of it. */
async function failWith(error: unknown, accept = 'application/json') {
  const lines: Record<string, unknown>[] = [];
  const stream = { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) };
  const app = Fastify({ logger: { level: 'warn', stream } });
  app.setErrorHandler((thrown, request, reply) => answerError(thrown, request, reply));
  const answers = { type: 'object', properties: { lamp: { type: 'string' } } };
  app.get('/', { schema: { response: { '4xx': answers, '5xx': answers } } }, () => Promise.reject(error));
  const answer = await app.inject({ url: '/', headers: { accept } });
  return { answer, lines };
}

/** Returns the response of a route that throws `error`. */
async function answerTo(error: unknown): Promise<{ status: number; error: string }> {
  const { statusCode, body } = (await failWith(error)).answer;
  return { status: statusCode, error: (JSON.parse(body) as { error: string }).error };
}

const failed = (code: string) =>
  Object.assign(new Error(`${code}: open`), { code, syscall: 'open', path: '/project/.mesh/state/a' });

it('maps disk errors to their codes and any other error to internal', async () => {
  expect(await answerTo(failed('EIO'))).toEqual({ status: 503, error: 'store_readonly' });
  expect(await answerTo(failed('EMFILE'))).toEqual({ status: 503, error: 'overloaded' });
  expect(await answerTo(failed('ENOSPC'))).toEqual({ status: 507, error: 'no_space' });
  expect(await answerTo(failed('ENOENT'))).toEqual({ status: 500, error: 'internal' });
  expect(await answerTo(new Error('ours'))).toEqual({ status: 500, error: 'internal' });
});

it.each([
  ['payment_required', 402],
  ['budget_exceeded', 402],
  ['not_waiting', 409],
  ['tests_failed', 409],
  ['limit_reached', 409],
  ['no_working_client', 409],
  ['network_unavailable', 503],
] as const)('has %s in the table of errors, with status %i', async (error, status) => {
  expect(ERROR_CODES).toContain(error);
  expect(await answerTo(new MeshError(error, 'Why.'))).toEqual({ status, error });
});

describe('a request that violates its schema', () => {
  const integer = (more: object) => ({ type: 'integer', ...more });
  const object = (properties: object, more = {}) => ({ type: 'object', properties, ...more });
  const schema = {
    querystring: object({ lang: { type: 'string' } }, { additionalProperties: false, minProperties: 1 }),
    body: object(
      {
        must: {},
        text: { type: 'string', minLength: 1, maxLength: 3 },
        word: { type: 'string', minLength: 2, maxLength: 1 },
        ids: { type: 'array', minItems: 1, maxItems: 2 },
        keys: { type: 'object', minProperties: 1, maxProperties: 2 },
        cost: { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 9 },
        count: integer({ minimum: 1, maximum: 5 }),
        mode: { type: 'string', enum: ['on', 'off'] },
        either: { type: ['integer', 'null'] },
        lamp: object({ name: {}, 'a~b/c': integer({}) }, { required: ['name'], additionalProperties: false }),
      },
      { additionalProperties: false, required: ['must'] },
    ),
  };

  const app = Fastify({ ajv: { customOptions: { removeAdditional: false, coerceTypes: false } }, bodyLimit: 100 });
  app.setErrorHandler((thrown, request, reply) => answerError(thrown, request, reply));
  app.post('/', { schema }, async () => null);

  async function send(payload: unknown, query = 'lang=en', type = 'application/json') {
    const body = typeof payload === 'string' ? payload : JSON.stringify(payload);
    const answer = await app.inject({ method: 'POST', url: `/?${query}`, headers: { 'content-type': type }, body });
    return [answer.statusCode, answer.json()];
  }

  it.each([
    [{ text: '' }, 'text', '"text" must have at least 1 character.'],
    [{ text: 'abcd' }, 'text', '"text" must have at most 3 characters.'],
    [{ word: 'ab' }, 'word', '"word" must have at most 1 character.'],
    [{ word: '' }, 'word', '"word" must have at least 2 characters.'],
    [{ ids: [] }, 'ids', '"ids" must have at least 1 item.'],
    [{ ids: [1, 2, 3] }, 'ids', '"ids" must have at most 2 items.'],
    [{ keys: {} }, 'keys', '"keys" must have at least 1 field.'],
    [{ keys: { a: 1, b: 2, c: 3 } }, 'keys', '"keys" must have at most 2 fields.'],
    [{ cost: 0 }, 'cost', '"cost" must be above 0.'],
    [{ cost: 9 }, 'cost', '"cost" must be < 9.'],
    [{ count: 0 }, 'count', '"count" must be at least 1.'],
    [{ count: 6 }, 'count', '"count" must be at most 5.'],
    [{ count: 1.5 }, 'count', '"count" must be an integer.'],
    [{ ids: 1 }, 'ids', '"ids" must be a list.'],
    [{ keys: 1 }, 'keys', '"keys" must be an object.'],
    [{ text: 1 }, 'text', '"text" must be a string.'],
    [{ either: 'a' }, 'either', '"either" must be an integer or a null.'],
    [{ mode: 'dim' }, 'mode', '"mode" must be one of: on, off.'],
    [{ lamp: {} }, 'lamp.name', '"lamp.name" is required.'],
    [{ lamp: { name: 'a', 'a~b/c': 'x' } }, 'lamp.a~b/c', '"lamp.a~b/c" must be an integer.'],
  ])('is told of %j what would be right', async (given, path, message) => {
    expect(await send({ must: 1, ...given })).toEqual([400, { error: 'bad_request', message, path }]);
  });

  it('is told of the whole body, of a missing field of it, and of the query', async () => {
    const refused = (path: string, message: string) => [400, { error: 'bad_request', message, path }];
    expect(await send([])).toEqual(refused('', 'The body must be an object.'));
    expect(await send({})).toEqual(refused('must', '"must" is required.'));
    expect(await send({ must: 1 }, '')).toEqual(refused('', 'The query must have at least 1 field.'));
  });

  it('is told of a field that is not known, and where', async () => {
    const unknown = (path: string, key: string, place: string) => [
      400,
      {
        error: 'unknown_key',
        message: `"${path}" is not a known field${place}: check its spelling, or leave it out.`,
        path,
        key,
      },
    ];
    expect(await send({ must: 1, boat: 1 })).toEqual(unknown('boat', 'boat', ''));
    expect(await send({ must: 1, lamp: { name: 'a', boat: 1 } })).toEqual(unknown('lamp.boat', 'boat', ''));
    expect(await send({ must: 1 }, 'long=en')).toEqual(unknown('long', 'long', ' of the query'));
  });

  it('is told what the violation says itself when nothing better is known', async () => {
    const violation = (message?: string) => ({
      keyword: 'odd',
      instancePath: '/lamp',
      schemaPath: '',
      params: {},
      message,
    });
    const told = async (message?: string) => {
      const error = { statusCode: 400, validation: [violation(message)], validationContext: 'body' };
      return ((await failWith(Object.assign(new Error('invalid'), error))).answer.json() as { message: string })
        .message;
    };
    expect(await told('must be even')).toBe('"lamp" must be even.');
    expect(await told()).toBe('"lamp" is not valid.');
  });

  it('is told of a body that cannot be read', async () => {
    const malformed = 'The request is malformed: send a valid path and a JSON body.';
    expect(await send('{')).toEqual([400, { error: 'bad_request', message: malformed, path: '' }]);
    expect(await send('x', 'lang=en', 'text/csv')).toEqual([
      415,
      { error: 'unsupported_media_type', message: 'Send the body as application/json.' },
    ]);
    expect(await send({ text: 'x'.repeat(100) })).toEqual([
      413,
      { error: 'too_large', message: 'The body is larger than 100 bytes.' },
    ]);
  });
});

describe('a refusal of the framework', () => {
  it.each([
    [399, 500, 'internal'],
    [400, 400, 'bad_request'],
    [413, 413, 'too_large'],
    [499, 400, 'bad_request'],
    [500, 500, 'internal'],
    [undefined, 500, 'internal'],
  ])('with status %s has status %i and is %s', async (statusCode, status, error) => {
    expect(await answerTo(Object.assign(new Error('x'), { statusCode }))).toEqual({ status, error });
  });

  it('of a path without a route is not_found', async () => {
    const { answer } = await failWith(new errorCodes.FST_ERR_NOT_FOUND());
    expect([answer.statusCode, answer.json()]).toEqual([
      404,
      { error: 'not_found', message: 'There is no such route.' },
    ]);
  });
});

describe('an error of a feature', () => {
  it('is sent with its details, whatever the schema of the response', async () => {
    const details = { path: 'lamp', suggested: ['boat'] };
    const { answer, lines } = await failWith(new MeshError('member_exists', 'Taken.', { details }));
    expect([answer.statusCode, answer.json()]).toEqual([
      409,
      { error: 'member_exists', message: 'Taken.', path: 'lamp', suggested: ['boat'] },
    ]);
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(lines).toEqual([]);
  });

  it('has the status of its code, and is logged as a warning when the daemon is at fault', async () => {
    const warned: ErrorCode[] = [];
    for (const code of ERROR_CODES) {
      const { answer, lines } = await failWith(new MeshError(code, 'Why.'));
      expect([code, answer.statusCode]).toEqual([code, STATUS[code]]);
      if (lines.length === 0) continue;
      warned.push(code);
      expect(lines).toMatchObject([{ level: 40, msg: 'request refused', code, err: { message: 'Why.' } }]);
    }
    expect(warned).toEqual([
      ...['internal', 'overloaded', 'daemon_restarted', 'network_unavailable', 'store_readonly', 'deadline'],
      'no_space',
    ]);
  });

  it.each([
    [0, '1'],
    [0.2, '1'],
    [1, '1'],
    [1.2, '2'],
    [60, '60'],
    ['60', undefined],
    [undefined, undefined],
  ])('that says to wait %s seconds says so in its headers: %s', async (seconds, header) => {
    const details = { retry_after: seconds };
    const { answer } = await failWith(new MeshError('too_many_requests', 'Wait.', { details }));
    expect(answer.headers['retry-after']).toBe(header);
  });

  it('asks for a token only when one is missing', async () => {
    const asked = async (code: ErrorCode) =>
      (await failWith(new MeshError(code, 'No.'))).answer.headers['www-authenticate'];
    expect([await asked('unauthorized'), await asked('bad_signature'), await asked('forbidden')]).toEqual([
      'Bearer',
      undefined,
      undefined,
    ]);
  });

  it('is a page for a browser, with a policy of its own', async () => {
    const { answer } = await failWith(new MeshError('not_found', 'No <lamp>.'), 'text/html');
    expect(answer.statusCode).toBe(404);
    expect(answer.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': expect.stringContaining("default-src 'none'; style-src 'sha256-"),
    });
    expect(answer.body).toMatch(/^<!doctype html>[\s\S]*<p>No &lt;lamp&gt;\.<\/p>/);
  });
});

it('an error that nobody foresaw is logged in full, and its answer has only the id of the line', async () => {
  const { answer, lines } = await failWith(new Error('cable broken'));
  const { id } = answer.json() as { id: string };
  expect(answer.json()).toEqual({ error: 'internal', id });
  expect(id).toMatch(/^[0-9a-f-]{36}$/);
  expect(lines).toMatchObject([{ level: 50, msg: 'request failed', id, err: { message: 'cable broken' } }]);
});

it.each([
  ['/Norway', {}, '"country" must have the format ^[A-Z]{2}$, not "Norway".', 'agent'],
  ['/NO?lang=-', {}, '"lang" must have the format ^[a-z]+$, not "-".', 'agent'],
  ['/NO', { tags: ['a', 'B\u202e'] }, '"tags.1" must have the format ^[a-z]+$, not "B\\u202e".', 'agent'],
  ['/NO', { 'a/b': { token: 'B' } }, '"a/b.token" must have the format ^[a-z]+$.', 'agent'],
  ['/NO', {}, '"x-agent" must have the format ^[a-z]+$.', 'AGENT'],
])('repeats a value of the wrong format, but no secret and no header: %s %j', async (url, payload, message, agent) => {
  const app = Fastify();
  app.setErrorHandler((thrown, request, reply) => answerError(thrown, request, reply));
  const word = { type: 'string', pattern: '^[a-z]+$' };
  const object = (properties: object) => ({ type: 'object', properties });
  const schema = {
    params: object({ country: { type: 'string', pattern: '^[A-Z]{2}$' } }),
    querystring: object({ lang: word }),
    headers: object({ 'x-agent': word }),
    body: object({ tags: { type: 'array', items: word }, 'a/b': object({ token: word }) }),
  };
  app.post('/:country', { schema }, async () => null);
  const answer = await app.inject({ method: 'POST', url, payload, headers: { 'x-agent': agent } });
  expect(answer.json()).toMatchObject({ message });
});
