import Fastify from 'fastify';
import { expect, it } from 'vitest';
import { ERROR_CODES } from '../contract/errors.js';
import { MeshError } from '../lib/errors.js';
import { answerError } from './error-handler.js';

/** Returns the response of a route that throws `error`. */
async function answerTo(error: unknown): Promise<{ status: number; error: string }> {
  const app = Fastify();
  app.setErrorHandler((thrown, request, reply) => answerError(thrown, request, reply));
  app.get('/', () => Promise.reject(error));
  const { statusCode, body } = await app.inject('/');
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

it.each([
  ['{"text":""}', '"text" must have at least 1 character.'],
  ['{"text":"a","ids":[1,2,3]}', '"ids" must have at most 2 items.'],
  ['{"text":"a","cost":0}', '"cost" must be above 0.'],
])('says of %s what would be right', async (payload, message) => {
  const app = Fastify();
  app.setErrorHandler((thrown, request, reply) => answerError(thrown, request, reply));
  const body = {
    type: 'object',
    properties: {
      text: { type: 'string', minLength: 1 },
      ids: { type: 'array', maxItems: 2 },
      cost: { type: 'number', exclusiveMinimum: 0 },
    },
  };
  app.post('/', { schema: { body } }, async () => null);
  const answer = await app.inject({
    method: 'POST',
    url: '/',
    headers: { 'content-type': 'application/json' },
    payload,
  });
  expect(answer.json()).toMatchObject({ message });
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
