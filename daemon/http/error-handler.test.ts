import Fastify from 'fastify';
import { expect, it } from 'vitest';
import { answerError } from './error-handler.js';

/** What a route that throws `error` is answered with. */
async function answerTo(error: unknown): Promise<{ status: number; error: string }> {
  const app = Fastify();
  app.setErrorHandler((thrown, request, reply) => answerError(thrown, request, reply));
  app.get('/', () => Promise.reject(error));
  const { statusCode, body } = await app.inject('/');
  return { status: statusCode, error: (JSON.parse(body) as { error: string }).error };
}

const failed = (code: string) =>
  Object.assign(new Error(`${code}: open`), { code, syscall: 'open', path: '/project/.mesh/state/a' });

it('what the disk refuses is answered as that, and whatever else is thrown as a fault of ours', async () => {
  expect(await answerTo(failed('EIO'))).toEqual({ status: 503, error: 'store_readonly' });
  expect(await answerTo(failed('EMFILE'))).toEqual({ status: 503, error: 'overloaded' });
  expect(await answerTo(failed('ENOSPC'))).toEqual({ status: 507, error: 'no_space' });
  expect(await answerTo(failed('ENOENT'))).toEqual({ status: 500, error: 'internal' });
  expect(await answerTo(new Error('ours'))).toEqual({ status: 500, error: 'internal' });
});
