import type { TransactionError } from './machine-errors.js';

/** The local network rejects a transaction. Nothing was recorded and no fee was charged. */
export class TransactionRefusedError extends Error {
  override readonly name = 'TransactionRefusedError';

  constructor(
    message: string,
    readonly error: TransactionError,
    readonly logs: readonly string[] = [],
  ) {
    super(message);
  }
}

/** The bytes are not a transaction that can be executed. */
export class InvalidTransactionError extends Error {
  override readonly name = 'InvalidTransactionError';
}
