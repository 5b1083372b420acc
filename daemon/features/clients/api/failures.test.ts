import { describe, expect, it } from 'vitest';
import { ModelEndpoint } from '../../../testing/stand-ins/model-endpoint.js';
import { anApiClient, aTurn, collect } from '../../../testing/stand-ins/model-endpoint-client.js';
import type { ModelReply } from '../../../testing/stand-ins/model-endpoint-dialects.js';
import type { ApiProvider } from './api-settings.js';

const KEY = 'key-of-the-operator-1234567890';
const soon = { 'retry-after-ms': '1' };

async function toFailure(
  provider: ApiProvider,
  replies: readonly ModelReply[],
  more: { baseUrl?: string; retries?: number } = {},
) {
  const endpoint = await ModelEndpoint.start(replies);
  const { client } = anApiClient(endpoint, { provider, apiKey: KEY, ...more });
  const run = collect(client.run(aTurn({}), new AbortController().signal, async () => 'deny'));
  const error = await run.then(
    () => undefined,
    (thrown: unknown) => thrown as Error,
  );
  return { message: error?.message ?? 'It did not fail.', endpoint, error };
}

describe.each<ApiProvider>(['openai-compatible', 'anthropic'])('an endpoint with the %s protocol', (provider) => {
  it.each<[string, ModelReply, RegExp]>([
    [
      'refuses the key',
      { status: 401, body: { error: { message: `Incorrect API key provided: ${KEY}` } } },
      /does not take the key \(401\): put a valid one into `\.mesh\/credentials\/api-key`/,
    ],
    ['forbids', { status: 403, body: 'no' }, /does not take the key \(403\)/],
    [
      'does not know the model',
      { status: 404, body: { error: { message: 'model "stand-in-1" not found' } } },
      /knows no model `stand-in-1` \(404\).*MESHD_API_MODEL.*not found/,
    ],
    [
      'has a model without tools',
      { status: 400, body: { error: 'registry/stand-in-1 does not support tools' } },
      /cannot use tools/,
    ],
    [
      'has a model without effort',
      { status: 400, body: { error: { message: '"stand-in-1" does not support thinking' } } },
      /set the member's effort to `default`/,
    ],
    [
      'has too little room',
      { status: 400, body: { error: { message: 'prompt is too long: 9 tokens > 8 maximum' } } },
      /too long for the model/,
    ],
    ['refuses otherwise', { status: 422, body: { detail: 'odd' } }, /refused the request \(422\)\. It said: odd/],
    [
      'refuses reasoning that is sent back, as Groq does',
      {
        status: 400,
        body: {
          error: {
            message:
              "'messages.2' : for 'role:assistant' the following must be satisfied[('messages.2' : property " +
              "'reasoning_content' is unsupported)]",
            type: 'invalid_request_error',
          },
        },
      },
      /refused the request \(400\)\. It said: 'messages\.2' : .* property 'reasoning_content' is unsupported/,
    ],
    [
      'wants reasoning sent back, as DeepSeek does',
      {
        status: 400,
        body: { error: { message: 'The reasoning_content in the thinking mode must be passed back to the API.' } },
      },
      /refused the request \(400\)\. It said: The reasoning_content in the thinking mode/,
    ],
    [
      'refuses a field with an object for a message, as Mistral does',
      {
        status: 422,
        body: {
          object: 'error',
          message: {
            detail: [
              {
                type: 'extra_forbidden',
                loc: ['body', 'stream_options', 'include_usage'],
                msg: 'Extra inputs are not permitted',
                input: true,
              },
            ],
          },
          type: 'invalid_request_error',
          param: null,
          code: null,
        },
      },
      /refused the request \(422\)\. It said: .*"stream_options","include_usage".*Extra inputs are not permitted/,
    ],
    [
      'refuses a field with a list of details',
      { status: 422, body: { detail: [{ loc: ['body', 'n'], msg: 'Field required' }] } },
      /refused the request \(422\)\. It said: .*Field required/,
    ],
    ['refuses and says nothing', { status: 400, body: { detail: null } }, /refused the request \(400\)\.$/],
    [
      'refuses with an error in a list, as Google does',
      { status: 400, body: [{ error: { code: 400, message: 'Function call is missing a thought_signature' } }] },
      /refused the request \(400\)\. It said: Function call is missing a thought_signature/,
    ],
    [
      'redirects elsewhere',
      { status: 307, headers: { location: 'https://elsewhere.invalid/v1' } },
      /redirect \(307\), which is not followed: set MESHD_API_BASE_URL/,
    ],
    ['answers with a page', { raw: '<html><body>Welcome</body></html>' }, /ended the answer before it was whole/],
    ['sends broken events', { raw: 'data: {"choices": [\n\n' }, /sent something that is not a stream of/],
    [
      'breaks off with a reason',
      { text: ['It is'], error: { type: 'overloaded_error', message: 'Overloaded' } },
      /is overloaded: ask again later\. It said: Overloaded/,
    ],
    [
      'is cut in the middle',
      { text: ['It is'], ending: 'cut' },
      /The connection to http:\/\/127\.0\.0\.1:\d+ was cut \(ECONNRESET\)/,
    ],
    ['ends in the middle', { text: ['It is'], ending: 'ends' }, /ended the answer before it was whole/],
    ['says nothing', { text: [] }, /ended its turn without an answer/],
  ])('that %s yields one message with a remedy and without the key', async (_what, reply, words) => {
    const { message, error, endpoint } = await toFailure(
      provider,
      [reply],
      reply.raw === undefined ? {} : { retries: 0 },
    );
    expect(message).toMatch(words);
    expect(message).not.toContain(KEY);
    expect(JSON.stringify(error, Object.getOwnPropertyNames(error ?? {}))).not.toContain(KEY);
    expect(message.length).toBeLessThan(600);
    expect(endpoint.requests).toHaveLength(1);
  });

  it.each([
    [429, /takes no more requests for now \(429\)/],
    [500, /failed \(500\): ask again later/],
    [529, /failed \(529\): ask again later/],
  ])('that responds with %i is retried exactly twice', async (status, words) => {
    const reply = { status, body: { error: { message: 'busy' } }, headers: soon };
    const { message, endpoint } = await toFailure(provider, [reply, reply, reply, reply]);
    expect(message).toMatch(words);
    expect(endpoint.requests).toHaveLength(3);
  });

  it.each([
    ['Ollama', { error: { message: 'no user query found in messages', type: 'api_error' } }],
    ['llama.cpp', { error: { code: 500, message: 'Jinja Exception: No user query found in messages.' } }],
  ])('that cut the question off, as %s does, yields what gives the model more room', async (_server, body) => {
    const { message } = await toFailure(provider, [{ status: 500, body }], { retries: 0 });
    expect(message).toMatch(
      /^The endpoint gives the model `stand-in-1` too little context .* was cut off: .* It said: /,
    );
    expect(message).toContain('`OLLAMA_CONTEXT_LENGTH=64000 ollama serve`');
    expect(message).toContain('`PARAMETER num_ctx 64000`');
  });

  it('is retried after a transient failure, and the turn succeeds', async () => {
    const { message } = await toFailure(provider, [{ status: 503, headers: soon }, { text: ['Yes.'] }]);
    expect(message).toBe('It did not fail.');
  });

  it('that is unreachable yields a message with a remedy', async () => {
    const gone = await ModelEndpoint.start([]);
    const baseUrl = `${gone.origin}/v1`;
    await gone.stop();
    const { message } = await toFailure(provider, [], { baseUrl, retries: 0 });
    expect(message).toMatch(/^Nothing answers at http:\/\/127\.0\.0\.1:\d+: start its program/);
  });

  it('is cut off when its answer exceeds the limit', async () => {
    const { message } = await toFailure(provider, [
      { text: Array.from({ length: 40 }, () => 'x'.repeat(32 * 1024)), ending: 'hang' },
    ]);
    expect(message).toContain('more than 1 MiB');
  });
});
