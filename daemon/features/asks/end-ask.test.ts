import { expect, it } from 'vitest';
import { Bus } from '../../events/bus.js';
import { FakeClock } from '../../testing/fake-clock.js';
import type { TurnChange } from '../conversations/turn-change.js';
import { AskEvents } from './ask-events.js';
import type { Ask, Ending } from './ask-store.js';
import { AskEnding } from './end-ask.js';

type Parts = ConstructorParameters<typeof AskEnding>[0];
type Changed = Parameters<AskEnding['endAsk']>;

/** Ends a failed ask, and returns what was counted for the member and what was recorded. */
function fail(code: string, isTest: boolean) {
  const clock = new FakeClock();
  const events = new AskEvents(new Bus(clock));
  const counted: [member: string, isAnswered: boolean][] = [];
  events.onOutcome((...outcome) => counted.push(outcome));
  let recorded: Ending | undefined;
  const store = {
    putEnded: (_transaction: unknown, _id: string, _status: string, ending: Ending) => {
      recorded = ending;
    },
  };
  const parts = {
    store,
    conversations: { archiveAnswered: () => undefined },
    events,
    waits: { wake: () => undefined },
  };
  const ask = { request_id: 'r', member: 'consultant', conv: 'c', caller: { test: isTest } } as unknown as Ask;
  const turn = { kind: 'ended', answer: null, ending: { code, reason: 'Why.', finished_ms: 0 } };
  const transaction = { afterCommit: (action: () => void) => action() } as Changed[0];
  new AskEnding(parts as unknown as Parts).endAsk(
    transaction,
    ask,
    turn as unknown as Extract<TurnChange, { kind: 'ended' }>,
  );
  return { counted, recorded };
}

it.each([
  ['turn_timeout', false, true],
  ['client_failed', false, true],
  ['cancelled', false, false],
  ['member_gone', false, false],
  ['client_failed', true, false],
])('an ask that ends with %s (a test: %s) counts against the member: %s', (code, isTest, isCounted) => {
  expect(fail(code, isTest).counted).toEqual(isCounted ? [['consultant', false]] : []);
});

it('records a code that callers do not know as a failure of the client, with its reason', () => {
  expect(fail('something_else', false).recorded).toMatchObject({ error_code: 'client_failed', error_message: 'Why.' });
  expect(fail('member_gone', false).recorded).toMatchObject({ error_code: 'member_gone', error_message: 'Why.' });
});
