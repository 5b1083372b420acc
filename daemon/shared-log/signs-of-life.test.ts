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

it('keeps what was noted of an agent while its earlier sign was being sent', async () => {
  const sent: unknown[] = [];
  const signs = new SignsOfLife(
    'lamp.seen',
    {
      isShared: false,
      submit: <Result>(kind: string, entity: string, body: Record<string, unknown>) => {
        sent.push([kind, entity, body]);
        if (sent.length === 1) signs.note(1, 6);
        return undefined as Result;
      },
    },
    new FakeClock(),
  );
  signs.note(1, 5);
  await signs.stop();
  expect(signs.find(1)).toBe(6);
  await signs.stop();
  expect([sent, signs.find(1)]).toEqual([
    [5, 6].map((ms) => ['lamp.seen', 'seen', { seen: [{ agent: 1, ms }] }]),
    undefined,
  ]);
});

it('lists the agents that were seen after a time, and none once the tables were replaced', () => {
  const { signs } = someSigns();
  for (const [agent, ms] of [
    [1, 5],
    [2, 6],
    [3, 7],
  ] as const)
    signs.note(agent, ms);
  expect([signs.listAfter(4), signs.listAfter(5), signs.listAfter(7)]).toEqual([[1, 2, 3], [2, 3], []]);
  signs.clear();
  expect([signs.listAfter(0), signs.find(1)]).toEqual([[], undefined]);
});
