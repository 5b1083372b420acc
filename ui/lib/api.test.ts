import { describe, expect, it } from 'vitest';
import { type ApiError, call, type Fetch, query } from './api.js';

function aDaemon(status: number, body: string) {
  const calls: { path: string; init: RequestInit }[] = [];
  const fetcher: Fetch = async (path, init) => {
    calls.push({ path: String(path), init: init ?? {} });
    return new Response(body, { status });
  };
  return { calls, fetcher };
}

const refusal = (run: Promise<unknown>) =>
  run.then(
    () => expect.fail('it was not refused'),
    (error: unknown) => error as ApiError,
  );

describe('call', () => {
  it('returns the parsed response body', async () => {
    expect(await call('/health', {}, aDaemon(200, '{"ok":true}').fetcher)).toEqual({ ok: true });
  });

  it('sends the x-mesh-ui header only with requests that change something', async () => {
    const daemon = aDaemon(200, '{}');
    await call('/team', {}, daemon.fetcher);
    await call('/team', { method: 'POST', body: { name: 'x' }, ifMatch: 'abc', bearer: 'token' }, daemon.fetcher);
    expect(daemon.calls[0]?.init.headers).toEqual({ accept: 'application/json' });
    expect(daemon.calls[1]?.init.headers).toEqual({
      accept: 'application/json',
      'x-mesh-ui': '1',
      'content-type': 'application/json',
      authorization: 'Bearer token',
      'if-match': '"abc"',
    });
  });

  it('throws the error code and message that the daemon sent', async () => {
    const body = JSON.stringify({ error: 'member_exists', message: 'There is one.', suggested: 'x-2' });
    const error = await refusal(call('/team', { method: 'POST' }, aDaemon(409, body).fetcher));
    expect(error).toMatchObject({
      status: 409,
      code: 'member_exists',
      message: 'There is one.',
      details: { suggested: 'x-2' },
    });
  });

  it('keeps the id under which the daemon logged an internal error', async () => {
    const error = await refusal(call('/doctor', {}, aDaemon(500, '{"error":"internal","id":"e-1"}').fetcher));
    expect(error).toMatchObject({ code: 'internal', id: 'e-1' });
    expect(error.message).toContain('still works');
  });

  it('throws offline without a response and unreadable for a body that is not JSON', async () => {
    const silent: Fetch = () => Promise.reject(new TypeError('fetch failed'));
    expect(await refusal(call('/team', {}, silent))).toMatchObject({ status: 0, code: 'offline' });
    expect(await refusal(call('/team', {}, aDaemon(200, '<html>').fetcher))).toMatchObject({ code: 'unreadable' });
  });

  it('omits empty and undefined query parameters', () => {
    expect(query({ member: 'a b', q: '', status: undefined, limit: 5 })).toBe('?member=a+b&limit=5');
    expect(query({})).toBe('');
  });
});
