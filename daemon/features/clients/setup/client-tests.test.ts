import { describe, expect, it } from 'vitest';
import { FakeClock } from '../../../testing/fake-clock.js';
import { answers, heldAnswer, ScriptedAgent } from '../../../testing/processes/scripted-agent.js';
import type { Client, TurnEvent } from '../client.js';
import { ClientTests } from './client-tests.js';

const SECRET = 'sk-ant-1234567890abcdef';

function clientTests() {
  const clock = new FakeClock();
  const seen = { changes: 0 };
  const tests = new ClientTests(clock, () => {
    seen.changes += 1;
  });
  const ended = async (id: string) => {
    while (tests.get(id).state === 'running') await new Promise(setImmediate);
    return tests.get(id);
  };
  /** Runs a test to its end. */
  const played = async (client: Client) => ended((await tests.start(client)).test);
  return { tests, clock, seen, ended, played };
}

const saying = (...events: TurnEvent[]) =>
  new ScriptedAgent('api', async function* () {
    yield* events;
  });
const text = (words: string): TurnEvent => ({ type: 'text', text: words });

describe('the test of a client', () => {
  it('is a turn without tools, from the operator, on its first model', async () => {
    const agent = saying(text('ready'));
    const { test } = await clientTests().played(agent);
    expect(agent.turns).toEqual([
      {
        conv: test,
        turn: test,
        member: {
          id: 'model-test',
          name: 'Model test',
          body: 'You answer in one word and use no tool.',
          model: 'scripted-1',
          effort: 'default',
          tools: [],
          refs: [],
          limits: { turns: 1, minutes: 5 },
        },
        text: 'This checks that you can be reached. Use no tool. Answer with the single word: ready',
        context_docs: [],
        profile: 'operator',
        session: null,
        history: [],
      },
    ]);
    const modelless = saying(text('ready'));
    modelless.models = () => [];
    await clientTests().played(modelless);
    expect(modelless.turns[0]?.member.model).toBe('strongest');
  });

  it('denies whatever the program wants to do', async () => {
    let decision: string | undefined;
    const agent = new ScriptedAgent('acp', async function* (_turn, _signal, _agent, decide) {
      decision = await decide({ tool: 'Bash', target: 'make', reason: '' });
      yield text('ready');
    });
    await clientTests().played(agent);
    expect(decision).toBe('deny');
  });

  it('runs from its start over its first words to its end, and tells each', async () => {
    const { tests, clock, seen } = clientTests();
    const agent = new ScriptedAgent('api', heldAnswer);
    const started = await tests.start(agent);
    expect(started).toEqual({
      test: expect.stringMatching(/^test-[\w-]{16}$/),
      client: 'api',
      state: 'running',
      stage: 'starting',
      answer: '',
      reason: null,
      limit_seconds: 60,
      started_at: '2026-11-21T12:00:00.000Z',
      ms: 0,
    });
    expect(seen.changes).toBe(1);
    await agent.untilHeld(1);
    clock.advance(7.6);
    expect(tests.get(started.test)).toEqual({ ...started, stage: 'answering', answer: 'Thinking. ', ms: 8 });
    expect(seen.changes).toBe(2);
    agent.finishAll();
    while (tests.get(started.test).state === 'running') await new Promise(setImmediate);
    clock.advance(100);
    const ended = { ...started, state: 'passed', stage: 'ended', answer: 'Thinking. Done.', ms: 8 };
    expect(tests.get(started.test)).toEqual(ended);
    expect([seen.changes, clock.pending]).toEqual([3, 0]);
  });

  it('has the first 400 characters of the answer, without blanks around and without secrets', async () => {
    const { played } = clientTests();
    expect((await played(saying(text(' \n'), text(`${SECRET} ready\n`)))).answer).toBe('[redacted] ready');
    expect((await played(saying(text('x'.repeat(300)), text('y'.repeat(300))))).answer).toBe(
      `${'x'.repeat(300)}${'y'.repeat(100)}`,
    );
  });

  it.each([
    ['words', [text('ready')], 3],
    ['no words', [text('')], 2],
    ['other events', [{ type: 'progress', stage: 'x', done: 1, total: 2 } as const], 2],
  ])('tells of its first words only: %s', async (_what, events, changes) => {
    const { played, seen } = clientTests();
    await played(saying(...events, ...events));
    expect(seen.changes).toBe(changes);
  });

  it.each([
    ['no word', saying(), 'It ended without an answer: try another model or program.'],
    ['blanks', saying(text(' \n')), 'It ended without an answer: try another model or program.'],
  ])('fails with %s', async (_what, agent, reason) => {
    const { played, clock } = clientTests();
    expect(await played(agent)).toMatchObject({ state: 'failed', stage: 'ended', answer: '', reason });
    expect(clock.pending).toBe(0);
  });

  it('fails with the reason of the client, without secrets', async () => {
    const broken = new ScriptedAgent('api', async function* () {
      yield text('read');
      throw new Error(`No such key: ${SECRET}`);
    });
    expect(await clientTests().played(broken)).toMatchObject({
      state: 'failed',
      answer: 'read',
      reason: 'No such key: [redacted]',
    });
  });

  it.each([undefined, 300])('fails at its limit and says what to do: %j', async (limit) => {
    const { tests, clock, ended } = clientTests();
    const agent = new ScriptedAgent('api', heldAnswer);
    const { test, limit_seconds } = await tests.start(agent, limit);
    await agent.untilHeld(1);
    clock.advance(limit_seconds * 1_000);
    expect(await ended(test)).toMatchObject({
      state: 'failed',
      ms: limit_seconds * 1_000,
      reason:
        `No answer within ${limit ?? 60} s. Start the program once in a terminal and log in there, or look at the ` +
        'endpoint itself, then test again.',
    });
  });
});

describe('the end of a test by the operator', () => {
  it('is no failure, and resolves when nothing of it runs', async () => {
    const { tests } = clientTests();
    let isOver = false;
    const agent = new ScriptedAgent('api', async function* (_turn, signal, one) {
      try {
        await one.held(signal);
        yield text('ready');
      } finally {
        await new Promise(setImmediate);
        isOver = true;
      }
    });
    const { test } = await tests.start(agent);
    await agent.untilHeld(1);
    expect(await tests.cancel(test)).toMatchObject({ state: 'cancelled', reason: 'You stopped the test.' });
    expect(isOver).toBe(true);
  });

  it('holds where the client answers all the same', async () => {
    const { tests } = clientTests();
    const agent = new ScriptedAgent('api', async function* (_turn, signal, one) {
      await one.held(signal).catch(() => undefined);
      yield text('ready');
    });
    const { test } = await tests.start(agent);
    await agent.untilHeld(1);
    expect((await tests.cancel(test)).state).toBe('cancelled');
  });

  it('does not change a test that has ended', async () => {
    const { tests, played } = clientTests();
    const ended = await played(new ScriptedAgent('api', () => answers('ready')));
    expect(await tests.cancel(ended.test)).toEqual(ended);
    await tests.stop();
    expect(tests.get(ended.test)).toEqual(ended);
  });

  it('comes with the start of the next one, and with the stop of the daemon', async () => {
    const { tests } = clientTests();
    const agent = new ScriptedAgent('api', heldAnswer);
    const first = await tests.start(agent);
    await agent.untilHeld(1);
    const second = await tests.start(agent);
    expect([tests.get(first.test).state, tests.get(second.test).state]).toEqual(['cancelled', 'running']);
    await agent.untilHeld(2);
    await tests.stop();
    expect(tests.get(second.test).state).toBe('cancelled');
  });

  it('of an unknown test is refused', async () => {
    const { tests } = clientTests();
    const unknown = {
      code: 'not_found',
      message: 'There is no such test: tests are forgotten when the daemon stops.',
    };
    await expect(tests.cancel('test-unknown')).rejects.toMatchObject(unknown);
    expect(() => tests.get('test-unknown')).toThrow(expect.objectContaining(unknown));
  });
});

it('the last eight tests are remembered', async () => {
  const { tests, played } = clientTests();
  const ids: string[] = [];
  for (let index = 0; index < 9; index += 1)
    ids.push((await played(new ScriptedAgent('api', () => answers('ready')))).test);
  expect(() => tests.get(ids[0] ?? '')).toThrow('There is no such test');
  expect(ids.slice(1).map((id) => tests.get(id).state)).toEqual(Array.from({ length: 8 }, () => 'passed'));
});
