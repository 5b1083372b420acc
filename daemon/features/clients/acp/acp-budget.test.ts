import { describe, expect, it } from 'vitest';
import type { Usage } from '../../../contract/conversations.js';
import { begin, ended, events, postMessage, read } from '../../../testing/apps/conversing.js';
import { testApp } from '../../../testing/apps/test-app.js';
import { FakeClock } from '../../../testing/fake-clock.js';
import { aTurn, isAlive, play, standIn } from '../../../testing/stand-ins/stand-in.js';

/** Runs a turn that takes 120 tokens and more than the budget. Returns how it ended and what the budget says then. */
async function passBudget({ limits, steps }: { limits: object; steps: readonly object[] }) {
  const usage = { inputTokens: 90, outputTokens: 30 };
  const { client } = standIn('acp', { usage, steps }, { clock: new FakeClock() });
  const app = await testApp({ clients: [client] });
  const { conv } = await begin(app);
  expect((await app.call('PUT', '/budgets/day', limits)).status).toBe(200);
  const socket = await events(app);
  await ended(socket, (await postMessage(app, conv, 'go')).turn);
  const { body: day } = await app.call('GET', '/budgets/day');
  return { turn: (await read(app, conv)).turns.at(-1), day };
}

describe('a turn on the acp client that reaches its budget right before its end', () => {
  it.each([
    ['tokens', { limits: { tokens: 100 }, steps: [{ text: 'Done.' }] }],
    ['cost', { limits: { cost_usd: 0.1 }, steps: [{ text: 'Done.' }, { cost: 0.5 }] }],
  ])('keeps its answer: %s', async (_, budget) => {
    expect(await passBudget(budget)).toMatchObject({
      turn: { outcome: 'answered', code: null },
      day: { state: 'reached', spent: { tokens: 120 } },
    });
  });

  it.each([
    ['tokens', { limits: { tokens: 100 }, steps: [{ text: 'Half.' }, { stop: 'refusal' }] }],
    ['cost', { limits: { cost_usd: 0.1 }, steps: [{ cost: 0.5 }, { stop: 'refusal' }] }],
  ])('keeps the reason of its failure: %s', async (_, budget) => {
    expect(await passBudget(budget)).toMatchObject({
      turn: { outcome: 'failed', code: 'client_failed', reason: expect.stringContaining('refused to answer') },
      day: { state: 'reached', spent: { tokens: 120 } },
    });
  });

  it('is ended by a cost after which it goes on', async () => {
    const steps = [{ cost: 0.5 }, { text: 'Half.' }, { hang: true }];
    expect(await passBudget({ limits: { cost_usd: 0.1 }, steps })).toMatchObject({
      turn: { outcome: 'failed', code: 'budget_exceeded' },
      day: { spent: { cost_usd: 0.5 } },
    });
  });
});

describe('the cost of a turn on the acp client', () => {
  it('is reported after a quarter of a second when the agent says nothing more', async () => {
    const clock = new FakeClock();
    const { client } = standIn('acp', { steps: [{ cost: 0.5 }, { hang: true }] }, { clock });
    const usages: Usage[] = [];
    const off = new AbortController();
    const run = async () => {
      for await (const event of client.run(aTurn(), off.signal, async () => 'deny')) {
        if (event.type === 'session' && event.cost_usd !== undefined) clock.advance(250);
        if (event.type !== 'usage') continue;
        usages.push(event.usage);
        off.abort(new Error('seen'));
      }
    };
    await expect(run()).rejects.toThrow('seen');
    expect(usages[0]).toEqual({ cost_usd: 0.5 });
  });

  it('is reported when the agent dies right after it', async () => {
    const { client } = standIn('acp', { steps: [{ cost: 0.5 }, { exit: 1 }] }, { clock: new FakeClock() });
    const { error, usages } = await play(client, aTurn());
    expect(error?.message).toContain('ended without an answer (exit 1)');
    expect(usages).toEqual([{ cost_usd: 0.5 }]);
  });
});

it('an answer on the acp client does not wait for the exit of the agent, which the run awaits', async () => {
  const { client } = standIn('acp', { steps: [{ text: 'Done.' }] });
  let pid = 0;
  let isRunning: boolean | undefined;
  for await (const event of client.run(aTurn(), new AbortController().signal, async () => 'deny')) {
    if (event.type === 'session') pid = Number(event.session.replace('scripted-', ''));
    if (event.type === 'end') isRunning = isAlive(pid);
  }
  expect([isRunning, isAlive(pid)]).toEqual([true, false]);
});
