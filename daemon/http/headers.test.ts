import { expect, it } from 'vitest';
import { CARD_HEADERS, COMMON_HEADERS, contentSecurityPolicy, hasAlready } from './headers.js';

it('the policy of a page allows its own files and its own daemon alone', () => {
  const directives = contentSecurityPolicy(4747).split('; ');
  expect(Object.fromEntries(directives.map((text) => [text.split(' ')[0], text.split(' ').slice(1)]))).toEqual({
    'default-src': ["'none'"],
    'script-src': ["'self'"],
    'worker-src': ["'none'"],
    'style-src': ["'self'"],
    'img-src': ["'self'", 'data:', 'blob:'],
    'font-src': ["'self'"],
    'connect-src': ["'self'", 'ws://127.0.0.1:4747'],
    'manifest-src': ["'self'"],
    'form-action': ["'none'"],
    'base-uri': ["'none'"],
    'frame-ancestors': ["'none'"],
    'object-src': ["'none'"],
    'require-trusted-types-for': ["'script'"],
    'trusted-types': ["'none'"],
  });
});

it('every response is kept from other origins, frames and caches, and its page from devices', () => {
  const { 'permissions-policy': permissions, ...others } = COMMON_HEADERS;
  expect(others).toEqual({
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-resource-policy': 'same-origin',
    'cross-origin-opener-policy': 'same-origin',
    'x-frame-options': 'DENY',
    'cache-control': 'no-store',
  });
  const denied = (permissions ?? '').split(', ');
  expect(denied).toEqual(expect.arrayContaining(['camera=()', 'microphone=()', 'geolocation=()', 'usb=()']));
  expect(denied.filter((one) => !/^[a-z-]+=\(\)$/.test(one))).toEqual([]);
});

it('a public card may be read by any page, for a minute', () => {
  expect(CARD_HEADERS).toEqual({
    'access-control-allow-origin': '*',
    'cross-origin-resource-policy': 'cross-origin',
    'cache-control': 'max-age=60',
  });
});

it.each([
  [undefined, false],
  ['"a"', true],
  ['"b"', false],
  ['"b", "a"', true],
  ['W/"a"', true],
  [' * ', true],
  ['x*', false],
  ['xW/"a"', false],
  ['', false],
])('an answer is had already by who sends %s: %s', (sent, expected) => {
  expect(hasAlready(sent, '"a"')).toBe(expected);
});
