import type { LanguageModel, ModelMessage, streamText as StreamText, ToolSet } from 'ai';
import type { ApiSettings } from './api-settings.js';
import type { EffortOptions } from './effort.js';
import { type ApiTool, Fields } from './tool.js';

type StreamOptions = Parameters<typeof StreamText>[0];

/** A model at the endpoint, with the SDK functions that run it. */
interface OpenModel {
  stream: typeof StreamText;
  model: LanguageModel;
  providerOptions: NonNullable<StreamOptions['providerOptions']>;
  stopAfter: (steps: number) => NonNullable<StreamOptions['stopWhen']>;
  toolSet: (
    tools: readonly ApiTool[],
    run: (tool: ApiTool, input: Fields, signal: AbortSignal) => Promise<string>,
  ) => ToolSet;
  /** Marks the last message for caching, where the provider can cache the messages between the steps of a turn. */
  prepared: (messages: ModelMessage[]) => ModelMessage[];
}

/** Loads the provider's SDK (slow the first time) and opens `model`. The SDK reads no environment variables. */
export async function openModel(
  settings: ApiSettings,
  model: string,
  effort: EffortOptions,
  fetch: typeof globalThis.fetch,
): Promise<OpenModel> {
  const sdk = await import('ai');
  // The SDK would write its warnings to the console, which the daemon does not use.
  globalThis.AI_SDK_LOG_WARNINGS = false;
  const { provider: _, ...options } = effort;
  return {
    stream: sdk.streamText,
    model: await languageModel(settings, model, fetch),
    providerOptions: effort.provider === 'anthropic' ? { anthropic: options } : { openaiCompatible: options },
    stopAfter: sdk.stepCountIs,
    toolSet: (tools, run) =>
      Object.fromEntries(
        tools.map((tool) => [
          tool.name,
          sdk.dynamicTool({
            description: tool.description,
            inputSchema: sdk.jsonSchema(tool.schema as Parameters<typeof sdk.jsonSchema>[0]),
            execute: (input, { abortSignal }) =>
              run(tool, new Fields(input), abortSignal ?? new AbortController().signal),
          }),
        ]),
      ),
    prepared: (messages) => (settings.provider === 'anthropic' ? withCacheMark(messages) : messages),
  };
}

async function languageModel(
  settings: ApiSettings,
  model: string,
  fetch: typeof globalThis.fetch,
): Promise<LanguageModel> {
  const { baseUrl: baseURL, apiKey } = settings;
  if (settings.provider === 'anthropic') {
    const { createAnthropic } = await import('@ai-sdk/anthropic');
    // Without a key the SDK would look for one in the environment.
    return createAnthropic({ baseURL, apiKey: apiKey ?? 'none', fetch })(model);
  }
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
  return createOpenAICompatible({
    // The SDK keeps Gemini's thought signatures under this name and sends back only those under `google`. Gemini 3
    // refuses a tool call without its signature. The options are read from `openaiCompatible` under every name.
    name: 'google',
    baseURL,
    fetch,
    includeUsage: true,
    transformRequestBody: (body) => acceptedBody(new URL(baseURL).hostname, body),
    ...(apiKey === undefined ? {} : { apiKey }),
  })(model);
}

/** Services that refuse reasoning sent back. Others, as DeepSeek, refuse an answer whose reasoning is missing. */
const REFUSES_REASONING: readonly string[] = ['api.groq.com', 'api.mistral.ai'];
/** Services that refuse the wish for the usage. They send it unasked. */
const REFUSES_USAGE: readonly string[] = ['api.mistral.ai'];

/** Returns the request without the fields that the service at `host` refuses. */
function acceptedBody(host: string, { messages, stream_options, ...body }: Record<string, unknown>): object {
  const all = messages as readonly Record<string, unknown>[];
  return {
    ...body,
    messages: REFUSES_REASONING.includes(host) ? all.map(({ reasoning_content: _, ...message }) => message) : all,
    ...(REFUSES_USAGE.includes(host) ? {} : { stream_options }),
  };
}

function withCacheMark(messages: ModelMessage[]): ModelMessage[] {
  const last = messages.at(-1);
  if (!last) return messages;
  return [
    ...messages.slice(0, -1),
    { ...last, providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' } } } } as ModelMessage,
  ];
}
