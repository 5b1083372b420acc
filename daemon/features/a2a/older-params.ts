import { isObject } from '../../lib/is-object.js';

type Json = Record<string, unknown>;

/** The name of a task state in 1.0; `completed` and `input-required` are the spellings of 0.3. */
export const stateName = (text: string) =>
  /^[a-z-]+$/.test(text) ? `TASK_STATE_${text.toUpperCase().replaceAll('-', '_')}` : text;

/** A part of 0.3 with its kind, which its content tells when a client leaves it out or calls it `type`. */
function withKind(part: unknown): unknown {
  if (!isObject(part) || part['kind'] !== undefined) return part;
  const kind = ['text', 'file', 'data'].find((name) => part[name] !== undefined);
  return kind === undefined ? part : { ...part, kind };
}

/** The parameters of a sent message of 0.3, which is waited for unless it says otherwise. */
function withWaiting(params: Json): Json {
  const { configuration } = params;
  if (!isObject(configuration)) return params;
  return { ...params, configuration: { ...configuration, blocking: configuration['blocking'] ?? true } };
}

/** The parameters of a JSON-RPC call with what its decoder requires and older clients leave out or spell otherwise. */
export function olderParams(method: string, params: unknown = {}): unknown {
  if (!isObject(params)) return params;
  const { message, status } = params;
  if (method === 'ListTasks' && typeof status === 'string') return { ...params, status: stateName(status) };
  if (!method.startsWith('message/')) return params;
  const sent = method === 'message/send' ? withWaiting(params) : params;
  if (!isObject(message) || !Array.isArray(message['parts'])) return sent;
  const parts: unknown[] = message['parts'];
  const filled: Json = { ...message, parts: parts.map(withKind) };
  return { ...sent, message: filled };
}
