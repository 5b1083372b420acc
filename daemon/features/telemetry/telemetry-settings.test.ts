import { describe, expect, it } from 'vitest';
import {
  loopbackOf,
  parseTelemetry,
  type SavedTelemetry,
  stringifyTelemetry,
  withTelemetry,
} from './telemetry-settings.js';

const OWN = 'http://127.0.0.1:8123';
const addressOf = (address: string) => withTelemetry(undefined, { address }, OWN).address;

describe('the address of a collector', () => {
  it.each([
    ['https://collector.example', 'https://collector.example'],
    ['  https://collector.example/  ', 'https://collector.example'],
    ['https://collector.example/otlp//', 'https://collector.example/otlp'],
    ['https://collector.example/otlp/v1/traces', 'https://collector.example/otlp'],
    ['https://collector.example/v1/metrics/', 'https://collector.example'],
    ['https://collector.example/v1/logs', 'https://collector.example'],
    ['https://collector.example/v1/other', 'https://collector.example/v1/other'],
    ['https://collector.example/v1/traces/more', 'https://collector.example/v1/traces/more'],
    ['http://127.0.0.1:4318', 'http://127.0.0.1:4318'],
    ['http://localhost:4318', 'http://localhost:4318'],
    ['http://[::1]:4318', 'http://[::1]:4318'],
    ['https://collector.example:8123', 'https://collector.example:8123'],
  ])('%s is kept as %s', (typed, address) => {
    expect(addressOf(typed)).toBe(address);
  });

  it.each([
    ['lamp', /^"lamp" is not an address: give one such as http:\/\/127\.0\.0\.1:4318\.$/],
    [' lamp ', /^"lamp" is not an address/],
    [
      'http://collector.example',
      /^"http:\/\/collector\.example": .+ Give an https: address, or an http: one on this machine\.$/,
    ],
    ['https://me@collector.example', /without credentials/],
    ['https://:word@collector.example', /without credentials/],
    ['https://collector.example/?a', /^"https:\/\/collector\.example\/\?a" must have no query and no fragment\.$/],
    ['https://collector.example/#a', /must have no query and no fragment/],
    [
      'http://127.0.0.1:8123',
      /^"http:\/\/127\.0\.0\.1:8123" is this daemon itself: give the address of a collector\.$/,
    ],
    ['http://localhost:8123/otlp', /is this daemon itself/],
    ['http://[::1]:8123', /is this daemon itself/],
  ])('%s is refused', (typed, message) => {
    expect(() => addressOf(typed)).toThrow(
      expect.objectContaining({
        code: 'bad_request',
        message: expect.stringMatching(message),
        details: { path: 'address' },
      }),
    );
  });

  it('with a password is refused without its text', () => {
    expect(() => addressOf('https://me:secret-word@collector.example')).not.toThrow(/secret-word|Give an https/);
  });
});

it.each([
  ['http://127.0.0.1:4318', ['127.0.0.1:4318']],
  ['http://127.9.12.255', ['127.9.12.255:80']],
  ['https://localhost', ['localhost:443']],
  ['http://localhost/otlp', ['localhost:80']],
  ['http://[::1]:1', ['[::1]:1']],
  ['https://collector.example', []],
  ['https://localhost.example', []],
  ['https://127.0.0.1.example', []],
  ['https://x127.0.0.1.example', []],
])('%s is on this machine at %j', (address, listed) => {
  expect([...loopbackOf(address)]).toEqual(listed);
});

describe('the headers', () => {
  const headers = [{ name: 'x-key', value: 'one' }];
  const before: SavedTelemetry = { address: 'https://collector.example/otlp', content: true, headers };
  const set = (address: string, more: object = {}) => withTelemetry(before, { address, ...more }, OWN);

  it('are kept for the same server, and forgotten for another', () => {
    expect(set('https://collector.example/other')).toEqual({
      ...{ address: 'https://collector.example/other', content: false, headers },
    });
    expect(set('https://other.example/otlp').headers).toEqual([]);
    expect(set('https://collector.example:4443').headers).toEqual([]);
    expect(withTelemetry(undefined, { address: 'https://collector.example' }, OWN).headers).toEqual([]);
  });

  it('are replaced by those that are sent', () => {
    const others = [{ name: 'x-other', value: 'two' }];
    expect(set('https://collector.example', { headers: others, content: true })).toEqual({
      ...{ address: 'https://collector.example', content: true, headers: others },
    });
    expect(set('https://collector.example', { headers: [] }).headers).toEqual([]);
  });

  it.each([
    ...['accept', 'Accept-Encoding', 'connection', 'content-encoding', 'content-length', 'Content-Type', 'expect'],
    ...['Host', 'keep-alive', 'proxy-authorization', 'te', 'trailer', 'transfer-encoding', 'upgrade'],
  ])('may not have %s, which the request determines', (name) => {
    expect(() => set('https://collector.example', { headers: [...headers, { name, value: 'x' }] })).toThrow(
      expect.objectContaining({
        message: `The header "${name}" is set by the daemon itself.`,
        details: { path: 'headers' },
      }),
    );
  });
});

describe('the file', () => {
  it('is empty while telemetry is off', () => {
    expect([parseTelemetry(null), parseTelemetry({})]).toEqual([{ saved: undefined }, { saved: undefined }]);
    expect(stringifyTelemetry({ saved: undefined })).toEqual({});
  });

  it('has the address, and by default no texts and no headers', () => {
    const address = 'https://collector.example';
    expect(parseTelemetry({ address })).toEqual({ saved: { address, content: false, headers: [] } });
    const saved = { address, content: true, headers: [{ name: 'x', value: 'y' }] };
    expect(stringifyTelemetry({ saved })).toEqual(saved);
    expect(parseTelemetry(stringifyTelemetry({ saved }))).toEqual({ saved });
  });

  it('that is damaged is refused without what it holds', () => {
    expect(() => parseTelemetry({ address: 1, key: 'secret' })).toThrow(
      expect.objectContaining({
        code: 'store_readonly',
        message: '.mesh/credentials/telemetry.json is damaged: mend it, or remove it.',
      }),
    );
  });
});
