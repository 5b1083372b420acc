import { Type } from 'typebox';
import Value from 'typebox/value';
import {
  AGENT_PROGRAMS,
  type AgentProgramName,
  API_KEY_MAX_CHARS,
  type ClientChoice,
  ENDPOINT_PROVIDERS,
  MODEL_NAME_MAX_CHARS,
  OLLAMA_PORT,
} from '../../../contract/clients.js';
import { oneOf } from '../../../contract/one-of.js';
import { MeshError } from '../../../lib/errors.js';
import type { JsonObject } from '../../../storage/files/json-file.js';
import { type ApiProvider, requireEndpoint } from '../api/api-settings.js';

const CHOSEN_CLIENTS = ['claude-code', 'acp', 'api'] as const;
export type ChosenClient = (typeof CHOSEN_CLIENTS)[number];

/** The endpoint that the operator entered. The key stands beside its address, so that it is sent nowhere else. */
interface SavedEndpoint {
  provider: ApiProvider;
  base_url: string;
  model: string;
  api_key?: string;
}

/** What the operator chose on this machine. A file of the repository has no part in it. */
export interface ClientSettings {
  /** The program that the client `acp` runs; absent: as the environment says, else the first that is found. */
  acp_program?: AgentProgramName;
  endpoint?: SavedEndpoint;
  /** The client that `auto` prefers. */
  auto?: ChosenClient;
  /** Clients that `auto` never takes. */
  named_only: readonly ChosenClient[];
}

export const NO_SETTINGS: ClientSettings = { named_only: [] };

const Saved = Type.Object(
  {
    acp_program: Type.Optional(oneOf(AGENT_PROGRAMS)),
    endpoint: Type.Optional(
      Type.Object({
        provider: oneOf(ENDPOINT_PROVIDERS),
        base_url: Type.String({ maxLength: 2_000 }),
        model: Type.String({ minLength: 1, maxLength: MODEL_NAME_MAX_CHARS }),
        api_key: Type.Optional(Type.String({ minLength: 1, maxLength: API_KEY_MAX_CHARS })),
      }),
    ),
    auto: Type.Optional(oneOf(CHOSEN_CLIENTS)),
    named_only: Type.Array(oneOf(CHOSEN_CLIENTS)),
  },
  { additionalProperties: false },
);

/** Reads the settings file. Throws `store_readonly` when it is damaged; the message never quotes it. */
export function parseSettings(content: JsonObject | null): ClientSettings {
  if (content === null) return NO_SETTINGS;
  if (Value.Check(Saved, content)) return content as unknown as ClientSettings;
  throw new MeshError('store_readonly', '.mesh/credentials/clients.json is damaged: mend it, or remove it.');
}

/** The client that runs the chosen way. */
export function toChosenClient({ way, program }: ClientChoice): ChosenClient {
  if (way !== 'program') return 'api';
  return program === 'claude' ? 'claude-code' : 'acp';
}

export const ollamaAddress = (port = OLLAMA_PORT): string => `http://127.0.0.1:${port}/v1`;

const missing = (path: string, what: string) => new MeshError('bad_request', what, { details: { path } });

/**
 * Returns the settings with the chosen way in place. A key that is not given again is kept for the same server only.
 * Throws `bad_request` with `path` for a field that is missing or wrong; no message contains the key.
 */
export function withChoice(settings: ClientSettings, choice: ClientChoice): ClientSettings {
  const { way, program, model } = choice;
  if (way === 'program') {
    if (program === undefined) throw missing('program', `Say which program: one of ${AGENT_PROGRAMS.join(', ')}.`);
    return program === 'claude' ? settings : { ...settings, acp_program: program };
  }
  if (model === undefined || model.trim() === '') throw missing('model', 'Say which model the endpoint is to run.');
  if (way === 'ollama') {
    const base_url = ollamaAddress(choice.port);
    return { ...settings, endpoint: { provider: 'openai-compatible', base_url, model: model.trim() } };
  }
  if (choice.provider === undefined)
    throw missing('provider', `Say what the endpoint speaks: one of ${ENDPOINT_PROVIDERS.join(', ')}.`);
  const api_key = choice.api_key?.trim() || keptKey(settings, choice);
  const { baseUrl } = requireEndpoint({ provider: choice.provider, address: choice.base_url, apiKey: api_key });
  return {
    ...settings,
    endpoint: {
      provider: choice.provider,
      base_url: baseUrl,
      model: model.trim(),
      ...(api_key === undefined ? {} : { api_key }),
    },
  };
}

/** The kept key, when the endpoint is on the server that it was entered for. */
function keptKey({ endpoint }: ClientSettings, { provider, base_url }: ClientChoice): string | undefined {
  if (endpoint?.api_key === undefined || endpoint.provider !== provider) return undefined;
  if (base_url === undefined) return provider === 'anthropic' ? keptForDefault(endpoint) : undefined;
  const isSame = URL.canParse(base_url) && new URL(base_url).origin === new URL(endpoint.base_url).origin;
  return isSame ? endpoint.api_key : undefined;
}

const keptForDefault = ({ base_url, api_key }: SavedEndpoint) =>
  new URL(base_url).origin === 'https://api.anthropic.com' ? api_key : undefined;

/** Returns the settings in which `auto` prefers the client, or, with `isForAll` false, in which it does not take it. */
export function withUse(settings: ClientSettings, client: ChosenClient, isForAll: boolean): ClientSettings {
  const others = settings.named_only.filter((name) => name !== client);
  if (isForAll) return { ...settings, auto: client, named_only: others };
  const { auto, ...rest } = settings;
  return { ...rest, ...(auto === undefined || auto === client ? {} : { auto }), named_only: [...others, client] };
}
