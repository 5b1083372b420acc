import {
  A2AError,
  ContentTypeNotSupportedError,
  RequestMalformedError,
  TaskNotFoundError,
  UnsupportedOperationError,
  VersionNotSupportedError,
} from '@a2a-js/sdk/errors';
import { STATUS } from '../../http/error-handler.js';
import { MeshError } from '../../lib/errors.js';

/** Error codes defined by JSON-RPC. */
export const INVALID_REQUEST = -32600;
export const INVALID_PARAMS = -32602;
export const INTERNAL_ERROR = -32603;
/** In JSON-RPC's range for server-defined errors. A2A's own codes begin at -32001. */
const REFUSED = -32000;

interface Refusal {
  code: number;
  /** Status of the HTTP response, also over JSON-RPC, since the call as a whole is refused. */
  status: number;
  reason: string;
  message: string;
  retryAfterSeconds?: number;
}

/** An error for which A2A defines none: too many tasks at once, an unwritable store, an internal failure. */
export class A2aRequestError extends A2AError {
  // The SDK reads these two fields to choose the error code for JSON-RPC.
  readonly transport = 'jsonrpc';
  readonly envelopeCode: number;
  override readonly reason: string;
  readonly status: number;
  readonly retryAfterSeconds: number | undefined;

  constructor({ code, status, reason, message, retryAfterSeconds }: Refusal) {
    super({ message });
    this.envelopeCode = code;
    this.status = status;
    this.reason = reason;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** An error for parameters that are structurally invalid. */
export const malformed = (message: string) =>
  new A2aRequestError({ code: INVALID_PARAMS, status: 400, reason: 'INVALID_PARAMS', message });

export const versionNotSupported = (version: string) =>
  new VersionNotSupportedError(`A2A ${version.slice(0, 20)} is not spoken here; 1.0 and 0.3 are.`);

/**
 * Converts any thrown value to an error that A2A clients understand. An internal failure is passed to `onFault`; the
 * response contains only the id that it returns.
 */
export function toA2aError(error: unknown, onFault: (error: unknown) => string): A2AError {
  if (error instanceof A2AError) return error;
  if (!(error instanceof MeshError)) {
    const message = `The call failed; the log knows it as ${onFault(error)}.`;
    return new A2aRequestError({ code: INTERNAL_ERROR, status: 500, reason: 'INTERNAL', message });
  }
  const { code, message, details } = error;
  switch (code) {
    case 'not_found':
      return new TaskNotFoundError(message);
    case 'bad_request':
    case 'unknown_key':
    case 'too_large':
      return new RequestMalformedError(message);
    case 'unsupported_media_type':
      return new ContentTypeNotSupportedError(message);
    case 'forbidden':
    case 'member_gone':
      return new UnsupportedOperationError(message);
  }
  const retryAfter = details['retry_after'];
  return new A2aRequestError({
    code: REFUSED,
    status: STATUS[code],
    reason: code.toUpperCase(),
    message,
    ...(typeof retryAfter === 'number' ? { retryAfterSeconds: retryAfter } : {}),
  });
}
