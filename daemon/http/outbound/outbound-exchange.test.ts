import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, getDefaultAutoSelectFamily, setDefaultAutoSelectFamily } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { FakeClock } from '../../testing/fake-clock.js';
import { systemResolve } from './outbound-call.js';
import { OutboundExchange } from './outbound-exchange.js';
import { OutboundError } from './outbound-policy.js';

async function served(answer: RequestListener): Promise<number> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

const never = () => new AbortController().signal;
const request = (url: string, more: object = {}) => ({
  method: 'POST' as const,
  url,
  headers: { 'x-api-key': 'k' },
  body: '{"a":1}',
  totalMs: 5000,
  maxBytes: 100,
  ...more,
});
const exchange = (loopback: string[], more: object = {}) =>
  new OutboundExchange({ clock: new FakeClock(), loopback: () => new Set(loopback), ...more });

async function getReason(sent: Promise<unknown>): Promise<string> {
  const error = await sent.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return error instanceof OutboundError ? error.reason : 'answered';
}

describe('an exchange with an agent', () => {
  it('sends the given body and headers, and returns status, headers and JSON of any status', async () => {
    let seen = '';
    const port = await served((incoming, response) => {
      incoming.on('data', (piece: Buffer) => {
        seen +=
          `${incoming.method} ${incoming.headers['content-type']} ${incoming.headers['x-api-key']} ` +
          `${String(piece)}`;
      });
      incoming.on('end', () => response.writeHead(402, { 'x-owed-lamports': '5' }).end('{"error":"payment_required"}'));
    });
    const host = `127.0.0.1:${port}`;
    const answer = await exchange([host]).send(request(`http://${host}/v1/paint`), never());
    expect([answer.status, answer.json, answer.header('x-owed-lamports'), answer.header('x-none')]).toEqual([
      402,
      { error: 'payment_required' },
      '5',
      undefined,
    ]);
    expect(seen).toBe('POST application/json k {"a":1}');
  });

  it.each([
    ['a loopback address that is not listed', 'http://127.0.0.1:9/', 'blocked_address'],
    ['an address of a private network', 'https://10.0.0.1/', 'blocked_address'],
    ['a machine’s own facts', 'http://169.254.169.254/', 'blocked_address'],
    ['plain http elsewhere', 'http://agent.example/', 'not_https'],
    ['credentials in the address', 'https://a:b@agent.example/', 'not_a_url'],
  ])('is refused for %s', async (_, url, reason) => {
    expect(await getReason(exchange([]).send(request(url), never()))).toBe(reason);
  });

  it('says how an agent on this machine is allowed', async () => {
    const refused = exchange([]).send(request('http://127.0.0.1:9/'), never());
    await expect(refused).rejects.toThrow(/start meshd with MESHD_LOOPBACK_ENDPOINTS=127\.0\.0\.1:9\.$/);
  });

  it('is refused for a host name that resolves to a private address', async () => {
    const resolve = async () => ['93.184.216.34', '10.0.0.1'];
    expect(await getReason(exchange([], { resolve }).send(request('https://agent.example/'), never()))).toBe(
      'blocked_address',
    );
  });

  it('fails on a redirect, on a response above the size limit and on a closed connection', async () => {
    const reasons: string[] = [];
    for (const answer of [
      (_: unknown, response: Parameters<RequestListener>[1]) =>
        response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end(),
      (_: unknown, response: Parameters<RequestListener>[1]) => response.end(JSON.stringify('x'.repeat(200))),
      (_: unknown, response: Parameters<RequestListener>[1]) => response.destroy(),
    ]) {
      const host = `127.0.0.1:${await served(answer as RequestListener)}`;
      reasons.push(await getReason(exchange([host]).send(request(`http://${host}/`), never())));
    }
    expect(reasons).toEqual(['redirected', 'too_large', 'unreachable']);
  });

  it('fails when the time limit is reached and when it is cancelled', async () => {
    const clock = new FakeClock();
    let arrived: () => void = () => undefined;
    const host = `127.0.0.1:${await served(() => arrived())}`;
    const calls = new OutboundExchange({ clock, loopback: () => new Set([host]) });
    const here = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const late = getReason(calls.send(request(`http://${host}/`), never()));
    await here;
    clock.advance(5000);
    expect(await late).toBe('too_slow');
    const stopping = new AbortController();
    const again = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const stopped = getReason(calls.send(request(`http://${host}/`), stopping.signal));
    await again;
    stopping.abort();
    expect(await stopped).toBe('unreachable');
  });

  it('returns no JSON for a body that is not JSON or is nested too deep', async () => {
    for (const text of ['<html>', `${'['.repeat(40)}${']'.repeat(40)}`, '']) {
      const host = `127.0.0.1:${await served((_, response) => response.end(text))}`;
      expect((await exchange([host]).send(request(`http://${host}/`), never())).json).toBeUndefined();
    }
  });

  it('sends no body with a request that has none, and asks for plain JSON', async () => {
    let seen: object = {};
    const host = `127.0.0.1:${await served((incoming, response) => {
      seen = { method: incoming.method, ...incoming.headers };
      response.end('{}');
    })}`;
    const sent = request(`http://${host}/`, { method: 'GET', headers: { accept: 'text/json' }, body: undefined });
    expect((await exchange([host]).send(sent, never())).json).toEqual({});
    expect(seen).toEqual({
      method: 'GET',
      host,
      connection: 'close',
      accept: 'text/json',
      'accept-encoding': 'identity',
    });
  });

  it.each([
    [200, 'answered'],
    [299, 'answered'],
    [300, 'redirected'],
    [399, 'redirected'],
    [400, 'answered'],
    [599, 'answered'],
  ])('takes every status but a redirect: %i', async (status, reason) => {
    const host = `127.0.0.1:${await served((_, response) => response.writeHead(status).end('{}'))}`;
    expect(await getReason(exchange([host]).send(request(`http://${host}/`), never()))).toBe(reason);
  });

  it.each([
    ['identity', 'answered'],
    ['gzip', 'encoded'],
    ['br', 'encoded'],
  ])('reads only a body that is not compressed: %s', async (encoding, reason) => {
    const answer: RequestListener = (_, response) =>
      response.writeHead(200, { 'content-encoding': encoding }).end('{}');
    const host = `127.0.0.1:${await served(answer)}`;
    expect(await getReason(exchange([host]).send(request(`http://${host}/`), never()))).toBe(reason);
  });

  it.each<[string, RequestListener, string]>([
    [
      'redirected',
      (_, response) => response.writeHead(302).end(),
      'It answered 302: redirects are not followed, the endpoint must be the place itself.',
    ],
    [
      'compressed',
      (_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(),
      'It answered compressed although it was asked not to.',
    ],
    ['too large', (_, response) => response.end('x'.repeat(101)), 'Its answer is larger than 100 bytes.'],
    ['broken', (_, response) => response.destroy(), 'No connection to it could be made, or it broke.'],
  ])('says why an answer is not taken: %s', async (_name, listener, message) => {
    const host = `127.0.0.1:${await served(listener)}`;
    const refused = exchange([host]).send(request(`http://${host}/`), never());
    await expect(refused).rejects.toThrow(expect.objectContaining({ name: 'OutboundError', message }));
  });

  it('says within which time the answer was not there, and leaves no timer', async () => {
    const clock = new FakeClock();
    const host = `127.0.0.1:${await served(() => clock.advance(2600))}`;
    const calls = new OutboundExchange({ clock, loopback: () => new Set([host]) });
    const late = calls.send(request(`http://${host}/`, { totalMs: 2600 }), never());
    await expect(late).rejects.toThrow('The whole answer was not there within 3 s.');
    expect(clock.pending).toBe(0);
  });

  it('leaves no timer behind an answer', async () => {
    const clock = new FakeClock();
    const host = `127.0.0.1:${await served((_, response) => response.end('{}'))}`;
    await new OutboundExchange({ clock, loopback: () => new Set([host]) }).send(request(`http://${host}/`), never());
    expect(clock.pending).toBe(0);
  });

  it('reads a header that was sent once only', async () => {
    const host = `127.0.0.1:${await served((_, response) =>
      response.writeHead(200, { 'x-once': '1', 'x-twice': ['1', '2'] }).end('{}'),
    )}`;
    const { header } = await exchange([host]).send(request(`http://${host}/`), never());
    expect([header('x-once'), header('x-twice')]).toEqual(['1', undefined]);
  });

  it('reads JSON of up to 32 levels and 100 bytes', async () => {
    const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
    const read = async (text: string) => {
      const host = `127.0.0.1:${await served((_, response) => response.end(text))}`;
      return (await exchange([host]).send(request(`http://${host}/`), never())).json;
    };
    expect(JSON.stringify(await read(nested(32)))).toBe(nested(32));
    expect(await read(nested(33))).toBeUndefined();
    expect(await read(`"${'ä'.repeat(49)}"`)).toBe('ä'.repeat(49));
  });
});

describe('the host of an agent', () => {
  it('is resolved by the machine unless another way is given', async () => {
    const host = `localhost:${await served((_, response) => response.end('{"ok":true}'))}`;
    expect((await exchange([host]).send(request(`http://${host}/`), never())).json).toEqual({ ok: true });
    expect(await systemResolve('127.0.0.1')).toEqual(['127.0.0.1']);
  });

  it.each([true, false])(
    'is connected to only at the addresses that were checked (several at once: %s)',
    async (all) => {
      const before = getDefaultAutoSelectFamily();
      onTestFinished(() => setDefaultAutoSelectFamily(before));
      setDefaultAutoSelectFamily(all);
      const host = `agent.example:${await served((_, response) => response.end('{"ok":true}'))}`;
      const calls = exchange([host], { resolve: async () => ['127.0.0.1'] });
      expect((await calls.send(request(`http://${host}/`), never())).json).toEqual({ ok: true });
    },
  );

  it('is told when it cannot be resolved', async () => {
    const resolve = () => Promise.reject(new Error('No name is known here.'));
    const refused = exchange([], { resolve }).send(request('https://agent.example/'), never());
    await expect(refused).rejects.toThrow('The name of its host could not be resolved.');
  });

  it('is waited for no longer than the caller wants', async () => {
    const stopping = new AbortController();
    const resolve = () => {
      stopping.abort();
      return new Promise<string[]>(() => undefined);
    };
    const sent = exchange([], { resolve }).send(request('https://agent.example/'), stopping.signal);
    expect(await getReason(sent)).toBe('unreachable');
  });
});
