import { expect, it } from 'vitest';
import { testApp } from '../../testing/apps/test-app.js';

it('tells the holder of a token that ended why and what to do, on every route, also after a restart', async () => {
  const app = await testApp();
  const first = await app.getToken('consultant');
  const { request_id } = await app.ask('consultant', { text: 'When do the lights go on?' });
  const as = (token: string) => ({ authorization: `Bearer ${token}` });
  const poll = (token: string, from = app) => from.call('GET', `/team/requests/${request_id}`, undefined, as(token));
  const unknown = await poll('x'.repeat(43));
  expect(unknown).toMatchObject({ status: 401, body: { message: expect.stringContaining('Authorization: Bearer') } });

  await app.call('POST', '/team/consultant/token/rotate');
  const second = await app.getToken('consultant');
  const rotated = { error: 'unauthorized', member: 'consultant', token_ended: 'rotated' };
  expect(await poll(first)).toMatchObject({
    status: 401,
    body: { ...rotated, message: expect.stringContaining('`meshd token show consultant`') },
  });
  const question = { text: 'When?' };
  expect((await app.call('POST', '/team/consultant/ask', question, as(first))).body).toMatchObject(rotated);
  expect((await poll(second)).status).toBe(200);

  await app.call('PATCH', '/team/consultant', { exposure: 'internal' });
  expect((await poll(second)).body).toMatchObject({ token_ended: 'internal' });
  await app.call('POST', '/team/consultant/expose');
  const third = await app.getToken('consultant');
  await app.call('DELETE', '/team/consultant');
  expect((await poll(third)).body).toMatchObject({
    token_ended: 'removed',
    message: expect.stringMatching(/^The member `consultant` was removed at .*Stop polling/),
  });
  // Whoever never held a token is told the same as ever.
  expect((await poll('x'.repeat(43))).body).toEqual(unknown.body);

  await app.stop();
  const again = await testApp({ root: app.root });
  expect((await poll(first, again)).body).toMatchObject(rotated);
  expect((await poll(third, again)).body).toMatchObject({ token_ended: 'removed' });
});
