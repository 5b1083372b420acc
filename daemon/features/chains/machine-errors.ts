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
  const instruction = /^TransactionErrorInstructionError \{ index: (\d+), error: (.*) \}$/.exec(message);
  if (instruction) return { InstructionError: [Number(instruction[1]), instructionError(String(instruction[2]))] };
  return /^TransactionError(\w+)/.exec(message)?.[1] ?? 'SanitizeFailure';
}

function instructionError(text: string): string | { Custom: number } {
  const custom = /^InstructionErrorCustom \{ code: (\d+) \}$/.exec(text);
  return custom ? { Custom: Number(custom[1]) } : (/^\w+/.exec(text)?.[0] ?? 'GenericError');
}
