import { describe, expect, it } from 'vitest';
import { MeshError } from '../../lib/errors.js';
import { conversationsAlone } from '../../testing/parts/conversations-alone.js';
import { heldAnswer, ScriptedAgent } from '../../testing/processes/scripted-agent.js';
import { TurnCancelledError } from './turn-cancelled.js';
import type { TurnRow } from './turns-store.js';

/** Turns of conversations that each have a member of their own, named like it. */
async function waiting(
  specs: readonly { member: string; turn: string; profile?: TurnRow['profile'] }[],
  members?: Parameters<typeof conversationsAlone>[1],
) {
  const agent = new ScriptedAgent('acp', heldAnswer);
  const alone = conversationsAlone(agent, members ?? Object.fromEntries(specs.map(({ member }) => [member, {}])));
  const { conversations, transactions, turns } = alone;
  const convs = new Map<string, string>();
  for (const { member } of specs)
    if (!convs.has(member)) convs.set(member, (await conversations.create({ member })).conv);
  await transactions.run((transaction) => {
    for (const { member, turn, profile = 'operator' } of specs)
      turns.put(transaction, { turn, conv: convs.get(member) as string, profile, text: turn, created_ms: 0 });
  });
  const states = () => specs.map(({ turn }) => turns.find(turn)?.state).join(' ');
  const texts = () => agent.turns.map(({ text }) => text).join(' ');
  const settle = async () => {
    for (let count = 0; count < 10; count += 1) await new Promise(setImmediate);
  };
  return { ...alone, agent, convs, states, texts, settle };
}

const outside = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ member: `m${at}`, turn: `${at}`, profile: 'outside' as const }));

describe('the turns that start', () => {
  it('are at most four of other programs at once, and any number of the operator', async () => {
    const own = { member: 'own', turn: 'own' };
    const { runs, agent, texts, settle } = await waiting([...outside(6), own]);
    runs.pump();
    await agent.untilHeld(5);
    await settle();
    expect(texts()).toBe('0 1 2 3 own');
    runs.pump();
    await settle();
    expect(agent.turns).toHaveLength(5);
    agent.finishAll();
    await agent.untilHeld(7);
    expect(texts()).toBe('0 1 2 3 own 4 5');
  });

  it('are one at a time in a conversation', async () => {
    const { runs, agent, texts, settle } = await waiting([
      { member: 'a', turn: 'a1' },
      { member: 'a', turn: 'a2' },
      { member: 'b', turn: 'b1' },
    ]);
    runs.pump();
    runs.pump();
    await agent.untilHeld(2);
    await settle();
    expect(texts()).toBe('a1 b1');
  });

  it('are one at a time of a member that has become a singleton meanwhile', async () => {
    const { runs, agent, texts, settle, conversations, members, transactions, turns } = await waiting([
      { member: 'a', turn: 'a1' },
    ]);
    runs.pump();
    await agent.untilHeld(1);
    const { conv } = await conversations.create({ member: 'a' });
    members.set('a', { kind: 'singleton' });
    await transactions.run((transaction) =>
      turns.put(transaction, { turn: 'a2', conv, profile: 'operator', text: 'a2', created_ms: 0 }),
    );
    runs.pump();
    await settle();
    expect(texts()).toBe('a1');
    agent.finishAll();
    await agent.untilHeld(2);
    expect(texts()).toBe('a1 a2');
  });

  it('wait for another one that counts as the same', async () => {
    const runnable = { key: 'same' };
    const { runs, agent, texts, settle } = await waiting(
      [
        { member: 'a', turn: 'a1' },
        { member: 'b', turn: 'b1' },
        { member: 'c', turn: 'c1' },
      ],
      { a: { runnable }, b: { runnable }, c: {} },
    );
    runs.pump();
    await agent.untilHeld(2);
    runs.pump();
    await settle();
    expect(texts()).toBe('a1 c1');
    agent.finishAll();
    await agent.untilHeld(3);
    expect(texts()).toBe('a1 c1 b1');
  });

  it('are those that the gate lets pass: others wait, or end with its reason', async () => {
    const { runs, agent, states, texts, settle, turns } = await waiting(
      ['pass', 'wait', 'end'].map((turn) => ({ member: turn, turn })),
    );
    const starting: string[] = [];
    const verdicts: Record<string, 'wait' | TurnCancelledError> = {
      wait: 'wait',
      end: new TurnCancelledError('failed', 'budget_exceeded', 'Enough.'),
    };
    runs.setGate({
      check: ({ turn }) => verdicts[turn],
      starting: ({ turn }) => void starting.push(turn),
      reported: () => undefined,
    });
    runs.pump();
    await agent.untilHeld(1);
    await settle();
    expect([states(), texts(), starting]).toEqual(['running queued ended', 'pass', ['pass']]);
    expect(turns.find('end')).toMatchObject({ outcome: 'failed', code: 'budget_exceeded', reason: 'Enough.' });
    delete verdicts['wait'];
    runs.pump();
    await agent.untilHeld(2);
    expect(starting).toEqual(['pass', 'wait']);
  });

  it('that cannot be refused are reported', async () => {
    const { runs, settle, transactions, lost } = await waiting([{ member: 'a', turn: 'a1' }]);
    runs.setGate({
      check: () => new TurnCancelledError('failed', 'budget_exceeded', 'Enough.'),
      ...{ starting: () => undefined, reported: () => undefined },
    });
    transactions.run = async () => {
      throw new MeshError('no_space', 'The disk is full.');
    };
    runs.pump();
    await settle();
    expect(lost).toEqual(['a1']);
  });
});

describe('the stop of a daemon', () => {
  it('ends what runs, leaves what waits, and starts nothing more', async () => {
    const { runs, agent, states, settle, turns, texts } = await waiting([
      { member: 'a', turn: 'a1' },
      { member: 'a', turn: 'a2' },
      { member: 'b', turn: 'b1' },
    ]);
    runs.pump();
    await agent.untilHeld(2);
    expect(runs.isStopped).toBe(false);
    await runs.stop();
    expect([runs.isStopped, states()]).toEqual([true, 'ended queued ended']);
    expect(turns.find('a1')).toMatchObject({
      ...{ outcome: 'failed', code: 'daemon_restarted' },
      reason: 'The daemon stopped while this was running: send it again.',
    });
    runs.pump();
    await settle();
    expect(texts()).toBe('a1 b1');
  });

  it('without one leaves turns that the next start ends, and no others', async () => {
    const { runs, transactions, turns, states } = await waiting([
      { member: 'a', turn: 'a1' },
      { member: 'b', turn: 'b1' },
    ]);
    const facts = { client: 'acp', model: 'm', effort: 'high', started_ms: 0 };
    await transactions.run((transaction) => void turns.putStarted(transaction, 'a1', facts));
    await runs.endInterrupted();
    expect(states()).toBe('ended queued');
    expect(turns.find('a1')).toMatchObject({ outcome: 'failed', code: 'daemon_restarted' });
  });

  it('denies what was asked as a restart, and other endings as a matter of time', async () => {
    const { runs, permissions, transactions, turns, database } = await waiting([
      { member: 'a', turn: 'a1' },
      { member: 'b', turn: 'b1' },
    ]);
    const signal = new AbortController().signal;
    await transactions.run((transaction) => {
      for (const turn of ['a1', 'b1'])
        permissions.putQuestion(
          transaction,
          turns.find(turn) as TurnRow,
          { tool: turn, target: '', reason: '' },
          signal,
        );
      turns.putStarted(transaction, 'a1', { client: '', model: '', effort: '', started_ms: 0 });
    });
    await runs.endInterrupted();
    await runs.endings.cancelTurnById('b1', 'cancelled', 'x');
    const denied = 'SELECT tool, decided_by AS by FROM permissions ORDER BY tool';
    expect(database.sql(denied).all()).toEqual([
      { tool: 'a1', by: 'restart' },
      { tool: 'b1', by: 'deadline' },
    ]);
  });
});

describe('the time limit of a turn that waits for another', () => {
  it('is held until it is released', async () => {
    const { runs, agent, clock, turns, settle } = await waiting([{ member: 'a', turn: 'a1' }]);
    runs.pump();
    await agent.untilHeld(1);
    const release = runs.holdLimit('a1');
    clock.advance(3_600_000);
    expect(runs.listRunning()).toMatchObject([{ isPaused: true, ranMs: 0 }]);
    release();
    clock.advance(600_000);
    await settle();
    expect(turns.find('a1')?.outcome).toBe('deadline');
    expect(runs.holdLimit('none')()).toBeUndefined();
  });

  it('is not touched by the interruption of another turn', async () => {
    const { runs, agent, states, settle } = await waiting([
      { member: 'a', turn: 'a1' },
      { member: 'b', turn: 'b1' },
    ]);
    runs.pump();
    await agent.untilHeld(2);
    runs.interrupt('none', new TurnCancelledError('cancelled', 'cancelled', 'x'));
    runs.interrupt('b1', new TurnCancelledError('cancelled', 'cancelled', 'x'));
    await settle();
    expect(states()).toBe('running ended');
  });
});

describe('a store that refuses an ending', () => {
  /** Lets the next `times` changes of the store fail. */
  const failing = (transactions: { run: unknown }, code: 'no_space' | 'internal', times: number) => {
    const run = transactions.run as (change: unknown) => Promise<unknown>;
    let left = times;
    transactions.run = async (change: unknown) => {
      left -= 1;
      if (left >= 0) throw new MeshError(code, 'No.');
      return run.call(transactions, change);
    };
  };

  it('because the disk is full is asked again every 5 seconds, so that no answer is lost', async () => {
    const { runs, agent, transactions, states, settle, clock, lost } = await waiting([{ member: 'a', turn: 'a1' }]);
    runs.pump();
    await agent.untilHeld(1);
    failing(transactions, 'no_space', 2);
    agent.finishAll();
    await settle();
    for (const state of ['running', 'ended']) {
      clock.advance(4_999);
      await settle();
      expect(states()).toBe('running');
      clock.advance(1);
      await settle();
      expect(states()).toBe(state);
    }
    expect(lost).toEqual([]);
  });

  it('is not asked again once the daemon stops', async () => {
    const { runs, agent, transactions, settle, clock, lost } = await waiting([{ member: 'a', turn: 'a1' }]);
    runs.pump();
    await agent.untilHeld(1);
    failing(transactions, 'no_space', 9);
    await expect(runs.stop()).rejects.toMatchObject({ code: 'no_space' });
    await settle();
    expect(lost).toEqual(['a1']);
    expect(clock.pending).toBe(1);
  });

  it('for another reason is reported, and the turns that wait go on after 5 seconds', async () => {
    const { runs, agent, transactions, settle, clock, lost, texts } = await waiting([
      { member: 'a', turn: 'a1' },
      { member: 'b', turn: 'b1' },
    ]);
    failing(transactions, 'internal', 1);
    runs.pump();
    await agent.untilHeld(1);
    await settle();
    expect([lost, texts()]).toEqual([['a1'], 'b1']);
    clock.advance(4_999);
    await settle();
    expect(texts()).toBe('b1');
    clock.advance(1);
    await agent.untilHeld(2);
    expect(texts()).toBe('b1 a1');
  });
});
