import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { AskRecord } from '../contract/asks.js';
import type { ApiError } from './api-error.js';
import { follow, poll, submit } from './ask.js';
import { type CallOptions, call, callForText } from './call.js';
import type { Daemon, FetchInit } from './daemon.js';
import { createRequestSigner } from './request-signer.js';

interface Response {
  status?: number;
  text?: string;
  retryAfter?: string;
}

/** A daemon that gives these responses in turn, the last one again and again, and records the calls. */
function scripted(responses: readonly Response[], daemon: Partial<Daemon> = {}) {
  const calls: { url: string; init: FetchInit }[] = [];
  const fetch: Daemon['fetch'] = async (url, init) => {
    const { status = 200, text = '{}', retryAfter } = responses[Math.min(calls.length, responses.length - 1)] ?? {};
    calls.push({ url, init });
    const get = (name: string) => (name === 'retry-after' ? (retryAfter ?? null) : null);
    return { ok: status < 400, status, headers: { get }, text: async () => text };
  };
  return { calls, daemon: { address: 'http://lamp', fetch, ...daemon } satisfies Daemon };
}

const refused = (run: Promise<unknown>) =>
  run.then(
    () => expect.fail('it was not refused'),
    ({ status, code, message, details }: ApiError) => ({ status, code, message, details }),
  );

describe('a call', () => {
  const accept = 'application/json';
  const held: Partial<Daemon> = { token: 'mk_1', clusterToken: 'ck_1' };
  it.each<[string, string, CallOptions, Partial<Daemon>, Record<string, string>]>([
    ['the token of the daemon', '/team', {}, held, { accept, authorization: 'Bearer mk_1' }],
    ['another token', '/team', { token: 'mk_2' }, held, { accept, authorization: 'Bearer mk_2' }],
    ['only the token of a cluster to clusters', '/v1/clusters/c_1', {}, held, { accept, 'x-cluster-token': 'ck_1' }],
    [
      'a cluster token of its own',
      '/v1/clusters',
      { clusterToken: 'ak_2' },
      held,
      { accept, 'x-cluster-token': 'ak_2' },
    ],
    ['the revision in quotes', '/team', { ifMatch: 'r1' }, {}, { accept, 'if-match': '"r1"' }],
    ['its key against repetition', '/team', { idempotencyKey: 'k' }, {}, { accept, 'idempotency-key': 'k' }],
    ['the type of a body', '/team', { body: null }, {}, { accept, 'content-type': 'application/json' }],
    [
      'its own headers before those of the daemon',
      '/team',
      { headers: { accept: '*/*', a: '2' } },
      { headers: { a: '1', b: '1' } },
      { accept: '*/*', a: '2', b: '1' },
    ],
  ])('sends %s', async (_, path, options, daemon, headers) => {
    const { calls, daemon: to } = scripted([{}], daemon);
    await call(to, path, options);
    expect(calls.map(({ init }) => init.headers)).toEqual([headers]);
  });

  it('sends nothing but what it was given, without cookies and redirects, and a DELETE outlives its page', async () => {
    const { calls, daemon } = scripted([{}]);
    const { signal } = new AbortController();
    await call(daemon, '/a', { query: { q: 'x y', n: 0, none: undefined, empty: '' }, signal });
    await call(daemon, '/b', { method: 'DELETE', body: { c: 1 } });
    const fixed = { cache: 'no-store', credentials: 'omit', redirect: 'error' };
    const headers = { accept };
    expect(calls).toEqual([
      {
        url: 'http://lamp/a?q=x+y&n=0',
        init: { ...fixed, method: 'GET', headers, body: null, signal, keepalive: false },
      },
      {
        url: 'http://lamp/b',
        init: {
          ...{ ...fixed, method: 'DELETE', headers: { ...headers, 'content-type': 'application/json' } },
          ...{ body: '{"c":1}', signal: null, keepalive: true },
        },
      },
    ]);
  });

  it('signs its method, its path with the query, and its body', async () => {
    const { daemon } = scripted([{}]);
    const signed: unknown[] = [];
    const header = async (request: unknown) => `v1 ${signed.push(request)}`;
    const signer = { ...createRequestSigner(new Uint8Array(32)), header };
    await call(daemon, '/a', { signer, query: { b: 1 } });
    await call(daemon, '/a', { signer, method: 'PUT', body: { c: 1 } });
    expect(signed).toEqual([
      { method: 'GET', path: '/a?b=1', body: '' },
      { method: 'PUT', path: '/a', body: '{"c":1}' },
    ]);
  });

  it('returns JSON, null for an empty response, and a document unchanged', async () => {
    expect(await call(scripted([{ text: '{"a":[1]}' }]).daemon, '/')).toEqual({ a: [1] });
    expect(await call(scripted([{ text: '' }]).daemon, '/')).toBeNull();
    expect(await call(scripted([{ text: 'null' }]).daemon, '/')).toBeNull();
    expect(await callForText(scripted([{ text: '# Lamp\n' }]).daemon, '/')).toBe('# Lamp\n');
  });

  it.each<[Response, object]>([
    [
      { text: '<p>' },
      { status: 200, code: 'unreadable', message: 'The daemon answered with something that is not JSON.', details: {} },
    ],
    [
      { status: 400, text: '{"error":"bad_request","message":"No.","path":"a"}' },
      { status: 400, code: 'bad_request', message: 'No.', details: { path: 'a' } },
    ],
    [
      { status: 404, text: '<p>' },
      { status: 404, code: 'http_404', message: 'There is nothing at this address.', details: {} },
    ],
    [
      { status: 410, text: '' },
      { status: 410, code: 'http_410', message: 'The daemon refused the call (410).', details: {} },
    ],
    [
      { status: 500, text: 'null' },
      { status: 500, code: 'http_500', message: 'The daemon failed on this call.', details: {} },
    ],
    [
      { status: 499, text: '{}', retryAfter: '7' },
      { status: 499, code: 'http_499', message: 'The daemon refused the call (499).', details: { retry_after: 7 } },
    ],
    [
      { status: 429, text: '{"error":"too_many_requests","message":"Later.","retry_after":9}', retryAfter: '7' },
      { status: 429, code: 'too_many_requests', message: 'Later.', details: { retry_after: 9 } },
    ],
  ])('throws what the response %j says', async (response, error) => {
    expect(await refused(call(scripted([response]).daemon, '/'))).toEqual(error);
  });

  it('throws the reason of an abort, and offline with the cause when nothing answers', async () => {
    const cause = new TypeError('fetch failed');
    const daemon: Daemon = { address: '', fetch: () => Promise.reject(cause) };
    await expect(call(daemon, '/')).rejects.toMatchObject({ status: 0, code: 'offline', cause });
    await expect(call(daemon, '/', { signal: AbortSignal.abort('enough') })).rejects.toBe('enough');
  });
});

describe('a request', () => {
  const record = (status: AskRecord['status']): Response => ({ text: JSON.stringify({ request_id: 'r', status }) });

  it('is submitted with its session and its documents, and with a key of its own', async () => {
    const { calls, daemon } = scripted([{}]);
    await submit(daemon, 'a b', 'x', {
      session: 's',
      context_docs: [{ filename: 'd.md', content: 'y' }],
      idempotencyKey: 'k',
    });
    await submit(daemon, 'a', 'x');
    await submit(daemon, 'a', 'x');
    expect(calls.map(({ url, init }) => [init.method, url, JSON.parse(init.body ?? '')])).toEqual([
      [
        'POST',
        'http://lamp/team/a%20b/ask',
        { text: 'x', session: 's', context_docs: [{ filename: 'd.md', content: 'y' }] },
      ],
      ['POST', 'http://lamp/team/a/ask', { text: 'x' }],
      ['POST', 'http://lamp/team/a/ask', { text: 'x' }],
    ]);
    const keys = calls.map(({ init }) => init.headers['idempotency-key']);
    expect([keys[0], new Set(keys).size]).toEqual(['k', 3]);
  });

  it('is held by the daemon for 20 seconds at most in one poll, and for the rest of the wait', async () => {
    const { calls, daemon } = scripted([record('queued'), record('done')]);
    await follow(daemon, 'r/1');
    await follow(daemon, 'r', { wait: 0 });
    expect(calls.map(({ url }) => url)).toEqual([
      'http://lamp/team/requests/r%2F1?wait=20',
      'http://lamp/team/requests/r%2F1?wait=20',
      'http://lamp/team/requests/r?wait=0',
    ]);
  });

  it.each([503, 429])('is polled six times where the daemon says %i, counted from the last record', async (status) => {
    const away = { status, text: '{"error":"overloaded","message":"Later."}', retryAfter: '0' };
    const five = Array.from({ length: 5 }, () => away);
    const late = scripted([...five, record('running'), ...five, record('done')]);
    expect(await follow(late.daemon, 'r')).toEqual({ request_id: 'r', status: 'done' });
    const never = scripted([away]);
    expect(await refused(follow(never.daemon, 'r'))).toEqual({
      ...{ status, code: 'overloaded', message: 'Later.', details: { retry_after: 0, request_id: 'r' } },
    });
    expect([late.calls.length, never.calls.length]).toEqual([12, 6]);
  });

  it('is not polled again after a refusal', async () => {
    const { calls, daemon } = scripted([{ status: 404, text: '{"error":"not_found","message":"None."}' }]);
    expect((await refused(follow(daemon, 'r'))).details).toEqual({ request_id: 'r' });
    expect(calls).toHaveLength(1);
  });

  it('is polled again after the seconds that the daemon names, or not at all after an abort', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { calls, daemon } = scripted([{ status: 429, retryAfter: '30' }, record('done')]);
    const following = follow(daemon, 'r');
    await vi.advanceTimersByTimeAsync(29_999);
    expect(calls).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(await following).toMatchObject({ status: 'done' });
    const away = scripted([{ status: 503, retryAfter: '30' }]);
    const leaving = new AbortController();
    const left = follow(away.daemon, 'r', { signal: leaving.signal });
    const outcome = expect(left).rejects.toBe('enough');
    await vi.advanceTimersByTimeAsync(10);
    leaving.abort('enough');
    await outcome;
    expect([away.calls.length, vi.getTimerCount()]).toEqual([1, 0]);
  });

  it('has timed out 15 seconds after the response was due', async () => {
    const due = new AbortController();
    const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(due.signal);
    onTestFinished(() => timeout.mockRestore());
    const fetch: Daemon['fetch'] = async (_, { signal }) => {
      due.abort(new Error('due'));
      throw signal?.reason;
    };
    for (const signal of [undefined, new AbortController().signal])
      expect(await refused(poll({ address: '', fetch }, 'r', { wait: 3, signal }))).toEqual({
        ...{ status: 0, code: 'timed_out', message: 'The daemon did not answer in time.', details: {} },
      });
    expect(timeout.mock.calls).toEqual([[18_000], [18_000]]);
  });
});
