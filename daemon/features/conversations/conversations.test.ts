import { describe, expect, it } from 'vitest';
import type { Conversation, ConversationList, MessageAccepted, MessageList, Permission } from '../../contract/conversations.js';
import type { EventFrame } from '../../contract/events.js';
import { answers, heldAnswer, ScriptedAgent } from '../../testing/scripted-agent.js';
import { SocketClient } from '../../testing/socket-client.js';
import { type TestApp, testApp } from '../../testing/test-app.js';
import type { Turn } from '../clients/client.js';

const held = () => new ScriptedAgent('acp', heldAnswer);
const echo = () => new ScriptedAgent('acp', (turn: Turn) => answers(`You said ${turn.text}.`));

async function begin(app: TestApp, body: object = { member: 'developer' }): Promise<Conversation> {
  const reply = await app.call('POST', '/conversations', body);
  expect(reply.status, reply.text).toBe(201);
  return reply.body;
}
const say = async (app: TestApp, conv: string, text: string) =>
  (await app.call('POST', `/conversations/${conv}/messages`, { text })).body as MessageAccepted;
const read = async (app: TestApp, conv: string, query = '') =>
  (await app.call('GET', `/conversations/${conv}/messages${query}`)).body as MessageList;
const get = async (app: TestApp, conv: string) => (await app.call('GET', `/conversations/${conv}`)).body as Conversation;
const events = async (app: TestApp) => {
  const client = new SocketClient<EventFrame>(`${app.address.replace('http', 'ws')}/events`);
  await client.next();
  return client;
};
const ended = (client: SocketClient<EventFrame>, turn: string) =>
  client.until((frame) => frame.type === 'turn.ended' && frame.turn === turn);

describe('a conversation with a member', () => {
  it('answers on the client that the member has and keeps what was said', async () => {
    const app = await testApp({ clients: [echo()] });
    const { conv, client_resolved, model_resolved } = await begin(app);
    expect({ client_resolved, model_resolved }).toEqual({ client_resolved: 'acp', model_resolved: 'scripted-1' });
    const client = await events(app);
    const { turn, queued } = await say(app, conv, 'hello there');
    expect(queued).toBe(false);
    await ended(client, turn);
    const { messages, turns, live } = await read(app, conv);
    expect(messages.map(({ role, text }) => [role, text])).toEqual([
      ['user', 'hello there'],
      ['assistant', 'You said hello there.'],
    ]);
    expect(turns).toMatchObject([{ turn, state: 'ended', outcome: 'answered', client: 'acp', model: 'scripted-1' }]);
    expect(live).toBeNull();
    expect(await get(app, conv)).toMatchObject({ title: 'hello there', messages: 2, last_outcome: 'answered', running: null, queued: 0 });
  });

  it('gives earlier messages, and the agent’s own session, to the next turn', async () => {
    const agent = new ScriptedAgent('acp', async function* (turn) {
      yield { type: 'session', session: 'S1' };
      yield* answers(`${turn.text}!`);
    });
    const app = await testApp({ clients: [agent] });
    const { conv } = await begin(app);
    const client = await events(app);
    for (const text of ['one', 'two']) await ended(client, (await say(app, conv, text)).turn);
    expect(agent.turns.map(({ session, history }) => [session, history])).toEqual([
      [null, []],
      [
        'S1',
        [
          { role: 'user', text: 'one' },
          { role: 'assistant', text: 'one!' },
        ],
      ],
    ]);
  });

  it('runs one turn at a time; what is said meanwhile waits in order', async () => {
    const agent = held();
    const app = await testApp({ clients: [agent] });
    const { conv } = await begin(app);
    const said: MessageAccepted[] = [];
    for (const text of ['one', 'two', 'three']) said.push(await say(app, conv, text));
    expect(said.map(({ queued }) => queued)).toEqual([false, true, true]);
    await agent.untilHeld(1);
    expect(await get(app, conv)).toMatchObject({ running: said[0]?.turn, queued: 2 });
    for (let i = 1; i <= 3; i += 1) {
      await agent.untilHeld(i);
      agent.finishAll();
    }
    expect(agent.turns.map(({ text }) => text)).toEqual(['one', 'two', 'three']);
  });

  it('is stopped where it stands, keeps what it had said, and leaves the queue unless told', async () => {
    const agent = held();
    const app = await testApp({ clients: [agent] });
    const { conv } = await begin(app);
    const client = await events(app);
    const first = await say(app, conv, 'one');
    await say(app, conv, 'two');
    await say(app, conv, 'three');
    await agent.untilHeld(1);
    await app.call('POST', `/conversations/${conv}/cancel`, {});
    expect(await ended(client, first.turn)).toMatchObject({ outcome: 'cancelled' });
    await agent.untilHeld(2);
    const after = (await app.call('POST', `/conversations/${conv}/cancel`, { queue: true })).body as Conversation;
    expect(after).toMatchObject({ running: null, queued: 0, last_outcome: 'cancelled' });
    const { messages, turns } = await read(app, conv);
    expect(messages.filter(({ role }) => role === 'assistant').map(({ text }) => text)).toEqual(['Thinking. ', 'Thinking. ']);
    expect(turns.map(({ outcome }) => outcome)).toEqual(['cancelled', 'cancelled', 'cancelled']);
    expect(agent.turns).toHaveLength(2);
  });

  it('tells the text as it comes, in pieces that a reader can join, also one who comes late', async () => {
    const agent = held();
    const app = await testApp({ clients: [agent] });
    const { conv } = await begin(app);
    const client = await events(app);
    const { turn } = await say(app, conv, 'one');
    await agent.untilHeld(1);
    expect((await read(app, conv)).live).toEqual({ turn, text: 'Thinking. ', next_index: 1, calls: [] });
    agent.finishAll();
    await ended(client, turn);
    const deltas = client.frames.filter((frame) => frame.type === 'turn.delta');
    expect(deltas.map((frame) => frame.type === 'turn.delta' && [frame.index, frame.text])).toEqual([
      [0, 'Thinking. '],
      [1, 'Done.'],
    ]);
  });

  it('runs without a member on the prompt of its agent type, and refuses a type that there is not', async () => {
    const agent = echo();
    const app = await testApp({ clients: [agent] });
    const { conv, member, agent_type } = await begin(app, { agent_type: 'audit', title: 'Look' });
    expect({ member, agent_type }).toEqual({ member: null, agent_type: 'audit' });
    const client = await events(app);
    await ended(client, (await say(app, conv, 'x')).turn);
    expect(agent.turns[0]?.member).toMatchObject({ id: 'audit', body: expect.stringContaining('You audit this project') });
    expect((await app.call('POST', '/conversations', { agent_type: 'party' })).body).toMatchObject({
      error: 'bad_request',
      path: 'agent_type',
    });
    expect((await app.call('POST', '/conversations', { member: 'nobody' })).status).toBe(404);
    expect((await app.call('POST', '/conversations', { member: 'developer', effort: 'huge' })).status).toBe(400);
  });

  it('follows its overrides, shown as what they come to', async () => {
    const agent = echo();
    const app = await testApp({ clients: [agent] });
    const { conv } = await begin(app, { member: 'developer', model: 'scripted-0', effort: 'high' });
    const client = await events(app);
    await ended(client, (await say(app, conv, 'x')).turn);
    expect(agent.turns[0]?.member).toMatchObject({ model: 'scripted-0', effort: 'high' });
    const patched = (await app.call('PATCH', `/conversations/${conv}`, { client: 'claude-code' })).body as Conversation;
    expect(patched).toMatchObject({ client: 'claude-code', client_resolved: 'claude-code', problem: expect.stringContaining('not ready') });
    const { turn } = await say(app, conv, 'y');
    expect(await ended(client, turn)).toMatchObject({ outcome: 'failed' });
    expect((await read(app, conv)).turns.at(-1)).toMatchObject({ code: 'client_failed', reason: expect.stringContaining('not ready') });
  });

  it('keeps its member once something was said', async () => {
    const app = await testApp({ clients: [echo()] });
    const { conv } = await begin(app);
    expect((await app.call('PATCH', `/conversations/${conv}`, { member: 'deployer' })).body).toMatchObject({ member: 'deployer' });
    await say(app, conv, 'x');
    expect((await app.call('PATCH', `/conversations/${conv}`, { member: 'developer' })).body).toMatchObject({ error: 'member_bound' });
  });

  it('stays readable when its member is gone, and refuses more', async () => {
    const app = await testApp({ clients: [echo()] });
    const { conv } = await begin(app);
    const client = await events(app);
    await ended(client, (await say(app, conv, 'x')).turn);
    await app.call('DELETE', '/team/developer');
    expect(await get(app, conv)).toMatchObject({ member_gone: true, problem: 'The member is gone.' });
    expect((await read(app, conv)).messages).toHaveLength(2);
    expect((await app.call('POST', `/conversations/${conv}/messages`, { text: 'y' })).body).toMatchObject({ error: 'member_gone' });
  });

  it('is found by the words of its messages, renamed, pinned first, archived out of sight, exported and deleted', async () => {
    const app = await testApp({ clients: [echo()] });
    const client = await events(app);
    const first = await begin(app);
    await ended(client, (await say(app, first.conv, 'lanterns at dusk <b>')).turn);
    app.clock.advance(1000);
    const second = await begin(app, { member: 'deployer' });
    const ids = async (query: string) =>
      ((await app.call('GET', `/conversations?${query}`)).body as ConversationList).conversations.map(({ conv }) => conv);
    expect(await ids('')).toEqual([second.conv, first.conv]);
    expect(await ids('q=lant')).toEqual([first.conv]);
    expect(await ids('member=deployer')).toEqual([second.conv]);
    await app.call('PATCH', `/conversations/${first.conv}`, { pinned: true, title: 'Lights' });
    expect(await ids('')).toEqual([first.conv, second.conv]);
    const page = (await app.call('GET', '/conversations?limit=1')).body as ConversationList;
    expect(await ids(`limit=1&cursor=${page.next_cursor}`)).toEqual([second.conv]);
    for (const [format, words] of [
      ['md', '# Lights'],
      ['jsonl', '"role":"assistant"'],
      ['html', '&lt;b&gt;'],
    ] as const) {
      const document = await app.call('GET', `/conversations/${first.conv}/export?format=${format}`);
      expect([document.status, document.text.includes(words)]).toEqual([200, true]);
      expect(document.headers.get('content-disposition')).toContain('attachment');
    }
    await app.call('PATCH', `/conversations/${first.conv}`, { archived: true });
    expect(await ids('')).toEqual([second.conv]);
    expect(await ids('archived=true')).toEqual([first.conv]);
    expect((await read(app, first.conv)).messages).toHaveLength(2);
    expect((await app.call('DELETE', `/conversations/${first.conv}`)).body).toEqual({ ok: true, deleted: first.conv });
    expect((await app.call('GET', `/conversations/${first.conv}`)).status).toBe(404);
    expect(await ids('archived=true&q=lant')).toEqual([]);
  });

  it('gives long transcripts in pages', async () => {
    const app = await testApp({ clients: [echo()] });
    const { conv } = await begin(app);
    const client = await events(app);
    for (const text of ['1', '2', '3']) await ended(client, (await say(app, conv, text)).turn);
    const newest = await read(app, conv, '?limit=4');
    expect([newest.messages.length, newest.has_more, newest.messages[0]?.text]).toEqual([4, true, '2']);
    const older = await read(app, conv, `?limit=4&before=${newest.messages[0]?.id}`);
    expect([older.messages.map(({ text }) => text), older.has_more]).toEqual([['1', 'You said 1.'], false]);
    expect((await app.call('GET', `/conversations/${conv}/messages?before=msg-none`)).status).toBe(404);
  });
});

describe('a singleton', () => {
  it('has one live conversation, however it is tried', async () => {
    const app = await testApp({ clients: [echo()] });
    await app.call('PATCH', '/team/architect-master', { exposure: 'external' });
    const token = await app.tokenOf('architect-master');
    const tries = Array.from({ length: 100 }, () => [
      app.call('POST', '/conversations', { member: 'architect-master' }),
      app.call('POST', '/team/architect-master/ask', { text: 'x' }, { authorization: `Bearer ${token}` }),
    ]).flat();
    await Promise.all(tries);
    const live = (await app.call('GET', '/conversations?member=architect-master')).body as ConversationList;
    expect(live.count).toBe(1);
    const busy = await app.call('POST', '/conversations', { member: 'architect-master' });
    expect([busy.status, busy.body]).toEqual([
      409,
      expect.objectContaining({ error: 'singleton_busy', conv: live.conversations[0]?.conv }),
    ]);
  });

  it('is not brought back beside another: un-archiving it, moving to it and saying something in an archived one are refused', async () => {
    const app = await testApp({ clients: [echo()] });
    const first = await begin(app, { member: 'architect-master' });
    await app.call('PATCH', `/conversations/${first.conv}`, { archived: true });
    const second = await begin(app, { member: 'architect-master' });
    const empty = await begin(app);
    const busy = expect.objectContaining({ error: 'singleton_busy', conv: second.conv });
    expect((await app.call('PATCH', `/conversations/${first.conv}`, { archived: false })).body).toEqual(busy);
    expect((await app.call('POST', `/conversations/${first.conv}/messages`, { text: 'x' })).body).toEqual(busy);
    expect((await app.call('PATCH', `/conversations/${empty.conv}`, { member: 'architect-master' })).body).toEqual(busy);
  });

  it('is asked in the conversation that it is in', async () => {
    const agent = held();
    const app = await testApp({ clients: [agent] });
    await app.call('PATCH', '/team/architect-master', { exposure: 'external' });
    const { conv } = await begin(app, { member: 'architect-master' });
    await say(app, conv, 'mine');
    const accepted = await app.ask('architect-master', { text: 'theirs' });
    expect(accepted.conv).toBe(conv);
    await agent.untilHeld(1);
    agent.finishAll();
    await agent.untilHeld(2);
    agent.finishAll();
    expect((await app.poll('architect-master', accepted.request_id, 30)).status).toBe('done');
    expect(agent.turns.map(({ text, profile }) => [text, profile])).toEqual([
      ['mine', 'operator'],
      ['theirs', 'outside'],
    ]);
    expect((await get(app, conv)).archived).toBe(false);
  });
});

describe('an outside ask of a profile', () => {
  it('archives its conversation when it ends, and a session goes on in the same one', async () => {
    const app = await testApp({ clients: [echo()] });
    const first = await app.ask('consultant', { text: 'one', session: 's' });
    await app.poll('consultant', first.request_id, 30);
    expect(await get(app, first.conv)).toMatchObject({ archived: true, from_outside: true });
    const second = await app.ask('consultant', { text: 'two', session: 's' });
    await app.poll('consultant', second.request_id, 30);
    expect((await read(app, first.conv)).messages.map(({ text, from_outside }) => [text, from_outside])).toEqual([
      ['one', true],
      ['You said one.', false],
      ['two', true],
      ['You said two.', false],
    ]);
  });
});

/** Asks for permission, then says what it was told. */
const asking = () =>
  new ScriptedAgent('acp', async function* (_turn, _signal, _agent, decide) {
    yield { type: 'text', text: 'May I? ' };
    yield { type: 'text', text: await decide({ tool: 'edit', target: 'src/a.ts', reason: 'to mend it' }) };
    yield { type: 'end', citations: [] };
  });

describe('a permission question', () => {
  async function asked(app: TestApp, conv: string): Promise<Permission> {
    const client = await events(app);
    await say(app, conv, 'go');
    const frame = await client.until(({ type }) => type === 'turn.permission');
    return (frame as Extract<EventFrame, { type: 'turn.permission' }>).permission;
  }

  it.each(['allow_once', 'deny'] as const)('waits for the operator, whose answer %s is given to the agent', async (decision) => {
    const app = await testApp({ clients: [asking()] });
    const { conv } = await begin(app);
    const client = await events(app);
    const question = await asked(app, conv);
    expect(question).toMatchObject({ tool: 'edit', target: 'src/a.ts', reason: 'to mend it', decision: null });
    expect((await get(app, conv)).permissions).toEqual([question]);
    const path = `/conversations/${conv}/permissions/${question.pid}`;
    expect((await app.call('POST', path, { decision })).body).toMatchObject({ decision, decided_by: 'operator' });
    await ended(client, question.turn);
    expect((await read(app, conv)).messages.at(-1)?.text).toBe(`May I? ${decision}`);
    expect((await app.call('POST', path, { decision })).status).toBe(404);
  });

  it('is asked once when the answer was always, for that tool in that conversation', async () => {
    const app = await testApp({ clients: [asking()] });
    const { conv } = await begin(app);
    const client = await events(app);
    const question = await asked(app, conv);
    await app.call('POST', `/conversations/${conv}/permissions/${question.pid}`, { decision: 'allow_always' });
    await ended(client, question.turn);
    await ended(client, (await say(app, conv, 'again')).turn);
    expect((await read(app, conv)).messages.at(-1)?.text).toBe('May I? allow_always');
    const other = await begin(app);
    expect((await asked(app, other.conv)).decision).toBeNull();
  });

  it('of an outside ask is needs_input, and denied after 60 s: the ask ends as needs_permission', async () => {
    const app = await testApp({ clients: [asking()] });
    const client = await events(app);
    const { request_id } = await app.ask('consultant', { text: 'go' });
    await client.until(({ type }) => type === 'turn.permission');
    expect((await app.poll('consultant', request_id)).status).toBe('needs_input');
    app.clock.advance(60_000);
    const record = await app.poll('consultant', request_id, 30);
    expect(record).toMatchObject({ status: 'error', error: { code: 'needs_permission' } });
  });

  it('does not use up the run’s minutes while it waits, is deny when the turn is stopped, and dead after a restart', async () => {
    const app = await testApp({ clients: [asking()] });
    const { conv } = await begin(app);
    const question = await asked(app, conv);
    app.clock.advance(45 * 60_000);
    expect((await get(app, conv)).running).toBe(question.turn);
    await app.stop();
    const again = await testApp({ root: app.root, clock: app.clock, clients: [asking()] });
    expect(await get(again, conv)).toMatchObject({ running: null, permissions: [] });
    expect((await read(again, conv)).turns).toMatchObject([{ outcome: 'failed', code: 'daemon_restarted' }]);
    expect((await again.call('POST', `/conversations/${conv}/permissions/${question.pid}`, { decision: 'allow_once' })).status).toBe(404);
  });
});

describe('after a restart', () => {
  it('turns that ran are failed: daemon_restarted, and what waited is sent in order', async () => {
    const agent = held();
    const app = await testApp({ clients: [agent] });
    const { conv } = await begin(app);
    for (const text of ['one', 'two', 'three']) await say(app, conv, text);
    await agent.untilHeld(1);
    await app.stop();
    const next = echo();
    const again = await testApp({ root: app.root, clock: app.clock, clients: [next] });
    const client = await events(again);
    await ended(client, (await say(again, conv, 'four')).turn);
    expect(next.turns.map(({ text }) => text)).toEqual(['two', 'three', 'four']);
    expect((await read(again, conv)).turns.map(({ outcome, code }) => [outcome, code])).toEqual([
      ['failed', 'daemon_restarted'],
      ['answered', null],
      ['answered', null],
      ['answered', null],
    ]);
  });
});
