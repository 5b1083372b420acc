import { describe, expect, it } from 'vitest';
import type { AskRecord, ReceiptVerdict } from '../../contract/asks.js';
import { SigningKey } from '../../lib/crypto/ed25519.js';
import { makeReceipt } from '../../lib/crypto/receipt.js';
import { testApp } from '../../testing/apps/test-app.js';
import { describedOperations } from '../../testing/parts/described-operations.js';
import { heldAnswer, ScriptedAgent } from '../../testing/processes/scripted-agent.js';
import { RECEIPT_FACTS } from '../../testing/receipt-facts.js';

const QUESTION = { text: 'On which port does it listen?' };
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

it('the description of the API tells what these requests do, and who may make them', async () => {
  const app = await testApp();
  const paths = /^\/(requests(\/\{rid\}(\/trace|\/rating)?)?|receipts\/verify|team\/requests\/.*|team\/\{id\}\/ask)$/;
  expect(await describedOperations(app, paths)).toEqual({
    'POST /team/{id}/ask': 'ask and poll, bearer, 202 AskAccepted, Ask an exposed member; poll for the answer',
    'GET /team/requests/{rid}':
      'ask and poll, bearer, 200 AskRecord, Poll a request; wait holds the answer until it ends',
    'DELETE /team/requests/{rid}': 'ask and poll, bearer, 200 AskRecord, Cancel a request',
    'GET /requests': 'requests, operator, 200 RequestList, All requests, newest first',
    'GET /requests/{rid}': 'requests, operator, 200 RequestDetail, One request, whole',
    'DELETE /requests/{rid}': 'requests, operator, 200 RequestDetail, Cancel a request as the operator',
    'GET /requests/{rid}/trace': 'requests, operator, 200 AnswerTrace, How the built-in search found an answer',
    'PUT /requests/{rid}/rating': 'requests, operator, 200 RequestDetail, Rate an answer',
    'DELETE /requests/{rid}/rating': 'requests, operator, 200 RequestDetail, Withdraw the rating of an answer',
    'POST /receipts/verify': 'requests, public, 200 ReceiptVerdict, Check a receipt',
  });
});

describe('wrong tokens', () => {
  it('are counted by member where one asks, and for all requests where one polls', async () => {
    const app = await testApp();
    const wrong = bearer(`mk_${'x'.repeat(43)}`);
    const ask = (member: string) => app.call('POST', `/team/${member}/ask`, QUESTION, wrong);
    const poll = (headers: Record<string, string> = wrong) => app.call('GET', '/team/requests/r', undefined, headers);
    for (let count = 0; count < 20; count += 1) expect((await ask('consultant')).status).toBe(401);
    expect(await ask('consultant')).toMatchObject({ status: 429, body: { error: 'too_many_requests' } });
    expect((await ask('developer')).status).toBe(401);
    for (let count = 0; count < 20; count += 1) expect((await poll()).status).toBe(401);
    expect((await poll()).status).toBe(429);
    expect(await poll({})).toMatchObject({ status: 401, body: { error: 'unauthorized' } });
    expect((await poll(bearer(await app.getToken('consultant')))).status).toBe(404);
  });

  it('that were right once are explained to whoever polls', async () => {
    const app = await testApp();
    const old = await app.getToken('consultant');
    await app.call('POST', '/team/consultant/token/rotate');
    const { status, text } = await app.call('GET', '/team/requests/r', undefined, bearer(old));
    expect([status, text]).toEqual([401, expect.stringContaining('was replaced')]);
  });
});

it('one idempotency key means another ask for another member', async () => {
  const app = await testApp({ clients: [new ScriptedAgent('acp', heldAnswer)] });
  await app.call('PATCH', '/team/developer', { exposure: 'external' });
  const key = { 'idempotency-key': 'once' };
  const [first, other] = [await app.ask('consultant', QUESTION, key), await app.ask('developer', QUESTION, key)];
  expect(other.request_id).toMatch(/^req-/);
  expect(other.request_id).not.toBe(first.request_id);
});

it('the operator cancels the request of any caller', async () => {
  const agent = new ScriptedAgent('acp', heldAnswer);
  const app = await testApp({ clients: [agent] });
  const { request_id } = await app.ask('consultant', QUESTION);
  await agent.untilHeld(1);
  expect((await app.call('DELETE', `/requests/${request_id}`)).body).toMatchObject({
    ...{ request_id, text: QUESTION.text, status: 'error' },
    error: { code: 'cancelled', message: 'Cancelled by the operator.' },
  });
});

it('a poll without a wait is answered at once', async () => {
  const app = await testApp({ clients: [new ScriptedAgent('acp', heldAnswer)] });
  const { request_id } = await app.ask('consultant', QUESTION);
  const token = bearer(await app.getToken('consultant'));
  for (const query of ['', '?wait=0']) {
    const { body } = await app.call('GET', `/team/requests/${request_id}${query}`, undefined, token);
    expect((body as AskRecord).request_id).toBe(request_id);
  }
});

describe('a receipt', () => {
  it('is of this daemon only when it is valid and signed with its key', async () => {
    const app = await testApp();
    const { request_id } = await app.ask('consultant', QUESTION);
    const { receipt } = await app.poll('consultant', request_id, 30);
    const verify = async (value: object | undefined) => {
      const { valid, known } = (await app.call('POST', '/receipts/verify', { receipt: value })).body as ReceiptVerdict;
      return { valid, known };
    };
    expect(await verify(receipt)).toEqual({ valid: true, known: true });
    expect(await verify({ ...receipt, model: 'another' })).toEqual({ valid: false, known: false });
    const foreign = makeReceipt(RECEIPT_FACTS, new SigningKey(SigningKey.newSeed()));
    expect(await verify(foreign)).toEqual({ valid: true, known: false });
  });

  it('is not read above 8 KiB', async () => {
    const app = await testApp();
    const { status } = await app.call('POST', '/receipts/verify', { receipt: { v: 'x'.repeat(8 * 1024) } });
    expect(status).toBe(413);
  });
});
