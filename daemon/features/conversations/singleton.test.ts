import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ConversationList } from '../../contract/conversations.js';
import { begin, echo, ended, events, get, held, postMessage, read } from '../../testing/apps/conversing.js';
import { type TestApp, testApp } from '../../testing/apps/test-app.js';
import type { Reply } from '../../testing/caller.js';
import { ScriptedAgent } from '../../testing/processes/scripted-agent.js';
import { putFiles } from '../../testing/temporary-folder.js';

describe('a singleton', () => {
  it('has one live conversation under concurrent requests', async () => {
    const app = await testApp({ clients: [echo()] });
    await app.call('PATCH', '/team/architect-master', { exposure: 'external' });
    const token = await app.getToken('architect-master');
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

  it('cannot get a second live conversation by un-archiving, a member change or a message to an archived one', async () => {
    const app = await testApp({ clients: [echo()] });
    const first = await begin(app, { member: 'architect-master' });
    await app.call('PATCH', `/conversations/${first.conv}`, { archived: true });
    const second = await begin(app, { member: 'architect-master' });
    const empty = await begin(app);
    const busy = expect.objectContaining({ error: 'singleton_busy', conv: second.conv });
    expect((await app.call('PATCH', `/conversations/${first.conv}`, { archived: false })).body).toEqual(busy);
    expect((await app.call('POST', `/conversations/${first.conv}/messages`, { text: 'x' })).body).toEqual(busy);
    expect((await app.call('PATCH', `/conversations/${empty.conv}`, { member: 'architect-master' })).body).toEqual(
      busy,
    );
  });

  it('does not disclose turns or sessions of the operator to other programs', async () => {
    const agent = new ScriptedAgent('acp', async function* ({ profile }) {
      yield { type: 'session', session: `of ${profile}` };
      yield { type: 'text', text: `said to ${profile}` };
      yield { type: 'end', citations: [] };
    });
    const app = await testApp({ clients: [agent] });
    await app.call('PATCH', '/team/architect-master', { exposure: 'external' });
    const { conv } = await begin(app, { member: 'architect-master' });
    const client = await events(app);
    const sayAndWait = async (text: string) => ended(client, (await postMessage(app, conv, text)).turn);
    const ask = async (text: string) =>
      app.poll('architect-master', (await app.ask('architect-master', { text })).request_id, 30);
    await sayAndWait('mine');
    await ask('theirs');
    await ask('theirs again');
    await sayAndWait('mine again');
    expect(agent.turns.map(({ session, history }) => [session, history.map(({ text }) => text)])).toEqual([
      [null, []],
      [null, []],
      ['of outside', ['theirs', 'said to outside']],
      ['of operator', ['mine', 'said to operator', 'theirs', 'said to outside', 'theirs again', 'said to outside']],
    ]);
    expect(agent.turns[3]?.history.flatMap(({ from, text }) => (from === undefined ? [] : [text]))).toEqual([
      'theirs',
      'theirs again',
    ]);
  });

  it('receives an ask in its current conversation', async () => {
    const agent = held();
    const app = await testApp({ clients: [agent] });
    await app.call('PATCH', '/team/architect-master', { exposure: 'external' });
    const { conv } = await begin(app, { member: 'architect-master' });
    await postMessage(app, conv, 'mine');
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

const getLive = async (app: TestApp, member: string) =>
  ((await app.call('GET', `/conversations?member=${member}`)).body as ConversationList).count;

/** An agent that echoes its input and records the maximum number of concurrent turns. */
function counting() {
  const most = { atOnce: 0 };
  let running = 0;
  const agent = new ScriptedAgent('acp', async function* (turn) {
    running += 1;
    most.atOnce = Math.max(most.atOnce, running);
    yield { type: 'text', text: `You said ${turn.text}.` };
    running -= 1;
    yield { type: 'end', citations: [] };
  });
  return { agent, most };
}

describe('a second instance of a singleton', () => {
  it('is never created by 200 concurrent attempts over every route', async () => {
    const { agent, most } = counting();
    const app = await testApp({ clients: [agent] });
    const member = 'architect-master';
    await app.call('PATCH', `/team/${member}`, { exposure: 'external' });
    const authorization = `Bearer ${await app.getToken(member)}`;
    const archived: string[] = [];
    for (let count = 0; count < 5; count += 1) {
      const { conv } = await begin(app, { member });
      await app.call('PATCH', `/conversations/${conv}`, { archived: true });
      archived.push(conv);
    }
    const empty: string[] = [];
    for (let count = 0; count < 5; count += 1) empty.push((await begin(app)).conv);
    const tasks = Array.from({ length: 8 }, (_, task) => `- [ ] task-${task}: do it @${member}`);
    putFiles(app.root, { '.mesh/roadmap.md': `# Plan\n\n${tasks.join('\n')}\n` });

    const of = (all: string[], count: number) => all[count % all.length];
    const routes: ((count: number) => Promise<Reply>)[] = [
      () => app.call('POST', '/conversations', { member }),
      (count) => app.call('POST', `/team/${member}/ask`, { text: 'x', session: `s${count}` }, { authorization }),
      (count) => app.call('POST', `/team/${member}/v1/ask`, { text: 'x', session: `v${count}` }, { authorization }),
      (count) => app.call('PATCH', `/conversations/${of(archived, count)}`, { archived: false }),
      (count) => app.call('POST', `/conversations/${of(archived, count)}/messages`, { text: 'x' }),
      (count) => app.call('PATCH', `/conversations/${of(empty, count)}`, { member }),
      () => app.call('POST', '/roadmap/run', { limit: 8 }),
      () => app.call('PATCH', `/team/${member}`, { description: 'Keeps the plan.' }),
    ];
    const seen: Promise<number>[] = [];
    const replies = await Promise.all(
      routes.flatMap((attempt) =>
        Array.from({ length: 25 }, (_, count) => {
          if (count % 5 === 0) seen.push(getLive(app, member));
          return attempt(count);
        }),
      ),
    );
    expect(replies).toHaveLength(200);
    expect(replies.filter(({ status }) => status >= 500)).toEqual([]);
    expect(Math.max(...(await Promise.all(seen)), await getLive(app, member))).toBe(1);
    expect(most.atOnce).toBe(1);
    expect((await app.call('GET', `/team/${member}`)).body).toMatchObject({ instances: 1 });
  });
});

describe('a member that becomes a singleton by an edit of its file', () => {
  const rewrite = (root: string, from: string, to: string) => {
    const path = join(root, '.mesh/team/developer.md');
    writeFileSync(path, readFileSync(path, 'utf8').replace(`kind: ${from}\n`, `kind: ${to}\n`));
  };
  const reason = '`developer` became a singleton and goes on in another conversation; this one was archived.';

  it('continues in the most recently active conversation with a running turn, and the others are archived with their turns cancelled', async () => {
    const agent = held();
    const app = await testApp({ clients: [agent] });
    const client = await events(app);
    const idle = await begin(app);
    const older = await begin(app);
    const home = await begin(app);
    const running = await postMessage(app, older.conv, 'one');
    const waiting = await postMessage(app, older.conv, 'two');
    app.clock.advance(1_000);
    const kept = await postMessage(app, home.conv, 'three');
    const keptWaiting = await postMessage(app, home.conv, 'four');
    await agent.untilHeld(2);
    app.clock.advance(1_000);
    // The most recently active conversation, but without a running turn.
    await app.call('PATCH', `/conversations/${idle.conv}`, { archived: true });
    await app.call('PATCH', `/conversations/${idle.conv}`, { archived: false });
    rewrite(app.root, 'profile', 'singleton');
    expect((await app.call('GET', '/team/developer')).body).toMatchObject({ kind: 'singleton', instances: 1 });
    expect(await get(app, home.conv)).toMatchObject({ archived: false, running: kept.turn, queued: 1 });
    for (const { conv } of [idle, older])
      expect(await get(app, conv)).toMatchObject({ archived: true, running: null, queued: 0 });
    const endings = (await read(app, older.conv)).turns.map(({ turn, outcome, code, reason: why }) => [
      turn,
      outcome,
      code,
      why,
    ]);
    expect(endings).toEqual([running, waiting].map(({ turn }) => [turn, 'cancelled', 'cancelled', reason]));
    await client.until(({ type }) => type === 'team.updated');
    const told = client.frames.flatMap((frame) => (frame.type === 'conversation.archived' ? [frame.conv] : []));
    expect(new Set(told.slice(-2))).toEqual(new Set([idle.conv, older.conv]));
    expect(client.frames).toContainEqual(
      expect.objectContaining({ type: 'turn.ended', turn: running.turn, outcome: 'cancelled', reason }),
    );
    expect((await app.call('POST', '/conversations', { member: 'developer' })).body).toMatchObject({
      error: 'singleton_busy',
      conv: home.conv,
    });
    agent.finishAll();
    await ended(client, kept.turn);
    await agent.untilHeld(3);
    agent.finishAll();
    expect(await ended(client, keptWaiting.turn)).toMatchObject({ outcome: 'answered' });
    expect(agent.turns.map(({ text }) => text)).toEqual(['one', 'three', 'four']);
  });

  it('continues in the most recently active conversation when no turn runs, and receives asks there', async () => {
    const app = await testApp({ clients: [echo()] });
    const client = await events(app);
    const [first, second, third] = [await begin(app), await begin(app), await begin(app)];
    for (const { conv } of [first, third, second]) {
      app.clock.advance(1_000);
      await ended(client, (await postMessage(app, conv, 'x')).turn);
    }
    rewrite(app.root, 'profile', 'singleton');
    await client.until(({ type }) => type === 'team.updated');
    expect(await getLive(app, 'developer')).toBe(1);
    expect((await get(app, second.conv)).archived).toBe(false);
    await app.call('PATCH', '/team/developer', { exposure: 'external' });
    expect((await app.ask('developer', { text: 'y' })).conv).toBe(second.conv);
    rewrite(app.root, 'singleton', 'profile');
    expect((await app.call('GET', '/team/developer')).body).toMatchObject({ kind: 'profile' });
    await begin(app);
    expect((await app.call('PATCH', `/conversations/${first.conv}`, { archived: false })).status).toBe(200);
  });

  it('ends outside asks in archived conversations as cancelled, without details of the other conversation', async () => {
    const agent = held();
    const app = await testApp({ clients: [agent] });
    await app.call('PATCH', '/team/developer', { exposure: 'external' });
    const { request_id } = await app.ask('developer', { text: 'theirs' });
    app.clock.advance(1_000);
    const { conv } = await begin(app, { member: 'developer', title: 'Secret plans' });
    await postMessage(app, conv, 'mine');
    await agent.untilHeld(2);
    rewrite(app.root, 'profile', 'singleton');
    await app.call('GET', '/team');
    const record = await app.poll('developer', request_id, 30);
    expect(record).toMatchObject({ status: 'error', error: { code: 'cancelled', message: reason } });
    expect(JSON.stringify(record)).not.toContain('Secret');
    expect(JSON.stringify(record)).not.toContain(conv);
  });

  it('runs no turn beside one that started before the edit, even after that conversation is archived', async () => {
    const agent = held();
    const app = await testApp({ clients: [agent] });
    const client = await events(app);
    const before = await begin(app);
    const first = await postMessage(app, before.conv, 'one');
    await agent.untilHeld(1);
    rewrite(app.root, 'profile', 'singleton');
    await app.call('GET', '/team');
    await app.call('PATCH', `/conversations/${before.conv}`, { archived: true });
    const after = await begin(app);
    const second = await postMessage(app, after.conv, 'two');
    expect(await get(app, after.conv)).toMatchObject({ running: null, queued: 1 });
    agent.finishAll();
    await ended(client, first.turn);
    await agent.untilHeld(2);
    agent.finishAll();
    expect(await ended(client, second.turn)).toMatchObject({ outcome: 'answered' });
  });

  it('is reduced to one conversation at startup after an edit while no daemon was running', async () => {
    const agent = held();
    const app = await testApp({ clients: [agent] });
    const older = await begin(app);
    const home = await begin(app);
    for (const text of ['one', 'two']) await postMessage(app, older.conv, text);
    app.clock.advance(1_000);
    for (const text of ['three', 'four']) await postMessage(app, home.conv, text);
    await agent.untilHeld(2);
    await app.stop();
    rewrite(app.root, 'profile', 'singleton');
    app.clock.advance(1_000);
    const next = echo();
    const again = await testApp({ root: app.root, clock: app.clock, clients: [next] });
    const client = await events(again);
    expect((await again.call('GET', '/team/developer')).body).toMatchObject({ kind: 'singleton', instances: 1 });
    expect(await get(again, older.conv)).toMatchObject({ archived: true, queued: 0 });
    await ended(client, (await postMessage(again, home.conv, 'five')).turn);
    expect(next.turns.map(({ text }) => text)).toEqual(['four', 'five']);
    const endings = (await read(again, older.conv)).turns.map(({ outcome, code, reason: why }) => [outcome, code, why]);
    expect(endings).toEqual([
      ['failed', 'daemon_restarted', expect.stringContaining('The daemon stopped')],
      ['cancelled', 'cancelled', reason],
    ]);
  });

  it('is reduced to one conversation when a new singleton takes the id of a removed profile', async () => {
    const app = await testApp({ clients: [echo()] });
    await app.call('POST', '/team', { id: 'tester', body: 'You test.' });
    const [first, second] = [await begin(app, { member: 'tester' }), await begin(app, { member: 'tester' })];
    await app.call('DELETE', '/team/tester');
    expect(
      (await app.call('POST', '/team', { id: 'tester', kind: 'singleton', body: 'You test.' })).body,
    ).toMatchObject({ instances: 1 });
    expect([(await get(app, first.conv)).archived, (await get(app, second.conv)).archived]).toEqual([true, false]);
  });
});
