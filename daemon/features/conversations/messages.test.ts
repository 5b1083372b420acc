import { describe, expect, it } from 'vitest';
import { type Conversation, type MessageAccepted, QUEUE_MAX } from '../../contract/conversations.js';
import { begin, echo, ended, events, get, held, postMessage, read } from '../../testing/apps/conversing.js';
import { testApp } from '../../testing/apps/test-app.js';
import { answers, ScriptedAgent } from '../../testing/processes/scripted-agent.js';

describe('messages of a conversation', () => {
  it('are answered by the client of the member, and stored', async () => {
    const app = await testApp({ clients: [echo()] });
    const { conv, client_resolved, model_resolved } = await begin(app);
    expect({ client_resolved, model_resolved }).toEqual({ client_resolved: 'acp', model_resolved: 'scripted-1' });
    const client = await events(app);
    const { turn, queued } = await postMessage(app, conv, 'hello there');
    expect(queued).toBe(false);
    await ended(client, turn);
    const { messages, turns, live } = await read(app, conv);
    expect(messages.map(({ role, text }) => [role, text])).toEqual([
      ['user', 'hello there'],
      ['assistant', 'You said hello there.'],
    ]);
    expect(turns).toMatchObject([{ turn, state: 'ended', outcome: 'answered', client: 'acp', model: 'scripted-1' }]);
    expect(live).toBeNull();
    expect(await get(app, conv)).toMatchObject({
      title: 'hello there',
      messages: 2,
      last_outcome: 'answered',
      running: null,
      queued: 0,
    });
  });

  it('are passed to the next turn as history, together with the session of the agent', async () => {
    const agent = new ScriptedAgent('acp', async function* (turn) {
      yield { type: 'session', session: 'S1' };
      yield* answers(`${turn.text}!`);
    });
    const app = await testApp({ clients: [agent] });
    const { conv } = await begin(app);
    const client = await events(app);
    for (const text of ['one', 'two']) await ended(client, (await postMessage(app, conv, text)).turn);
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

  it('are refused while fifty wait, and accepted again when one is dropped', async () => {
    const app = await testApp({ clients: [held()] });
    const { conv } = await begin(app);
    for (let count = 0; count < 1 + QUEUE_MAX; count += 1) await postMessage(app, conv, 'go');
    const post = () => app.call('POST', `/conversations/${conv}/messages`, { text: 'one more' });
    expect(await post()).toMatchObject({ status: 429, body: { error: 'too_many_requests' } });
    const last = (await read(app, conv)).messages.at(-1);
    await app.call('DELETE', `/conversations/${conv}/messages/${last?.id}`);
    expect((await post()).status).toBe(202);
  });

  it('run one turn at a time, and queue in order', async () => {
    const agent = held();
    const app = await testApp({ clients: [agent] });
    const { conv } = await begin(app);
    const message: MessageAccepted[] = [];
    for (const text of ['one', 'two', 'three']) message.push(await postMessage(app, conv, text));
    expect(message.map(({ queued }) => queued)).toEqual([false, true, true]);
    await agent.untilHeld(1);
    expect(await get(app, conv)).toMatchObject({ running: message[0]?.turn, queued: 2 });
    for (let i = 1; i <= 3; i += 1) {
      await agent.untilHeld(i);
      agent.finishAll();
    }
    expect(agent.turns.map(({ text }) => text)).toEqual(['one', 'two', 'three']);
  });

  it('keep their partial answer when stopped, and leave the queue unless requested otherwise', async () => {
    const agent = held();
    const app = await testApp({ clients: [agent] });
    const { conv } = await begin(app);
    const client = await events(app);
    const first = await postMessage(app, conv, 'one');
    await postMessage(app, conv, 'two');
    await postMessage(app, conv, 'three');
    await agent.untilHeld(1);
    // POST .../cancel needs no body.
    expect((await app.call('POST', `/conversations/${conv}/cancel`)).status).toBe(200);
    expect(await ended(client, first.turn)).toMatchObject({ outcome: 'cancelled' });
    await agent.untilHeld(2);
    const after = (await app.call('POST', `/conversations/${conv}/cancel`, { queue: true })).body as Conversation;
    expect(after).toMatchObject({ running: null, queued: 0, last_outcome: 'cancelled' });
    const { messages, turns } = await read(app, conv);
    expect(messages.filter(({ role }) => role === 'assistant').map(({ text }) => text)).toEqual([
      'Thinking. ',
      'Thinking. ',
    ]);
    expect(turns.map(({ outcome }) => outcome)).toEqual(['cancelled', 'cancelled', 'cancelled']);
    expect(agent.turns).toHaveLength(2);
  });

  it('keep no secret of a partial answer, nor the beginning of one that an outside ask was cut off in', async () => {
    const secret = `ghp_${'aB3'.repeat(12)}`;
    const agent = new ScriptedAgent('acp', async function* (_turn, signal, self) {
      yield { type: 'text', text: `The key is ${secret.slice(0, 9)}` };
      yield { type: 'text', text: `${secret.slice(9)} and the other one is ${secret.slice(0, 20)}` };
      await self.held(signal);
    });
    const app = await testApp({ clients: [agent] });
    const { conv } = await begin(app);
    await postMessage(app, conv, 'one');
    await agent.untilHeld(1);
    await app.call('POST', `/conversations/${conv}/cancel`);
    const own = (await read(app, conv)).messages.at(-1)?.text;
    expect(own).toMatch(/^The key is .*and the other one is /);
    expect(own).not.toContain(secret);

    const { request_id, conv: outside } = await app.ask('consultant', { text: 'two' });
    await agent.untilHeld(2);
    await app.call('DELETE', `/requests/${request_id}`);
    const partial = (await read(app, outside)).messages.at(-1)?.text;
    expect(partial).toMatch(/^The key is .*and the other one is /);
    expect(partial).not.toContain(secret.slice(0, 20));
  });

  it('are streamed in numbered pieces, also to a client that connects late', async () => {
    const agent = held();
    const app = await testApp({ clients: [agent] });
    const { conv } = await begin(app);
    const client = await events(app);
    const { turn } = await postMessage(app, conv, 'one');
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

  it('are returned in pages', async () => {
    const app = await testApp({ clients: [echo()] });
    const { conv } = await begin(app);
    const client = await events(app);
    for (const text of ['1', '2', '3']) await ended(client, (await postMessage(app, conv, text)).turn);
    const newest = await read(app, conv, '?limit=4');
    expect([newest.messages.length, newest.has_more, newest.messages[0]?.text]).toEqual([4, true, '2']);
    const older = await read(app, conv, `?limit=4&before=${newest.messages[0]?.id}`);
    expect([older.messages.map(({ text }) => text), older.has_more]).toEqual([['1', 'You said 1.'], false]);
    expect((await app.call('GET', `/conversations/${conv}/messages?before=msg-none`)).status).toBe(404);
  });
});

describe('a queued message', () => {
  async function threeSaid(agent: ScriptedAgent) {
    const app = await testApp({ clients: [agent] });
    const { conv } = await begin(app);
    const client = await events(app);
    const message: MessageAccepted[] = [];
    for (const text of ['one', 'two', 'three']) message.push(await postMessage(app, conv, text));
    await agent.untilHeld(1);
    const [one = '', two = '', three = ''] = message.map(({ turn }) => turn);
    const drop = (id: string) => app.call('DELETE', `/conversations/${conv}/messages/${id}`);
    return { app, conv, client, one, two, three, drop };
  }

  it('can be dropped by its id or that of its turn, without reaching an agent', async () => {
    const agent = held();
    const { app, conv, client, one, two, three, drop } = await threeSaid(agent);
    const { messages } = await read(app, conv);
    const id = messages.find(({ turn }) => turn === two)?.id ?? '';
    const reason = 'Dropped by the operator before it was begun.';
    const record = { turn: two, state: 'ended', outcome: 'cancelled', code: 'cancelled', reason, started_at: null };
    expect(await drop(id)).toMatchObject({ status: 200, body: record });
    expect(await ended(client, two)).toMatchObject({ outcome: 'cancelled', reason });
    expect(await get(app, conv)).toMatchObject({ running: one, queued: 1 });
    expect((await read(app, conv)).turns[1]).toMatchObject(record);
    expect(await drop(three)).toMatchObject({ status: 200, body: { turn: three } });
    agent.finishAll();
    expect(await ended(client, one)).toMatchObject({ outcome: 'answered' });
    await postMessage(app, conv, 'four');
    await agent.untilHeld(2);
    expect(agent.turns.map(({ text }) => text)).toEqual(['one', 'four']);
    expect(agent.turns[1]?.history.map(({ text }) => text)).toEqual(['one', 'Thinking. Done.']);
  });

  it('cannot be dropped once it runs or has ended, or through another conversation', async () => {
    const agent = held();
    const { app, conv, client, one, two, three, drop } = await threeSaid(agent);
    const refused = (turn: string, state: string) => ({ status: 409, body: { error: 'not_waiting', turn, state } });
    expect(await drop(one)).toMatchObject(refused(one, 'running'));
    expect((await Promise.all([drop(two), drop(two)])).map(({ status }) => status)).toEqual([200, 409]);
    expect(await drop(two)).toMatchObject(refused(two, 'ended'));
    agent.finishAll();
    await ended(client, one);
    expect(await drop(one)).toMatchObject(refused(one, 'ended'));
    const other = await begin(app);
    for (const path of [
      `${other.conv}/messages/${three}`,
      `${conv}/messages/msg-none`,
      `conv-none/messages/${three}`,
      'conv-none/queue',
    ]) {
      expect(await app.call('DELETE', `/conversations/${path}`)).toMatchObject({
        status: 404,
        body: { error: 'not_found' },
      });
    }
  });

  it('is dropped together with all queued messages, but no running one', async () => {
    const agent = held();
    const { app, conv, client, one, two, three } = await threeSaid(agent);
    const dropped = await app.call('DELETE', `/conversations/${conv}/queue`);
    expect(dropped.body).toMatchObject({
      conv,
      count: 2,
      turns: [two, three].map((turn) => ({ turn, outcome: 'cancelled' })),
    });
    expect(await get(app, conv)).toMatchObject({ running: one, queued: 0 });
    agent.finishAll();
    expect(await ended(client, one)).toMatchObject({ outcome: 'answered' });
    expect((await app.call('DELETE', `/conversations/${conv}/queue`)).body).toEqual({ conv, turns: [], count: 0 });
    expect(agent.turns).toHaveLength(1);
  });

  it('is either started or dropped, but not both, when the previous turn ends concurrently', async () => {
    const agent = held();
    const app = await testApp({ clients: [agent] });
    const { conv } = await begin(app);
    const client = await events(app);
    let begun = 0;
    for (let round = 1; round <= 20; round += 1) {
      const first = await postMessage(app, conv, `first ${round}`);
      const second = await postMessage(app, conv, `second ${round}`);
      begun += 1;
      await agent.untilHeld(begun);
      const drop = () => app.call('DELETE', `/conversations/${conv}/messages/${second.turn}`);
      const dropping = round % 2 === 0 ? drop() : ended(client, first.turn).then(drop);
      agent.finishAll();
      const isBegun = (await dropping).status === 409;
      if (isBegun) {
        begun += 1;
        await agent.untilHeld(begun);
        agent.finishAll();
      }
      expect(await ended(client, second.turn)).toMatchObject({ outcome: isBegun ? 'answered' : 'cancelled' });
      expect(agent.turns.some(({ text }) => text === `second ${round}`)).toBe(isBegun);
    }
    expect(agent.turns).toHaveLength(begun);
  });

  it('of an outside ask ends that ask as cancelled when dropped', async () => {
    const agent = held();
    const app = await testApp({ clients: [agent] });
    const first = await app.ask('consultant', { text: 'one', session: 's' });
    const second = await app.ask('consultant', { text: 'two', session: 's' });
    await agent.untilHeld(1);
    expect((await app.call('DELETE', `/conversations/${first.conv}/queue`)).body).toMatchObject({ count: 1 });
    expect(await app.poll('consultant', second.request_id)).toMatchObject({
      status: 'error',
      error: { code: 'cancelled' },
    });
    agent.finishAll();
    expect(await app.poll('consultant', first.request_id, 30)).toMatchObject({ status: 'done' });
  });

  it('is not part of the history of an earlier turn', async () => {
    const agent = held();
    await threeSaid(agent);
    for (const count of [2, 3]) {
      agent.finishAll();
      await agent.untilHeld(count);
    }
    const answer = 'Thinking. Done.';
    expect(agent.turns.map(({ history }) => history.map(({ text }) => text))).toEqual([
      [],
      ['one', answer],
      ['one', answer, 'two', answer],
    ]);
  });
});
