import { FRAME_MAX_DEPTH, HANDLE_MAX_CHARS, RECIPIENTS_MAX } from '../../contract/wall.js';
import { jsonDepth } from '../../http/json-body.js';
import { toHandle } from '../../lib/agents/handle.js';
import { MeshError } from '../../lib/errors.js';
import { rawMember } from './raw-member.js';

/** A message from a member. */
interface WallMessage {
  /** Null for a broadcast. */
  to: string | string[] | null;
  /** The payload as JSON text, unchanged when it was sent as JSON. */
  payload: string;
  /** The human-readable text in the payload, in which hashtags are recognized. Undefined when there is none. */
  text: string | undefined;
}

/** Keys that a sender may have meant as `to`. */
const LIKE_TO = /^(to+s?|recipients?)$/i;

const bad = (message: string) => new MeshError('bad_request', message);

/**
 * Parses a frame. An object with `payload` and without `to` is a broadcast; with `to`, a handle or a list of handles, a
 * direct message. An object with a `type` and neither of them is itself the payload of a broadcast. Everything else is
 * a text, which is a broadcast too, also when it begins like an object. Other members, such as `ts`, are ignored. Throws
 * `bad_request`, also for JSON deeper than 32 levels in any form and for a mistyped `to`. Spec: Client to server.
 */
export function readFrame(frame: string): WallMessage {
  const object = parsed(frame);
  if (!object) return parseTextFrame(frame);
  if (jsonDepth(frame) > FRAME_MAX_DEPTH) throw bad(`The frame is nested deeper than ${FRAME_MAX_DEPTH} levels.`);
  if (Array.isArray(object)) return parseTextFrame(frame);
  const hasPayload = Object.hasOwn(object, 'payload');
  const hasTo = Object.hasOwn(object, 'to');
  if (!hasPayload && !hasTo) {
    if (!Object.hasOwn(object, 'type')) return parseTextFrame(frame);
    return { to: null, payload: frame.trim(), text: toText(object) };
  }
  const mistyped = hasTo ? undefined : Object.keys(object).find((key) => LIKE_TO.test(key));
  if (mistyped !== undefined) {
    throw bad(`${JSON.stringify(mistyped)} is not "to": nothing is told to everyone that may be meant for a few.`);
  }
  if (!hasPayload) throw bad('"payload" is missing: say what to send.');
  const payload = rawMember(frame, 'payload') as string;
  const text = toText(object['payload']);
  return { to: hasTo ? recipients(object['to']) : null, payload, text };
}

function parseTextFrame(text: string): WallMessage {
  if (text === '') throw bad('The frame is empty: send a text or an object with a payload.');
  return { to: null, payload: JSON.stringify(text), text };
}

/** The object or array that a frame is, or undefined. */
function parsed(frame: string): Record<string, unknown> | undefined {
  if (!/^\s*[{[]/.test(frame)) return undefined;
  try {
    return JSON.parse(frame) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

function recipients(to: unknown): string | string[] {
  const handle = toHandle(to);
  if (handle !== undefined) return handle;
  if (!Array.isArray(to))
    throw bad(
      `"to" must be a handle of 1 to ${HANDLE_MAX_CHARS} characters, or a list of them; leave it out to tell everyone.`,
    );
  if (to.length === 0) throw bad('"to" is an empty list: name at least one handle, or leave it out to tell everyone.');
  if (to.length > RECIPIENTS_MAX)
    throw bad(`"to" names ${to.length} handles: at most ${RECIPIENTS_MAX} in one message.`);
  return to.map((one) => {
    const named = toHandle(one);
    if (named === undefined) throw bad(`Each of "to" must be a handle of 1 to ${HANDLE_MAX_CHARS} characters.`);
    return named;
  });
}

/** The text of a payload: a string payload itself, or the string `text` of an object. Spec: Wall message payload. */
function toText(payload: unknown): string | undefined {
  if (typeof payload === 'string') return payload;
  if (typeof payload !== 'object' || payload === null) return undefined;
  const { text } = payload as { text?: unknown };
  return typeof text === 'string' ? text : undefined;
}
