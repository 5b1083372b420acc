import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer as createTcpServer, type Socket } from 'node:net';
import { setImmediate as waitForTick } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { FakeClock } from '../../testing/fake-clock.js';
import type { Resolve } from './outbound-call.js';
import { OutboundFetch } from './outbound-fetch.js';

/** Starts a loopback server that counts connections and responds with `listener`. */
async function endpoint(listener: RequestListener = (_request, response) => void response.end('{"ok":true}')) {
  const server = createHttpServer(listener);
  const sockets = new Set<Socket>();
  let connections = 0;
  const closed: (() => void)[] = [];
  server.on('connection', (socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('close', () => {
      sockets.delete(socket);
      for (const told of closed.splice(0)) told();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as { port: number };
  return {
    port,
    host: `127.0.0.1:${port}`,
    url: (path = '/') => `http://127.0.0.1:${port}${path}`,
    connections: () => connections,
    untilClosed: () => (sockets.size === 0 ? Promise.resolve() : new Promise<void>((resolve) => closed.push(resolve))),
  };
}

const CACHE_MS = 60_000;
/** Number of results that are cached. */
const CACHED_MAX = 1000;

const nobody: Resolve = () => Promise.reject(new Error('No name is known here.'));

function outbound({ loopback = [], resolve = nobody }: { loopback?: string[]; resolve?: Resolve } = {}) {
  const clock = new FakeClock();
  const fetcher = new OutboundFetch({ clock, loopback: () => new Set(loopback), resolve });
  onTestFinished(() => fetcher.stop());
  return { clock, fetcher };
}

/** Returns `ok` or the reason of the failure. */
const cameTo = async (promise: ReturnType<OutboundFetch['json']>) => {
  const found = await promise;
  return found.ok ? 'ok' : found.reason;
};

describe('an address that is never fetched', () => {
  it.each([
    ['https://127.0.0.1:PORT/', 'blocked_address'],
    ['https://127.1:PORT/', 'blocked_address'],
    ['https://2130706433:PORT/', 'blocked_address'],
    ['https://0x7f000001:PORT/', 'blocked_address'],
    ['https://0177.0.0.1:PORT/', 'blocked_address'],
    ['https://0.0.0.0:PORT/', 'blocked_address'],
    ['https://0:PORT/', 'blocked_address'],
    ['https://[::1]:PORT/', 'blocked_address'],
    ['https://[::]:PORT/', 'blocked_address'],
    ['https://[::ffff:127.0.0.1]:PORT/', 'blocked_address'],
    ['https://[::ffff:7f00:1]:PORT/', 'blocked_address'],
    ['https://[::127.0.0.1]:PORT/', 'blocked_address'],
    ['https://[::7f00:1]:PORT/', 'blocked_address'],
    ['https://[4000::1]:PORT/', 'blocked_address'],
    ['https://[64:ff9b::7f00:1]:PORT/', 'blocked_address'],
    ['https://[2002:7f00:1::]:PORT/', 'blocked_address'],
    ['https://[2001::1]:PORT/', 'blocked_address'],
    ['https://[fc00::1]:PORT/', 'blocked_address'],
    ['https://[fe80::1]:PORT/', 'blocked_address'],
    ['https://[ff02::1]:PORT/', 'blocked_address'],
    ['https://10.1.2.3/', 'blocked_address'],
    ['https://172.16.0.1/', 'blocked_address'],
    ['https://192.168.1.1/', 'blocked_address'],
    ['https://169.254.169.254/latest/meta-data', 'blocked_address'],
    ['https://100.64.0.1/', 'blocked_address'],
    ['https://224.0.0.1/', 'blocked_address'],
    ['https://255.255.255.255/', 'blocked_address'],
    ['https://198.18.0.1/', 'blocked_address'],
    ['http://127.0.0.1:PORT/', 'blocked_address'],
    ['http://localhost:PORT/', 'not_https'],
    ['http://agent.example/', 'not_https'],
    ['https://agent.example:22/', 'blocked_port'],
    ['https://agent.example:80/', 'blocked_port'],
    ['https://user:secret@agent.example/', 'not_a_url'],
    ['ftp://agent.example/', 'not_a_url'],
    ['file:///etc/passwd', 'not_a_url'],
    ['javascript:alert(1)', 'not_a_url'],
    ['data:application/json,{}', 'not_a_url'],
    ['', 'not_a_url'],
    [`https://agent.example/${'x'.repeat(2048)}`, 'not_a_url'],
  ])('%s: %s', async (address, reason) => {
    const target = await endpoint();
    const { fetcher } = outbound();
    expect(await cameTo(fetcher.json(address.replace('PORT', String(target.port))))).toBe(reason);
    expect(target.connections()).toBe(0);
  });

  it.each([
    ['127.0.0.1'],
    ['::1'],
    ['::ffff:127.0.0.1'],
    ['10.0.0.1'],
    ['169.254.169.254'],
    ['0.0.0.0'],
    ['64:ff9b::a00:1'],
    ['93.184.215.14', '127.0.0.1'],
    ['2606:4700::1111', '::1'],
  ])('is a name that resolves to %s', async (...addresses) => {
    const target = await endpoint();
    const { fetcher } = outbound({ resolve: async () => addresses });
    expect(await cameTo(fetcher.json(`https://rebound.example:${target.port}/`))).toBe('blocked_address');
    expect(target.connections()).toBe(0);
  });

  it('is a name that resolves to no address or cannot be resolved', async () => {
    expect(await cameTo(outbound({ resolve: async () => [] }).fetcher.json('https://agent.example/'))).toBe(
      'unresolvable',
    );
    expect(await cameTo(outbound().fetcher.json('https://agent.example/'))).toBe('unresolvable');
  });

  it('is a listed name that resolves to another machine', async () => {
    const { fetcher } = outbound({ loopback: ['localhost:8080'], resolve: async () => ['93.184.215.14'] });
    expect(await cameTo(fetcher.json('http://localhost:8080/'))).toBe('blocked_address');
  });

  it('is another port of a listed host', async () => {
    const [listed, other] = [await endpoint(), await endpoint()];
    const { fetcher } = outbound({ loopback: [listed.host] });
    expect(await cameTo(fetcher.json(listed.url()))).toBe('ok');
    expect(await cameTo(fetcher.json(other.url()))).toBe('blocked_address');
    expect(other.connections()).toBe(0);
  });
});

describe('a name that is public when checked and loopback when connected to', () => {
  it('is resolved once, and the connection goes only to the checked address', async () => {
    const target = await endpoint();
    let asked = 0;
    let told: () => void = () => undefined;
    const wasAsked = new Promise<void>((resolve) => {
      told = resolve;
    });
    const { fetcher, clock } = outbound({
      resolve: async () => {
        asked += 1;
        told();
        return asked === 1 ? ['93.184.215.14'] : ['127.0.0.1'];
      },
    });
    const found = cameTo(fetcher.json(`https://rebinding.example:${target.port}/`));
    await wasAsked;
    clock.advance(5000);
    expect(['too_slow', 'unreachable']).toContain(await found);
    expect(asked).toBe(1);
    expect(target.connections()).toBe(0);
  });
});

describe('a listed endpoint on the loopback interface', () => {
  it('is requested as uncompressed JSON, with no credential, cookie or referrer', async () => {
    const seen: Record<string, unknown>[] = [];
    const target = await endpoint((request, response) => {
      seen.push({ method: request.method, url: request.url, ...request.headers });
      response.end('{"name":"Printer"}');
    });
    const { fetcher } = outbound({ loopback: [target.host] });
    expect(await fetcher.json(target.url('/.well-known/agent.json'))).toMatchObject({
      ok: true,
      value: { name: 'Printer' },
    });
    expect(seen).toEqual([
      {
        method: 'GET',
        url: '/.well-known/agent.json',
        host: target.host,
        connection: 'close',
        accept: 'application/json',
        'accept-encoding': 'identity',
      },
    ]);
  });

  it('may be a name that resolves to this machine only', async () => {
    const target = await endpoint();
    const { fetcher } = outbound({ loopback: [`localhost:${target.port}`], resolve: async () => ['127.0.0.1'] });
    expect(await cameTo(fetcher.json(`http://localhost:${target.port}/`))).toBe('ok');
  });

  it.each([301, 302, 303, 307, 308])('is not followed through a redirect with status %i', async (status) => {
    const inner = await endpoint();
    const target = await endpoint(
      (_request, response) => void response.writeHead(status, { location: inner.url() }).end(),
    );
    const { fetcher } = outbound({ loopback: [target.host, inner.host] });
    expect(await cameTo(fetcher.json(target.url()))).toBe('redirected');
    expect(inner.connections()).toBe(0);
  });

  it.each<[string, RequestListener, string]>([
    ['not found', (_request, response) => void response.writeHead(404).end('{}'), 'refused'],
    ['no content', (_request, response) => void response.writeHead(204).end(), 'refused'],
    [
      'not found, compressed',
      (_request, response) => void response.writeHead(404, { 'content-encoding': 'gzip' }).end('x'),
      'refused',
    ],
    ['a page', (_request, response) => void response.end('<html>'), 'not_json'],
    ['nothing', (_request, response) => void response.end(), 'not_json'],
    ['JSON too deep', (_request, response) => void response.end(`${'['.repeat(17)}${']'.repeat(17)}`), 'not_json'],
    [
      'an announced flood',
      (_request, response) => void response.writeHead(200, { 'content-length': 1e9 }).write('x'.repeat(70_000)),
      'too_large',
    ],
    ['a hung up line', (request) => void request.socket.destroy(), 'unreachable'],
    [
      'half an answer',
      (request, response) => {
        response.writeHead(200, { 'content-length': 100 }).write('{"a":');
        setImmediate(() => request.socket.destroy());
      },
      'unreachable',
    ],
    [
      'endless headers',
      (_request, response) => void response.writeHead(200, { 'x-long': 'y'.repeat(20_000) }).end('{}'),
      'unreachable',
    ],
  ])('fails with the right reason for %s', async (_name, listener, reason) => {
    const target = await endpoint(listener);
    const { fetcher } = outbound({ loopback: [target.host] });
    expect(await cameTo(fetcher.json(target.url()))).toBe(reason);
    await target.untilClosed();
  });

  it('is read up to exactly 64 KiB, also when the body never ends', async () => {
    const whole = await endpoint((_request, response) => void response.end(`"${'x'.repeat(65_534)}"`));
    const more = await endpoint((_request, response) => void response.end(`"${'x'.repeat(65_535)}"`));
    const endless = await endpoint((_request, response) => {
      const pour = () => {
        while (!response.destroyed && response.write('x'.repeat(16_384)));
      };
      response.on('drain', pour);
      pour();
    });
    const { fetcher } = outbound({ loopback: [whole.host, more.host, endless.host] });
    expect(await cameTo(fetcher.json(whole.url()))).toBe('ok');
    expect(await cameTo(fetcher.json(more.url()))).toBe('too_large');
    expect(await cameTo(fetcher.json(endless.url()))).toBe('too_large');
    await endless.untilClosed();
  });

  it('is not decompressed: a gzip bomb is refused by its header', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024));
    const target = await endpoint(
      (_request, response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb),
    );
    const { fetcher } = outbound({ loopback: [target.host] });
    expect(await cameTo(fetcher.json(target.url()))).toBe('encoded');
  });

  it.each<[string, (sent: () => void) => RequestListener]>([
    ['never answers', (sent) => () => sent()],
    [
      'stops in the middle',
      (sent) => (_request, response) => {
        response.write('{"a":', () => sent());
      },
    ],
  ])('that %s times out after five seconds', async (_name, listener) => {
    let sent: () => void = () => undefined;
    const isSent = new Promise<void>((resolve) => {
      sent = resolve;
    });
    const target = await endpoint(listener(() => sent()));
    const { fetcher, clock } = outbound({ loopback: [target.host] });
    const found = cameTo(fetcher.json(target.url()));
    await isSent;
    clock.advance(4999);
    clock.advance(1);
    expect(await found).toBe('too_slow');
    await target.untilClosed();
  });

  it('that nobody listens on is unreachable', async () => {
    const server = createTcpServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    await new Promise((resolve) => server.close(resolve));
    const { fetcher } = outbound({ loopback: [`127.0.0.1:${port}`] });
    expect(await cameTo(fetcher.json(`http://127.0.0.1:${port}/`))).toBe('unreachable');
  });
});

describe('a fetched result', () => {
  it('is cached for a minute, and concurrent callers share one fetch', async () => {
    const target = await endpoint();
    const { fetcher, clock } = outbound({ loopback: [target.host] });
    await Promise.all(Array.from({ length: 20 }, () => fetcher.json(target.url())));
    clock.advance(59_999);
    await fetcher.json(target.url());
    expect(target.connections()).toBe(1);
    clock.advance(1);
    await fetcher.json(target.url());
    expect(target.connections()).toBe(2);
  });

  it('is cached for ten seconds when the fetch failed', async () => {
    const target = await endpoint((_request, response) => void response.writeHead(500).end());
    const { fetcher, clock } = outbound({ loopback: [target.host] });
    await fetcher.json(target.url());
    clock.advance(9999);
    await fetcher.json(target.url());
    expect(target.connections()).toBe(1);
    clock.advance(1);
    await fetcher.json(target.url());
    expect(target.connections()).toBe(2);
  });

  it('of the address that was fetched longest ago is forgotten first, beyond the number that is cached', async () => {
    const target = await endpoint();
    const { fetcher, clock } = outbound({ loopback: [target.host] });
    const [renewed, other] = [target.url('/renewed'), target.url('/other')];
    await fetcher.json(renewed);
    clock.advance(CACHE_MS - 1_000);
    await fetcher.json(other);
    clock.advance(1_000);
    await fetcher.json(renewed);
    expect(target.connections()).toBe(3);
    // These are refused without a connection, and cached all the same.
    for (let i = 2; i <= CACHED_MAX; i += 1) await fetcher.json(`https://127.0.0.1:1/${i}`);
    await fetcher.json(renewed);
    expect(target.connections()).toBe(3);
    const again = fetcher.json(other);
    clock.advance(1_000);
    await again;
    expect(target.connections()).toBe(4);
  });

  it('is fetched once a second per host', async () => {
    let arrivals = 0;
    const target = await endpoint((_request, response) => {
      arrivals += 1;
      response.end('{}');
    });
    const { fetcher, clock } = outbound({ loopback: [target.host] });
    const all = ['/1', '/2', '/3'].map((path) => cameTo(fetcher.json(target.url(path))));
    for (const n of [1, 2, 3]) {
      await all[n - 1];
      expect(arrivals).toBe(n);
      clock.advance(1000);
    }
    const crowd = Array.from({ length: 8 }, (_, i) => cameTo(fetcher.json(target.url(`/crowd/${i}`))));
    expect(await Promise.all(crowd.slice(5))).toEqual(['busy', 'busy', 'busy']);
    clock.advance(999);
    expect(arrivals).toBeLessThanOrEqual(4);
    clock.advance(5000);
    expect((await Promise.all(crowd.slice(0, 5))).filter((one) => one === 'busy')).toEqual([]);
  });

  it('is fetched once a second per host, however many other hosts were fetched from meanwhile', async () => {
    const [target, other] = [await endpoint(), await endpoint()];
    // Names that nobody resolves.
    const closed = Array.from({ length: CACHED_MAX }, (_, i) => `host-${i}.example`);
    const { fetcher, clock } = outbound({ loopback: [target.host, other.host] });
    const fetchOthers = async (hosts: readonly string[]) => {
      for (const host of hosts) expect(await cameTo(fetcher.json(`https://${host}/`))).toBe('unresolvable');
    };
    await fetcher.json(target.url('/1'));
    await fetchOthers(closed.slice(0, CACHED_MAX - 2));
    clock.advance(1_000);
    await fetcher.json(target.url('/2'));
    await fetchOthers(closed.slice(CACHED_MAX - 2));
    let isFetched = false;
    const third = fetcher.json(target.url('/3')).then(() => {
      isFetched = true;
    });
    // A fetch that does not wait is over before this one, which began later.
    await fetcher.json(other.url());
    for (let tick = 0; tick < 10; tick += 1) await waitForTick();
    expect(isFetched).toBe(false);
    clock.advance(1_000);
    await third;
  });

  it('is refused as busy above eight fetches at once', async () => {
    const targets = await Promise.all(Array.from({ length: 9 }, () => endpoint(() => undefined)));
    const { fetcher, clock } = outbound({ loopback: targets.map(({ host }) => host) });
    const all = targets.map(({ url }) => cameTo(fetcher.json(url())));
    expect(await all[8]).toBe('busy');
    clock.advance(5000);
    expect(await Promise.all(all.slice(0, 8))).toEqual(Array(8).fill('too_slow'));
  });

  it('is not refused as busy for a fetch that is over', async () => {
    const target = await endpoint();
    const { fetcher, clock } = outbound({ loopback: [target.host] });
    for (let count = 0; count < 10; count += 1) {
      expect(await cameTo(fetcher.json(target.url(`/${count}`)))).toBe('ok');
      clock.advance(1_000);
    }
    expect(clock.pending).toBe(0);
  });

  it('is fetched again at once when it was refused as busy', async () => {
    const held = await Promise.all(Array.from({ length: 8 }, () => endpoint(() => undefined)));
    const target = await endpoint();
    const { fetcher, clock } = outbound({ loopback: [...held, target].map(({ host }) => host) });
    const all = held.map(({ url }) => cameTo(fetcher.json(url())));
    expect(await fetcher.json(target.url())).toMatchObject({
      reason: 'busy',
      message: '8 fetches are on their way already: try again in a moment.',
    });
    clock.advance(5_000);
    await Promise.all(all);
    expect(await cameTo(fetcher.json(target.url()))).toBe('ok');
  });

  it('is aborted when the daemon stops', async () => {
    let arrived: () => void = () => undefined;
    const isThere = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const target = await endpoint(() => arrived());
    const { fetcher, clock } = outbound({ loopback: [target.host] });
    const found = fetcher.json(target.url());
    await isThere;
    fetcher.stop();
    expect(await found).toMatchObject({ ok: false, reason: 'unreachable' });
    expect(clock.pending).toBe(0);
  });

  it('tells when its fetch began', async () => {
    const { fetcher, clock } = outbound({
      resolve: () => {
        clock.advance(1_000);
        return Promise.reject(new Error('No name is known here.'));
      },
    });
    const began = clock.now();
    expect(await fetcher.json('https://agent.example/')).toMatchObject({ ok: false, fetched_ms: began });
  });

  it.each<[string, RequestListener, string]>([
    ['not found', (_, response) => void response.writeHead(404).end(), 'It answered 404 instead of 200.'],
    ['created', (_, response) => void response.writeHead(201).end('{}'), 'It answered 201 instead of 200.'],
    ['a page', (_, response) => void response.end('<html>'), 'Its answer is not JSON.'],
    ['too deep', (_, response) => void response.end('['.repeat(17)), 'Its answer is nested deeper than 16 levels.'],
    ['too large', (_, response) => void response.end('x'.repeat(65_537)), 'Its answer is larger than 65536 bytes.'],
  ])('says why there is none: %s', async (_name, listener, message) => {
    const target = await endpoint(listener);
    const { fetcher } = outbound({ loopback: [target.host] });
    expect(await fetcher.json(target.url())).toMatchObject({ ok: false, message });
  });

  it('says that the answer was not there in time', async () => {
    const clock = new FakeClock();
    const target = await endpoint(() => clock.advance(5_000));
    const fetcher = new OutboundFetch({ clock, loopback: () => new Set([target.host]) });
    expect(await fetcher.json(target.url())).toMatchObject({
      reason: 'too_slow',
      message: 'The whole answer was not there within 5 s.',
    });
  });

  it('is not put off by those that were refused as busy', async () => {
    const target = await endpoint();
    const { fetcher, clock } = outbound({ loopback: [target.host] });
    const crowd = Array.from({ length: 5 }, (_, i) => cameTo(fetcher.json(target.url(`/${i}`))));
    for (let count = 0; count < 20; count += 1)
      expect(await cameTo(fetcher.json(target.url(`/late/${count}`)))).toBe('busy');
    for (let second = 1; second <= 5; second += 1) {
      await crowd[second - 1];
      clock.advance(1_000);
    }
    expect(await Promise.all(crowd)).toEqual(Array(5).fill('ok'));
    expect(await cameTo(fetcher.json(target.url('/late/0')))).toBe('ok');
  });

  it('says that its host is asked too often', async () => {
    const target = await endpoint(() => undefined);
    const { fetcher } = outbound({ loopback: [target.host] });
    const crowd = Array.from({ length: 6 }, (_, i) => fetcher.json(target.url(`/${i}`)));
    expect(await crowd[5]).toMatchObject({ message: 'Too many fetches from this host: try again in a moment.' });
  });

  it('may be nested 16 levels deep', async () => {
    const target = await endpoint((_, response) => void response.end(`${'['.repeat(16)}${']'.repeat(16)}`));
    expect(await cameTo(outbound({ loopback: [target.host] }).fetcher.json(target.url()))).toBe('ok');
  });

  it('comes from a host that the machine resolves unless another way is given', async () => {
    const target = await endpoint();
    const host = `localhost:${target.port}`;
    const fetcher = new OutboundFetch({ clock: new FakeClock(), loopback: () => new Set([host]) });
    expect(await cameTo(fetcher.json(`http://${host}/`))).toBe('ok');
  });

  it('is fetched once a second from each of a thousand hosts', async () => {
    const target = await endpoint();
    const { fetcher, clock } = outbound({ loopback: [target.host] });
    await fetcher.json(target.url('/1'));
    for (let i = 1; i < CACHED_MAX; i += 1) await fetcher.json(`https://host-${i}.example/`);
    const second = fetcher.json(target.url('/2'));
    // Besides the time limit, the wait for the host.
    expect(clock.pending).toBe(2);
    clock.advance(1_000);
    expect(await cameTo(second)).toBe('ok');
  });

  it('is not read from an answer that is refused, however much it would send', async () => {
    const target = await endpoint((_, response) => {
      response.writeHead(404);
      const pour = () => {
        while (!response.destroyed && response.write('x'.repeat(16_384)));
      };
      response.on('drain', pour);
      pour();
    });
    const { fetcher } = outbound({ loopback: [target.host] });
    expect(await cameTo(fetcher.json(target.url()))).toBe('refused');
    await target.untilClosed();
  });
});
