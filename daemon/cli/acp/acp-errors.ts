import { RequestError } from '@agentclientprotocol/sdk';
import type { Turn } from '../../contract/conversations.js';
import { getErrorMessage } from '../../lib/errors.js';
import { endingLine } from '../conversations/conversation-format.js';
import { CommandError, EXIT } from '../exit-codes.js';

/** Error codes of JSON-RPC and of the Agent Client Protocol. */
const INVALID_PARAMS = -32_602;
const INTERNAL = -32_603;
const NOT_FOUND = -32_002;

export const invalidParams = (message: string, code = 'bad_request') =>
  new RequestError(INVALID_PARAMS, message, { code });

/** The response to a request that failed: `data.code` is the machine-readable code of the daemon or command line. */
export function toRequestError(error: unknown): RequestError {
  if (error instanceof RequestError) return error;
  if (!(error instanceof CommandError)) return new RequestError(INTERNAL, getErrorMessage(error), { code: 'internal' });
  const code = error.exit === EXIT.notFound ? NOT_FOUND : error.exit === EXIT.usage ? INVALID_PARAMS : INTERNAL;
  return new RequestError(code, error.message, { ...error.details, code: error.code });
}

/** The response to a prompt whose turn ended without an answer. */
export function turnError(record: Turn): RequestError {
  const { conv, turn, outcome, code, reason } = record;
  const message = reason ?? endingLine(record);
  return new RequestError(INTERNAL, message, { code: code ?? outcome ?? 'failed', outcome, conv, turn });
}
