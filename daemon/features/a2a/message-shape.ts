import { MeshError } from '../../lib/errors.js';
import { isObject } from '../../lib/is-object.js';

/** Maximum number of parts in one message, more than a question with all its documents needs. */
const MESSAGE_PARTS_MAX = 64;

const wrong = (path: string, message: string) =>
  new MeshError('bad_request', `"${path}" ${message}.`, { details: { path } });
const TEXTS = ['messageId', 'contextId', 'taskId', 'role'] as const;

/**
 * Validates a send request of either version before it is decoded, so that decoding can neither fail nor be slow: a
 * message with a list of at most 64 parts (`content` in 0.3 over REST), and strings where strings are required. Throws
 * `bad_request` with `path`.
 */
export function checkSend(params: unknown): void {
  if (!isObject(params)) throw wrong('params', 'must be an object');
  const { message, configuration, metadata } = params;
  if (!isObject(message)) throw wrong('message', 'is required and must be an object');
  for (const name of TEXTS) {
    const value = message[name];
    if (value !== undefined && value !== null && typeof value !== 'string')
      throw wrong(`message.${name}`, 'must be a string');
  }
  const name = Array.isArray(message['content']) ? 'content' : 'parts';
  const parts = message[name];
  if (!Array.isArray(parts) || parts.length === 0)
    throw wrong(`message.${name}`, 'must be a list of at least one part');
  if (parts.length > MESSAGE_PARTS_MAX)
    throw wrong(`message.${name}`, `holds ${parts.length} parts: ${MESSAGE_PARTS_MAX} are the most`);
  for (const [index, part] of parts.entries()) checkPart(part, `message.${name}.${index}`);
  for (const list of ['extensions', 'referenceTaskIds']) checkTexts(message[list], `message.${list}`);
  if (configuration !== undefined && configuration !== null) checkConfiguration(configuration);
  if (metadata !== undefined && metadata !== null && !isObject(metadata)) throw wrong('metadata', 'must be an object');
}

function checkPart(part: unknown, path: string): void {
  if (!isObject(part)) throw wrong(path, 'must be an object');
  if (part['text'] !== undefined && typeof part['text'] !== 'string') throw wrong(`${path}.text`, 'must be a string');
  for (const name of ['raw', 'url', 'filename', 'mediaType', 'kind']) {
    if (part[name] !== undefined && typeof part[name] !== 'string') throw wrong(`${path}.${name}`, 'must be a string');
  }
  const { file } = part;
  if (file === undefined) return;
  if (!isObject(file)) throw wrong(`${path}.file`, 'must be an object');
  for (const [name, value] of Object.entries(file))
    if (typeof value !== 'string') throw wrong(`${path}.file.${name}`, 'must be a string');
}

function checkConfiguration(configuration: unknown): void {
  if (!isObject(configuration)) throw wrong('configuration', 'must be an object');
  checkTexts(configuration['acceptedOutputModes'], 'configuration.acceptedOutputModes');
  for (const name of ['taskPushNotificationConfig', 'pushNotificationConfig', 'pushNotification']) {
    const value = configuration[name];
    if (value !== undefined && value !== null) checkPushConfig(value, `configuration.${name}`);
  }
}

/**
 * Validates a push notification configuration of either version before it is decoded. Throws `bad_request` with `path`.
 */
export function checkPushConfig(config: unknown, path: string): void {
  if (!isObject(config)) throw wrong(path, 'must be an object');
  for (const name of ['id', 'url', 'token']) {
    const value = config[name];
    if (value !== undefined && value !== null && typeof value !== 'string')
      throw wrong(`${path}.${name}`, 'must be a string');
  }
  const { authentication } = config;
  if (authentication === undefined || authentication === null) return;
  if (!isObject(authentication)) throw wrong(`${path}.authentication`, 'must be an object');
  checkTexts(authentication['schemes'], `${path}.authentication.schemes`);
  for (const name of ['scheme', 'credentials']) {
    const value = authentication[name];
    if (value !== undefined && value !== null && typeof value !== 'string')
      throw wrong(`${path}.authentication.${name}`, 'must be a string');
  }
}

function checkTexts(value: unknown, path: string): void {
  if (value === undefined || value === null) return;
  const areTexts =
    Array.isArray(value) && value.length <= MESSAGE_PARTS_MAX && value.every((one) => typeof one === 'string');
  if (!areTexts) throw wrong(path, `must be a list of at most ${MESSAGE_PARTS_MAX} strings`);
}
