import { expect, it } from 'vitest';
import { formatErrorBody, isAgentsFault } from './call-failure.js';

it.each<[unknown, string]>([
  [{ error: 'busy', message: 'Come back.' }, 'status 503, busy: Come back'],
  [{ error: 'busy' }, 'status 503, busy'],
  [{ message: 'Come back…' }, 'status 503, Come back…'],
  [{ error: '', message: '' }, 'status 503'],
  [{ error: 7, message: ['no'] }, 'status 503'],
  [{ message: ' a\u0007\n\u202e b\u00a0\u200bc . ' }, 'status 503, a b c'],
  [{ message: '..' }, 'status 503, .'],
  [{ message: 'v1.2 is .gone .' }, 'status 503, v1.2 is .gone'],
  [{ message: 'a\t\u2028b\r\nc' }, 'status 503, a b c'],
  ['busy', 'status 503'],
  [null, 'status 503'],
  [undefined, 'status 503'],
])('writes the error body %j on one line', (body, text) => {
  expect(formatErrorBody(503, body)).toBe(text);
});

it('cuts a long text between characters', () => {
  expect(formatErrorBody(400, { message: '\u{1f98a}'.repeat(301) })).toBe(`status 400, ${'\u{1f98a}'.repeat(300)}`);
});

it('blames an agent for what it did, and not for refusals, limits and faults on this side', () => {
  const own = [
    'bad_card',
    'unreachable',
    'agent_failed',
    'bad_answer',
    'bad_challenge',
    'price_above_card',
    'wrong_wallet',
  ] as const;
  const paid = ['challenge_expired', 'challenge_replayed', 'payment_refused', 'not_delivered'] as const;
  expect([...own, ...paid].filter((code) => !isAgentsFault(code))).toEqual([]);
  const others = ['refused_by_agent', 'budget_exceeded', 'denied', 'no_deposit', 'insufficient_funds'] as const;
  expect(others.filter(isAgentsFault)).toEqual([]);
});
