import { describe, expect, it } from 'vitest';
import { MeshError } from '../../lib/errors.js';
import { CallRefusedError } from './call-refused.js';
import * as library from './mcp-library.js';
import { createServer } from './mcp-server.js';
import type { McpCall, McpSurface, McpTool } from './mcp-surface.js';

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};
const CLIENT = { 'io.modelcontextprotocol/clientInfo': { name: 'wire', version: '2' } };

interface Rpc {
  id?: number;
  result?: Record<string, unknown> & { isError?: boolean; content?: { text: string }[] };
  error?: { code: number; message: string; data?: Record<string, unknown> };
  params?: Record<string, unknown>;
}

/** A server of a surface with the tool `light`, which does what `run` does. Each call is one request. */
function aServer(given: Partial<McpSurface> = {}, run: McpTool['call'] = async () => ({ content: [] })) {
  const faults: [unknown, string][] = [];
  const running: Promise<unknown>[] = [];
  const ended = new AbortController();
  const surface = {
    info: { name: 'meshd', version: '1' },
    instructions: 'Ask before you guess.',
    capabilities: { tools: {}, resources: {}, prompts: {}, completions: {} },
    tools: [{ definition: { name: 'light', inputSchema: { type: 'object' } }, call: run }],
    ...given,
  } as unknown as McpSurface;
  const state: { goneWith?: Error } = {};
  const handler = library.createMcpHandler(() => {
    let isMade = false;
    const server = createServer({
      library,
      surface() {
        if (isMade && state.goneWith) throw state.goneWith;
        return surface;
      },
      ended: ended.signal,
      runs: (call) => void running.push(call.catch(() => undefined)),
      onFault: (error, id) => void faults.push([error, id]),
    });
    isMade = true;
    return server;
  });
  const messages = async (method: string, params: object = {}, meta: object = CLIENT): Promise<Rpc[]> => {
    const name = (params as { name?: string; uri?: string }).name ?? (params as { uri?: string }).uri;
    const response = await handler.fetch(
      new Request('http://127.0.0.1/mcp', {
        method: 'POST',
        headers: {
          ...{ 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
          ...{ 'mcp-protocol-version': '2026-07-28', 'mcp-method': method },
          ...(name === undefined ? {} : { 'mcp-name': name }),
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: { ...META, ...meta } } }),
      }),
    );
    const text = await response.text();
    const events = [...text.matchAll(/^data: (\{.*)$/gm)].map(([, data]) => data as string);
    return (events.length > 0 ? events : [text]).map((one) => JSON.parse(one) as Rpc);
  };
  const request = async (method: string, params?: object): Promise<Rpc> =>
    (await messages(method, params)).find(({ id }) => id === 1) ?? {};
  const light = async () => {
    const { result } = await request('tools/call', { name: 'light', arguments: {} });
    return { isError: result?.isError, body: JSON.parse(result?.content?.[0]?.text ?? 'null') as unknown };
  };
  return Object.assign(state, { faults, running, ended, messages, request, light });
}

describe('A call of a tool', () => {
  it('gets its arguments, the client’s name and version, and both signals', async () => {
    const seen: [unknown, McpCall][] = [];
    const { request, running, messages, ended } = aServer({}, async (args, call) => {
      seen.push([args, call]);
      return { content: [{ type: 'text', text: 'lit' }] };
    });
    expect((await request('tools/call', { name: 'light', arguments: { watts: 5 } })).result).toMatchObject({
      content: [{ type: 'text', text: 'lit' }],
    });
    await messages('tools/call', { name: 'light' }, {});
    const long = { 'io.modelcontextprotocol/clientInfo': { name: 'n'.repeat(300), version: '2' } };
    await messages('tools/call', { name: 'light' }, long);
    expect(seen.map(([args, { client, progress }]) => [args, client, progress])).toEqual([
      [{ watts: 5 }, 'mcp wire/2', undefined],
      [{}, null, undefined],
      [{}, `mcp ${'n'.repeat(176)}`, undefined],
    ]);
    const [, call] = seen[0] ?? [];
    expect(call?.ended).toBe(ended.signal);
    expect(call?.signal).toBe(call?.context.mcpReq.signal);
    expect(running).toHaveLength(3);
  });

  it('tells its progress to a client that asked for it', async () => {
    const { messages } = aServer({}, async (_args, { progress }) => {
      await progress?.(2, 'Two lamps are lit.');
      return { content: [] };
    });
    const told = await messages('tools/call', { name: 'light' }, { ...CLIENT, progressToken: 'p-1' });
    expect(told[0]?.params).toMatchObject({ progressToken: 'p-1', progress: 2, message: 'Two lamps are lit.' });
    expect(told).toHaveLength(2);
  });

  it('is refused for a tool that is not there, which is named with at most 128 characters', async () => {
    const { error } = await aServer().request('tools/call', { name: 'x'.repeat(129) });
    expect(error).toMatchObject({
      code: -32602,
      message: `There is no tool "${'x'.repeat(128)}": tools/list names those there are.`,
    });
  });

  it.each([
    [
      'a refusal',
      new MeshError('too_large', 'It is too long.', { details: { path: 'text' } }),
      { error: 'too_large', message: 'It is too long.', path: 'text' },
    ],
    [
      'an own body',
      new CallRefusedError({ error: 'timeout', message: 'Too slow.', request_id: 'req-1' }),
      { error: 'timeout', message: 'Too slow.', request_id: 'req-1' },
    ],
  ])('that fails with %s returns the error body of the HTTP API', async (_, error, body) => {
    const { light, faults } = aServer({}, () => Promise.reject(error));
    expect(await light()).toEqual({ isError: true, body });
    expect(faults).toEqual([]);
  });

  it('that fails unexpectedly returns only the id under which the fault is reported', async () => {
    const fault = new Error('the secret of the store');
    const { light, faults } = aServer({}, () => Promise.reject(fault));
    const { isError, body } = await light();
    expect([isError, body]).toEqual([true, { error: 'internal', id: expect.stringMatching(/^[0-9a-f-]{36}$/) }]);
    expect(faults).toEqual([[fault, (body as { id: string }).id]]);
  });

  it('that fails with an error of the protocol ends with this error', async () => {
    const { request } = aServer({}, () => Promise.reject(new library.ProtocolError(-32001, 'Not now.')));
    expect((await request('tools/call', { name: 'light' })).error).toMatchObject({ code: -32001, message: 'Not now.' });
  });

  it('names what an error without words is about', () => {
    expect(new CallRefusedError({ error: 'timeout' })).toMatchObject({ name: 'CallRefusedError', message: 'timeout' });
    expect(new CallRefusedError({ error: 'timeout', message: 'Too slow.' }).message).toBe('Too slow.');
  });
});

describe('A resource', () => {
  const reading = (error: Error) => aServer({ readResource: () => Promise.reject(error) });
  const uri = 'mesh://requests/req-1';

  it.each(['not_found', 'board_not_found', 'post_not_found'] as const)(
    'that is absent (%s) is not found',
    async (code) => {
      const { request, faults } = reading(new MeshError(code, 'It is not there.'));
      const { error } = await request('resources/read', { uri });
      expect(error).toMatchObject({ message: 'It is not there.', data: { uri } });
      expect([error?.data?.['error'], faults]).toEqual([undefined, []]);
    },
  );

  it('that is refused has the error body of the HTTP API', async () => {
    const { request } = reading(new MeshError('age_gated', 'For adults.', { details: { age_min: 18 } }));
    expect((await request('resources/read', { uri })).error).toEqual({
      code: -32602,
      message: 'For adults.',
      data: { error: 'age_gated', message: 'For adults.', age_min: 18 },
    });
  });

  it('that fails unexpectedly names only the id under which the fault is reported', async () => {
    const fault = new Error('the secret of the store');
    const { request, faults } = reading(fault);
    const { error } = await request('resources/read', { uri });
    expect(error).toEqual({
      code: -32603,
      message: 'The daemon failed.',
      data: { error: 'internal', id: expect.any(String) },
    });
    expect(faults).toEqual([[fault, error?.data?.['id']]]);
  });

  it('is read, and the lists are read page by page', async () => {
    const asked: unknown[] = [];
    const contents = [{ uri, text: 'lit' }];
    const { request } = aServer({
      readResource: async (given) => {
        asked.push(given);
        return { contents };
      },
      listResources: async (cursor) => {
        asked.push(cursor);
        return { resources: [{ uri, name: 'a' }] };
      },
      listResourceTemplates: () => ({ resourceTemplates: [{ uriTemplate: 'mesh://{a}', name: 'a' }] }),
    });
    expect((await request('resources/read', { uri })).result).toMatchObject({ contents });
    expect((await request('resources/list', { cursor: 'c' })).result).toMatchObject({ resources: [{ uri }] });
    expect((await request('resources/list')).result).toMatchObject({ resources: [{ uri }] });
    expect((await request('resources/templates/list')).result).toMatchObject({ resourceTemplates: [{ name: 'a' }] });
    expect(asked).toEqual([uri, 'c', undefined]);
  });
});

describe('A server', () => {
  it('lists its tools, prompts and completions', async () => {
    const asked: unknown[] = [];
    const { request } = aServer({
      listPrompts: () => ({ prompts: [{ name: 'ask' }] }),
      getPrompt: async (...given) => {
        asked.push(given.slice(0, 2));
        return { messages: [] };
      },
      complete: async ({ argument }) => ({ completion: { values: [argument.value] } }),
    });
    expect((await request('tools/list')).result).toMatchObject({ tools: [{ name: 'light' }] });
    expect((await request('prompts/list')).result).toMatchObject({ prompts: [{ name: 'ask' }] });
    await request('prompts/get', { name: 'ask', arguments: { question: 'Lit?' } });
    await request('prompts/get', { name: 'ask' });
    expect(asked).toEqual([
      ['ask', { question: 'Lit?' }],
      ['ask', {}],
    ]);
    const ref = { type: 'ref/prompt', name: 'ask' };
    const completed = await request('completion/complete', { ref, argument: { name: 'question', value: 'Li' } });
    expect(completed.result).toMatchObject({ completion: { values: ['Li'] } });
  });

  it('knows only what its surface can do', async () => {
    const { request } = aServer({ capabilities: { tools: {} } });
    expect((await request('tools/list')).error).toBeUndefined();
    const params = { ref: { type: 'ref/prompt', name: 'ask' }, argument: { name: 'q', value: '' } };
    for (const method of ['resources/list', 'prompts/list', 'completion/complete'])
      expect([method, (await request(method, params)).error?.code]).toEqual([method, -32601]);
    const without = aServer({ capabilities: { prompts: {} }, listPrompts: () => ({ prompts: [] }) });
    expect((await without.request('tools/list')).error?.code).toBe(-32601);
    expect((await without.request('prompts/list')).error).toBeUndefined();
  });

  it('says what it is, and its instructions if it has any', async () => {
    const discover = async (given: Partial<McpSurface>) => (await aServer(given).request('server/discover')).result;
    expect(await discover({})).toMatchObject({
      capabilities: { tools: {}, resources: {}, prompts: {}, completions: {} },
      instructions: 'Ask before you guess.',
    });
    expect(await discover({ instructions: undefined } as never)).not.toHaveProperty('instructions');
  });

  it('lets its surface add further handlers', async () => {
    let added = 0;
    const { request } = aServer({
      more: () => {
        added += 1;
      },
    });
    await request('tools/list');
    expect(added).toBe(1);
  });

  it('answers with an error when its subject is gone meanwhile', async () => {
    const gone = new MeshError('not_found', 'There is no such member.');
    const server = aServer();
    server.goneWith = gone;
    const { error } = await server.request('tools/call', { name: 'light' });
    expect(error).toEqual({ code: -32602, message: gone.message, data: { error: 'not_found', message: gone.message } });
    expect(server.faults).toEqual([]);
  });
});
