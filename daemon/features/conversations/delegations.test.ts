import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ClusterCreated } from '../../contract/clusters.js';
import type { Conversation, ConversationList } from '../../contract/conversations.js';
import { openSqlite } from '../../storage/database/sqlite.js';
import { begin, ended, events, get, postMessage, read } from '../../testing/apps/conversing.js';
import { type TestApp, testApp } from '../../testing/apps/test-app.js';
import { answers, ScriptedAgent } from '../../testing/processes/scripted-agent.js';
import { callTurnTool, type ToolResult } from '../../testing/processes/turn-tools.js';
import type { Turn } from '../clients/client.js';

type Server = NonNullable<Turn['tool_server']>;

/** Calls a tool as the agent of the turn. */
const use = (turn: Turn, name: string, input: object = {}, signal?: AbortSignal) =>
  callTurnTool(turn.tool_server as Server, name, input, signal);
const ask = (turn: Turn, member: string, text: string, signal?: AbortSignal) =>
  use(turn, 'ask_member', { member, text }, signal);

/** An agent whose members do what `deeds` says, and answer with what that returns. */
const doing = (deeds: Record<string, (turn: Turn, signal: AbortSignal, agent: ScriptedAgent) => Promise<string>>) =>
  new ScriptedAgent('acp', async function* (turn, signal, agent) {
    yield* answers((await deeds[turn.member.id]?.(turn, signal, agent)) ?? `${turn.member.id} knows: ${turn.text}`);
  });

async function talk(app: TestApp, member: string, text: string): Promise<Conversation> {
  const { conv } = await begin(app, { member });
  const client = await events(app);
  await ended(client, (await postMessage(app, conv, text)).turn);
  return get(app, conv);
}

const lastText = async (app: TestApp, conv: string) => (await read(app, conv)).messages.at(-1)?.text;
const children = async (app: TestApp, conv: string) =>
  ((await app.call('GET', `/conversations?parent=${conv}`)).body as ConversationList).conversations;

describe('a member that asks another', () => {
  it('gets its answer from an ordinary turn of a conversation that names who asked', async () => {
    let answered: ToolResult | undefined;
    const agent = doing({
      developer: async (turn) => {
        answered = await ask(turn, 'consultant', 'Which port?');
        return answered.text;
      },
    });
    const app = await testApp({ clients: [agent] });
    const parent = await talk(app, 'developer', 'Ask about the port');
    expect(await lastText(app, parent.conv)).toBe('consultant knows: Which port?');
    const [child] = await children(app, parent.conv);
    expect(answered?.structured).toMatchObject({ conv: child?.conv, text: 'consultant knows: Which port?' });
    const asker = agent.turns[0]?.turn;
    expect(child).toMatchObject({
      member: 'consultant',
      from_outside: false,
      last_outcome: 'answered',
      parent: { conv: parent.conv, turn: asker, member: 'developer', title: 'Ask about the port' },
    });
    expect(parent.parent).toBeNull();
    const { messages } = await read(app, child?.conv ?? '');
    expect(messages.map(({ role, asked_by }) => [role, asked_by])).toEqual([
      ['user', 'developer'],
      ['assistant', undefined],
    ]);
    expect(agent.turns[1]).toMatchObject({ profile: 'operator', history: [], session: null });
    await app.call('DELETE', `/conversations/${parent.conv}`);
    expect(await get(app, child?.conv ?? '')).toMatchObject({ parent: null });
    expect((await read(app, child?.conv ?? '')).messages[0]?.asked_by).toBe('developer');
  });

  it('asks three deep, and no member that is waiting already', async () => {
    const said: ToolResult[] = [];
    const next = (member: string) => async (turn: Turn) => {
      const answered = await ask(turn, member, 'go on');
      said.push(answered);
      return answered.text;
    };
    const agent = doing({
      developer: next('ui-developer'),
      'ui-developer': next('api-developer'),
      'api-developer': async (turn) => {
        const again = await ask(turn, 'developer', 'and you?');
        said.push(again, await ask(turn, 'nobody', 'x'));
        return next('deployer')(turn);
      },
      deployer: next('consultant'),
    });
    const app = await testApp({ clients: [agent] });
    await talk(app, 'developer', 'begin');
    expect(agent.turns.map(({ member }) => member.id)).toEqual([
      'developer',
      'ui-developer',
      'api-developer',
      'deployer',
    ]);
    const [again, nobody, tooDeep] = said.map(({ text, isError }) => (isError ? JSON.parse(text) : text));
    expect(again).toMatchObject({
      error: 'bad_request',
      path: 'member',
      message: expect.stringContaining('developer → ui-developer → api-developer → developer'),
    });
    expect(nobody).toMatchObject({ error: 'not_found' });
    expect(tooDeep).toMatchObject({ error: 'limit_reached', message: expect.stringContaining('3 deep') });
  });

  it('takes the asked turn with it when it is cancelled, and hears of one that fails', async () => {
    const agent = doing({
      developer: (turn, signal) => ask(turn, turn.text, 'wait', signal).then(({ text }) => text),
      consultant: async (_turn, signal, self) => {
        await self.held(signal);
        return 'never';
      },
      deployer: () => Promise.reject(new Error('no key')),
    });
    const app = await testApp({ clients: [agent] });
    const { conv } = await begin(app);
    const client = await events(app);
    const { turn } = await postMessage(app, conv, 'consultant');
    await agent.untilHeld(1);
    await app.call('POST', `/conversations/${conv}/cancel`);
    await ended(client, turn);
    await ended(client, agent.turns[1]?.turn ?? '');
    const [child] = await children(app, conv);
    expect(child).toMatchObject({ running: null, last_outcome: 'cancelled' });
    const failing = await talk(app, 'developer', 'deployer');
    expect(JSON.parse((await lastText(app, failing.conv)) ?? '')).toMatchObject({
      error: 'client_failed',
      message: 'deployer did not answer: The client failed: no key',
    });
  });

  it('waits in the queue of a singleton, but not for one that waits for it', async () => {
    const said: Record<string, string> = {};
    const agent = doing({
      // The singleton is busy until the other one, which waits for a turn of the singleton, was refused.
      'architect-master': async (turn, signal, self) => {
        if (turn.text === 'first') {
          await self.held(signal);
          said['architect'] = (await ask(turn, 'roadmap-orchestrator', 'second')).text;
        }
        return `architect did ${turn.text}`;
      },
      'roadmap-orchestrator': async (turn) => {
        if (turn.text === 'start') said['orchestrator'] = (await ask(turn, 'architect-master', 'later')).text;
        return `orchestrator did ${turn.text}`;
      },
    });
    const app = await testApp({ clients: [agent] });
    const client = await events(app);
    const [architect, orchestrator] = [
      await begin(app, { member: 'architect-master' }),
      await begin(app, { member: 'roadmap-orchestrator' }),
    ];
    await postMessage(app, architect.conv, 'first');
    await agent.untilHeld(1);
    const { turn } = await postMessage(app, orchestrator.conv, 'start');
    while ((await get(app, architect.conv)).queued === 0)
      await client.until((frame) => frame.type === 'conversation.updated');
    agent.finishAll();
    await ended(client, turn);
    expect(JSON.parse(said['architect'] ?? '')).toMatchObject({ error: 'singleton_busy', conv: orchestrator.conv });
    expect(said['orchestrator']).toBe('architect did later');
  });

  it('leaves no turn that waits for nobody when the daemon is gone', async () => {
    const agent = doing({
      developer: (turn, signal) => ask(turn, 'architect-master', 'for developer', signal).then(({ text }) => text),
      'architect-master': async (turn, signal, self) => {
        await self.held(signal);
        return turn.text;
      },
    });
    const app = await testApp({ clients: [agent] });
    const home = await begin(app, { member: 'architect-master' });
    const client = await events(app);
    await postMessage(app, home.conv, 'of the operator');
    await agent.untilHeld(1);
    await begin(app).then(({ conv }) => postMessage(app, conv, 'x'));
    while ((await get(app, home.conv)).queued === 0)
      await client.until((frame) => frame.type === 'conversation.updated');
    await app.stop();
    // As a killed daemon leaves it: one turn runs, and what it waits for is queued.
    const store = openSqlite(join(app.root, '.mesh/state/mesh.db'));
    const rewind = store.prepare('UPDATE turns SET state = ?, outcome = NULL, finished_ms = NULL WHERE text = ?');
    for (const [state, text] of [
      ['running', 'of the operator'],
      ['running', 'x'],
      ['queued', 'for developer'],
    ])
      rewind.run(state, text);
    store.close();
    const restarted = doing({});
    const again = await testApp({ root: app.root, clock: app.clock, clients: [restarted] });
    const { turns } = await read(again, home.conv);
    expect(turns.map(({ state, outcome }) => [state, outcome])).toEqual([
      ['ended', 'failed'],
      ['ended', 'cancelled'],
    ]);
    expect(restarted.turns).toEqual([]);
  });
});

describe('the tools of a running turn', () => {
  it('list the others, look the project up and reach the boards, with a token that ends with the turn', async () => {
    const seen: Record<string, ToolResult> = {};
    let kept: Server | undefined;
    const board = { cluster: '', board: 'tides' };
    const agent = doing({
      developer: async (turn) => {
        kept = turn.tool_server;
        seen['members'] = await use(turn, 'list_members');
        seen['code'] = await use(turn, 'search_project', { query: 'defs', name: 'isDusk' });
        seen['post'] = await use(turn, 'post_to_board', { ...board, title: 'The lamp is lit' });
        seen['board'] = await use(turn, 'read_board', board);
        seen['other'] = await use(turn, 'find_agents', { query: 'x' });
        return 'done';
      },
    });
    const app = await testApp({ clients: [agent] });
    await app.untilIndexed();
    const made = (await app.call('POST', '/v1/clusters', { name: 'Harbour', visibility: 'public' }))
      .body as ClusterCreated;
    board.cluster = made.cluster_id;
    const admin = { 'x-cluster-token': made.admin_token ?? '' };
    await app.call('PATCH', `/v1/clusters/${made.cluster_id}`, { boards_enabled: true }, admin);
    await app.call('POST', `/v1/clusters/${made.cluster_id}/boards`, { slug: 'tides', name: 'Tides' }, admin);
    await talk(app, 'developer', 'look around');
    expect(seen['members']?.structured).toMatchObject({
      count: 8,
      members: expect.arrayContaining([
        expect.objectContaining({ id: 'consultant', kind: 'profile', client: 'acp', problem: null }),
      ]),
    });
    expect(seen['members']?.text).not.toMatch(/^developer /m);
    expect(seen['code']?.text).toContain('src/dusk.ts:4');
    expect(seen['post']?.structured).toMatchObject({ post: { author: 'developer', title: 'The lamp is lit' } });
    expect(seen['board']?.text).toContain('The lamp is lit');
    expect(seen['other']?.isError).toBe(true);
    expect(kept?.url).toBe(`${app.address}/turns/mcp`);
    await expect(callTurnTool(kept as Server, 'list_members')).resolves.toMatchObject({ status: 401 });
    expect(app.log.join('\n')).not.toContain(kept?.token);
  });

  it('are not given to turns of other programs, and open nothing else', async () => {
    let server: Turn['tool_server'];
    let status = 0;
    const agent = doing({
      consultant: async (turn) => {
        server = turn.tool_server;
        return 'answered';
      },
      developer: async (turn) => {
        const authorization = `Bearer ${turn.tool_server?.token}`;
        status = (await app.call('POST', '/mcp', { jsonrpc: '2.0', id: 1, method: 'ping' }, { authorization })).status;
        return 'tried';
      },
    });
    const app = await testApp({ clients: [agent] });
    await app.call('PATCH', '/team/consultant', { exposure: 'external' });
    const { request_id } = await app.ask('consultant', { text: 'x' });
    expect(await app.poll('consultant', request_id, 30)).toMatchObject({ status: 'done' });
    expect(server).toBeUndefined();
    await talk(app, 'developer', 'try');
    expect(status).toBe(401);
  });
});
