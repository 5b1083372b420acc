import type { Task } from '@a2a-js/sdk';
import { type LegacyRestTransportHandler, V03PushNotificationSerializer } from '@a2a-js/sdk/compat/v0_3/server';
import { isObject } from '../../lib/is-object.js';

/**
 * A2A 0.3 over REST uses the JSON encoding of its protocol buffers. That differs from its JSON-RPC encoding, which the
 * SDK's handler expects: parts have no kind, a message's parts are called `content`, and states and roles are upper
 * case. The SDK has this translation only inside its Express router.
 */
type Handler = LegacyRestTransportHandler;
type LegacySend = Parameters<Handler['sendMessage']>[0];
type LegacyResult = Awaited<ReturnType<Handler['sendMessage']>>;
type LegacyTask = Awaited<ReturnType<Handler['getTask']>>;
type LegacyMessage = LegacySend['message'];
type LegacyPart = LegacyMessage['parts'][number];
export type LegacyPushConfig = Awaited<ReturnType<Handler['setTaskPushNotificationConfig']>>;
type LegacyCard = Awaited<ReturnType<Handler['getAuthenticatedExtendedAgentCard']>>;
type Streamed = Awaited<ReturnType<Handler['sendMessageStream']>> extends AsyncGenerator<infer E> ? E : never;
type Json = Record<string, unknown>;

const toText = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);
/** The value under the camelCase or snake_case spelling of its name. */
const field = (object: Json, camel: string): unknown =>
  object[camel] ?? object[camel.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)];
const given = (name: string, value: unknown): Json => (value === undefined || value === null ? {} : { [name]: value });

/** Converts a send request to the handler's format. `checkSend` must have validated its shape. */
export function sendFromWire(body: Json): LegacySend {
  const message = body['message'] as Json;
  const configuration = body['configuration'] as Json | undefined;
  const parts = (message['content'] ?? message['parts']) as Json[];
  const role = toText(message['role']);
  const read = {
    kind: 'message' as const,
    messageId: toText(field(message, 'messageId')) ?? '',
    role: role === 'ROLE_AGENT' || role === 'agent' ? ('agent' as const) : ('user' as const),
    parts: parts.map(partFromWire),
    ...given('contextId', toText(field(message, 'contextId'))),
    ...given('taskId', toText(field(message, 'taskId'))),
    ...given('metadata', message['metadata']),
  };
  return { message: read, ...(isObject(configuration) ? { configuration: configurationFromWire(configuration) } : {}) };
}

function configurationFromWire(configuration: Json): NonNullable<LegacySend['configuration']> {
  const push = field(configuration, 'pushNotification') ?? configuration['pushNotificationConfig'];
  const historyLength = field(configuration, 'historyLength');
  return {
    blocking: configuration['blocking'] === true,
    ...given('acceptedOutputModes', field(configuration, 'acceptedOutputModes')),
    // Zero and absent are the same in this encoding, so zero means no limit.
    ...(typeof historyLength === 'number' && historyLength > 0 ? { historyLength } : {}),
    ...(isObject(push) ? { pushNotificationConfig: { ...push, url: toText(push['url']) ?? '' } } : {}),
  };
}

function partFromWire(part: Json): LegacyPart {
  const { text, file, data } = part;
  if (typeof text === 'string') return { kind: 'text', text };
  if (isObject(file)) {
    const uri = toText(field(file, 'fileWithUri')) ?? toText(file['uri']);
    const named = { ...given('mimeType', toText(field(file, 'mimeType'))), ...given('name', toText(file['name'])) };
    if (uri !== undefined) return { kind: 'file', file: { uri, ...named } };
    return {
      kind: 'file',
      file: { bytes: toText(field(file, 'fileWithBytes')) ?? toText(file['bytes']) ?? '', ...named },
    };
  }
  const inner = isObject(data) && isObject(data['data']) ? data['data'] : data;
  return { kind: 'data', data: isObject(inner) ? inner : { value: inner } };
}

function partToWire(part: LegacyPart): Json {
  switch (part.kind) {
    case 'text':
      return { text: part.text };
    case 'data':
      return { data: { data: part.data } };
    case 'file': {
      const { file } = part;
      const content = 'uri' in file ? { fileWithUri: file.uri } : { fileWithBytes: file.bytes };
      return { file: { ...content, ...given('mimeType', file.mimeType), ...given('name', file.name) } };
    }
  }
}

const messageToWire = ({ kind: _, role, parts, ...rest }: LegacyMessage): Json => ({
  ...rest,
  role: role === 'agent' ? 'ROLE_AGENT' : 'ROLE_USER',
  content: parts.map(partToWire),
});

/** A task state in the spelling of the protocol buffers. */
const stateToWire = (state: string) =>
  `TASK_STATE_${state === 'canceled' ? 'CANCELLED' : state.toUpperCase().replaceAll('-', '_')}`;

const statusToWire = ({ state, message, ...rest }: LegacyTask['status']): Json => ({
  ...rest,
  state: stateToWire(state),
  ...(message === undefined ? {} : { message: messageToWire(message) }),
});

const artifactToWire = ({ parts, ...rest }: NonNullable<LegacyTask['artifacts']>[number]): Json => ({
  ...rest,
  parts: parts.map(partToWire),
});

export const taskToWire = ({ kind: _, status, artifacts, history, ...rest }: LegacyTask): Json => ({
  ...rest,
  status: statusToWire(status),
  ...(artifacts === undefined ? {} : { artifacts: artifacts.map(artifactToWire) }),
  ...(history === undefined ? {} : { history: history.map(messageToWire) }),
});

/** A task in the format of 0.3. The SDK exports this translation only as that of notifications. */
export function taskToLegacy(task: Task): LegacyTask {
  const event = { payload: { $case: 'task' as const, value: task } };
  const { artifacts = [], ...rest }: LegacyTask = JSON.parse(
    new V03PushNotificationSerializer().serialize(event, task).body,
  );
  return artifacts.length === 0 ? rest : { ...rest, artifacts };
}

/** A card, in which a security scheme is a member named after its kind. The cards made here use HTTP's schemes alone. */
export function cardToWire({ securitySchemes = {}, security = [], ...card }: LegacyCard): Json {
  const schemes = Object.entries(securitySchemes).map(([name, { type, ...scheme }]) => [
    name,
    { [`${type}AuthSecurityScheme`]: scheme },
  ]);
  const needed = security.map((names) => ({
    schemes: Object.fromEntries(Object.entries(names).map(([name, list]) => [name, { list }])),
  }));
  return { ...card, securitySchemes: Object.fromEntries(schemes), security: needed };
}

export const resultToWire = (result: LegacyResult): Json =>
  result.kind === 'task' ? { task: taskToWire(result) } : { message: messageToWire(result) };

export function eventToWire(event: Streamed): Json {
  switch (event.kind) {
    case 'task':
    case 'message':
      return resultToWire(event);
    case 'status-update': {
      const { kind: _, status, ...rest } = event;
      return { statusUpdate: { ...rest, status: statusToWire(status) } };
    }
    case 'artifact-update': {
      const { kind: _, artifact, ...rest } = event;
      return { artifactUpdate: { ...rest, artifact: artifactToWire(artifact) } };
    }
  }
}

/** The push configuration in a body: the body itself, or nested in a resource, which may be that of a request. */
export function getPushBody(body: Json): unknown {
  const resource = isObject(body['config']) ? body['config'] : body;
  return field(resource, 'pushNotificationConfig') ?? resource;
}

export const pushToWire = ({ taskId, pushNotificationConfig }: LegacyPushConfig): Json => ({
  name: `tasks/${taskId}/pushNotificationConfigs/${pushNotificationConfig.id ?? ''}`,
  pushNotificationConfig,
});
