import { describe, expect, it } from 'vitest';
import type { Conversation, ConversationList } from '../../contract/conversations.js';
import { begin, echo, ended, events, get, held, postMessage, read } from '../../testing/apps/conversing.js';
import { testApp } from '../../testing/apps/test-app.js';
import { heldAnswer, ScriptedAgent } from '../../testing/processes/scripted-agent.js';

describe('a conversation', () => {
  it('without a member uses the prompt of its agent type, and an unknown type is rejected', async () => {
    const agent = echo();
    const app = await testApp({ clients: [agent] });
    const { conv, member, agent_type } = await begin(app, { agent_type: 'audit', title: 'Look' });
    expect({ member, agent_type }).toEqual({ member: null, agent_type: 'audit' });
    const client = await events(app);
    await ended(client, (await postMessage(app, conv, 'x')).turn);
    expect(agent.turns[0]?.member).toMatchObject({
      id: 'audit',
      body: expect.stringContaining('You audit this project'),
    });
    expect((await app.call('POST', '/conversations', { agent_type: 'party' })).body).toMatchObject({
      error: 'bad_request',
      path: 'agent_type',
    });
    expect((await app.call('POST', '/conversations', { member: 'nobody' })).status).toBe(404);
    expect((await app.call('POST', '/conversations', { member: 'developer', effort: 'huge' })).status).toBe(400);
  });

  it('uses its overrides, and reports what they resolve to', async () => {
    const agent = echo();
    const app = await testApp({ clients: [agent] });
    const { conv } = await begin(app, { member: 'developer', model: 'scripted-0', effort: 'high' });
    const client = await events(app);
    await ended(client, (await postMessage(app, conv, 'x')).turn);
    expect(agent.turns[0]?.member).toMatchObject({ model: 'scripted-0', effort: 'high' });
    const patched = (await app.call('PATCH', `/conversations/${conv}`, { client: 'claude-code' })).body as Conversation;
    expect(patched).toMatchObject({
      client: 'claude-code',
      client_resolved: 'claude-code',
      problem: expect.stringContaining('not ready'),
      blocked: true,
    });
    const { turn } = await postMessage(app, conv, 'y');
    expect(await ended(client, turn)).toMatchObject({ outcome: 'failed' });
    expect((await read(app, conv)).turns.at(-1)).toMatchObject({
      code: 'client_failed',
      reason: expect.stringContaining('not ready'),
    });
  });

  it('reports which override is not supported, and still runs', async () => {
    const app = await testApp({ clients: [echo()] });
    const { conv } = await begin(app, { member: 'developer', effort: 'minimal' });
    expect(await get(app, conv)).toMatchObject({
      problem: expect.stringContaining('no effort level `minimal`'),
      blocked: false,
    });
    const client = await events(app);
    expect(await ended(client, (await postMessage(app, conv, 'x')).turn)).toMatchObject({ outcome: 'answered' });
  });

  it('is bound to its member after the first message', async () => {
    const app = await testApp({ clients: [echo()] });
    const { conv } = await begin(app);
    expect((await app.call('PATCH', `/conversations/${conv}`, { member: 'deployer' })).body).toMatchObject({
      member: 'deployer',
    });
    await postMessage(app, conv, 'x');
    expect((await app.call('PATCH', `/conversations/${conv}`, { member: 'developer' })).body).toMatchObject({
      error: 'member_bound',
    });
  });

  it('remains readable after its member is removed, but rejects new messages', async () => {
    const app = await testApp({ clients: [echo()] });
    const { conv } = await begin(app);
    const client = await events(app);
    await ended(client, (await postMessage(app, conv, 'x')).turn);
    await app.call('DELETE', '/team/developer');
    expect(await get(app, conv)).toMatchObject({ member_gone: true, problem: 'The member is gone.' });
    expect((await read(app, conv)).messages).toHaveLength(2);
    expect((await app.call('POST', `/conversations/${conv}/messages`, { text: 'y' })).body).toMatchObject({
      error: 'member_gone',
    });
  });

  it('is deleted as an empty one only without messages', async () => {
    const app = await testApp({ clients: [echo()] });
    const [said, empty] = [await begin(app), await begin(app)];
    await postMessage(app, said.conv, 'x');
    const drop = (conv: string) => app.call('DELETE', `/conversations/${conv}?only_empty=true`);
    expect(await drop(said.conv)).toMatchObject({ status: 409, body: { error: 'not_empty' } });
    expect(await get(app, said.conv)).toMatchObject({ messages: 1 });
    expect(await drop(empty.conv)).toMatchObject({ status: 200, body: { deleted: empty.conv } });
  });

  it('can be searched, renamed, pinned, archived, exported and deleted', async () => {
    const app = await testApp({ clients: [echo()] });
    const client = await events(app);
    const first = await begin(app);
    await ended(client, (await postMessage(app, first.conv, 'lanterns at dusk <b>')).turn);
    app.clock.advance(1000);
    const second = await begin(app, { member: 'deployer' });
    const ids = async (query: string) =>
      ((await app.call('GET', `/conversations?${query}`)).body as ConversationList).conversations.map(
        ({ conv }) => conv,
      );
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
    expect((await app.call('DELETE', `/conversations/${first.conv}`)).body).toEqual({
      ...{ ok: true, deleted: first.conv, kept: null },
    });
    expect((await app.call('GET', `/conversations/${first.conv}`)).status).toBe(404);
    expect(await ids('archived=true&q=lant')).toEqual([]);
  });

  it('tracks how far the operator has read, across pages and programs', async () => {
    const app = await testApp({ clients: [echo()] });
    const client = await events(app);
    const { conv, unread } = await begin(app);
    expect(unread).toBe(0);
    await ended(client, (await postMessage(app, conv, 'one')).turn);
    await ended(client, (await postMessage(app, conv, 'two')).turn);
    const unreadNow = async () => (await get(app, conv)).unread;
    expect(await unreadNow()).toBe(2);
    const { messages, first_unread } = await read(app, conv);
    const [, first, , second] = messages.map(({ id }) => id);
    expect(first_unread).toBe(first);
    expect((await app.call('PATCH', `/conversations/${conv}`, { read: first })).body).toMatchObject({ unread: 1 });
    expect((await read(app, conv, '?limit=1')).first_unread).toBe(second);
    expect((await app.call('PATCH', `/conversations/${conv}`, { read: second })).body).toMatchObject({ unread: 0 });
    expect((await read(app, conv)).first_unread).toBeNull();
    // A read position that moves backwards, as from an outdated tab, is ignored.
    expect((await app.call('PATCH', `/conversations/${conv}`, { read: first })).body).toMatchObject({ unread: 0 });
    expect(await app.call('PATCH', `/conversations/${conv}`, { read: 'msg-of-another' })).toMatchObject({
      status: 400,
      body: { path: 'read' },
    });
    const { conv: outside, request_id } = await app.ask('consultant', { text: 'three' });
    await app.poll('consultant', request_id, 30);
    expect((await get(app, outside)).unread).toBe(0);
    expect((await read(app, outside)).first_unread).toBeNull();
  });

  it('is deleted with its running, queued and concurrently sent turns', async () => {
    let atWork = 0;
    const agent = new ScriptedAgent('acp', async function* (turn, signal, self) {
      atWork += 1;
      try {
        yield* heldAnswer(turn, signal, self);
      } finally {
        atWork -= 1;
      }
    });
    const app = await testApp({ clients: [agent] });
    const { conv } = await begin(app);
    for (const text of ['one', 'two']) await postMessage(app, conv, text);
    await agent.untilHeld(1);
    const meanwhile = () => app.call('POST', `/conversations/${conv}/messages`, { text: 'more' });
    const [deleted, ...said] = await Promise.all([
      app.call('DELETE', `/conversations/${conv}`),
      ...Array.from({ length: 20 }, meanwhile),
    ]);
    expect([deleted?.status, said.every(({ status }) => status === 202 || status === 404)]).toEqual([200, true]);
    expect(atWork).toBe(0);
    expect((await app.call('DELETE', `/conversations/${conv}`)).status).toBe(404);
  });
});

describe('an outside ask of a profile', () => {
  it('archives its conversation when it ends, and a session continues in the same conversation', async () => {
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

  it('leaves its conversation open while another ask of the same session waits in it', async () => {
    const agent = held();
    const app = await testApp({ clients: [agent] });
    const asks = [
      await app.ask('consultant', { text: 'one', session: 's' }),
      await app.ask('consultant', { text: 'two', session: 's' }),
    ] as const;
    const { conv } = asks[0];
    expect(asks[1].conv).toBe(conv);
    await agent.untilHeld(1);
    agent.finishAll();
    expect((await app.poll('consultant', asks[0].request_id, 30)).status).toBe('done');
    await agent.untilHeld(2);
    expect(await get(app, conv)).toMatchObject({ archived: false });
    agent.finishAll();
    expect((await app.poll('consultant', asks[1].request_id, 30)).status).toBe('done');
    expect(await get(app, conv)).toMatchObject({ archived: true });
  });
});
