import { describe, expect, it, vi } from 'vitest';
import type { NewMessage } from '../../contract/conversations.js';
import type { MeshEvent } from '../../contract/events.js';
import { MeshError } from '../../lib/errors.js';
import { conversationsAlone } from '../../testing/parts/conversations-alone.js';
import { answers, heldAnswer, ScriptedAgent } from '../../testing/processes/scripted-agent.js';
import { TurnCancelledError } from './turn-cancelled.js';

const held = () => new ScriptedAgent('acp', heldAnswer);
const echo = () => new ScriptedAgent('acp', ({ text }) => answers(`${text}!`));
const isEnd = (turn: string) => (event: MeshEvent) => event.type === 'turn.ended' && event.turn === turn;

/** A conversation of `developer`, in which `say` sends messages. */
async function talking(agent = held(), members?: Parameters<typeof conversationsAlone>[1]) {
  const alone = conversationsAlone(agent, members);
  const { conv } = await alone.conversations.create({ member: 'developer' });
  const say = (text: string, more: Partial<NewMessage> = {}) => alone.messages.say(conv, { text, ...more });
  const sayAll = async (...texts: string[]) => {
    const said: string[] = [];
    for (const text of texts) said.push((await say(text)).turn);
    return said as [string, string, string];
  };
  const outcome = (turn: string) => {
    const row = alone.turns.find(turn);
    return [row?.state, row?.outcome, row?.reason];
  };
  return { ...alone, agent, conv, say, sayAll, outcome };
}

describe('a message', () => {
  it('is stored with its turn and its documents, titles the conversation and is announced', async () => {
    const { conversations, turns, store, events, conv, say, clock } = await talking();
    clock.advance(1_000);
    const { length } = events;
    const context_docs = [{ filename: 'a.md', content: 'x' }];
    const { turn, queued } = await say('Mend it\nnow', { context_docs });
    expect(queued).toBe(false);
    expect(turns.find(turn)).toMatchObject({
      conv,
      profile: 'operator',
      text: 'Mend it\nnow',
      created_ms: clock.now(),
    });
    expect(turns.documentsOf(turn)).toEqual(context_docs);
    const [message] = store.page(conv, undefined, 1) ?? [];
    expect(message).toMatchObject({
      ...{ turn, role: 'user', text: 'Mend it\nnow', context_docs: ['a.md'], from_outside: false },
      created_at: '2026-11-21T12:00:01.000Z',
    });
    expect(message?.id).toMatch(/^msg-/);
    expect(conversations.get(conv)).toMatchObject({ title: 'Mend it', updated_at: '2026-11-21T12:00:01.000Z' });
    expect(events.slice(length, length + 2)).toMatchObject([
      { type: 'message.added', conv, message },
      { type: 'conversation.updated', conv },
    ]);
    expect((await say('more')).queued).toBe(true);
    expect(conversations.get(conv).title).toBe('Mend it');
  });

  it('of another program keeps its documents elsewhere', async () => {
    const { conversations, messages, turns, store, transactions, conv } = await talking();
    const context_docs = [{ filename: 'a.md', content: 'x' }];
    const turn = await transactions.run((transaction) =>
      messages.putMessage(transaction, conversations.row(conv), { text: 'Why?', context_docs }, 'outside'),
    );
    expect([turns.documentsOf(turn), turns.find(turn)?.profile]).toEqual([[], 'outside']);
    expect(store.page(conv, undefined, 1)).toMatchObject([{ from_outside: true, context_docs: ['a.md'] }]);
  });

  it('is durable together with what is recorded with it, or not at all', async () => {
    const { messages, store, conv } = await talking();
    const recorded: string[] = [];
    const { turn } = await messages.say(conv, { text: 'x' }, { record: (_, id) => void recorded.push(id) });
    expect(recorded).toEqual([turn]);
    const record = () => {
      throw new Error('No.');
    };
    await expect(messages.say(conv, { text: 'y' }, { record })).rejects.toThrow('No.');
    expect(store.countMessages(conv)).toBe(1);
  });

  it('of a member that asks names it', async () => {
    const { messages, asked, store, conv, say } = await talking();
    const { turn } = await say('x');
    const asking = { parent: { turn, conv }, asked_by: 'developer', waits: false };
    const { turn: next } = await messages.say(conv, { text: 'y' }, { asking });
    expect(asked.findAsking(next)).toEqual({ parent: turn, parent_conv: conv, waits: false });
    expect(asked.findAsking(turn)).toBeUndefined();
    expect(store.page(conv, undefined, 1)).toMatchObject([{ asked_by: 'developer' }]);
  });

  it('takes an archived conversation up again', async () => {
    const { conversations, conv, say } = await talking();
    await conversations.patch(conv, { archived: true });
    await say('x');
    expect(conversations.get(conv).archived).toBe(false);
  });

  it('is refused where its member is gone, and possible where there was none', async () => {
    const { conversations, messages, members, say } = await talking();
    const { conv } = await conversations.create({});
    members.clear();
    await expect(say('x')).rejects.toMatchObject({
      ...{ code: 'member_gone', message: '`developer` is gone: the conversation is read-only.' },
    });
    await conversations.patch(conv, { archived: true });
    await messages.say(conv, { text: 'x' });
    await expect(messages.say('conv-x', { text: 'x' })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('is refused in an archived conversation of a singleton that lives in another', async () => {
    const { conversations, messages } = conversationsAlone(held());
    const first = await conversations.create({ member: 'architect' });
    await messages.say(first.conv, { text: 'x' });
    await conversations.patch(first.conv, { archived: true });
    const { conv } = await conversations.create({ member: 'architect' });
    await expect(messages.say(first.conv, { text: 'y' })).rejects.toMatchObject({
      ...{ code: 'singleton_busy', details: { conv } },
    });
    await messages.say(conv, { text: 'y' });
  });

  it('is refused while fifty wait behind the one that runs', async () => {
    const { agent, say } = await talking();
    for (let count = 0; count <= 50; count += 1) await say('x');
    await agent.untilHeld(1);
    await expect(say('y')).rejects.toMatchObject({
      ...{ code: 'too_many_requests', details: { retry_after: 5 } },
      message: '50 messages wait in this conversation already.',
    });
  });
});

describe('a notice of the daemon', () => {
  it('stands in an ended turn of its own, or in the turn that it is about', async () => {
    const { messages, transactions, turns, store, events, conv, say, clock } = await talking();
    clock.advance(1_000);
    const { length } = events;
    const own = await transactions.run((transaction) => messages.putNotice(transaction, conv, 'Merged.'));
    expect(turns.find(own)).toMatchObject({ conv, state: 'ended', outcome: 'answered', profile: 'operator' });
    const [message] = store.page(conv, undefined, 1) ?? [];
    expect(message).toMatchObject({
      turn: own,
      role: 'system',
      text: 'Merged.',
      created_at: '2026-11-21T12:00:01.000Z',
    });
    expect(events.slice(length)).toMatchObject([
      { type: 'message.added', conv, message },
      { type: 'conversation.updated', conv },
    ]);
    expect(store.find(conv)?.updated_ms).toBe(clock.now());
    const { turn } = await say('x');
    await messages.notice(conv, turn, 'Moved.');
    expect(store.page(conv, undefined, 1)).toMatchObject([{ turn, role: 'system', text: 'Moved.' }]);
    expect(turns.find(turn)?.state).not.toBe('ended');
  });
});

describe('stopping a conversation', () => {
  it('ends the turn that runs, and the others only if that is wanted', async () => {
    const { messages, agent, conv, sayAll, outcome } = await talking();
    const [one, two, three] = await sayAll('one', 'two', 'three');
    await agent.untilHeld(1);
    expect(await messages.cancel(conv, {})).toMatchObject({ conv, last_outcome: 'cancelled' });
    expect(outcome(one)).toEqual(['ended', 'cancelled', 'Stopped by the operator.']);
    await agent.untilHeld(2);
    expect(await messages.cancel(conv, { queue: true })).toMatchObject({ running: null, queued: 0 });
    for (const turn of [two, three]) expect(outcome(turn)).toEqual(['ended', 'cancelled', 'Stopped by the operator.']);
    expect(agent.turns.map(({ text }) => text)).toEqual(['one', 'two']);
    await expect(messages.cancel('conv-x', {})).rejects.toMatchObject({ code: 'not_found' });
  });

  it('ends a turn that is just starting', async () => {
    const { messages, conv, say, outcome, agent } = await talking();
    const { turn } = await say('one');
    await messages.cancel(conv, {});
    expect(outcome(turn)[1]).toBe('cancelled');
    expect(agent.turns).toEqual([]);
  });
});

describe('dropping messages that wait', () => {
  it('names the one by its message or its turn, and what became of it', async () => {
    const { messages, store, agent, conv, sayAll, outcome } = await talking();
    const [one, two, three] = await sayAll('one', 'two', 'three');
    await agent.untilHeld(1);
    const id = store.page(conv, undefined, 10)?.find(({ turn }) => turn === two)?.id as string;
    const reason = 'Dropped by the operator before it was begun.';
    expect(await messages.drop(conv, id)).toMatchObject({ turn: two, outcome: 'cancelled', code: 'cancelled', reason });
    expect(await messages.drop(conv, three)).toMatchObject({ turn: three, outcome: 'cancelled' });
    await expect(messages.drop(conv, 'x')).rejects.toMatchObject({
      ...{ code: 'not_found', message: 'There is no such message in this conversation.' },
    });
    await expect(messages.drop(conv, one)).rejects.toMatchObject({
      ...{ code: 'not_waiting', message: 'It runs already: cancel the turn to stop it.' },
      details: { turn: one, state: 'running' },
    });
    await expect(messages.drop(conv, id)).rejects.toMatchObject({
      ...{ code: 'not_waiting', message: 'It has ended already (cancelled): nothing of it waits.' },
      details: { turn: two, state: 'ended' },
    });
    expect(outcome(one)[0]).toBe('running');
    await expect(messages.drop('conv-x', one)).rejects.toThrow('There is no conversation `conv-x`.');
  });

  it('of a turn that is just starting is refused as of one that runs', async () => {
    const { messages, conv, say } = await talking();
    const { turn } = await say('one');
    await expect(messages.drop(conv, turn)).rejects.toMatchObject({ details: { turn, state: 'running' } });
    expect(await messages.dropAll(conv)).toEqual({ conv, turns: [], count: 0 });
  });

  it('all at once leaves the one that runs', async () => {
    const { messages, agent, conv, sayAll, outcome } = await talking();
    const [one, two, three] = await sayAll('one', 'two', 'three');
    await agent.untilHeld(1);
    const dropped = await messages.dropAll(conv);
    expect(dropped).toMatchObject({ conv, count: 2, turns: [{ turn: two, outcome: 'cancelled' }, { turn: three }] });
    expect(outcome(one)[0]).toBe('running');
    await expect(messages.dropAll('conv-x')).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('a page of the transcript', () => {
  it('has the newest messages, oldest first, their turns, and looks at the newest citations first', async () => {
    const { messages, conv, say, next, looked } = await talking(echo());
    const turns: string[] = [];
    for (const text of ['one', 'two']) {
      const { turn } = await say(text);
      turns.push(turn);
      await next(isEnd(turn));
    }
    const page = await messages.page(conv, { limit: 3 });
    expect(page.messages.map(({ text }) => text)).toEqual(['one!', 'two', 'two!']);
    expect(page).toMatchObject({ count: 3, has_more: true, turns: turns.map((turn) => ({ turn })) });
    expect(looked).toEqual([`${page.messages.map(({ id }) => id).reverse()} operator`]);
    const whole = await messages.page(conv, { limit: 4 });
    expect([whole.count, whole.has_more]).toEqual([4, false]);
    const older = await messages.page(conv, { limit: 3, before: page.messages[0]?.id as string });
    expect(older).toMatchObject({
      messages: [{ text: 'one' }],
      count: 1,
      has_more: false,
      turns: [{ turn: turns[0] }],
    });
    await expect(messages.page(conv, { before: 'x' })).rejects.toMatchObject({
      ...{ code: 'not_found', message: '"before" must be the id of a message of this conversation.' },
    });
    await expect(messages.page('conv-x', {})).rejects.toMatchObject({ code: 'not_found' });
  });

  it('has 50 messages unless told otherwise', async () => {
    const { messages, transactions, conv } = await talking();
    await transactions.run((transaction) => {
      for (let count = 0; count < 51; count += 1) messages.putNotice(transaction, conv, 'x');
    });
    expect(await messages.page(conv, {})).toMatchObject({ count: 50, has_more: true });
  });

  it('has the output so far at its end only, and what is unread of the own conversations', async () => {
    const { conversations, messages, agent, conv, say, sayAll } = await talking();
    const [one] = await sayAll('one');
    await agent.untilHeld(1);
    const live = { turn: one, text: 'Thinking. ', next_index: 1, calls: [] };
    expect(await messages.page(conv, {})).toMatchObject({ live, first_unread: null });
    const { turn } = await say('two');
    const page = await messages.page(conv, {});
    const before = page.messages[1]?.id as string;
    expect((await messages.page(conv, { before })).live).toBeNull();
    agent.finishAll();
    await agent.untilHeld(2);
    const read = await messages.page(conv, {});
    expect(read.first_unread).toBe(read.messages.find(({ role }) => role === 'assistant')?.id);
    expect(conversations.get(conv).unread).toBe(1);
    expect(read.live?.turn).toBe(turn);
  });

  it('of a conversation that another program began has nothing unread', async () => {
    const { conversations, messages, next } = await talking(echo());
    const { conv } = await conversations.create({ member: 'developer' }, { fromOutside: true });
    await next(isEnd((await messages.say(conv, { text: 'x' })).turn));
    expect(await messages.page(conv, {})).toMatchObject({ count: 2, first_unread: null });
    expect(conversations.get(conv).unread).toBe(0);
  });

  it('can be exported as a whole', async () => {
    const { messages, conv, say, next } = await talking(echo());
    await next(isEnd((await say('Mend it')).turn));
    expect([...messages.export(conv, 'md')].join('')).toMatch(
      /^# Mend it\n\ndeveloper, since [\s\S]*You, [\s\S]*Mend it!\n$/,
    );
    expect(() => messages.export('conv-x', 'md')).toThrow('There is no conversation `conv-x`.');
  });
});

describe('the ending of a turn', () => {
  it('by its id happens once, to a turn that exists, as the code says', async () => {
    const { runs, events, sayAll, outcome, turns, transactions } = await talking();
    const [one, two] = await sayAll('one', 'two');
    await runs.endings.cancelTurnById(two, 'member_gone', 'It left.');
    await runs.endings.cancelTurnById(two, 'cancelled', 'Again.');
    await runs.endings.cancelTurnById('turn-x', 'cancelled', 'No.');
    await runs.endings.cancelTurnById(one, 'cancelled', 'Enough.');
    expect([outcome(one), outcome(two)]).toEqual([
      ['ended', 'cancelled', 'Enough.'],
      ['ended', 'failed', 'It left.'],
    ]);
    expect([turns.find(one)?.code, turns.find(two)?.code]).toEqual(['cancelled', 'member_gone']);
    expect(events.filter(isEnd(two))).toHaveLength(1);
    const run = vi.spyOn(transactions, 'run');
    await runs.endings.cancelTurnById(two, 'cancelled', 'Again.');
    expect(run).not.toHaveBeenCalled();
  });

  it('is announced after its message, with its reason and usage if there are any', async () => {
    const usage = { input_tokens: 7 };
    const agent = new ScriptedAgent('acp', async function* ({ text }) {
      if (text === 'fail') throw new Error('out of luck');
      yield { type: 'usage', usage };
      yield* answers('Done.');
    });
    const { events, conv, say, next } = await talking(agent);
    for (const text of ['go', 'fail']) {
      const from = events.length;
      const { turn } = await say(text);
      await next(isEnd(turn));
      const types = events.slice(from).map(({ type }) => type);
      const reason = 'The client failed: out of luck';
      const end = events.find(isEnd(turn));
      expect(end).toMatchObject(
        text === 'go' ? { conv, outcome: 'answered', usage } : { conv, outcome: 'failed', reason },
      );
      if (text === 'go') expect(types.slice(-3)).toEqual(['message.added', 'turn.ended', 'conversation.updated']);
      expect(Object.hasOwn(end as object, 'reason')).toBe(text === 'fail');
      expect(Object.hasOwn(end as object, 'usage')).toBe(text === 'go');
    }
  });

  it('without output has no message', async () => {
    const { store, runs, conv, sayAll } = await talking();
    const [, two] = await sayAll('one', 'two');
    await runs.endings.cancelTurnById(two, 'cancelled', 'x');
    expect(store.countMessages(conv)).toBe(2);
  });

  it('keeps no secret in its reason', async () => {
    const { runs, sayAll, outcome } = await talking();
    const [, two] = await sayAll('one', 'two');
    await runs.endings.cancelTurnById(two, 'cancelled', `see mk_${'a'.repeat(43)}`);
    expect(outcome(two)[2]).toBe('see [redacted]');
    const late = runs.endings.toEnding(new MeshError('deadline', 'No answer in time.'));
    expect(late).toMatchObject({ outcome: 'deadline', code: 'deadline', reason: 'No answer in time.', usage: null });
    const { reason, code } = runs.endings.toEnding(new Error(`key mk_${'a'.repeat(43)}`));
    expect([reason, code]).toEqual(['The client failed: key [redacted]', 'client_failed']);
  });

  it('tells a follower in the same transaction, with the answer only if it was answered', async () => {
    const { runs, turns, agent, sayAll, next } = await talking();
    const followed: unknown[] = [];
    runs.follow((change) => {
      if (change.kind === 'ended')
        followed.push([change.turn.turn, change.answer?.text, turns.find(change.turn.turn)?.state]);
    });
    const [one, two] = await sayAll('one', 'two');
    await agent.untilHeld(1);
    agent.finishAll();
    await agent.untilHeld(2);
    const over = next(isEnd(two));
    runs.interrupt(two, new TurnCancelledError('failed', 'budget_exceeded', 'Enough.'));
    await over;
    expect(followed).toEqual([
      [one, 'Thinking. Done.', 'ended'],
      [two, undefined, 'ended'],
    ]);
    expect(turns.find(two)).toMatchObject({ outcome: 'failed', code: 'budget_exceeded', reason: 'Enough.' });
  });
});
