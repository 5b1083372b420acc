import { describe, expect, it } from 'vitest';
import { findSecret, findSecretRanges, scrubSecrets } from './secrets.js';

const TOKEN = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhZGEifQ.c2lnbmF0dXJl';

it.each([
  [`Bearer ${TOKEN}`, 'Bearer [redacted]'],
  [`?token=${TOKEN}&x=1`, '?token=[redacted]&x=1'],
  [`jwt_${TOKEN} is over`, '[redacted] is over'],
  ['a ck_a1b2c3d4 and mk_12345678.', 'a [redacted] and [redacted].'],
  ['eyJhbGciOiJIUzI1NiJ9 alone, and eyJ.a.b', 'eyJhbGciOiJIUzI1NiJ9 alone, and eyJ.a.b'],
])('%s is logged as %s', (text, logged) => {
  expect(scrubSecrets(text)).toBe(logged);
});

describe('the first certain secret of a text', () => {
  const TOKENS = { ghp: `ghp_${'a1'.repeat(18)}`, ck: `ck_${'a1'.repeat(20)}` };

  it.each([
    ['of two kinds is the one that comes first', `Use ${TOKENS.ghp}, then ${TOKENS.ck}.`, { index: 4, kind: 'ghp' }],
    ['is the same in the other order', `Use ${TOKENS.ck}, then ${TOKENS.ghp}.`, { index: 4, kind: 'ck_' }],
    ['begins after the words that identify it', `;AccountKey=${'x9/'.repeat(9)}`, { index: 12, kind: 'x9/' }],
    ['comes after what is only redacted', `ck_a1b2c3d4 ${TOKENS.ghp}`, { index: 12, kind: 'ghp' }],
    ['is a private key from its first line on', 'x -----BEGIN PRIVATE KEY-----', { index: 2, kind: '---' }],
    ['is none in what is only redacted', `Bearer ${TOKEN} and ck_a1b2c3d4`, undefined],
  ])('%s', (_, text, found) => {
    expect(findSecret(text)).toEqual(found);
  });

  it.each([
    ['mk_', 'a1', 19],
    ['AKIA', 'A', 20],
    ['secret_access_key=', 'a', 40],
    ['ghp_', 'a', 24],
    ['sk-', 'a1', 19],
  ])('after %s has a length from which on it is certain; a shorter one is only redacted', (words, filling, least) => {
    const kept = words.endsWith('=') ? words : '';
    const of = (chars: number) => kept + (kept ? '' : words).padEnd(chars, filling);
    expect(findSecret(of(least))).toBeDefined();
    expect(findSecret(of(least - 1))).toBeUndefined();
    expect(scrubSecrets(of(least - 1))).toBe(`${kept}[redacted]`);
  });
});

describe('secrets that overlap', () => {
  it('are one, as certain as the most certain of them, from the first words that identify it', () => {
    const key = `sk-ant-api03-${'a1'.repeat(20)}`;
    expect(findSecretRanges(`Authorization: Bearer ${key}; ck_a1b2c3d4`)).toEqual([
      { begins: 15, start: 22, end: 22 + key.length, isSure: true },
      { begins: 24 + key.length, start: 24 + key.length, end: 35 + key.length, isSure: false },
    ]);
  });

  it('are redacted up to the last end, also when one is within the other', () => {
    expect(scrubSecrets('Bearer x1.ghp_1234567890.tail99 is over')).toBe('Bearer [redacted] is over');
  });

  it('are two when one only follows the other', () => {
    const text = 'ghp_12345678-----BEGIN PRIVATE KEY-----';
    expect(findSecretRanges(text).map(({ start, end }) => [start, end])).toEqual([
      [0, 12],
      [12, text.length],
    ]);
  });
});

it('takes time linear in the text for many starts of a token', () => {
  const text = 'eyJheJgx-'.repeat(100_000);
  const startedMs = performance.now();
  expect(scrubSecrets(text)).toBe(text);
  expect(performance.now() - startedMs).toBeLessThan(5_000);
});
