import type { Network, NetworkName } from '../../contract/payments.js';

export const SYSTEM_PROGRAM = '11111111111111111111111111111111';
export const COMPUTE_BUDGET_PROGRAM = 'ComputeBudget111111111111111111111111111111';
/** The memo program that exists on every network. */
export const MEMO_PROGRAM = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr';
/** The first memo program, and the latest one, which newer clients use. */
export const MEMO_PROGRAM_FIRST = 'Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo';
export const MEMO_PROGRAM_LATEST = 'Memo4c2pN8afCj432Lb7RMVKi9PbQnnW7ewFFaV3oAH';
export const MEMO_PROGRAMS: ReadonlySet<string> = new Set([MEMO_PROGRAM_FIRST, MEMO_PROGRAM, MEMO_PROGRAM_LATEST]);

export const LAMPORTS_PER_SIGNATURE = 5000n;
/** Maximum size of a serialized transaction in bytes. */
export const WIRE_LIMIT = 1232;

/**
 * CAIP-2 ids: the first 32 characters of the genesis hash. The genesis of the local network is not known to others, so
 * its id is its name.
 */
export const CAIP2: Readonly<Record<Network, string>> = {
  'solana:local': 'solana:local',
  'solana:devnet': 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1',
  'solana:mainnet': 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
};

/** Returns the CAIP-2 id of a network. That of a local network is its name. */
export const toCaip2 = (network: NetworkName): string =>
  (CAIP2 as Readonly<Record<string, string>>)[network] ?? network;

const TRANSFER = 2;
const TRANSFER_BYTES = 12;

/** Returns the lamports of a System `Transfer` with this data, or undefined when it is another instruction. */
export function lamportsOfTransfer(data: Uint8Array): bigint | undefined {
  if (data.length !== TRANSFER_BYTES) return undefined;
  const bytes = Buffer.from(data);
  return bytes.readUInt32LE(0) === TRANSFER ? bytes.readBigUInt64LE(4) : undefined;
}
