import { describe, expect, it } from 'vitest';
import { describeRefused } from './refused-value.js';

describe('a refused value', () => {
  it.each([
    ['country', 'Norway', ', not "Norway"'],
    ['slug', '', ', not ""'],
    ['slug', 'a "b"\n\u001b[2J\u202e', ', not "a \\"b\\"\\n\\u001b[2J\\u202e"'],
    ['slug', `${'x '.repeat(500)}ck_${'a1'.repeat(16)}`, `, not "${'x '.repeat(30).slice(0, 59)}…"`],
    ['signal', 'x', ', not "x"'],
    ['slug', 'ä'.repeat(60), `, not "${'ä'.repeat(60)}"`],
    ['slug', '😀'.repeat(61), `, not "${'😀'.repeat(59)}…"`],
    ['slug', 'x'.repeat(5_000), `, not "${'x'.repeat(59)}…"`],
  ])('of %s is repeated, shortened and escaped', (path, value, words) => {
    expect(describeRefused(path, value)).toBe(words);
  });

  it.each([
    ['admin_token', 'not a token'],
    ['api_key', 'short'],
    ['passphrase', 'x'],
    ['client_secret', 'x'],
    ['seed', 'x'],
    ['Authorization', 'x'],
    ['jwt', 'x'],
    ['sig', 'x'],
    ['signature', 'x'],
    ['proof', 'x'],
    ['slug', `${'x '.repeat(490)}ck_${'a1'.repeat(16)}`],
    ['login.password', 'hunter2'],
    ['Credentials.0', 'hunter2'],
    ['slug', `my ck_${'a1'.repeat(16)}`],
    ['slug', `${'x '.repeat(26)}ck_${'a1'.repeat(16)}`],
    ['slug', 7],
    ['slug', undefined],
  ])('of %s is not repeated when it is or may be a secret, or is no text: %j', (path, value) => {
    expect(describeRefused(path, value)).toBe('');
  });
});
