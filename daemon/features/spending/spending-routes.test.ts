import { expect, it } from 'vitest';
import { testApp } from '../../testing/apps/test-app.js';
import { describedOperations } from '../../testing/parts/described-operations.js';

it('the operations of the paying side are described, and what they take and return is checked', async () => {
  const app = await testApp();
  const operator = (answer: string, summary: string) => `payments, operator, ${answer}, ${summary}`;
  expect(await describedOperations(app, /^\/(calls|approvals|ledger\/(approvals|settle))/)).toEqual({
    'POST /calls': operator(
      '200 Call or 202 Call',
      'Call a skill of an agent and pay for it as its card says, under the caps: Answers 200 when the call has ended ' +
        'within 30 s, else 202: read it at /calls/:id. Over the caps it waits for the operator.',
    ),
    'GET /calls': operator('200 CallList', 'Calls, newest first'),
    'GET /calls/{id}': operator(
      '200 Call',
      'One call with its result; wait holds the answer until it ends or needs the operator',
    ),
    'GET /approvals': operator('200 ApprovalList', 'Payments over the caps that need approval'),
    'POST /ledger/approvals/{call_id}': operator('200 Call', 'Allow or deny a payment'),
    'POST /ledger/settle': operator('200 Settled', 'Pay what is owed for calls on credit'),
  });
  for (const [method, path, body] of [
    ['POST', '/calls', { agent: 'painter' }],
    ['GET', '/calls?state=over'],
    ['GET', '/calls/call-1?wait=61'],
    ['POST', '/ledger/approvals/call-1', { decision: 'perhaps' }],
    ['POST', '/ledger/settle', { agent: 7 }],
  ] as const)
    expect((await app.call(method, path, body)).status, path).toBe(400);
  for (const [method, path, body] of [
    ['GET', '/calls/call-1'],
    ['POST', '/ledger/approvals/call-1', { decision: 'allow' }],
  ] as const)
    expect(await app.call(method, path, body)).toMatchObject({
      ...{ status: 404, body: { message: 'There is no call `call-1`.' } },
    });
});

it('a call that has failed at once is answered as one that has ended', async () => {
  const { call } = await testApp();
  const { status, body } = await call('POST', '/calls', { agent: 'nobody-here', skill: 'paint' });
  expect([status, body]).toMatchObject([200, { state: 'failed', error: { code: 'agent_not_found' } }]);
  const { call_id } = body as { call_id: string };
  expect((await call('GET', `/calls/${call_id}?wait=1`)).body).toEqual(body);
  expect((await call('GET', '/calls')).body).toMatchObject({ calls: [{ call_id }], count: 1, next_cursor: null });
  expect((await call('GET', '/approvals')).body).toEqual({ approvals: [], count: 0 });
  expect((await call('POST', '/ledger/settle', {})).body).toEqual({ settled: [], paid_lamports: 0, failed: [] });
});
