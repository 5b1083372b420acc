import { describe, expect, it } from 'vitest';
import { MeshError } from '../../lib/errors.js';
import { FakeClock } from '../../testing/fake-clock.js';
import type { AnyRequest } from '../route-types.js';
import { parseBearer, requireBearer, WrongCredentials } from './bearer.js';

const sending = (authorization?: string) => ({ headers: { authorization } }) as AnyRequest;

describe('a bearer token', () => {
  it.each([
    ['Bearer t', 't'],
    ['bearer two-words', 'two-words'],
    ['BEARER t   ', 't'],
    ['Bearer ä.b=c/d', 'ä.b=c/d'],
    [`Bearer ${'t'.repeat(4089)}`, 't'.repeat(4089)],
  ])('is what follows the scheme, whatever its case and the spaces at the end: %j', (header, token) => {
    expect(parseBearer(sending(header))).toBe(token);
  });

  it.each([
    undefined,
    '',
    'Bearer',
    'Bearer ',
    'Bearer  t',
    'Bearer\tt',
    'Bearer a b',
    'Bearer t\t',
    'XBearer t',
    'Basic t',
    `Bearer ${'t'.repeat(4090)}`,
  ])('is none in the header %j', (header) => {
    expect(parseBearer(sending(header))).toBeUndefined();
  });
});

describe('wrong credentials', () => {
  it('get unauthorized twenty times a minute per subject, then too_many_requests', () => {
    const wrong = new WrongCredentials(new FakeClock());
    const codes = Array.from({ length: 22 }, () => wrong.refuse('member a').code);
    expect(codes).toEqual([...Array(20).fill('unauthorized'), 'too_many_requests', 'too_many_requests']);
    expect(wrong.refuse('member b').code).toBe('unauthorized');
  });

  it('report how long to wait and are counted from zero after a minute, whatever the wall clock does', () => {
    const clock = new FakeClock();
    const wrong = new WrongCredentials(clock);
    for (let i = 0; i < 20; i += 1) wrong.refuse('a');
    clock.advance(45_000);
    clock.step(-3_600_000);
    expect(wrong.refuse('a').details).toEqual({ retry_after: 15 });
    clock.advance(15_000);
    expect(wrong.refuse('a').code).toBe('unauthorized');
  });

  it('of the subject whose minute began longest ago are forgotten first, beyond ten thousand subjects', () => {
    const clock = new FakeClock();
    const wrong = new WrongCredentials(clock);
    const isFull = (subject: string) => wrong.refuse(subject).code === 'too_many_requests';
    wrong.refuse('renewed');
    clock.advance(30_000);
    for (let i = 0; i < 21; i += 1) wrong.refuse('other');
    clock.advance(30_000);
    for (let i = 0; i < 21; i += 1) wrong.refuse('renewed');
    for (let i = 0; i < 9_999; i += 1) wrong.refuse(`subject ${i}`);
    expect([isFull('renewed'), isFull('other')]).toEqual([true, false]);
  });

  it('are told what to send, then how many whole seconds to wait', () => {
    const clock = new FakeClock();
    const wrong = new WrongCredentials(clock);
    expect(wrong.refuse('a').message).toBe('Send "Authorization: Bearer <token>" with a token that is valid here.');
    for (let i = 1; i < 20; i += 1) wrong.refuse('a');
    clock.advance(500);
    expect(wrong.refuse('a').message).toBe('Too many wrong credentials: wait 60 s.');
    clock.advance(59_499);
    expect(wrong.refuse('a')).toMatchObject({ code: 'too_many_requests', details: { retry_after: 1 } });
  });

  it('of ten thousand subjects are remembered', () => {
    const wrong = new WrongCredentials(new FakeClock());
    for (let i = 0; i < 20; i += 1) wrong.refuse('first');
    for (let i = 1; i < 10_000; i += 1) wrong.refuse(`subject ${i}`);
    expect(wrong.refuse('first').code).toBe('too_many_requests');
  });

  it('that were valid once are explained, until there are too many', () => {
    const wrong = new WrongCredentials(new FakeClock());
    wrong.explainWith((token) => (token === 'old' ? new MeshError('not_found', 'Its member was closed.') : undefined));
    expect(['old', 'guessed', undefined].map((token) => wrong.refuse('a', token).code)).toEqual([
      'not_found',
      'unauthorized',
      'unauthorized',
    ]);
    for (let i = 3; i < 20; i += 1) wrong.refuse('a');
    expect(wrong.refuse('a', 'old').code).toBe('too_many_requests');
  });

  it('are unauthorized while nothing explains old ones', () => {
    expect(new WrongCredentials(new FakeClock()).refuse('a', 'old').code).toBe('unauthorized');
  });
});

describe('a route that requires a bearer token', () => {
  const required = (wrong: WrongCredentials, authorization?: string, subject = 'member a') =>
    requireBearer(sending(authorization), wrong, subject, (token) => token === 'right');
  const UNAUTHORIZED = expect.objectContaining({ code: 'unauthorized' });

  it('admits the right one, also after too many wrong ones', () => {
    const wrong = new WrongCredentials(new FakeClock());
    for (let i = 0; i < 20; i += 1) expect(() => required(wrong, 'Bearer wrong')).toThrow(UNAUTHORIZED);
    expect(() => required(wrong, 'Bearer wrong')).toThrow(expect.objectContaining({ code: 'too_many_requests' }));
    expect(() => required(wrong, 'Bearer right')).not.toThrow();
  });

  it('refuses a request without one and does not count it', () => {
    const wrong = new WrongCredentials(new FakeClock());
    for (let i = 0; i < 21; i += 1) expect(() => required(wrong)).toThrow(UNAUTHORIZED);
    expect(() => required(wrong, 'Bearer wrong')).toThrow(UNAUTHORIZED);
  });

  it('explains a wrong one that was valid once', () => {
    const wrong = new WrongCredentials(new FakeClock());
    wrong.explainWith((token) => new MeshError('not_found', `The token ${token} is over.`));
    expect(() => required(wrong, 'Bearer old')).toThrow('The token old is over.');
  });

  it('counts by the first 80 characters of its subject', () => {
    const wrong = new WrongCredentials(new FakeClock());
    const long = 's'.repeat(79);
    for (let i = 0; i < 20; i += 1) expect(() => required(wrong, 'Bearer wrong', `${long}12`)).toThrow(UNAUTHORIZED);
    expect(() => required(wrong, 'Bearer wrong', `${long}22`)).toThrow(UNAUTHORIZED);
    expect(() => required(wrong, 'Bearer wrong', `${long}13`)).toThrow(
      expect.objectContaining({ code: 'too_many_requests' }),
    );
  });
});
