import type { TransactionError } from './machine-errors.js';

/** The local network does not take a transaction; nothing of it was recorded and no fee was taken. */
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

/** Bytes are no transaction that can be carried out. */
export class NotATransaction extends Error {
  override readonly name = 'NotATransaction';
}
