import { expect, it } from 'vitest';
import { MeshError } from '../lib/errors.js';
import { FakeClock } from '../testing/fake-clock.js';
import { SignsOfLife } from './signs-of-life.js';

const MINUTE = 60_000;

/** Signs of life over a log that keeps what it is given, and refuses while it is told to. */
function someSigns(isShared = true) {
  const clock = new FakeClock();
  const sent: unknown[] = [];
  const state = { isRefused: false };
  const submit = async <Result>(kind: string, _: string, body: Record<string, unknown>) => {
    if (state.isRefused) throw new MeshError('network_unavailable', 'No majority.');
    sent.push([kind, body.seen]);
    return undefined as Result;
  };
  return { clock, sent, state, signs: new SignsOfLife('lamp.seen', { isShared, submit }, clock) };
}

it('keeps what could not be sent until the next minute, with what was noted since', async () => {
  const { clock, sent, state, signs } = someSigns();
  signs.start();
  signs.note(1, 5);
  signs.note(2, 6);
  state.isRefused = true;
  clock.advance(MINUTE);
  await expect.poll(() => [sent, signs.find(1)]).toEqual([[], 5]);
  state.isRefused = false;
  signs.note(2, 7);
  signs.note(3, 8);
  signs.forget(1);
  clock.advance(MINUTE);
  const seen = [
    { agent: 2, ms: 7 },
    { agent: 3, ms: 8 },
  ];
  await expect.poll(() => [sent, signs.find(2)]).toEqual([[['lamp.seen', seen]], undefined]);
  // Nothing was noted since: nothing is sent.
  clock.advance(MINUTE);
  await signs.stop();
  expect(sent).toHaveLength(1);
});

it('sends at most 2,000 agents in one command, and the rest at its stop', async () => {
  const { sent, signs } = someSigns(false);
  for (let agent = 1; agent <= 2_001; agent += 1) signs.note(agent, 1);
  await signs.stop();
  expect(sent).toMatchObject([
    ['lamp.seen', { length: 2_000 }],
    ['lamp.seen', [{ agent: 2_001 }]],
  ]);
});

it('waits for no server of a network at its stop', async () => {
  const { sent, signs } = someSigns();
  signs.note(1, 5);
  await signs.stop();
  expect(sent).toEqual([]);
});
