import { STATUS } from '../http/error-handler.js';
import { isMeshError } from '../lib/errors.js';
import type { Outcome } from './shared-log.js';

/** The outcome of a command whose decider threw `error`. Throws `error` again when it is no refusal. */
export function toRefusal(error: unknown): Outcome {
  if (!isMeshError(error)) throw error;
  const { code, message, details } = error;
  return { ok: false, status: STATUS[code], code, message, ...(Object.keys(details).length > 0 && { details }) };
}
