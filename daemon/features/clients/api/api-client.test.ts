import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { FakeClock } from '../../../testing/fake-clock.js';
import { ModelEndpoint } from '../../../testing/stand-ins/model-endpoint.js';
import { anApiClient, aTurn, collect, listTools, toText } from '../../../testing/stand-ins/model-endpoint-client.js';
import type { ModelReply } from '../../../testing/stand-ins/model-endpoint-dialects.js';
import { ApiClient } from './api-client.js';
import type { ApiProvider } from './api-settings.js';

const DIALECTS: readonly ApiProvider[] = ['openai-compatible', 'anthropic'];
const never = () => new AbortController().signal;
const deny = async () => 'deny' as const;

describe.each(DIALECTS)('a turn on an endpoint with the %s protocol', (provider) => {
  it('reads a file, then answers, with events in order and the usage of all steps', async () => {
    const endpoint = await ModelEndpoint.start([
      {
        text: ['Let me look.'],
        calls: [{ name: 'read', input: { path: 'src/dusk.ts', start_line: 1, end_line: 2 } }],
        usage: { input: 100, output: 10 },
      },
      { text: ['It is ', '-6 degrees ', '(`src/dusk.ts:1`).'], usage: { input: 200, output: 20 } },
    ]);
    const { client } = anApiClient(endpoint, { provider });
    const events = await collect(client.run(aTurn({ text: 'At which angle is dusk?' }), never(), deny));
    expect(events.map(({ type }) => type)).toEqual([
      'text',
      'tool',
      'tool',
      'usage',
      'text',
      'text',
      'text',
      'usage',
      'end',
    ]);
    expect(toText(events)).toBe('Let me look.\n\nIt is -6 degrees (`src/dusk.ts:1`).');
    expect(listTools(events)).toMatchObject([
      { name: 'read', target: 'src/dusk.ts:1-2', state: 'running' },
      {
        name: 'read',
        target: 'src/dusk.ts:1-2',
        state: 'done',
        ms: 0,
        output: expect.stringContaining('1\texport const DUSK_ANGLE_DEGREES = -6;'),
      },
    ]);
    expect(events.filter(({ type }) => type === 'usage')).toEqual([
      { type: 'usage', usage: { input_tokens: 100, output_tokens: 10 } },
      { type: 'usage', usage: { input_tokens: 300, output_tokens: 30 } },
    ]);
    expect(JSON.stringify(endpoint.requests[1]?.body.messages)).toContain('DUSK_ANGLE_DEGREES = -6');
  });

  it('runs several tool calls of one step, whose ids may repeat in the next step', async () => {
    const calls = [
      { name: 'list', input: { path: 'src' }, id: 'same' },
      { name: 'search', input: { text: 'isdusk' }, id: 'other' },
    ];
    const endpoint = await ModelEndpoint.start([{ calls }, { calls: calls.slice(0, 1) }, { text: ['Done.'] }]);
    const { client } = anApiClient(endpoint, { provider });
    const done = listTools(await collect(client.run(aTurn({}), never(), deny))).filter(({ state }) => state === 'done');
    expect(new Set(done.map(({ id }) => id)).size).toBe(3);
    expect(done.map(({ output }) => output)).toEqual([
      'src/dusk.ts',
      'src/dusk.ts:4: export function isDusk(angle: number): boolean {',
      'src/dusk.ts',
    ]);
  });

  it('reports a failed tool call to the model and continues', async () => {
    const endpoint = await ModelEndpoint.start([
      {
        calls: [
          { name: 'read', input: { path: 'no/such.ts' }, id: 'a' },
          { name: 'launch', input: {}, id: 'b' },
          { name: 'read', input: { path: 7 }, id: 'c' },
        ],
      },
      { text: ['I could not.'] },
    ]);
    const { client } = anApiClient(endpoint, { provider });
    const events = await collect(client.run(aTurn({}), never(), deny));
    const failed = listTools(events).filter(({ state }) => state === 'failed');
    expect(failed.map(({ name }) => name).sort()).toEqual(['launch', 'read', 'read']);
    const sent = JSON.stringify(endpoint.requests[1]?.body.messages);
    expect(sent).toContain('No text file of this project that may be read has this path');
    expect(sent).toContain('`path` must be a text');
    expect(events.at(-1)).toEqual({ type: 'end', citations: [] });
  });

  it('forbids tool use in the last step', async () => {
    const look: ModelReply = { calls: [{ name: 'list', input: {} }] };
    const endpoint = await ModelEndpoint.start([look, look, { text: ['Enough.'] }]);
    const { client } = anApiClient(endpoint, { provider });
    const events = await collect(client.run(aTurn({ turns: 3 }), never(), deny));
    expect(toText(events)).toBe('Enough.');
    const [, second, third] = endpoint.requests;
    expect(JSON.stringify(second?.body)).not.toContain('last step');
    expect(JSON.stringify(third?.body)).toContain('last step');
    expect(JSON.stringify(third?.body.tool_choice)).toContain('none');
    expect(third?.body.tools).toHaveLength(3);
  });

  it('fails with a reason when the last step still uses tools', async () => {
    const endpoint = await ModelEndpoint.start(() => ({ calls: [{ name: 'list', input: {} }] }));
    const { client } = anApiClient(endpoint, { provider });
    await expect(collect(client.run(aTurn({ turns: 2 }), never(), deny))).rejects.toThrow(
      'went on using tools in its last step',
    );
    expect(endpoint.requests).toHaveLength(2);
  });

  it('throws the reason of its signal and leaves no connection open', async () => {
    const endpoint = await ModelEndpoint.start([{ text: ['Thinking '], ending: 'hang' }]);
    const { client } = anApiClient(endpoint, { provider });
    const stop = new AbortController();
    const run = client.run(aTurn({}), stop.signal, deny)[Symbol.asyncIterator]();
    expect(await run.next()).toMatchObject({ value: { type: 'text' } });
    const next = run.next();
    stop.abort(new Error('called off by the operator'));
    await expect(next).rejects.toThrow('called off by the operator');
    await endpoint.untilClosed();
    expect(endpoint.openSockets).toBe(0);
  });

  it('closes the connection when the consumer stops reading events', async () => {
    const endpoint = await ModelEndpoint.start([{ text: ['Thinking '], ending: 'hang' }]);
    const { client } = anApiClient(endpoint, { provider });
    for await (const event of client.run(aTurn({}), never(), deny)) if (event.type === 'text') break;
    await endpoint.untilClosed();
    expect(endpoint.openSockets).toBe(0);
  });

  it('marks the answer as cut when the model reached its length limit', async () => {
    const endpoint = await ModelEndpoint.start([{ text: ['Half an ans'], stop: 'length' }]);
    const { client } = anApiClient(endpoint, { provider });
    expect(toText(await collect(client.run(aTurn({}), never(), deny)))).toContain('[The answer is cut here');
  });

  it('sends the effort in the format of the provider, and none for `default`', async () => {
    const endpoint = await ModelEndpoint.start(() => ({ text: ['Yes.'] }));
    const { client } = anApiClient(endpoint, { provider, models: ['claude-opus-4-8'] });
    expect(client.efforts()).toEqual(
      provider === 'anthropic' ? ['low', 'medium', 'high', 'xhigh', 'max'] : ['low', 'medium', 'high'],
    );
    for (const effort of ['default', 'high', 'minimal']) await collect(client.run(aTurn({ effort }), never(), deny));
    const sent = endpoint.requests.map(
      ({ body }) => body['reasoning_effort'] ?? (body['output_config'] as { effort?: string } | undefined)?.effort,
    );
    expect(sent).toEqual([undefined, 'high', undefined]);
  });

  it('writes nothing to the console when the endpoint fails', async () => {
    const endpoint = await ModelEndpoint.start([{ text: ['It'], error: { type: 'api_error', message: 'Broken.' } }]);
    const { client } = anApiClient(endpoint, { provider });
    const written = vi.spyOn(console, 'error').mockReturnValue();
    onTestFinished(() => written.mockRestore());
    await expect(collect(client.run(aTurn({}), never(), deny))).rejects.toThrow('Broken.');
    expect(written).not.toHaveBeenCalled();
  });

  it('sends the API key to the endpoint', async () => {
    const endpoint = await ModelEndpoint.start([{ text: ['Yes.'] }]);
    const { client } = anApiClient(endpoint, { provider, apiKey: 'key-of-the-operator' });
    await collect(client.run(aTurn({}), never(), deny));
    const { headers } = endpoint.requests[0] ?? {};
    expect(provider === 'anthropic' ? headers?.['x-api-key'] : headers?.authorization).toContain('key-of-the-operator');
  });
});

describe('the usage of a turn', () => {
  it('contains the reasoning that an endpoint counts in its total only', async () => {
    const list = { name: 'list', input: {} };
    const endpoint = await ModelEndpoint.start([
      { calls: [list], usage: { input: 12, output: 1, reasoning: 386 } },
      { text: ['Yes.'], usage: { input: 20, output: 5 } },
    ]);
    const { client } = anApiClient(endpoint, {});
    const events = await collect(client.run(aTurn({}), never(), deny));
    expect(events.flatMap((event) => (event.type === 'usage' ? [event.usage] : []))).toEqual([
      { input_tokens: 12, output_tokens: 387 },
      { input_tokens: 32, output_tokens: 392 },
    ]);
  });

  it.each([
    [
      { prompt_tokens: 12, completion_tokens: 8, total_tokens: 3 },
      { input_tokens: 12, output_tokens: 8 },
    ],
    [
      { prompt_tokens: 12, completion_tokens: 8, total_tokens: 30.5 },
      { input_tokens: 12, output_tokens: 8 },
    ],
    [
      { prompt_tokens: 12, completion_tokens: 8 },
      { input_tokens: 12, output_tokens: 8 },
    ],
  ])('is as reported where the total explains no more: %j', async (usage, taken) => {
    const choices = [{ index: 0, delta: { content: 'Yes.' }, finish_reason: 'stop' }];
    const endpoint = await ModelEndpoint.start([{ raw: `data: ${JSON.stringify({ id: 'c', choices, usage })}\n\n` }]);
    const events = await collect(anApiClient(endpoint, {}).client.run(aTurn({}), never(), deny));
    expect(events.find(({ type }) => type === 'usage')).toEqual({ type: 'usage', usage: taken });
  });
});

describe('a member that changes things', () => {
  const edit = {
    name: 'edit',
    input: { path: 'src/dusk.ts', old_text: '= -6;', new_text: '= -12;', reason: 'Nautical dusk.' },
  };

  it('edits a file after the operator has allowed it', async () => {
    const endpoint = await ModelEndpoint.start([{ calls: [edit] }, { text: ['Changed.'] }]);
    const { client, fileText } = anApiClient(endpoint, {});
    const asked: unknown[] = [];
    await collect(
      client.run(aTurn({ tools: ['edit'] }), never(), async (question) => {
        asked.push(question);
        return 'allow_once';
      }),
    );
    const changes = [{ path: 'src/dusk.ts', old_text: '= -6;', new_text: '= -12;', cut: false }];
    const detail = { kind: 'edit', changes };
    expect(asked).toEqual([{ tool: 'edit', target: 'src/dusk.ts', reason: 'Nautical dusk.', detail }]);
    expect(fileText('src/dusk.ts')).toContain('DUSK_ANGLE_DEGREES = -12;');
  });

  it.each([
    ['the operator denies it', aTurn({ tools: ['edit'] })],
    ['the member has no such tool', aTurn({ tools: [] })],
    ['another program asks', aTurn({ tools: ['edit', 'execute'], profile: 'outside' })],
  ])('changes nothing when %s', async (_when, turn) => {
    const endpoint = await ModelEndpoint.start([
      { calls: [edit, { name: 'execute', input: { command: 'touch made' } }] },
      { text: ['Not done.'] },
    ]);
    const { client, fileText } = anApiClient(endpoint, { runCommand: async () => ({ exit: 0, output: '' }) });
    const before = fileText('src/dusk.ts');
    const events = await collect(client.run(turn, never(), deny));
    expect(
      listTools(events)
        .filter(({ state }) => state !== 'running')
        .map(({ state }) => state),
    ).toEqual(['failed', 'failed']);
    expect(fileText('src/dusk.ts')).toBe(before);
  });

  it('runs a command after the operator allowed its full text, and stops it with the turn', async () => {
    const command = `echo ${'x'.repeat(1_000)}`;
    const endpoint = await ModelEndpoint.start([{ calls: [{ name: 'execute', input: { command } }] }]);
    const stop = new AbortController();
    const ended: string[] = [];
    const { client } = anApiClient(endpoint, {
      runCommand: (_command, signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            ended.push('command');
            reject(signal.reason);
          });
          stop.abort(new Error('stopped'));
        }),
    });
    const asked: string[] = [];
    const run = collect(
      client.run(aTurn({ tools: ['execute'] }), stop.signal, async ({ target }) => {
        asked.push(target);
        return 'allow_always';
      }),
    );
    await expect(run).rejects.toThrow('stopped');
    expect([asked, ended]).toEqual([[command], ['command']]);
  });

  it('has its command stopped when the consumer stops reading events', async () => {
    const endpoint = await ModelEndpoint.start([{ calls: [{ name: 'execute', input: { command: 'make' } }] }]);
    let begin: () => void = () => undefined;
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    let isStopped = false;
    const { client } = anApiClient(endpoint, {
      runCommand: (_command, signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () =>
            setImmediate(() => {
              isStopped = true;
              reject(signal.reason);
            }),
          );
          begin();
        }),
    });
    for await (const event of client.run(aTurn({ tools: ['execute'] }), never(), async () => 'allow_once')) {
      if (event.type !== 'tool') continue;
      await begun;
      break;
    }
    expect(isStopped).toBe(true);
  });

  it('does not wait for a pending decision once the turn is stopped', async () => {
    const endpoint = await ModelEndpoint.start([{ calls: [edit] }]);
    const { client } = anApiClient(endpoint, {});
    const stop = new AbortController();
    const run = collect(
      client.run(aTurn({ tools: ['edit'] }), stop.signal, () => {
        queueMicrotask(() => stop.abort(new Error('stopped')));
        return new Promise(() => undefined);
      }),
    );
    await expect(run).rejects.toThrow('stopped');
  });

  it('has no `execute` tool without a command runner', async () => {
    const endpoint = await ModelEndpoint.start([{ text: ['Yes.'] }]);
    const { client } = anApiClient(endpoint, {});
    await collect(client.run(aTurn({ tools: ['edit', 'execute', 'web'] }), never(), deny));
    const names = ((endpoint.requests[0]?.body.tools ?? []) as { function: { name: string } }[]).map(
      (tool) => tool.function.name,
    );
    expect(names).toEqual(['read', 'search', 'list', 'edit']);
  });
});

describe('probe', () => {
  it('reports not ready without settings, with the reason', async () => {
    const endpoint = await ModelEndpoint.start([]);
    const { client } = anApiClient(endpoint, { problem: 'Set MESHD_API_PROVIDER.' });
    expect([await client.probe(), client.models(), client.efforts()]).toEqual([
      { ready: false, reason: 'Set MESHD_API_PROVIDER.' },
      [],
      [],
    ]);
    await expect(collect(client.run(aTurn({}), never(), deny))).rejects.toThrow('Set MESHD_API_PROVIDER.');
  });

  it('requires a local endpoint to respond, and reads its models', async () => {
    const endpoint = await ModelEndpoint.start([]);
    const { client } = anApiClient(endpoint, { models: ['stand-in-9'], apiKey: 'key-of-the-operator' });
    expect(await client.probe()).toEqual({ ready: true, reason: null });
    expect(client.models()).toEqual(['stand-in-9', 'stand-in-1', 'stand-in-0']);
    expect(endpoint.modelRequests[0]?.authorization).toBe('Bearer key-of-the-operator');
    await endpoint.stop();
    expect(await client.probe()).toMatchObject({
      ready: false,
      reason: expect.stringContaining('Nothing answers at http://127.0.0.1:'),
    });
  });

  it('sends no request to a remote endpoint', async () => {
    const endpoint = await ModelEndpoint.start([]);
    const { client } = anApiClient(endpoint, { baseUrl: 'https://model.invalid/v1' });
    expect(await client.probe()).toEqual({ ready: true, reason: null });
  });

  /** The client of an endpoint on this machine that answers a request for its models by `reply`. */
  async function listing(
    reply: { status?: number; body?: unknown; isHalf?: boolean } | undefined,
    provider: ApiProvider = 'anthropic',
  ) {
    const asked: [string | undefined, IncomingHttpHeaders][] = [];
    const server = createServer((request, response) => {
      asked.push([request.url, request.headers]);
      const { status = 200, body = '', isHalf } = reply ?? {};
      if (isHalf) response.writeHead(status).write('{"data":');
      else if (reply) response.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body));
    });
    // The server ends no connection by itself.
    server.keepAliveTimeout = 0;
    const closed = new Promise<void>((resolve) => {
      server.on('connection', (socket) => socket.on('close', () => resolve()));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const clock = new FakeClock();
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
    const project = {} as ConstructorParameters<typeof ApiClient>[0]['project'];
    const client = new ApiClient({
      configuration: { settings: { provider, baseUrl, models: ['mine'], apiKey: 'key-of-mine' } },
      project,
      clock,
      place: { root: '/project', environment: {} },
    });
    return { client, clock, asked, closed };
  }

  it('sends the key as the provider wants it, and leaves no connection open', async () => {
    const { client, asked, clock, closed } = await listing({ body: { data: [] } });
    expect(await client.probe()).toEqual({ ready: true, reason: null });
    expect(asked).toMatchObject([['/v1/models', { 'x-api-key': 'key-of-mine' }]]);
    expect([asked[0]?.[1].authorization, clock.pending]).toEqual([undefined, 0]);
    await closed;
  });

  it.each([404, 405])('takes an endpoint that lists no models (%i) for one', async (status) => {
    const { client } = await listing({ status, body: 'no' });
    expect([await client.probe(), client.models()]).toEqual([{ ready: true, reason: null }, ['mine']]);
  });

  it.each([
    [401, 'does not take the key (401)'],
    [500, 'failed (500): ask again later. It said: no'],
  ])('reports not ready where the endpoint refuses with %i', async (status, words) => {
    const { client, clock } = await listing({ status, body: 'no' });
    expect(await client.probe()).toEqual({ ready: false, reason: expect.stringContaining(words) });
    expect(clock.pending).toBe(0);
  });

  it.each([undefined, { isHalf: true }])('waits a second and a half for the endpoint: %j', async (reply) => {
    const { client, clock, asked } = await listing(reply);
    const probing = client.probe();
    while (asked.length === 0) await new Promise(setImmediate);
    // Time for what has been written to arrive.
    for (let round = 0; round < 20; round += 1) await new Promise(setImmediate);
    clock.advance(1_499);
    await new Promise(setImmediate);
    expect(clock.pending).toBe(1);
    clock.advance(1);
    expect(await probing).toEqual({
      ready: false,
      reason: expect.stringMatching(/did not answer in time \(ETIMEDOUT\)/),
    });
  });

  it.each([
    [{ data: [{ id: 'a' }, { id: '' }, null, { id: 7 }, {}, { id: 'x'.repeat(201) }, { id: 'mine' }] }, ['mine', 'a']],
    [{ data: [{ id: 'x'.repeat(200) }] }, ['mine', 'x'.repeat(200)]],
    [{ data: { id: 'a' } }, ['mine']],
    [{}, ['mine']],
    ['Welcome!', ['mine']],
    ['null', ['mine']],
  ])('reads the names of models, and nothing else: %#', async (body, models) => {
    const { client } = await listing({ body });
    expect([await client.probe(), client.models()]).toEqual([{ ready: true, reason: null }, models]);
  });

  it('lists 100 models at most', async () => {
    const { client } = await listing({
      body: { data: Array.from({ length: 120 }, (_, index) => ({ id: `m${index}` })) },
    });
    await client.probe();
    expect([client.models().length, client.models()[99]]).toEqual([100, 'm98']);
  });
});

it('a turn leaves no connection to the daemon’s own tools open', async () => {
  const server = createServer((_, response) => response.end('{"result":{"tools":[]}}'));
  server.keepAliveTimeout = 0;
  const closed = new Promise<void>((resolve) => {
    server.on('connection', (socket) => socket.on('close', () => resolve()));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const tool_server = { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, token: 'tt_1' };
  const { client } = anApiClient(await ModelEndpoint.start([{ text: ['Done.'] }]), {});
  expect(toText(await collect(client.run({ ...aTurn({}), tool_server }, never(), deny)))).toBe('Done.');
  await closed;
});

describe('the folder of a turn', () => {
  type Parts = ConstructorParameters<typeof ApiClient>[0];

  /** A client whose project and other folders say which of them is read. */
  function folders(endpoint: ModelEndpoint, openFolder?: Parts['openFolder']) {
    const clock = new FakeClock();
    const project = (name: string): Parts['project'] => ({
      paths: async () => [name],
      lines: async () => [],
      linesHolding: async () => ({ matches: [], hasMore: false }),
      replace: async () => ({ line: 1 }),
      forOutside: () => ({ ...project(`${name} for others`) }),
    });
    const place = { root: '/project', environment: {} };
    const settings = { provider: 'openai-compatible', baseUrl: `${endpoint.origin}/v1`, models: ['m'] } as const;
    return {
      client: new ApiClient({
        configuration: { settings },
        project: project('the project'),
        clock,
        place,
        ...(openFolder && { openFolder }),
      }),
      project,
    };
  }

  const listed = async (client: ApiClient, more: object) => {
    const events = await collect(client.run({ ...aTurn({}), ...more }, never(), deny));
    return listTools(events).at(-1)?.output;
  };
  const replies: ModelReply[] = [{ calls: [{ name: 'list', input: {} }] }, { text: ['Done.'] }];

  it.each([
    [{}, 'the project'],
    [{ folder: '/project' }, 'the project'],
    [{ folder: '/worktree' }, 'the worktree'],
    [{ profile: 'outside' }, 'the project for others'],
    [{ profile: 'outside', folder: '/worktree' }, 'the project for others'],
  ])('is the project, unless it names another: %j', async (more, output) => {
    const endpoint = await ModelEndpoint.start(replies);
    const given: unknown[] = [];
    const { client, project } = folders(endpoint, (...all) => {
      given.push(all);
      return { project: project('the worktree'), place: { root: '/worktree', environment: {} } };
    });
    expect(await listed(client, { environment: { PORT: '1' }, ...more })).toBe(output);
    expect(given).toEqual(output === 'the worktree' ? [['/worktree', { PORT: '1' }]] : []);
  });

  it('is refused where no other can be opened', async () => {
    const endpoint = await ModelEndpoint.start(replies);
    await expect(listed(folders(endpoint).client, { folder: '/worktree' })).rejects.toThrow(
      'The turn on `m` failed: This client works in the project folder only.',
    );
    expect(endpoint.requests).toEqual([]);
  });

  it('has the model that the member names, else the first of the settings', async () => {
    const endpoint = await ModelEndpoint.start(() => ({ text: ['Done.'] }));
    const { client } = folders(endpoint);
    for (const model of ['strongest', 'other']) await collect(client.run(aTurn({ model }), never(), deny));
    expect(endpoint.requests.map(({ body }) => body.model)).toEqual(['m', 'other']);
  });

  it('is not opened for a turn that was stopped', async () => {
    const endpoint = await ModelEndpoint.start(replies);
    const early = AbortSignal.abort(new Error('early'));
    await expect(collect(folders(endpoint).client.run(aTurn({}), early, deny))).rejects.toThrow('early');
    expect(endpoint.requests).toEqual([]);
  });
});
