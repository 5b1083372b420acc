import type { ErrorBody } from '../../contract/errors.js';

/**
 * Ends a call with its own error body, for a case that has no error code in the HTTP API: a request that ended without
 * an answer.
 */
export class CallRefusedError extends Error {
  override readonly name = 'CallRefusedError';

  constructor(readonly body: ErrorBody) {
    super(body.message ?? body.error);
  }
}
