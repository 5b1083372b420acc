/** Names of errors without a field, by number, as in the network's JSON. */
const FIELDLESS = [
  'AccountInUse',
  'AccountLoadedTwice',
  'AccountNotFound',
  'ProgramAccountNotFound',
  'InsufficientFundsForFee',
  'InvalidAccountForFee',
  'AlreadyProcessed',
  'BlockhashNotFound',
  'CallChainTooDeep',
  'MissingSignatureForFee',
  'InvalidAccountIndex',
  'SignatureFailure',
  'InvalidProgramForExecution',
  'SanitizeFailure',
  'ClusterMaintenance',
  'AccountBorrowOutstanding',
  'WouldExceedMaxBlockCostLimit',
  'UnsupportedVersion',
  'InvalidWritableAccount',
  'WouldExceedMaxAccountCostLimit',
  'WouldExceedAccountDataBlockLimit',
  'TooManyAccountLocks',
  'AddressLookupTableNotFound',
  'InvalidAddressLookupTableOwner',
  'InvalidAddressLookupTableData',
  'InvalidAddressLookupTableIndex',
  'InvalidRentPayingAccount',
  'WouldExceedMaxVoteCostLimit',
  'WouldExceedAccountDataTotalLimit',
  'MaxLoadedAccountsDataSizeExceeded',
  'ResanitizationNeeded',
  'InvalidLoadedAccountsDataSizeLimit',
  'UnbalancedTransaction',
  'ProgramCacheHitMaxLimit',
  'CommitCancelled',
] as const;

/** The error of a transaction in the network's JSON format: a name, or an object with one. */
export type TransactionError = string | { InstructionError: [number, string | { Custom: number }] };

/**
 * Converts an error of the machine to the network's JSON format. The machine returns numbers for errors without a
 * field, and objects that reveal their kind only in their text.
 */
export function transactionError(given: unknown): TransactionError {
  if (typeof given === 'number') return FIELDLESS[given] ?? 'SanitizeFailure';
  const message = String(given);
  const [, index, inner = ''] =
    /^TransactionErrorInstructionError \{ index: (\d+), error: (.*) \}$/.exec(message) ?? [];
  if (index !== undefined) {
    const [, custom] = /^InstructionErrorCustom \{ code: (\d+) \}$/.exec(inner) ?? [];
    return {
      InstructionError: [
        Number(index),
        custom === undefined ? (/^\w+/.exec(inner)?.[0] ?? 'GenericError') : { Custom: Number(custom) },
      ],
    };
  }
  return /^TransactionError(\w+)/.exec(message)?.[1] ?? 'SanitizeFailure';
}
