import { describe, expect, it } from 'vitest';
import type { Citation } from '../../../contract/asks.js';
import { conversationsAlone } from '../../../testing/parts/conversations-alone.js';
import { answers, heldAnswer, ScriptedAgent } from '../../../testing/processes/scripted-agent.js';
import type { TurnEvent } from '../../clients/client.js';
import { TurnCancelledError } from '../turn-cancelled.js';
import type { RunningTurn, TurnChange, TurnPlace } from '../turn-change.js';

type Members = Parameters<typeof conversationsAlone>[1];
type Replaced = Parameters<typeof conversationsAlone>[2];

/** An agent that yields `events`, then ends unless one of them is the end. */
const yielding = (...events: TurnEvent[]) =>
  new ScriptedAgent('acp', async function* () {
    yield* events;
    yield { type: 'end', citations: [] };
  });
const held = () => new ScriptedAgent('acp', heldAnswer);

/** A conversation of `developer` on `agent`, in which `run` has a message answered. */
async function running(agent: ScriptedAgent, { members, ...replaced }: Replaced & { members?: Members } = {}) {
  const alone = conversationsAlone(agent, members, replaced);
  const { conversations, messages, transactions, turns, store, next } = alone;
  const followed: TurnChange[] = [];
  alone.runs.follow((change) => void followed.push(change));
  const { conv } = await conversations.create({ member: 'developer' });
  const say = async (text = 'go', profile: 'operator' | 'outside' = 'operator') =>
    transactions.run((transaction) => messages.putMessage(transaction, conversations.row(conv), { text }, profile));
  const ended = (turn: string) => next((event) => event.type === 'turn.ended' && event.turn === turn);
  const run = async (text?: string, profile?: 'operator' | 'outside') => {
    const turn = await say(text, profile);
    await ended(turn);
    const row = turns.find(turn);
    return { turn, row, ending: [row?.outcome, row?.code, row?.reason], answer: store.page(conv, undefined, 1)?.[0] };
  };
  return { ...alone, agent, conv, followed, say, ended, run };
}

describe('what an agent is started with', () => {
  it('is its member, the message with its documents, its session and the tools of the daemon', async () => {
    const over: string[] = [];
    const { agent, conv, run } = await running(yielding(), {
      listDocuments: ({ turn }) => [{ filename: 'a.md', content: turn }],
      openTools: (turn) => ({ url: 'http://t', token: 'secret', end: () => void over.push(turn) }),
    });
    const { turn, row } = await run('Mend it');
    expect(agent.turns).toEqual([
      {
        ...{ conv, turn, text: 'Mend it', context_docs: [{ filename: 'a.md', content: turn }], profile: 'operator' },
        member: expect.objectContaining({ id: 'developer' }),
        ...{ session: null, session_cost_usd: 0, history: [] },
        tool_server: { url: 'http://t', token: 'secret' },
      },
    ]);
    await new Promise(setImmediate);
    expect(over).toEqual([turn]);
    expect(row).toMatchObject({ client: 'acp', model: 'm-1', effort: 'high', started_ms: Date.UTC(2026, 10, 21, 12) });
  });

  it('of a turn for another program has neither tools nor a folder', async () => {
    const { agent, run } = await running(yielding(), {
      places: { enter: () => Promise.reject(new Error('It has no place.')) },
    });
    expect((await run('Why?', 'outside')).ending[0]).toBe('answered');
    expect(agent.turns[0]).not.toHaveProperty('tool_server');
    expect(agent.turns[0]).not.toHaveProperty('folder');
  });

  it('is the folder of its worktree, which it leaves, and whose paths are told as those of the project', async () => {
    const left: string[] = [];
    const entered: unknown[] = [];
    const place: TurnPlace = {
      ...{ folder: '/w/1', environment: { PORT: '1' } },
      leave: async () => void left.push('left'),
    };
    const cited: string[] = [];
    const call = { id: '1', name: 'Read', target: '/w/1/a.ts /w/1/b.ts', state: 'done' } as const;
    const { agent, conv, run } = await running(
      yielding({ type: 'text', text: 'See /w/1/a.ts:3 and /w/1/b.ts:4' }, { type: 'tool', call }),
      {
        members: { developer: { tools: ['edit'], runnable: { isolation: 'worktree' } } },
        places: {
          enter: async (row, wishes, turn, signal) => {
            entered.push([row.conv, wishes, turn, signal.aborted]);
            return place;
          },
        },
        cite: async (text, _own, profile) => {
          cited.push(`${text} ${profile} ${left.length}`);
          return { citations: [], dropped: 0 };
        },
      },
    );
    const { turn, answer } = await run();
    expect(entered).toEqual([[conv, { tools: ['edit'], isolation: 'worktree' }, turn, false]]);
    expect(agent.turns[0]).toMatchObject({ folder: '/w/1', environment: { PORT: '1' } });
    expect(cited).toEqual(['See a.ts:3 and b.ts:4 operator 1']);
    expect(answer?.calls).toEqual([{ ...call, target: 'a.ts b.ts' }]);
    expect(left).toEqual(['left']);
  });

  it('awaits what was registered before, in its order, where it works in a place', async () => {
    const prepared: string[] = [];
    const { agent, runs, run } = await running(yielding());
    for (const name of ['first', 'second'])
      runs.prepare(async ({ turn }, runnable) => {
        await Promise.resolve();
        prepared.push(`${name} ${turn} ${runnable?.member.id} ${agent.turns.length}`);
      });
    const { turn } = await run();
    expect(prepared).toEqual([`first ${turn} developer 0`, `second ${turn} developer 0`]);
    await run('Why?', 'outside');
    expect(prepared).toHaveLength(2);
  });

  it('of the built-in search is no folder', async () => {
    const agent = new ScriptedAgent('builtin' as 'acp', async function* () {
      yield { type: 'end', citations: [] };
    });
    const { run } = await running(agent, { places: { enter: () => Promise.reject(new Error('It has no place.')) } });
    expect((await run()).ending[0]).toBe('answered');
  });
});

describe('a turn that cannot run', () => {
  it.each([
    [{ client: undefined }, 'client_failed', 'Its client is not ready.'],
    [{ client: undefined, problem: 'No key.' }, 'client_failed', 'No key.'],
    [{ client: undefined, problem: 'None.', code: 'no_working_client' as const }, 'no_working_client', 'None.'],
  ])('fails with the problem of its client: %#', async (runnable, code, reason) => {
    const { run } = await running(held(), { members: { developer: { runnable } } });
    expect((await run()).ending).toEqual(['failed', code, reason]);
  });

  it('fails when its member is gone, also without a client', async () => {
    const { members, transactions, turns, conv, runs, ended } = await running(held());
    await transactions.run((transaction) =>
      turns.put(transaction, { turn: 't', conv, profile: 'operator', text: 'x', created_ms: 0 }),
    );
    members.delete('developer');
    const over = ended('t');
    runs.pump();
    await over;
    expect(turns.find('t')).toMatchObject({
      ...{ outcome: 'failed', code: 'member_gone', reason: 'The member is gone.', client: '', model: '', effort: '' },
    });
  });

  it('looks for a client again before it is refused for want of one, and only then', async () => {
    const looks: string[] = [];
    const members: NonNullable<Members> = { developer: { runnable: { code: 'no_working_client', problem: 'None.' } } };
    const { run, members: now } = await running(yielding(), {
      members,
      refreshClients: async () => {
        looks.push('looked');
        now.set('developer', {});
      },
    });
    expect((await run()).ending[0]).toBe('answered');
    await run();
    expect(looks).toEqual(['looked']);
  });

  it('fails when its place cannot be prepared, with the reason', async () => {
    const { run, agent } = await running(held(), { places: { enter: () => Promise.reject(new Error('No space.')) } });
    expect((await run()).ending).toEqual(['failed', 'worktree_failed', 'No space.']);
    expect(agent.turns).toEqual([]);
  });

  it('keeps the reason of its cancellation while its place is prepared', async () => {
    const { runs, say, ended, turns } = await running(held(), {
      places: {
        enter: (_row, _wishes, turn, signal) =>
          new Promise((_, reject) => {
            signal.addEventListener('abort', () => reject(new Error('Too late.')));
            runs.interrupt(turn, new TurnCancelledError('cancelled', 'cancelled', 'Enough.'));
          }),
      },
    });
    const turn = await say();
    await ended(turn);
    expect(turns.find(turn)).toMatchObject({ outcome: 'cancelled', reason: 'Enough.' });
  });
});

describe('the answer of a turn', () => {
  it('has the citations that were confirmed, and counts fewer places where some were not', async () => {
    const own = [{ path: 'own.ts' }] as Citation[];
    const search = { confidence: 'found', searched: { files: 1, left_out: 0 }, total: 5 } as const;
    const trace = { source: 'text' } as never;
    const citations = [{ path: 'a.ts' }] as Citation[];
    const given: unknown[] = [];
    const { run, followed } = await running(yielding({ type: 'end', citations: own, search, trace }), {
      cite: async (_text, list) => {
        given.push(list);
        return { citations, dropped: 2 };
      },
    });
    const { answer } = await run();
    expect(given).toEqual([own]);
    expect(answer).toMatchObject({ citations, dropped_citations: 2, confidence: 'found', total: 3 });
    expect(followed.at(-1)).toMatchObject({
      ...{ kind: 'ended', runnable: { revision: 'revision of developer' } },
      answer: { citations, search: { ...search, total: 3 }, trace },
    });
  });

  it('of other clients says nothing of a search', async () => {
    const { run, followed } = await running(yielding());
    await run();
    expect(followed.at(-1)).toMatchObject({ answer: { search: null, trace: null } });
  });

  it('missing at the end of the client is a failure', async () => {
    const silent = new ScriptedAgent('acp', async function* () {
      yield { type: 'text', text: 'So' };
    });
    const { run } = await running(silent);
    const { ending, answer } = await run();
    expect(ending).toEqual([
      ...['failed', 'client_failed', 'The client failed: The client acp ended without an answer.'],
    ]);
    expect(answer).toMatchObject({ role: 'assistant', text: 'So' });
  });

  it('that ended early keeps what was said or done, and no more', async () => {
    const call = { id: '1', name: 'Read', target: 'a.ts', state: 'done' } as const;
    const failing = new ScriptedAgent('acp', async function* ({ text }) {
      if (text === 'call') yield { type: 'tool', call };
      if (text === 'say') yield { type: 'text', text: 'Half' };
      throw new Error('No.');
    });
    const { run } = await running(failing);
    expect((await run('nothing')).answer).toMatchObject({ role: 'user', text: 'nothing' });
    expect((await run('call')).answer).toMatchObject({ role: 'assistant', text: '', calls: [call], citations: [] });
    expect((await run('say')).answer).toMatchObject({ role: 'assistant', text: 'Half', dropped_citations: 0 });
  });

  it('stands when it is interrupted during the check, not when it is cancelled', async () => {
    const cancel = new TurnCancelledError('cancelled', 'cancelled', 'Enough.');
    const made = await running(yielding({ type: 'text', text: 'So.' }), {
      cite: async (text) => {
        const { turn } = made.runs.listRunning()[0] as RunningTurn;
        if (turn.text === 'interrupt') made.runs.interrupt(turn.turn, cancel);
        else void made.runs.endings.cancelTurnById(turn.turn, 'cancelled', 'Enough.');
        return { citations: [], dropped: text.length };
      },
    });
    expect((await made.run('interrupt')).ending[0]).toBe('answered');
    expect((await made.run('cancel')).ending).toEqual(['cancelled', 'cancelled', 'Enough.']);
  });
});

describe('a turn that runs', () => {
  it('is announced from its start to its end', async () => {
    const { run, events } = await running(yielding());
    const from = events.length;
    await run();
    await new Promise(setImmediate);
    expect(events.slice(from).map(({ type }) => type)).toEqual([
      ...['message.added', 'conversation.updated', 'conversation.updated'],
      ...['message.added', 'turn.ended', 'conversation.updated'],
    ]);
  });

  it('tells its progress, its calls by their id and its pieces of text, none of them empty', async () => {
    const call = (id: string, state: 'running' | 'done') => ({ id, name: 'Read', target: 'a.ts', state }) as const;
    const agent = new ScriptedAgent('acp', async function* (_turn, signal, self) {
      yield { type: 'progress', stage: 'reading', done: 1, total: 2 };
      yield { type: 'text', text: '' };
      yield { type: 'text', text: 'One ' };
      yield { type: 'tool', call: call('1', 'running') };
      yield { type: 'tool', call: call('2', 'running') };
      yield { type: 'tool', call: call('1', 'done') };
      yield { type: 'text', text: 'two.' };
      await self.held(signal);
      yield { type: 'end', citations: [] };
    });
    const { runs, say, ended, conv, events } = await running(agent);
    expect(runs.live(conv)).toBeUndefined();
    const turn = await say();
    await agent.untilHeld(1);
    const calls = [call('1', 'done'), call('2', 'running')];
    const progress = { stage: 'reading', done: 1, total: 2 };
    expect(runs.live(conv)).toEqual({ turn, text: 'One two.', index: 2, progress, calls });
    const pieces = events.flatMap((event) =>
      event.type === 'turn.delta' ? [[event.conv, event.turn, event.index, event.text]] : [],
    );
    expect(pieces).toEqual([
      [conv, turn, 0, 'One '],
      [conv, turn, 1, 'two.'],
    ]);
    const used = events.flatMap((event) =>
      event.type === 'turn.tool' ? [[event.conv, event.turn, event.call.id]] : [],
    );
    expect(used).toEqual(['1', '2', '1'].map((id) => [conv, turn, id]));
    const over = ended(turn);
    agent.finishAll();
    await over;
  });

  it('adds up what it has taken, tells the gate, and keeps the session', async () => {
    const reported: unknown[] = [];
    const { run, runs, store, conv } = await running(
      yielding(
        { type: 'usage', usage: { input_tokens: 1, output_tokens: 1 } },
        { type: 'session', session: 'S', cost_usd: 2 },
        { type: 'usage', usage: { input_tokens: 3 } },
      ),
    );
    runs.setGate({
      ...{ check: () => undefined, starting: ({ turn }) => void reported.push(turn) },
      reported: (_turn, usage) => void reported.push(usage),
    });
    const { turn, row } = await run();
    const usage = { input_tokens: 3, output_tokens: 1 };
    expect(row?.usage).toEqual(usage);
    expect(reported).toEqual([turn, { input_tokens: 1, output_tokens: 1 }, usage]);
    expect(store.find(conv)?.sessions).toBe('{"acp":"S","acp cost":"2"}');
  });

  it('leaves no timer of its limit behind', async () => {
    const { run, clock } = await running(yielding());
    await run();
    await new Promise(setImmediate);
    expect(clock.pending).toBe(0);
  });

  it('that fails has its usage too', async () => {
    const failing = new ScriptedAgent('acp', async function* () {
      yield { type: 'usage', usage: { input_tokens: 3 } };
      throw new Error('No.');
    });
    const { row } = await (await running(failing)).run();
    expect(row?.usage).toEqual({ input_tokens: 3 });
  });

  it('ends at the limit of its member, in which its place is not prepared', async () => {
    const made = await running(held(), {
      members: { developer: { minutes: 2 } },
      places: {
        enter: async () => {
          made.clock.advance(600_000);
          return undefined;
        },
      },
    });
    const { agent, say, ended, clock, turns, runs } = made;
    const turn = await say();
    await agent.untilHeld(1);
    clock.advance(119_999);
    expect(runs.listRunning()).toMatchObject([{ turn: { turn }, ranMs: 119_999, isPaused: false, usage: null }]);
    const over = ended(turn);
    clock.advance(1);
    await over;
    expect(turns.find(turn)).toMatchObject({
      ...{ outcome: 'deadline', code: 'deadline', reason: 'No answer within the limit of 2 min.' },
    });
    await new Promise(setImmediate);
    expect([clock.pending, runs.listRunning()]).toEqual([0, []]);
  });

  it('of another program has no secret in its pieces', async () => {
    const token = `mk_${'a'.repeat(43)}`;
    const agent = yielding(
      { type: 'text', text: `key ${token.slice(0, 20)}` },
      { type: 'text', text: token.slice(20) },
    );
    const { run, events } = await running(agent);
    expect((await run('Why?', 'outside')).answer?.text).toBe('key [redacted]');
    expect(JSON.stringify(events)).not.toContain(token.slice(20));
  });
});

describe('a question during a turn', () => {
  const asking = (command = 'npm test') =>
    new ScriptedAgent('acp', async function* (_turn, _signal, _self, decide) {
      const detail = { kind: 'command', command, folder: '/p' } as const;
      yield* answers(await decide({ tool: 'Bash', target: 'x', reason: '', detail }));
    });

  async function asked(profile: 'operator' | 'outside' = 'operator') {
    const made = await running(asking());
    const question = made.next(({ type }) => type === 'turn.permission');
    const turn = await made.say('go', profile);
    await question;
    const { permissions, conv, ended, store, turns } = made;
    const over = ended(turn);
    const decide = (decision: 'allow_once' | 'allow_always' | 'deny') =>
      permissions.decide(conv, permissions.waiting(conv)[0]?.pid as string, { decision });
    const text = () => store.page(conv, undefined, 1)?.[0]?.text;
    const kinds = () => made.followed.map(({ kind }) => kind);
    return { ...made, turn, over, decide, text, kinds, row: () => turns.find(turn) };
  }

  it('waits for its decision, in which no time counts, and tells those that follow', async () => {
    const { runs, clock, decide, over, text, kinds, events, conv } = await asked();
    expect(runs.listRunning()).toMatchObject([{ isPaused: true }]);
    expect(events.slice(-1)).toMatchObject([{ type: 'conversation.updated', conv }]);
    clock.advance(1_800_000);
    await decide('allow_once');
    await over;
    expect([text(), kinds()]).toEqual(['allow_once', ['started', 'waiting', 'resumed', 'ended']]);
  });

  it('is not asked again where a rule allows it', async () => {
    const { decide, over, run, events, kinds } = await asked();
    await decide('allow_always');
    await over;
    const { answer } = await run('again');
    expect(answer?.text).toBe('allow_always');
    expect(events.filter(({ type }) => type === 'turn.permission')).toHaveLength(2);
    expect(kinds().slice(4)).toEqual(['started', 'resumed', 'ended']);
  });

  it('that nobody can judge is denied without being asked', async () => {
    const { run, events } = await running(asking('x'.repeat(40_000)));
    expect((await run()).answer?.text).toBe('deny');
    expect(events.some(({ type }) => type === 'turn.permission')).toBe(false);
  });

  it('of another program that nobody answered ends its turn, and one of the operator goes on', async () => {
    const outside = await asked('outside');
    outside.clock.advance(60_000);
    await outside.over;
    expect(outside.row()).toMatchObject({
      ...{ outcome: 'needs_permission', code: 'needs_permission' },
      reason: 'It needed permission to use Bash, which was not granted within a minute.',
    });
    const own = await asked();
    own.clock.advance(3_600_000);
    await own.over;
    expect(own.text()).toBe('deny');
  });

  it('of another program that was denied goes on', async () => {
    const { decide, over, text } = await asked('outside');
    await decide('deny');
    await over;
    expect(text()).toBe('deny');
  });
});
