import { type Static, Type } from 'typebox';
import { oneOf } from './one-of.js';

/** A client that can run a member on this machine, and whether it is ready. */
export const ClientInfo = Type.Object(
  {
    name: Type.String(),
    ready: Type.Boolean(),
    reason: Type.Union([Type.String(), Type.Null()], { description: 'Why it is not ready; null when it is.' }),
    models: Type.Array(Type.String()),
    efforts: Type.Array(Type.String()),
  },
  { $id: 'ClientInfo' },
);
export type ClientInfo = Static<typeof ClientInfo>;

const modelConnected = Type.Boolean({
  description: 'Whether a client other than the built-in search is ready. Without one, members only search.',
});

export const ClientList = Type.Object(
  { clients: Type.Array(Type.Ref('ClientInfo')), auto: Type.String(), model_connected: modelConnected },
  { $id: 'ClientList' },
);
export type ClientList = { clients: ClientInfo[]; auto: string; model_connected: boolean };

/** The agent programs that may be chosen by name. Any other is set in the environment that starts the daemon. */
export const AGENT_PROGRAMS = ['claude', 'gemini', 'opencode', 'claude-agent-acp', 'codex-acp'] as const;
export type AgentProgramName = (typeof AGENT_PROGRAMS)[number];

export const CLIENT_WAYS = ['program', 'endpoint', 'ollama'] as const;
export type ClientWay = (typeof CLIENT_WAYS)[number];
export const ENDPOINT_PROVIDERS = ['anthropic', 'openai-compatible'] as const;
export const OLLAMA_PORT = 11_434;
/** What gives a model of Ollama enough context. By default it may have 4,096 tokens, and the rest is cut off. */
export const OLLAMA_CONTEXT =
  '`OLLAMA_CONTEXT_LENGTH=64000 ollama serve`, or an alias of the model with `PARAMETER num_ctx 64000`';
export const API_KEY_MAX_CHARS = 4_096;
export const MODEL_NAME_MAX_CHARS = 200;

const ollamaPort = Type.Optional(
  Type.Integer({ minimum: 1, maximum: 65_535, description: `Port of Ollama on 127.0.0.1; default ${OLLAMA_PORT}.` }),
);

const choice = {
  way: oneOf(
    CLIENT_WAYS,
    'An agent program that is on this machine, a model endpoint with a key, or Ollama on this machine.',
  ),
  program: Type.Optional(oneOf(AGENT_PROGRAMS, 'With `program`.')),
  provider: Type.Optional(oneOf(ENDPOINT_PROVIDERS, 'With `endpoint`.')),
  base_url: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 2_000,
      description: 'With `endpoint`: https, or http on this machine. Anthropic has a default.',
    }),
  ),
  model: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: MODEL_NAME_MAX_CHARS,
      description: 'With `endpoint` and `ollama`: a model that it has.',
    }),
  ),
  api_key: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: API_KEY_MAX_CHARS,
      description:
        'With `endpoint`. Kept in `.mesh/credentials` and never returned. Without it, the kept key of the same server is used.',
    }),
  ),
  port: ollamaPort,
};

/** One of the ways to connect a model. */
export const ClientChoice = Type.Object(choice, { $id: 'ClientChoice', additionalProperties: false });
export type ClientChoice = Static<typeof ClientChoice>;

export const ClientUse = Type.Object(
  {
    ...choice,
    member: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description: 'Only this member: its file then names the client. Default: every member whose client is `auto`.',
      }),
    ),
  },
  { $id: 'ClientUse', additionalProperties: false },
);
export type ClientUse = Static<typeof ClientUse>;

/** The ways to connect a model on this machine, and what the operator chose. Holds no key. */
export const ClientSetup = Type.Object(
  {
    model_connected: modelConnected,
    auto: Type.String({ description: 'The client of members whose client is `auto`.' }),
    named_only: Type.Array(Type.String(), { description: 'Clients that only members which name them run on.' }),
    programs: Type.Array(
      Type.Object({
        program: oneOf(AGENT_PROGRAMS),
        client: Type.String({ description: 'The client that runs it.' }),
        found: Type.Boolean({ description: 'It is on this machine and may run in this project.' }),
        problem: Type.Union([Type.String(), Type.Null()], { description: 'Why it may not be used.' }),
        chosen: Type.Boolean(),
      }),
    ),
    endpoint: Type.Union([
      Type.Object({
        provider: oneOf(ENDPOINT_PROVIDERS),
        base_url: Type.String(),
        model: Type.String(),
        has_key: Type.Boolean(),
      }),
      Type.Null(),
    ]),
  },
  { $id: 'ClientSetup' },
);
export type ClientSetup = Static<typeof ClientSetup>;

export const CLIENT_TEST_STATES = ['running', 'passed', 'failed', 'cancelled'] as const;
export const CLIENT_TEST_STAGES = ['starting', 'answering', 'ended'] as const;

/** One short turn that shows whether a client answers. Kept in memory only. */
export const ClientTest = Type.Object(
  {
    test: Type.String({ description: '`test-` and 16 characters.' }),
    client: Type.String(),
    state: oneOf(CLIENT_TEST_STATES),
    stage: oneOf(CLIENT_TEST_STAGES, 'Answering: the first part of an answer has arrived.'),
    answer: Type.String({ description: 'The answer so far, at most 400 characters.' }),
    reason: Type.Union([Type.String(), Type.Null()], { description: 'Why it did not answer, and what to do.' }),
    limit_seconds: Type.Integer(),
    started_at: Type.String(),
    ms: Type.Integer({ description: 'How long it has taken so far.' }),
  },
  { $id: 'ClientTest' },
);
export type ClientTest = Static<typeof ClientTest>;

export const OllamaQuery = Type.Object({ port: ollamaPort }, { additionalProperties: false });
export type OllamaQuery = Static<typeof OllamaQuery>;

/** What Ollama on this machine has. */
export const OllamaModels = Type.Object(
  {
    base_url: Type.String(),
    models: Type.Array(Type.String()),
    reason: Type.Union([Type.String(), Type.Null()], { description: 'Why none is listed; null when it answers.' }),
  },
  { $id: 'OllamaModels' },
);
export type OllamaModels = Static<typeof OllamaModels>;
