import type { IncomingMessage } from 'node:http';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Access } from './callers/access.js';
import { Guard } from './guard.js';

const PORT = 4747;
const HOST = `127.0.0.1:${PORT}`;

const ask = (...given: Parameters<typeof check>) => check(...given)?.code;

function check(
  headers: [string, string][],
  { access = 'operator' as Access, method = 'GET', url = '/x', httpVersion = '1.1', port = PORT } = {},
) {
  const guard = new Guard();
  guard.listeningOn(port);
  const folded: Record<string, string> = {};
  for (const [name, value] of headers) folded[name.toLowerCase()] ??= value;
  const request = {
    rawHeaders: headers.flat(),
    headers: folded,
    url,
    method,
    httpVersion,
  } as unknown as IncomingMessage;
  return guard.check(request, access);
}

const withHost = (...more: [string, string][]): [string, string][] => [['Host', HOST], ...more];

describe('the guard', () => {
  it('admits the daemon’s own host name', () => {
    expect(ask([['Host', HOST]])).toBeUndefined();
  });

  it.each([
    `evil.example:${PORT}`,
    `127.0.0.1.evil.com:${PORT}`,
    `127.evil.com:${PORT}`,
    `localhost:${PORT}`,
    `LOCALHOST:${PORT}`,
    `localhost.:${PORT}`,
    `x.localhost:${PORT}`,
    `0.0.0.0:${PORT}`,
    `2130706433:${PORT}`,
    `127.1:${PORT}`,
    `localhost:${PORT}@evil.com`,
    `[::1]:${PORT}`,
    '127.0.0.1',
    '127.0.0.1:4748',
    '[::1',
    '',
    'a'.repeat(16_384),
    `127.0.0.1:${PORT}\u0000`,
    '__proto__',
  ])('refuses the host name %j with wrong_host', (host) => {
    for (const access of ['operator', 'bearer', 'public', 'page', 'card'] as const)
      expect(ask([['Host', host]], { access })).toBe('wrong_host');
  });

  it('accepts the host name without a port only on port 80', () => {
    const own: [string, string][] = [
      ['Host', '127.0.0.1'],
      ['Origin', 'http://127.0.0.1'],
    ];
    expect(ask(own, { port: 80 })).toBeUndefined();
    expect(ask(own, { port: 8080 })).toBe('wrong_host');
    expect(check([['Host', 'localhost']], { port: 80, access: 'page' })?.movedTo).toBe('http://127.0.0.1/x');
    expect(check([['Host', 'localhost']], { port: 8080, access: 'page' })?.movedTo).toBeUndefined();
  });

  it.each([`localhost:${PORT}`, `LocalHost:${PORT}`])('redirects a document under %s to the canonical one', (host) => {
    const under = (...more: [string, string][]): [string, string][] => [['Host', host], ...more];
    const document = under(
      ['Sec-Fetch-Site', 'cross-site'],
      ['Sec-Fetch-Mode', 'navigate'],
      ['Sec-Fetch-Dest', 'document'],
    );
    const url = '//evil.example/app?a=1&b=//x';
    for (const headers of [under(), document])
      expect(check(headers, { access: 'page', url })).toMatchObject({
        code: 'wrong_host',
        movedTo: `http://${HOST}${url}`,
      });
    for (const headers of [
      under(['Sec-Fetch-Mode', 'no-cors'], ['Sec-Fetch-Dest', 'script']),
      under(['Sec-Fetch-Mode', 'cors']),
      under(['Sec-Fetch-Dest', 'image']),
      under(['Sec-Fetch-Mode', 'navigate'], ['Sec-Fetch-Dest', 'iframe']),
      under(['Sec-Fetch-Mode', 'navigate'], ['Sec-Fetch-Dest', 'empty']),
      under(['Upgrade', 'websocket']),
      under(['Origin', `http://${host}`]),
    ])
      expect(check(headers, { access: 'page' })).toEqual({
        code: 'wrong_host',
        message: `Use http://${HOST} instead.`,
      });
    for (const access of ['operator', 'bearer', 'public', 'card'] as const)
      expect(check(document, { access })?.movedTo).toBeUndefined();
    for (const method of ['HEAD', 'POST', 'OPTIONS'])
      for (const headers of [document, under()])
        expect(check(headers, { access: 'page', method })?.movedTo).toBeUndefined();
    expect(check([['Host', `x.${host}`]], { access: 'page' })?.movedTo).toBeUndefined();
  });

  it('refuses two Hosts, none, two Origins, HTTP/1.0, an absolute target and too many fields as malformed', () => {
    expect(
      ask([
        ['Host', HOST],
        ['host', HOST],
      ]),
    ).toBe('bad_request');
    expect(ask([])).toBe('bad_request');
    expect(ask(withHost(['Origin', `http://${HOST}`], ['origin', `http://${HOST}`]))).toBe('bad_request');
    expect(ask(withHost(), { httpVersion: '1.0' })).toBe('bad_request');
    expect(ask(withHost(), { url: `http://${HOST}/x` })).toBe('bad_request');
    const fields = (count: number) => Array.from({ length: count }, (_, i): [string, string] => [`x-${i}`, 'y']);
    expect(ask(withHost(...fields(99)))).toBeUndefined();
    expect(check(withHost(...fields(100)))).toEqual({
      code: 'bad_request',
      message: 'Send at most 100 header fields.',
    });
  });

  it.each([
    'https://evil.example',
    'null',
    'http://localhost:5173',
    `http://localhost:${PORT}`,
    `http://LOCALHOST:${PORT}`,
    `http://[::1]:${PORT}`,
    'http://127.0.0.1:4748',
    `https://${HOST}`,
    'http://[',
    '',
    `http://${HOST}/`,
  ])('refuses pages of %j with forbidden_origin', (origin) => {
    for (const method of ['GET', 'POST', 'OPTIONS'])
      expect(ask(withHost(['Origin', origin]), { method })).toBe('forbidden_origin');
    expect(ask(withHost(['Origin', origin]), { access: 'page' })).toBe('forbidden_origin');
  });

  it('admits its own pages', () => {
    expect(
      ask(withHost(['Origin', `http://${HOST}`], ['Sec-Fetch-Site', 'same-origin']), { method: 'POST' }),
    ).toBeUndefined();
  });

  it('admits what the person opens, and reads of a card by any page, with HEAD and their preflight too', () => {
    expect(ask(withHost(['Sec-Fetch-Site', 'none']))).toBeUndefined();
    const foreign = withHost(['Origin', 'https://evil.example'], ['Sec-Fetch-Site', 'cross-site']);
    for (const method of ['HEAD', 'OPTIONS']) expect(ask(foreign, { access: 'card', method })).toBeUndefined();
    for (const access of ['operator', 'bearer', 'public', 'page'] as const)
      expect(ask(foreign, { access, method: 'OPTIONS' })).toBe('forbidden_origin');
    expect(ask(foreign, { access: 'card', method: 'POST' })).toBe('forbidden_origin');
  });

  it('lets a page or worker of an earlier program read pages and cards only', () => {
    const sameOrigin: [string, string] = ['Sec-Fetch-Site', 'same-origin'];
    const headers = withHost(sameOrigin, ['Referer', `http://${HOST}/`]);
    for (const access of ['operator', 'bearer', 'public'] as const)
      expect(ask(headers, { access })).toBe('forbidden_origin');
    for (const access of ['page', 'card'] as const) expect(ask(headers, { access })).toBeUndefined();
    // A download is a navigation with an empty destination.
    expect(ask(withHost(sameOrigin, ['Sec-Fetch-Mode', 'navigate'], ['Sec-Fetch-Dest', 'empty']))).toBeUndefined();
    expect(
      ask(withHost(sameOrigin, ['Referer', `http://${HOST}/sw.js`], ['Service-Worker', 'script'])),
    ).toBeUndefined();
    expect(ask(withHost(['Referer', 'http://of.a/program']))).toBeUndefined();
  });

  it.each(['cross-site', 'same-site', 'weird'])(
    'refuses Sec-Fetch-Site %s, other ports of this machine included',
    (site) => {
      for (const mode of ['no-cors', 'cors', 'navigate']) {
        expect(ask(withHost(['Sec-Fetch-Site', site], ['Sec-Fetch-Mode', mode], ['Sec-Fetch-Dest', 'document']))).toBe(
          'forbidden_origin',
        );
      }
    },
  );

  it('admits a followed link to a page, but no frame and no other method', () => {
    const link = (dest: string): [string, string][] =>
      withHost(['Sec-Fetch-Site', 'cross-site'], ['Sec-Fetch-Mode', 'navigate'], ['Sec-Fetch-Dest', dest]);
    expect(ask(link('document'), { access: 'page' })).toBeUndefined();
    for (const dest of ['iframe', 'embed', 'object'])
      expect(ask(link(dest), { access: 'page' })).toBe('forbidden_origin');
    expect(ask(link('document'), { access: 'page', method: 'POST' })).toBe('forbidden_origin');
  });

  it('lets pages of any origin read a card, but not use other methods', () => {
    const foreign = withHost(['Origin', 'https://evil.example'], ['Sec-Fetch-Site', 'cross-site']);
    expect(ask(foreign, { access: 'card' })).toBeUndefined();
    expect(ask(foreign, { access: 'card', method: 'POST' })).toBe('forbidden_origin');
  });

  it('refuses everything until the port is known', () => {
    const request = {
      rawHeaders: ['Host', HOST],
      headers: { host: HOST },
      url: '/',
      method: 'GET',
      httpVersion: '1.1',
    } as unknown as IncomingMessage;
    expect(new Guard().check(request, 'public')?.code).toBe('wrong_host');
  });

  it('never throws and never admits a foreign host, whatever the header fields contain', () => {
    const field = fc.tuple(
      fc.constantFrom('Host', 'host', 'Origin', 'Sec-Fetch-Site', 'Sec-Fetch-Mode', 'X-Forwarded-Host'),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.array(field, { maxLength: 6 }), fc.string(), (headers, url) => {
        expect(ask(headers as [string, string][], { url })).toBeDefined();
      }),
    );
  });
});
