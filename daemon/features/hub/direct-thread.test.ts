import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { getDirectThreadId } from './direct-thread.js';

const [one, other] = [{ rid: 'b-registration' }, { rid: 'a-registration' }];

it('two registrations have one direct thread, whose id is the same in every version: messages are found by it', () => {
  const digest = createHash('sha256').update('a-registration b-registration').digest('hex');
  const id = `room-${digest.slice(0, 20)}`;
  expect([getDirectThreadId(one, other), getDirectThreadId(other, one)]).toEqual([id, id]);
});

it('a new registration of either has another thread', () => {
  expect(getDirectThreadId(one, { rid: 'c-registration' })).not.toBe(getDirectThreadId(one, other));
});
