import { describe, expect, it } from 'vitest';
import type { AskStatus } from '../contract/asks.js';
import { held } from '../testing/apps/conversing.js';
import { type TestApp, testApp } from '../testing/apps/test-app.js';
import type { ApiError } from './api-error.js';
import { ask, cancelRequest, follow, isOver, poll, submit } from './ask.js';
import type { Daemon } from './daemon.js';
import { verifyReceipt } from './receipts.js';

const connectAs = async (app: TestApp, member: string): Promise<Daemon> => ({
  address: app.address,
  token: await app.getToken(member),
});
const refused = (run: Promise<unknown>) =>
  run.then(
    () => expect.fail('it was not refused'),
    (error: ApiError) => error,
  );

describe('asking through the client library', () => {
  it('returns the ended record with citations and a valid receipt', async () => {
    const app = await testApp();
    await app.untilIndexed();
    const daemon = await connectAs(app, 'consultant');
    const accepted: string[] = [];
    const record = await ask(daemon, 'consultant', 'On which port does Lamp listen?', {
      onAccepted: ({ request_id }) => accepted.push(request_id),
    });
    expect(record.status).toBe('done');
    expect(record.result_text).toContain('8123');
    expect(record.citations?.map(({ path, status }) => ({ path, status }))).toContainEqual({
      path: 'README.md',
      status: 'checked',
    });
    expect(accepted).toEqual([record.request_id]);
    const receipt = record.receipt ?? expect.fail('there is no receipt');
    expect(await verifyReceipt({ address: app.address }, receipt)).toMatchObject({ valid: true, known: true });
    expect((await verifyReceipt({ address: app.address }, { ...receipt, model: 'another' })).valid).toBe(false);
  });

  it('throws the daemon’s code and message for a wrong token, a long text and a reused idempotency key', async () => {
    const app = await testApp({ clients: [held()] });
    const daemon = await connectAs(app, 'consultant');
    expect(await refused(submit({ ...daemon, token: 'mk_wrong' }, 'consultant', 'x'))).toMatchObject({
      status: 401,
      code: 'unauthorized',
    });
    const long = await refused(submit(daemon, 'consultant', 'x'.repeat(16_385)));
    expect([long.code, long.path]).toEqual(['bad_request', expect.stringContaining('text')]);
    const first = await submit(daemon, 'consultant', 'x', { idempotencyKey: 'k' });
    expect(await submit(daemon, 'consultant', 'x', { idempotencyKey: 'k' })).toEqual(first);
    expect((await refused(submit(daemon, 'consultant', 'y', { idempotencyKey: 'k' }))).code).toBe(
      'idempotency_mismatch',
    );
    expect((await refused(poll(daemon, 'req-0000000000000000'))).code).toBe('not_found');
  });

  it('reports after how many seconds a busy member accepts another request', async () => {
    const app = await testApp({ clients: [held()] });
    const daemon = await connectAs(app, 'consultant');
    for (let i = 0; i < 6; i += 1) await submit(daemon, 'consultant', `question ${i}`);
    const error = await refused(submit(daemon, 'consultant', 'one more'));
    expect(error.code).toBe('too_many_requests');
    expect(error.retryAfter).toBeGreaterThan(0);
  });

  it('reports progress, leaves the request running when the wait is over, and follows it by its id later', async () => {
    const agent = held();
    const app = await testApp({ clients: [agent] });
    const daemon = await connectAs(app, 'consultant');
    const early = await ask(daemon, 'consultant', 'slowly', { wait: 0 });
    expect(isOver(early)).toBe(false);
    await agent.untilHeld(1);
    const seen: AskStatus[] = [];
    const onRecord = ({ status }: { status: AskStatus }) => void seen.push(status);
    await follow(daemon, early.request_id, { onRecord, wait: 0 });
    agent.finishAll();
    const record = await follow(daemon, early.request_id, { onRecord });
    expect(record).toMatchObject({ status: 'done', result_text: 'Thinking. Done.' });
    expect([seen[0], seen.at(-1)]).toEqual(['running', 'done']);
  });

  it('cancels a request; aborting only stops waiting', async () => {
    const agent = held();
    const app = await testApp({ clients: [agent] });
    const daemon = await connectAs(app, 'consultant');
    const { request_id } = await submit(daemon, 'consultant', 'slowly');
    await agent.untilHeld(1);
    const patience = new AbortController();
    const waiting = follow(daemon, request_id, { signal: patience.signal });
    patience.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    expect((await poll(daemon, request_id)).status).toBe('running');
    await cancelRequest(daemon, request_id);
    expect(await follow(daemon, request_id)).toMatchObject({ status: 'error', error: { code: 'cancelled' } });
  });

  it('waits for a daemon that restarts at another address, and returns how the request ended', async () => {
    const agent = held();
    const first = await testApp({ clients: [agent] });
    const token = await first.getToken('consultant');
    let address = first.address;
    const daemon: Daemon = { address: () => address, token };
    const { request_id } = await submit(daemon, 'consultant', 'slowly');
    await agent.untilHeld(1);
    const waiting = follow(daemon, request_id);
    expect((await poll(daemon, request_id)).status).toBe('running');
    await first.stop();
    address = (await testApp({ root: first.root, clients: [held()] })).address;
    expect(await waiting).toMatchObject({ status: 'error', error: { code: 'daemon_restarted' } });
  });

  it('is accepted once when the response to it is lost', async () => {
    const app = await testApp({ clients: [held()] });
    const { address, token } = await connectAs(app, 'consultant');
    let posts = 0;
    const losing: typeof fetch = async (input, init) => {
      const response = await fetch(input, init);
      if (init?.method !== 'POST' || posts++ > 0) return response;
      throw new TypeError('the socket was cut');
    };
    const record = await ask({ address, token, fetch: losing }, 'consultant', 'once', { wait: 2 });
    expect(posts).toBe(2);
    const { requests } = (await app.call('GET', '/requests')).body as { requests: { request_id: string }[] };
    expect(requests.map(({ request_id }) => request_id)).toEqual([record.request_id]);
  });

  it('throws with its idempotency key when the daemon is away', async () => {
    const gone = { address: 'http://127.0.0.1:1', token: 'mk_x' };
    const named = { code: 'offline', details: { idempotency_key: 'k' } };
    expect(await refused(submit(gone, 'consultant', 'x', { idempotencyKey: 'k' }))).toMatchObject(named);
    expect(await refused(ask(gone, 'consultant', 'x', { idempotencyKey: 'k', wait: 0 }))).toMatchObject(named);
    const random = (await refused(submit(gone, 'consultant', 'x'))).details['idempotency_key'];
    expect(random).toMatch(/^[\da-f-]{36}$/);
  });

  it('throws with the request id when it gives up, so that the request can be followed later', async () => {
    const app = await testApp({ clients: [held()] });
    const daemon = await connectAs(app, 'consultant');
    const { request_id } = await submit(daemon, 'consultant', 'slowly');
    await app.stop();
    expect(await refused(follow(daemon, request_id, { wait: 0 }))).toMatchObject({
      code: 'offline',
      details: { request_id },
    });
  });
});
