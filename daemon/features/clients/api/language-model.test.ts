import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { ModelEndpoint } from '../../../testing/stand-ins/model-endpoint.js';
import { anApiClient, aTurn, collect } from '../../../testing/stand-ins/model-endpoint-client.js';
import { chatEvents, type ModelReply } from '../../../testing/stand-ins/model-endpoint-dialects.js';
import type { ApiSettings } from './api-settings.js';
import { openModel } from './language-model.js';
import type { ApiTool } from './tool.js';

describe('a thought signature of Gemini', () => {
  it('is sent back with its tool call, in the place where it was, beside the effort', async () => {
    const extra_content = { google: { thought_signature: 'signed-9f3' } };
    const endpoint = await ModelEndpoint.start([
      { calls: [{ name: 'list', input: { path: 'src' }, extra_content }] },
      { text: ['Done.'] },
    ]);
    const { client } = anApiClient(endpoint, { models: ['gemini-3-pro'] });
    await collect(client.run(aTurn({ effort: 'high' }), new AbortController().signal, async () => 'deny'));
    const [, second] = endpoint.requests;
    const calls = second?.body.messages.flatMap(({ tool_calls }) => tool_calls ?? []);
    expect(calls).toEqual([
      { id: 'call_0', type: 'function', function: { name: 'list', arguments: '{"path":"src"}' }, extra_content },
    ]);
    expect(second?.body['reasoning_effort']).toBe('high');
    expect(JSON.stringify(second?.body)).not.toContain('thoughtSignature');
  });
});

describe('the requests of a turn with a tool', () => {
  /** Returns the bodies of both requests to `baseUrl`. */
  async function bodiesAt(baseUrl: string): Promise<{ messages: object[] }[]> {
    const replies: ModelReply[] = [
      { reasoning: 'I should look.', calls: [{ name: 'look', input: {} }] },
      { text: ['Done.'] },
    ];
    const bodies: { messages: object[] }[] = [];
    const fetch = async (_input: unknown, init?: RequestInit) => {
      const events = [...chatEvents(replies[bodies.length] ?? {}, 'some')].join('');
      bodies.push(JSON.parse(String(init?.body)));
      return new Response(events, { headers: { 'content-type': 'text/event-stream' } });
    };
    const settings = { provider: 'openai-compatible', baseUrl, models: ['some'] } as const;
    const { stream, stopAfter, toolSet, ...opened } = await openModel(
      settings,
      'some',
      { provider: 'openai-compatible' },
      fetch,
    );
    const look: ApiTool = {
      name: 'look',
      description: 'Looks.',
      schema: { type: 'object', properties: {}, required: [], additionalProperties: false },
      target: () => '',
      run: async () => 'Nothing.',
    };
    await stream({
      model: opened.model,
      prompt: 'Look.',
      tools: toolSet([look], (tool, input, signal) => tool.run(input, signal)),
      stopWhen: stopAfter(2),
    }).consumeStream();
    return bodies;
  }

  it.each([
    ['https://api.deepseek.com/v1', true, true],
    ['https://api.groq.com/openai/v1', false, true],
    ['https://api.mistral.ai/v1', false, false],
  ])('to %s hold the reasoning: %j, and ask for the usage: %j', async (baseUrl, hasReasoning, asksForUsage) => {
    const bodies = await bodiesAt(baseUrl);
    expect(bodies).toHaveLength(2);
    const answers = bodies[1]?.messages.filter((message) => 'tool_calls' in message);
    expect(answers).toEqual([
      expect.objectContaining({ role: 'assistant', tool_calls: [expect.objectContaining({ id: 'call_0' })] }),
    ]);
    expect(answers?.map((message) => 'reasoning_content' in message)).toEqual([hasReasoning]);
    expect(bodies.map((body) => 'stream_options' in body)).toEqual([asksForUsage, asksForUsage]);
  });
});

describe('a model that is opened', () => {
  const noFetch = () => Promise.reject(new Error('no request is made'));
  const openai: ApiSettings = { provider: 'openai-compatible', baseUrl: 'https://a.example/v1', models: ['m'] };
  const anthropic: ApiSettings = { provider: 'anthropic', baseUrl: 'https://a.example/v1', models: ['m'] };
  const messages = ['One.', 'Two.'].map((content) => ({ role: 'user' as const, content }));

  it('has the effort under the name of its provider', async () => {
    const effort = { provider: 'anthropic', effort: 'low' } as const;
    expect((await openModel(anthropic, 'm', effort, noFetch)).providerOptions).toEqual({
      anthropic: { effort: 'low' },
    });
    const other = { provider: 'openai-compatible', reasoningEffort: 'high' } as const;
    expect((await openModel(openai, 'm', other, noFetch)).providerOptions).toEqual({
      openaiCompatible: { reasoningEffort: 'high' },
    });
  });

  it('of Anthropic has its last message marked for its cache, and no other has', async () => {
    const { prepared } = await openModel(anthropic, 'm', { provider: 'anthropic' }, noFetch);
    const mark = { anthropic: { cacheControl: { type: 'ephemeral' } } };
    expect(prepared(messages)).toEqual([messages[0], { ...messages[1], providerOptions: mark }]);
    expect(prepared([])).toEqual([]);
    const other = await openModel(openai, 'm', { provider: 'openai-compatible' }, noFetch);
    expect(other.prepared(messages)).toEqual(messages);
  });

  it('writes no warnings to the console', async () => {
    globalThis.AI_SDK_LOG_WARNINGS = undefined;
    await openModel(openai, 'm', { provider: 'openai-compatible' }, noFetch);
    expect(globalThis.AI_SDK_LOG_WARNINGS).toBe(false);
  });

  it('describes the tools to the model, and runs them with their input', async () => {
    const { toolSet } = await openModel(openai, 'm', { provider: 'openai-compatible' }, noFetch);
    const tool: ApiTool = {
      name: 'look',
      description: 'Looks.',
      schema: { type: 'object', properties: { at: { type: 'string' } }, required: ['at'], additionalProperties: false },
      target: () => '',
      run: async () => '',
    };
    const given: unknown[] = [];
    const tools = toolSet([tool], async (...all) => {
      given.push(...all);
      return 'Seen.';
    });
    expect(Object.keys(tools)).toEqual(['look']);
    const { look } = tools;
    expect([look?.description, (look?.inputSchema as { jsonSchema?: unknown } | undefined)?.jsonSchema]).toEqual([
      'Looks.',
      tool.schema,
    ]);
    const { signal: abortSignal } = new AbortController();
    const options = { toolCallId: '1', messages: [], context: {} };
    expect(await look?.execute?.({ at: 'a' }, { ...options, abortSignal })).toBe('Seen.');
    expect(given).toEqual([tool, expect.objectContaining({ values: { at: 'a' } }), abortSignal]);
    await look?.execute?.({}, options);
    expect(given.at(-1)).toBeInstanceOf(AbortSignal);
  });

  it.each([
    [anthropic, 'none', null],
    [{ ...anthropic, apiKey: 'mine' }, 'mine', null],
    [openai, null, null],
    [{ ...openai, apiKey: 'mine' }, null, 'Bearer mine'],
  ] as const)('sends the key of its settings and none of the environment: %#', async (settings, key, authorization) => {
    const sent: Headers[] = [];
    const fetch = async (_: unknown, init?: RequestInit) => {
      sent.push(new Headers(init?.headers));
      return new Response('no', { status: 400 });
    };
    onTestFinished(() => void vi.unstubAllEnvs());
    for (const name of ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'ANTHROPIC_AUTH_TOKEN']) vi.stubEnv(name, 'canary');
    const { stream, model } = await openModel(settings, 'm', { provider: settings.provider }, fetch);
    await stream({ model, prompt: 'Hello.', maxRetries: 0, onError: () => undefined }).consumeStream();
    expect([sent[0]?.get('x-api-key'), sent[0]?.get('authorization')]).toEqual([key, authorization]);
  });
});
