import { expect, it } from 'vitest';
import { Polls } from './polls.js';

/** Requests whose polls are kept, and polls that are kept of each. */
const REQUESTS_MAX = 1_000;
const POLLS_MAX = 200;

const at = (second: number) => new Date(second * 1000).toISOString();

it('forgets the polls of the request that was not polled for longest, and the oldest of each request', () => {
  const polls = new Polls();
  polls.add('waiting', at(0));
  polls.add('given up', at(1));
  for (let number = 2; number < REQUESTS_MAX; number += 1) polls.add(`req-${number}`, at(number));
  polls.add('waiting', at(2_000));
  polls.add('new', at(2_001));
  expect([polls.of('waiting'), polls.of('given up')]).toEqual([[at(0), at(2_000)], []]);
  for (let number = 0; number <= POLLS_MAX; number += 1) polls.add('waiting', at(3_000 + number));
  expect(polls.of('waiting')).toEqual(Array.from({ length: POLLS_MAX }, (_, number) => at(3_001 + number)));
});

it('has an event due for a poll at least a second after the previous one', () => {
  const polls = new Polls();
  const due = [0, 0.999, 1.999, 2.5].map((second) => polls.add('req', at(second)));
  expect(due).toEqual([true, false, true, false]);
});

it('gives the times of a request that others cannot change', () => {
  const polls = new Polls();
  polls.add('req', at(1));
  polls.of('req').push(at(2));
  expect([polls.of('req'), polls.of('another')]).toEqual([[at(1)], []]);
});
