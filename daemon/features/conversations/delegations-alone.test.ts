import { describe, expect, it } from 'vitest';
import { conversationsAlone } from '../../testing/parts/conversations-alone.js';
import { answers, ScriptedAgent } from '../../testing/processes/scripted-agent.js';
import type { Turn } from '../clients/client.js';

type Alone = ReturnType<typeof conversationsAlone>;
type Members = Parameters<typeof conversationsAlone>[1];

/** Turns that are held when their text says so, and else answer with it. `begin` starts one that is held. */
async function delegating(members: Members = { developer: {}, reviewer: {}, architect: { kind: 'singleton' } }) {
  const agent = new ScriptedAgent('acp', async function* ({ text }: Turn, signal, self) {
    if (text.startsWith('hold')) await self.held(signal);
    if (text === 'fail') throw new Error('No.');
    yield* answers(`${text}!`);
  });
  const alone = conversationsAlone(agent, members);
  const { conversations, messages, delegations } = alone;
  let begun = 0;
  const begin = async (member?: string, text = 'hold') => {
    const { conv } = await conversations.create(member === undefined ? { agent_type: 'audit' } : { member });
    const { turn } = await messages.say(conv, { text });
    begun += 1;
    await agent.untilHeld(begun);
    return { conv, turn };
  };
  const gone = new AbortController();
  const ask = (asker: string, member: string, text = 'x', signal = gone.signal) =>
    delegations.ask(asker, member, text, signal);
  /** Asks for a turn that is held, and returns it once it runs. */
  const askHeld = async (asker: string, member: string) => {
    const answer = ask(asker, member, 'hold');
    answer.catch(() => undefined);
    begun += 1;
    await agent.untilHeld(begun);
    return { answer, ...(agent.turns.at(-1) as Turn) };
  };
  return { ...alone, agent, begin, gone, ask, askHeld };
}

const endOf = ({ next }: Alone, turn: string) => next((event) => event.type === 'turn.ended' && event.turn === turn);

describe('a turn that asks another member', () => {
  it('gets its answer from a conversation that shares its place and names who asked', async () => {
    const { begin, ask, store, asked, conversations } = await delegating();
    const { turn, conv } = await begin('developer');
    const answer = await ask(turn, 'reviewer', 'Look');
    expect(answer).toEqual({
      ...{ conv: expect.stringMatching(/^conv-/), turn: expect.stringMatching(/^turn-/), text: 'Look!' },
      ...{ outcome: 'answered', code: null, reason: null },
    });
    expect(store.find(answer.conv)).toMatchObject({ member: 'reviewer', place_of: conv, from_outside: 0 });
    expect(asked.findAsking(answer.turn)).toEqual({ parent: turn, parent_conv: conv, waits: true });
    expect(store.page(answer.conv, undefined, 2)?.[0]?.asked_by).toBe('developer');
    expect(conversations.get(answer.conv).parent).toMatchObject({ conv, turn });
  });

  it('without a member is named by its type', async () => {
    const { begin, ask, store } = await delegating();
    const { turn } = await begin();
    expect(store.page((await ask(turn, 'reviewer')).conv, undefined, 2)?.[0]?.asked_by).toBe('audit');
  });

  it('hears how the other one failed, without a text', async () => {
    const { begin, ask } = await delegating();
    const { turn } = await begin('developer');
    expect(await ask(turn, 'reviewer', 'fail')).toMatchObject({
      ...{ outcome: 'failed', code: 'client_failed', reason: 'The client failed: No.', text: '' },
    });
  });

  it('reaches a singleton in its current conversation', async () => {
    const { begin, ask, conversations, store } = await delegating();
    const home = await conversations.create({ member: 'architect' });
    const { turn } = await begin('developer');
    expect((await ask(turn, 'architect')).conv).toBe(home.conv);
    expect(store.find(home.conv)?.place_of).toBeNull();
  });

  it('has its own time held meanwhile, and no longer', async () => {
    const made = await delegating();
    const { begin, askHeld, runs, agent, clock } = made;
    const { turn } = await begin('developer');
    const { answer } = await askHeld(turn, 'reviewer');
    const paused = () => runs.listRunning().find((one) => one.turn.turn === turn)?.isPaused;
    expect(paused()).toBe(true);
    clock.advance(300_000);
    agent.finishAll();
    await answer;
    expect(paused() ?? false).toBe(false);
  });
});

describe('asking is refused', () => {
  it('after the turn that asks has ended, or before it begins', async () => {
    const { begin, ask, runs, messages } = await delegating();
    const { turn, conv } = await begin('developer');
    const ended = { code: 'not_waiting', message: 'The turn that asks has ended.' };
    const { turn: queued } = await messages.say(conv, { text: 'x' });
    await expect(ask(queued, 'reviewer')).rejects.toMatchObject(ended);
    await expect(ask('turn-x', 'reviewer')).rejects.toMatchObject(ended);
    await runs.endings.cancelTurnById(turn, 'cancelled', 'x');
    await expect(ask(turn, 'reviewer')).rejects.toMatchObject(ended);
  });

  it('when the call was given up before it was made', async () => {
    const { begin, ask, gone, store } = await delegating();
    const { turn } = await begin('developer');
    gone.abort(new Error('Given up.'));
    await expect(ask(turn, 'reviewer')).rejects.toThrow('Given up.');
    expect(store.countLive('reviewer')).toBe(0);
  });

  it('for an unknown member, and then leaves no conversation', async () => {
    const { begin, ask, conversations } = await delegating();
    const { turn } = await begin('developer');
    await expect(ask(turn, 'nobody')).rejects.toMatchObject({ code: 'not_found' });
    expect(conversations.list({}).count).toBe(1);
  });

  it('for a member that waits for the answer', async () => {
    const { begin, ask, askHeld, store } = await delegating();
    const { turn } = await begin('developer');
    const child = await askHeld(turn, 'reviewer');
    for (const [asker, member, path] of [
      [child.turn, 'developer', 'developer → reviewer → developer'],
      [turn, 'developer', 'developer → developer'],
    ] as const)
      await expect(ask(asker, member)).rejects.toMatchObject({
        ...{ code: 'bad_request', details: { path: 'member' } },
        message: `\`developer\` waits for this answer itself (${path}): it cannot be asked.`,
      });
    expect(store.countLive('developer')).toBe(1);
  });

  it('beyond three members in a row below the own turn', async () => {
    const { begin, ask, askHeld } = await delegating({ a: {}, b: {}, c: {}, d: {} });
    let { turn } = await begin();
    for (const member of ['a', 'b', 'c']) turn = (await askHeld(turn, member)).turn;
    await expect(ask(turn, 'd')).rejects.toMatchObject({
      code: 'limit_reached',
      message: 'Members may ask one another 3 deep (you → a → b → c → d): answer without asking further.',
    });
  });

  it('beyond eight at once', async () => {
    const { begin, ask, askHeld, agent } = await delegating();
    const { turn } = await begin('developer');
    const asked = [];
    for (let count = 0; count < 8; count += 1) asked.push(await askHeld(turn, 'reviewer'));
    await expect(ask(turn, 'reviewer')).rejects.toMatchObject({
      code: 'limit_reached',
      message: 'This turn waits for 8 members already: take their answers.',
    });
    expect(agent.turns).toHaveLength(9);
  });

  it('while fifty wait for a singleton', async () => {
    const { begin, ask, messages } = await delegating();
    const { turn } = await begin('developer');
    const { conv } = await begin('architect');
    for (let count = 0; count < 50; count += 1) await messages.say(conv, { text: 'x' });
    await expect(ask(turn, 'architect')).rejects.toMatchObject({ code: 'too_many_requests' });
  });

  it('for a singleton whose turn waits for the one that asks', async () => {
    const singles = { a: { kind: 'singleton' }, b: { kind: 'singleton' }, c: {} } as const;
    const made = await delegating({ ...singles });
    const { begin, ask, askHeld } = made;
    const [a, b] = [await begin('a'), await begin('b')];
    // `a` waits in the queue of `b`, behind the turn that asks.
    const waits = ask(a.turn, 'b', 'later');
    waits.catch(() => undefined);
    await expect.poll(() => made.turns.countOpen(b.conv)).toBe(2);
    await expect(ask(b.turn, 'a')).rejects.toMatchObject({
      ...{ code: 'singleton_busy', details: { conv: a.conv } },
      message: '`a` waits for this turn to end: it cannot answer before.',
    });
    // Also through a member that `b` asked.
    const { turn } = await askHeld(b.turn, 'c');
    await expect(ask(turn, 'a')).rejects.toMatchObject({ code: 'singleton_busy' });
  });

  it('not for a singleton that is busy with something else', async () => {
    const made = await delegating();
    const { begin, ask, runs } = made;
    const [{ turn }, home] = [await begin('developer'), await begin('architect')];
    const answer = ask(turn, 'architect', 'later');
    await expect.poll(() => made.turns.countOpen(home.conv)).toBe(2);
    await runs.endings.cancelTurnById(home.turn, 'cancelled', 'x');
    expect(await answer).toMatchObject({ conv: home.conv, outcome: 'answered', text: 'later!' });
  });
});

describe('the turn that was asked for', () => {
  it('is cancelled with the call', async () => {
    const { begin, askHeld, gone, turns } = await delegating();
    const { turn } = await begin('developer');
    const child = await askHeld(turn, 'reviewer');
    gone.abort();
    expect(await child.answer).toMatchObject({ outcome: 'cancelled', code: 'cancelled', text: '' });
    expect(turns.find(child.turn)?.reason).toBe('The call that asked for it was cancelled.');
    expect(turns.find(turn)?.state).toBe('running');
  });

  it('is cancelled when the call is given up while it is stored', async () => {
    const { begin, ask, turns, gone, store } = await delegating();
    const { turn } = await begin('developer');
    const answer = ask(turn, 'reviewer', 'hold');
    gone.abort();
    expect(await answer).toMatchObject({ outcome: 'cancelled' });
    expect(turns.find(turn)?.state).toBe('running');
    expect(store.countLive('reviewer')).toBe(1);
  });

  it('ends with the turn that asked', async () => {
    const made = await delegating();
    const { begin, askHeld, runs, turns } = made;
    const { turn } = await begin('developer');
    const child = await askHeld(turn, 'reviewer');
    const over = endOf(made, child.turn);
    await runs.endings.cancelTurnById(turn, 'cancelled', 'Stopped.');
    await over;
    expect(turns.find(child.turn)).toMatchObject({
      ...{ outcome: 'cancelled', code: 'cancelled', reason: 'The turn that asked for it has ended.' },
    });
    expect(await child.answer).toMatchObject({ outcome: 'cancelled' });
  });

  it('that a killed daemon left is ended at the next start, unless its asker lives on', async () => {
    const { conversations, messages, transactions, turns, delegations } = await delegating();
    const { conv } = await conversations.create({});
    const row = conversations.row(conv);
    const facts = { client: '', model: '', effort: '', started_ms: 0 };
    const put = (text: string, parent?: string, waits = true) =>
      transactions.run((transaction) => {
        const asking = parent === undefined ? undefined : { parent: { turn: parent, conv }, asked_by: 'x', waits };
        const turn = messages.putMessage(transaction, row, { text }, 'outside', asking);
        turns.putStarted(transaction, turn, facts);
        return turn;
      });
    const [dead, alive, gone] = [await put('dead'), await put('alive'), await put('gone')];
    const asked = [await put('1', dead), await put('2', alive), await put('3', dead, false), await put('4', gone)];
    await transactions.run((transaction) => {
      const ending = { outcome: 'failed', code: null, reason: null, usage: null, finished_ms: 0 } as const;
      turns.putEnded(transaction, dead, ending);
      transaction.sql('DELETE FROM turns WHERE turn = ?').run(gone);
    });
    await delegations.endAbandoned();
    expect(asked.map((turn) => turns.find(turn)?.state)).toEqual(['ended', 'running', 'running', 'ended']);
    expect([turns.find(alive)?.state, turns.find(asked[0] as string)?.reason]).toEqual([
      ...['running', 'The turn that asked for it has ended.'],
    ]);
  });
});
