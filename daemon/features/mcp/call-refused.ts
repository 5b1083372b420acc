import type { ErrorBody } from '../../contract/errors.js';

/** Ends a call with a body of its own, for what has no code among those of the HTTP API: a request that ended without an answer. */
export class CallRefused extends Error {
  override readonly name = 'CallRefused';

  constructor(readonly body: ErrorBody) {
    super(body.message ?? body.error);
  }
}
