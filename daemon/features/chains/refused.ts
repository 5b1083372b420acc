import type { TransactionError } from './machine-errors.js';

/** The local network rejects a transaction. Nothing was recorded and no fee was charged. */
export class Refused extends Error {
  override readonly name = 'Refused';

  constructor(
    message: string,
    readonly error: TransactionError,
    readonly logs: readonly string[] = [],
  ) {
    super(message);
  }
}

/** The bytes are not a transaction that can be executed. */
export class NotATransaction extends Error {
  override readonly name = 'NotATransaction';
}
