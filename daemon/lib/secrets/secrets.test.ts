import { expect, it } from 'vitest';
import { scrubSecrets } from './secrets.js';

const TOKEN = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhZGEifQ.c2lnbmF0dXJl';

it.each([
  [`Bearer ${TOKEN}`, 'Bearer [redacted]'],
  [`?token=${TOKEN}&x=1`, '?token=[redacted]&x=1'],
  [`jwt_${TOKEN} is over`, '[redacted] is over'],
  ['a ck_abcdefgh and mk_12345678.', 'a [redacted] and [redacted].'],
  ['eyJhbGciOiJIUzI1NiJ9 alone, and eyJ.a.b', 'eyJhbGciOiJIUzI1NiJ9 alone, and eyJ.a.b'],
])('%s is logged as %s', (text, logged) => {
  expect(scrubSecrets(text)).toBe(logged);
});

it('takes time linear in the text for many starts of a token', () => {
  const text = 'eyJheJgx-'.repeat(100_000);
  const startedMs = performance.now();
  expect(scrubSecrets(text)).toBe(text);
  expect(performance.now() - startedMs).toBeLessThan(5_000);
});
