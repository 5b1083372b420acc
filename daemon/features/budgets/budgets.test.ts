import { cpSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Usage } from '../../contract/conversations.js';
import type { EventFrame } from '../../contract/events.js';
import type { Budget, BudgetEdit, BudgetList } from '../../contract/work/budgets.js';
import { begin, ended, events, postMessage, read } from '../../testing/apps/conversing.js';
import { type TestApp, testApp } from '../../testing/apps/test-app.js';
import { answers, ScriptedAgent } from '../../testing/processes/scripted-agent.js';
import type { SocketClient } from '../../testing/processes/socket-client.js';
import { callTurnTool } from '../../testing/processes/turn-tools.js';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import type { Turn } from '../clients/client.js';

const HOUR_MS = 3_600_000;
const scopeOf = (conv: string) => `conversation:${conv}`;
const path = (scope: string, more = '') => `/budgets/${encodeURIComponent(scope)}${more}`;
const set = async (app: TestApp, scope: string, limits: BudgetEdit) => {
  const reply = await app.call('PUT', path(scope), limits);
  expect(reply.status, reply.text).toBe(200);
  return reply.body as unknown as Budget;
};
const get = async (app: TestApp, scope: string) => (await app.call('GET', path(scope))).body as unknown as Budget;
const list = async (app: TestApp) => (await app.call('GET', '/budgets')).body as unknown as BudgetList;
const raise = (app: TestApp, scope: string, body: object) => app.call('POST', path(scope, '/raise'), body);

/** An agent that reports `usage` after a text, waits to be released, and answers. */
const spending = (...usage: Usage[]) =>
  new ScriptedAgent('acp', async function* (_turn, signal, agent) {
    yield { type: 'text', text: 'Half of it. ' };
    for (const one of usage) yield { type: 'usage', usage: one };
    await agent.held(signal);
    yield* answers('The rest.');
  });
/** An agent that answers at once and reports `usage`. */
const quick = (usage: Usage | undefined) =>
  new ScriptedAgent('acp', async function* () {
    if (usage) yield { type: 'usage', usage };
    yield* answers('Done.');
  });

const turnOf = async (app: TestApp, conv: string, at = -1) => (await read(app, conv)).turns.at(at);
const told = (client: SocketClient<EventFrame>, type: EventFrame['type'], scope: string) =>
  client.until((frame) => frame.type === type && 'scope' in frame && frame.scope === scope);

describe('a budget', () => {
  it('counts each turn once, however often its client reports', async () => {
    const agent = spending(
      { input_tokens: 10, output_tokens: 1 },
      { input_tokens: 30, output_tokens: 4, cost_usd: 0.5 },
    );
    const app = await testApp({ clients: [agent] });
    const { conv } = await begin(app);
    const client = await events(app);
    const { turn } = await postMessage(app, conv, 'go');
    await agent.untilHeld(1);
    app.clock.advance(90_000);
    agent.finishAll();
    await ended(client, turn);
    const spent = { tokens: 34, cost_usd: 0.5, minutes: 1.5, turns: 1 };
    for (const scope of [scopeOf(conv), 'member:developer', 'day'])
      expect(await get(app, scope), scope).toMatchObject({ spent, state: 'ok', share: null });
    expect((await list(app)).budgets.map(({ scope }) => scope)).toEqual(['day']);
  });

  it('ends the running turn at its limit and keeps what it said; a raise starts what waits', async () => {
    const agent = spending({ input_tokens: 90, output_tokens: 30 });
    const app = await testApp({ clients: [agent] });
    const { conv } = await begin(app);
    await set(app, scopeOf(conv), { tokens: 100 });
    const client = await events(app);
    const { turn } = await postMessage(app, conv, 'one');
    const next = await postMessage(app, conv, 'two');
    expect(await ended(client, turn)).toMatchObject({ outcome: 'failed', usage: { input_tokens: 90 } });
    expect(await turnOf(app, conv, 0)).toMatchObject({
      code: 'budget_exceeded',
      reason: 'The budget of the conversation is used up: 120 tokens of 100 tokens. Raise it to go on.',
    });
    expect((await read(app, conv)).messages.map(({ text }) => text)).toEqual(['one', 'two', 'Half of it. ']);
    expect(await get(app, scopeOf(conv))).toMatchObject({ state: 'reached', waiting: 1, share: 1.2 });
    expect((await list(app)).budgets[0]).toMatchObject({ scope: scopeOf(conv), name: 'one' });
    expect(agent.turns).toHaveLength(1);

    expect(await raise(app, scopeOf(conv), { limits: { tokens: 120 } })).toMatchObject({
      status: 400,
      body: { path: 'limits.tokens' },
    });
    // From what was spent: half of the limit would be less.
    expect((await raise(app, scopeOf(conv), { percent: 50 })).body).toMatchObject({
      limits: { tokens: 180 },
      state: 'ok',
      waiting: 0,
    });
    await ended(client, next.turn);
    expect(agent.turns).toHaveLength(2);
  });

  it('answers a turn whose last report is beyond the limit, and starts no other', async () => {
    const agent = quick({ input_tokens: 500 });
    const app = await testApp({ clients: [agent] });
    const { conv } = await begin(app);
    await set(app, 'member:developer', { tokens: 100 });
    const client = await events(app);
    expect(await ended(client, (await postMessage(app, conv, 'one')).turn)).toMatchObject({ outcome: 'answered' });
    await postMessage(app, conv, 'two');
    await told(client, 'budget.changed', 'member:developer');
    expect(await get(app, 'member:developer')).toMatchObject({ state: 'reached', waiting: 1 });
    const other = await begin(app, { member: 'ui-developer' });
    expect(await ended(client, (await postMessage(app, other.conv, 'x')).turn)).toMatchObject({ outcome: 'answered' });
    expect(agent.turns).toHaveLength(2);
  });

  it('ends no turn that has answered, while its program exits', async () => {
    const agent = new ScriptedAgent('acp', async function* (_turn, signal, scripted) {
      yield { type: 'usage', usage: { input_tokens: 500 } };
      try {
        yield* answers('Done.');
      } finally {
        await scripted.held(signal);
      }
    });
    const app = await testApp({ clients: [agent] });
    const { conv } = await begin(app);
    await set(app, 'day', { tokens: 100 });
    const client = await events(app);
    const { turn } = await postMessage(app, conv, 'one');
    await agent.untilHeld(1);
    await told(client, 'budget.reached', 'day');
    agent.finishAll();
    expect(await ended(client, turn)).toMatchObject({ outcome: 'answered' });
  });

  it('warns once at 80 % and says when it is reached', async () => {
    const agent = quick({ cost_usd: 0.85 });
    const app = await testApp({ clients: [agent] });
    const { conv } = await begin(app);
    await set(app, scopeOf(conv), { cost_usd: 2 });
    const client = await events(app);
    await ended(client, (await postMessage(app, conv, 'one')).turn);
    expect(await get(app, scopeOf(conv))).toMatchObject({ state: 'ok', since: null });
    await postMessage(app, conv, 'two');
    await told(client, 'budget.warned', scopeOf(conv));
    expect(await get(app, scopeOf(conv))).toMatchObject({ state: 'warned', share: 0.85 });
    await set(app, scopeOf(conv), { cost_usd: 3 });
    await set(app, scopeOf(conv), { cost_usd: 2 });
    // A warning that was left keeps nothing from being asked once the limit is reached.
    expect((await app.call('POST', path(scopeOf(conv), '/leave'))).body).toMatchObject({ is_left: true });
    await postMessage(app, conv, 'three');
    await told(client, 'budget.reached', scopeOf(conv));
    expect(client.frames.filter(({ type }) => type === 'budget.warned')).toHaveLength(1);
    expect(await get(app, scopeOf(conv))).toMatchObject({ is_left: false, since: expect.any(String) });
    expect((await app.call('POST', path(scopeOf(conv), '/leave'))).body).toMatchObject({ is_left: true });
    await set(app, scopeOf(conv), { cost_usd: 30 });
    expect(await get(app, scopeOf(conv))).toMatchObject({ is_left: false, state: 'ok' });
  });

  it('begins anew at midnight, and what was raised for a day ends with it', async () => {
    const agent = quick({ input_tokens: 100 });
    const app = await testApp({ clients: [agent] });
    const { conv } = await begin(app);
    const client = await events(app);
    await set(app, 'day', { tokens: 100 });
    await ended(client, (await postMessage(app, conv, 'one')).turn);
    expect((await raise(app, 'day', { percent: 50, today: true })).body).toMatchObject({
      limits: { tokens: 150 },
      lasting: { tokens: 100 },
      state: 'ok',
    });
    await ended(client, (await postMessage(app, conv, 'two')).turn);
    const waiting = await postMessage(app, conv, 'three');
    expect(await get(app, 'day')).toMatchObject({ state: 'reached', waiting: 1, spent: { tokens: 200 } });
    app.clock.advance(new Date(2026, 10, 22).getTime() - app.clock.now() + 60_000);
    await ended(client, waiting.turn);
    expect(await get(app, 'day')).toMatchObject({ limits: { tokens: 100 }, spent: { tokens: 100, turns: 1 } });
    expect(await get(app, scopeOf(conv))).toMatchObject({ spent: { tokens: 300, turns: 3 } });
  });

  it('stops running time by the clock, not while a person is asked', async () => {
    const agent = new ScriptedAgent('acp', async function* (_turn, signal, agent, decide) {
      yield { type: 'text', text: 'May I? ' };
      await decide({ tool: 'edit', target: 'src/a.ts', reason: '' });
      await agent.held(signal);
      yield* answers('Done.');
    });
    const app = await testApp({ clients: [agent] });
    const { conv } = await begin(app);
    await set(app, 'day', { minutes: 2 });
    const client = await events(app);
    const { turn } = await postMessage(app, conv, 'go');
    const asked = await client.until((frame) => frame.type === 'turn.permission');
    app.clock.advance(HOUR_MS);
    const { permission } = asked as Extract<EventFrame, { type: 'turn.permission' }>;
    await app.call('POST', `/conversations/${conv}/permissions/${permission.pid}`, { decision: 'allow_once' });
    await agent.untilHeld(1);
    app.clock.advance(119_000);
    expect((await read(app, conv)).turns[0]?.state).toBe('running');
    app.clock.advance(1_000);
    await ended(client, turn);
    expect(await turnOf(app, conv)).toMatchObject({ code: 'budget_exceeded' });
    expect((await get(app, 'day')).spent.minutes).toBeCloseTo(2, 2);
  });

  it('ends two turns that pass a limit together, beyond it by one report each', async () => {
    const agent = spending({ input_tokens: 60 });
    const app = await testApp({ clients: [agent] });
    const [one, other] = [await begin(app), await begin(app)];
    await set(app, 'day', { tokens: 100 });
    const client = await events(app);
    const turns = [await postMessage(app, one.conv, 'x'), await postMessage(app, other.conv, 'y')];
    for (const { turn } of turns) await ended(client, turn);
    expect((await turnOf(app, one.conv))?.code).toBe('budget_exceeded');
    expect((await turnOf(app, other.conv))?.code).toBe('budget_exceeded');
    expect(await get(app, 'day')).toMatchObject({ spent: { tokens: 120, turns: 2 } });
  });

  it('limits the number of turns, also of those that start together, and ends none for it', async () => {
    const agent = spending();
    const app = await testApp({ clients: [agent] });
    const [one, other, third] = [await begin(app), await begin(app), await begin(app)];
    await set(app, 'member:developer', { turns: 1 });
    const client = await events(app);
    await postMessage(app, one.conv, 'x');
    await agent.untilHeld(1);
    await postMessage(app, other.conv, 'y');
    await postMessage(app, third.conv, 'z');
    expect(await get(app, 'member:developer')).toMatchObject({ state: 'reached', waiting: 2, spent: { turns: 1 } });
    agent.finishAll();
    expect(await client.until(({ type }) => type === 'turn.ended')).toMatchObject({ outcome: 'answered' });
    // Both are let go at once, and there is room for one.
    await raise(app, 'member:developer', { limits: { turns: 2 } });
    await agent.untilHeld(2);
    expect(await get(app, 'member:developer')).toMatchObject({ state: 'reached', waiting: 1, spent: { turns: 2 } });
    expect(agent.turns).toHaveLength(2);
  });

  it('tells a program that asks, without figures', async () => {
    const app = await testApp({ clients: [quick({ input_tokens: 500 })] });
    await set(app, 'member:consultant', { tokens: 100 });
    const asked = async () => {
      const { request_id } = await app.ask('consultant', { text: 'Which port?' });
      return app.poll('consultant', request_id, 30);
    };
    expect(await asked()).toMatchObject({ status: 'done' });
    expect(await asked()).toMatchObject({
      status: 'error',
      error: { code: 'budget_exceeded', message: expect.not.stringMatching(/\d/) },
    });
  });

  it('is inherited by the members that a turn asks', async () => {
    const replies: string[] = [];
    const agent = new ScriptedAgent('acp', async function* (turn: Turn) {
      if (turn.member.id === 'developer')
        for (const text of ['one', 'two']) {
          const server = turn.tool_server as NonNullable<Turn['tool_server']>;
          replies.push((await callTurnTool(server, 'ask_member', { member: 'consultant', text })).text);
        }
      yield { type: 'usage', usage: { input_tokens: 60 } };
      yield* answers(`${turn.member.id} is done.`);
    });
    const app = await testApp({ clients: [agent] });
    const { conv } = await begin(app);
    await set(app, scopeOf(conv), { tokens: 100 });
    await set(app, 'member:consultant', { turns: 1 });
    const client = await events(app);
    const { turn } = await postMessage(app, conv, 'ask twice');
    await ended(client, turn);
    expect(replies).toEqual(['consultant is done.', expect.stringContaining('The budget of this member is used up')]);
    expect(await get(app, scopeOf(conv))).toMatchObject({ spent: { tokens: 120, turns: 2 }, state: 'reached' });
    expect(await get(app, 'member:developer')).toMatchObject({ spent: { tokens: 60, turns: 1 } });
  });

  it('forgets nothing at a restart', async () => {
    const agent = spending({ input_tokens: 70, cost_usd: 0.2 });
    const app = await testApp({ clients: [agent] });
    const { conv } = await begin(app);
    await set(app, scopeOf(conv), { tokens: 100, turns: 2 });
    await postMessage(app, conv, 'one');
    await agent.untilHeld(1);
    app.clock.advance(45_000);
    await app.stop();
    const again = await testApp({ root: app.root, clients: [spending({ input_tokens: 40 })], clock: app.clock });
    expect(await get(again, scopeOf(conv))).toMatchObject({
      spent: { tokens: 70, cost_usd: 0.2, minutes: 0.75, turns: 1 },
      limits: { tokens: 100, turns: 2 },
    });
    const client = await events(again);
    await ended(client, (await postMessage(again, conv, 'two')).turn);
    expect(await turnOf(again, conv)).toMatchObject({ code: 'budget_exceeded' });
  });

  it('has what a killed daemon had counted', async () => {
    const agent = spending({ input_tokens: 70 }, { input_tokens: 80 });
    const app = await testApp({ clients: [agent] });
    const { conv } = await begin(app);
    await set(app, scopeOf(conv), { tokens: 100 });
    await postMessage(app, conv, 'one');
    await agent.untilHeld(1);
    app.clock.advance(25_000);
    await expect.poll(async () => (await get(app, scopeOf(conv))).spent.minutes).toBeGreaterThan(0.3);
    const copy = temporaryFolder();
    cpSync(app.root, copy, { recursive: true, filter: (path) => !path.endsWith('.json') });
    const again = await testApp({ root: copy, clients: [quick({ input_tokens: 19 })], clock: app.clock });
    expect((await turnOf(again, conv))?.code).toBe('daemon_restarted');
    const client = await events(again);
    await ended(client, (await postMessage(again, conv, 'two')).turn);
    expect(await get(again, scopeOf(conv))).toMatchObject({ spent: { tokens: 99, turns: 2 }, state: 'warned' });
  });

  it('tells an agent what its session has cost, until it opens another', async () => {
    const sessions = ['s1', 's1', 's2', 's2'];
    const agent = new ScriptedAgent('acp', async function* () {
      yield { type: 'session', session: sessions.shift() ?? '' };
      if (sessions.length === 3) yield { type: 'session', session: 's1', cost_usd: 0.25 };
      yield* answers('Done.');
    });
    const app = await testApp({ clients: [agent] });
    const { conv } = await begin(app);
    const client = await events(app);
    for (const text of ['a', 'b', 'c', 'd']) await ended(client, (await postMessage(app, conv, text)).turn);
    expect(agent.turns.map((turn) => turn.session_cost_usd)).toEqual([0, 0.25, 0.25, 0]);
  });

  it('names the clients that report nothing, and goes with its conversation', async () => {
    const app = await testApp({ clients: [quick(undefined)] });
    const { conv } = await begin(app);
    await set(app, scopeOf(conv), { cost_usd: 1, turns: 1 });
    const client = await events(app);
    await ended(client, (await postMessage(app, conv, 'one')).turn);
    expect(await get(app, scopeOf(conv))).toMatchObject({
      spent: { tokens: null, cost_usd: null, turns: 1 },
      not_reported: { tokens: ['acp'], cost_usd: ['acp'] },
      state: 'reached',
    });
    await app.call('DELETE', `/conversations/${conv}`);
    expect((await app.call('GET', path(scopeOf(conv)))).status).toBe(404);
    expect((await list(app)).budgets.map(({ scope }) => scope)).toEqual(['day']);
  });

  it('refuses what is no scope or no limit, and names it', async () => {
    const app = await testApp();
    for (const scope of ['month', 'member:nobody', 'conversation:conv-x'])
      expect(await app.call('PUT', path(scope), { turns: 1 })).toMatchObject({
        status: 404,
        body: { message: expect.stringContaining(scope) },
      });
    for (const body of [{}, { turns: 0 }, { turns: null }, { tokens: 1.5 }, { hours: 1 }])
      expect((await app.call('PUT', path('day'), body)).status, JSON.stringify(body)).toBe(400);
    expect((await raise(app, 'day', { percent: 50 })).status).toBe(404);
    await set(app, 'day', { turns: 5 });
    expect((await raise(app, 'day', {})).status).toBe(400);
    expect((await app.call('DELETE', path('day'))).status).toBe(204);
    expect((await app.call('DELETE', path('day'))).status).toBe(404);
  });
});
