import { describe, expect, it } from 'vitest';
import type { BoardCreated } from '../../contract/boards.js';
import type { ClusterCreated } from '../../contract/clusters.js';
import { type TestApp, testApp } from '../../testing/apps/test-app.js';
import { MCP_REVISIONS, mcpClient } from '../../testing/processes/mcp-client.js';
import { answers, heldAnswer, ScriptedAgent } from '../../testing/processes/scripted-agent.js';
import { putFiles } from '../../testing/temporary-folder.js';

const QUESTION = { text: 'On which port does it listen?' };

/** Creates a cluster with one board. */
async function aBoard(
  app: TestApp,
  visibility: 'public' | 'private',
  props: object = {},
): Promise<{ cluster: string; board: string }> {
  const made = (await app.call('POST', '/v1/clusters', { name: 'Harbour', visibility })).body as ClusterCreated;
  const admin = { 'x-cluster-token': made.admin_token ?? '' };
  await app.call('PATCH', `/v1/clusters/${made.cluster_id}`, { boards_enabled: true }, admin);
  const body = { slug: 'tides', name: 'Tides', kind: 'generic', about: 'When the water comes.', props };
  const created = await app.call('POST', `/v1/clusters/${made.cluster_id}/boards`, body, admin);
  expect(created.status, created.text).toBe(201);
  return { cluster: made.cluster_id, board: (created.body as BoardCreated).board.slug };
}

/** The error body of a refused tool call. */
function toRefusal(result: { isError?: boolean; content: { type: string; text?: string }[] }): Record<string, unknown> {
  expect(result.isError).toBe(true);
  return JSON.parse(result.content[0]?.text ?? '') as Record<string, unknown>;
}

describe.each(MCP_REVISIONS)('Model Context Protocol, revision %s', (revision) => {
  it('lists tools, resources and prompts, answers an ask, and reads the resulting resources', async () => {
    const app = await testApp();
    const client = await mcpClient(app, revision);
    expect(client.getNegotiatedProtocolVersion()).toBe(revision);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      'ask_consultant',
      'find_code',
      'list_members',
      'find_agents',
      'read_board',
      'post_to_board',
    ]);
    for (const { name, title, description, inputSchema, outputSchema, annotations } of tools) {
      expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
      expect([title, description].every((words) => words !== undefined && words.length > 5)).toBe(true);
      expect([inputSchema.type, outputSchema?.['type'], inputSchema['additionalProperties']]).toEqual([
        'object',
        'object',
        false,
      ]);
      expect(annotations?.readOnlyHint).toBe(name !== 'post_to_board');
    }

    const asked = await client.callTool({ name: 'ask_consultant', arguments: QUESTION });
    const answer = asked.structuredContent as {
      request_id: string;
      citations: { path: string; status: string }[];
      client: string;
    };
    expect(asked.content).toEqual([{ type: 'text', text: expect.stringContaining('8123') }]);
    expect(answer).toMatchObject({ request_id: expect.stringMatching(/^req-/), client: 'builtin', model: 'builtin' });
    expect(answer.citations.map(({ path, status }) => [path, status])).toContainEqual(['README.md', 'checked']);

    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual([
      'mesh://members/consultant/card',
      `mesh://requests/${answer.request_id}`,
    ]);
    expect(resources[1]?.title).toBe(QUESTION.text);
    const read = async (uri: string) =>
      JSON.parse((await client.readResource({ uri })).contents.map((one) => ('text' in one ? one.text : ''))[0] ?? '');
    expect(await read(`mesh://requests/${answer.request_id}`)).toEqual(await app.poll('consultant', answer.request_id));
    expect(await read('mesh://members/consultant/card')).toEqual(
      (await app.call('GET', '/team/consultant/.well-known/agent.json')).body,
    );
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.map(({ name }) => name)).toEqual(['card', 'request', 'board', 'post']);

    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ name }) => name)).toEqual([
      'ask_consultant',
      ...[1, 2, 3, 4].map((n) => `consultant_example_${n}`),
    ]);
    const example = await client.getPrompt({ name: 'consultant_example_1' });
    expect(example.messages).toEqual([
      {
        role: 'user',
        content: { type: 'text', text: expect.stringMatching(/ask_consultant[\s\S]*What does this project do/) },
      },
    ]);
    const own = await client.getPrompt({ name: 'ask_consultant', arguments: { question: 'Why a lamp?' } });
    expect(JSON.stringify(own.messages)).toContain('Why a lamp?');
    await expect(client.getPrompt({ name: 'ask_consultant' })).rejects.toMatchObject({ code: -32602 });
    const completed = await client.complete({
      ref: { type: 'ref/resource', uri: 'mesh://requests/{request_id}' },
      argument: { name: 'request_id', value: 'req-' },
    });
    expect(completed.completion.values).toEqual([answer.request_id]);
  });

  it('reads and writes boards of public clusters only and pins the same post once', async () => {
    const app = await testApp();
    const open = await aBoard(app, 'public');
    const hidden = await aBoard(app, 'private');
    const adult = await aBoard(app, 'public', { entry: { age_min: 18 } });
    const client = await mcpClient(app, revision);
    const call = (name: string, args: Record<string, unknown>) => client.callTool({ name, arguments: args });

    const post = { ...open, title: 'High water', body: 'At noon.', ttl: '24h' };
    const [first, again] = [await call('post_to_board', post), await call('post_to_board', post)];
    expect(again.structuredContent).toEqual(first.structuredContent);
    const page = await call('read_board', open);
    expect(page.structuredContent).toMatchObject({
      board: { slug: 'tides', posts: 1 },
      posts: [{ title: 'High water', body: 'At noon.', author: 'consultant', ttl: '24h' }],
      count: 1,
      next_cursor: null,
    });
    expect(toRefusal(await call('read_board', hidden))).toMatchObject({ error: 'not_found' });
    expect(toRefusal(await call('read_board', { cluster: 'c_00000000000000000000', board: 'tides' }))).toEqual(
      toRefusal(await call('read_board', hidden)),
    );
    expect(toRefusal(await call('post_to_board', { ...hidden, title: 'x' }))).toMatchObject({ error: 'not_found' });
    expect(toRefusal(await call('read_board', adult))).toMatchObject({ error: 'age_gated' });
    expect(toRefusal(await call('read_board', { ...open, board: 'none' }))).toMatchObject({ error: 'board_not_found' });

    const { resources } = await client.listResources();
    const ofBoards = resources.filter(({ uri }) => uri.startsWith('mesh://clusters/'));
    expect(ofBoards.map(({ title }) => title)).toEqual(['Tides (Harbour)', 'High water']);
    expect(ofBoards.every(({ description }) => description?.includes('never instructions'))).toBe(true);
    const [board, pinned] = ofBoards;
    const texts = await Promise.all([board, pinned].map((one) => client.readResource({ uri: one?.uri ?? '' })));
    expect(JSON.stringify(texts[0]?.contents)).toContain('When the water comes.');
    expect(JSON.stringify(texts[1]?.contents)).toContain('At noon.');
    await expect(client.readResource({ uri: `mesh://clusters/${hidden.cluster}/boards/tides` })).rejects.toMatchObject({
      message: expect.stringContaining('no such cluster'),
    });
  });

  it('reports the progress of a running request and cancels it when the call is cancelled', async () => {
    const agent = new ScriptedAgent('acp', heldAnswer);
    const app = await testApp({ clients: [agent] });
    const client = await mcpClient(app, revision);
    const told: string[] = [];
    const listeners: (() => void)[] = [];
    const received = async (isIt: (message: string) => boolean) => {
      while (!told.some(isIt)) await new Promise<void>((resolve) => listeners.push(resolve));
    };
    const hanging = new AbortController();
    const call = client.callTool(
      { name: 'ask_consultant', arguments: QUESTION },
      {
        signal: hanging.signal,
        onprogress: ({ progress, message = '' }) => {
          told.push(`${progress}: ${message}`);
          for (const wake of listeners.splice(0)) wake();
        },
      },
    );
    const refused = expect(call).rejects.toThrow();
    await agent.untilHeld(1);
    // Each received notification was sent before the wait for the next second begins.
    await received((message) => /^0: (Queued, place 1|Running for 0 s)\.$/.test(message));
    app.clock.advance(1_000);
    await received((message) => message === '1: Running for 1 s.');
    const ended = new Promise<void>((resolve) => {
      app.daemon.bus.watch(({ type }) => type === 'team.request.error' && resolve());
    });
    hanging.abort();
    await refused;
    await ended;
    const { requests } = (await app.call('GET', '/requests')).body as {
      requests: { status: string; error?: { code: string } }[];
    };
    expect(requests.map(({ status, error }) => [status, error?.code])).toEqual([['error', 'cancelled']]);
  });

  it("never shows another member to the holder of a member's token", async () => {
    const app = await testApp();
    await app.call('PATCH', '/team/developer', { exposure: 'external' });
    const { request_id } = await app.ask('developer', QUESTION);
    const client = await mcpClient(app, revision);
    expect(JSON.stringify(await client.listTools())).not.toContain('ask_developer');
    expect(JSON.stringify(await client.callTool({ name: 'list_members', arguments: {} }))).not.toContain('developer');
    await expect(client.callTool({ name: 'ask_developer', arguments: QUESTION })).rejects.toMatchObject({
      code: -32602,
    });
    // The same sentences as for what is nowhere.
    for (const [uri, message] of [
      [`mesh://requests/${request_id}`, `There is no request \`${request_id}\`.`],
      ['mesh://requests/req-AAAAAAAAAAAAAAAA', 'There is no request `req-AAAAAAAAAAAAAAAA`.'],
      ['mesh://members/developer/card', expect.stringMatching(/no such/)],
    ]) {
      await expect(client.readResource({ uri })).rejects.toMatchObject({ message });
    }
    expect((await client.listResources()).resources.map(({ uri }) => uri)).toEqual(['mesh://members/consultant/card']);
    await expect(mcpClient(app, revision, { path: '/team/developer/mcp' })).rejects.toThrow();
    const other = await mcpClient(app, revision, { member: 'developer', path: '/team/developer/mcp' });
    expect((await other.listTools()).tools.map(({ name }) => name)).toContain('ask_developer');
  });

  it('looks code up in tracked files for callers of members that the built-in search answers, and for no others', async () => {
    const app = await testApp();
    putFiles(app.root, { 'src/draft.ts': 'export function unannounced(): void {}\n' });
    await app.untilIndexed();
    const client = await mcpClient(app, revision);
    const find = (args: object) => client.callTool({ name: 'find_code', arguments: { ...args } });
    const found = await find({ query: 'defs', name: 'isDusk' });
    expect(found.structuredContent).toMatchObject({ state: 'ready', total: 1, places: [{ path: 'src/dusk.ts' }] });
    expect(found.content).toEqual([{ type: 'text', text: expect.stringMatching(/^1 place\nsrc\/dusk\.ts:\d+ /) }]);
    expect((await find({ query: 'defs', name: 'unannounced' })).structuredContent).toMatchObject({ is_known: false });
    expect(toRefusal(await find({ query: 'defs' }))).toMatchObject({ error: 'bad_request', path: 'name' });

    const other = await testApp({ clients: [new ScriptedAgent('acp', () => answers('Port 8123.'))] });
    const { tools } = await (await mcpClient(other, revision)).listTools();
    expect(tools.map(({ name }) => name)).not.toContain('find_code');
  });

  it('returns the payment address instead of asking a paid member for free', async () => {
    const app = await testApp({ clients: [new ScriptedAgent('acp', () => answers('Port 8123.'))] });
    await app.call('PATCH', '/team/consultant', {
      pricing: { unit: 'request', amount: 5000, currency: 'lamports', network: 'solana:local' },
    });
    const client = await mcpClient(app, revision);
    const refusal = toRefusal(await client.callTool({ name: 'ask_consultant', arguments: QUESTION }));
    expect(refusal).toMatchObject({ error: 'payment_required', pay_at: `${app.address}/team/consultant/v1/ask` });
    expect((await app.call('GET', '/requests')).body).toMatchObject({ count: 0 });
    const members = (await client.callTool({ name: 'list_members', arguments: {} })).structuredContent;
    expect(members).toMatchObject({ members: [{ prices: [{ amount: 5000 }] }] });
  });
});
