import { AGENT_ID_PATTERN } from '../../contract/network/agents.js';
import type { HubClientFrame, HubServerFrame } from '../../contract/network/hub.js';
import { jsonDepth } from '../../http/json-body.js';
import { MeshError } from '../../lib/errors.js';

const MAX_DEPTH = 32;
const AGENT_ID = new RegExp(AGENT_ID_PATTERN);

const bad = (path: string, message: string) => new MeshError('bad_request', message, { details: { path } });

/**
 * Parses a client frame of the live socket, whose kind is its `msg_type` or else its `type`. Unknown members are
 * ignored. Throws `bad_request`. Contract: Hub.
 */
export function parseFrame(text: string): HubClientFrame {
  if (jsonDepth(text) > MAX_DEPTH) throw bad('', `The frame is nested deeper than ${MAX_DEPTH} levels.`);
  const frame = parsed(text);
  const type = frame['msg_type'] ?? frame['type'];
  if (type !== 'connect_to' && type !== 'send')
    throw bad('msg_type', '"msg_type" (or "type") must be connect_to or send.');
  const { to, room_id, payload } = frame;
  if (typeof to !== 'string' || !AGENT_ID.test(to)) throw bad('to', '"to" must be an agent_id.');
  if (type === 'connect_to') return { type, to };
  if (payload === undefined) throw bad('payload', '"payload" is required.');
  if (room_id === undefined) return { type, to, payload };
  if (typeof room_id !== 'string') throw bad('room_id', '"room_id" must be the id of the room with that peer.');
  return { type, to, room_id, payload };
}

function parsed(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw bad('', 'A frame is a JSON object.');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw bad('', 'A frame is a JSON object.');
  return value as Record<string, unknown>;
}

/** Returns the frame that tells a client what was wrong, by the code of the error and in words. */
export const createErrorFrame = (error: string, message: string): HubServerFrame => ({
  type: 'error',
  msg_type: 'error',
  error,
  message,
  payload: { detail: message },
});
