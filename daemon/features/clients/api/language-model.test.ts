import { describe, expect, it } from 'vitest';
import { ModelEndpoint } from '../../../testing/stand-ins/model-endpoint.js';
import { anApiClient, aTurn, collect } from '../../../testing/stand-ins/model-endpoint-client.js';
import { chatEvents, type ModelReply } from '../../../testing/stand-ins/model-endpoint-dialects.js';
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
