import { describe, expect, it } from 'vitest';
import { ModelEndpoint } from '../../../testing/stand-ins/model-endpoint.js';
import { anApiClient, aTurn, collect } from '../../../testing/stand-ins/model-endpoint-client.js';

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
