import {
  type Address,
  address,
  appendTransactionMessageInstructions,
  type Blockhash,
  compileTransaction,
  createNoopSigner,
  createTransactionMessage,
  getCompiledTransactionMessageDecoder,
  getCompiledTransactionMessageEncoder,
  getTransactionDecoder,
  getTransactionEncoder,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
} from '@solana/kit';
import { getAddMemoInstruction } from '@solana-program/memo';
import { getTransferSolInstruction } from '@solana-program/system';
import { encodeBase58 } from '../../lib/crypto/base58.js';
import { SigningKey } from '../../lib/crypto/ed25519.js';
import { MeshError } from '../../lib/errors.js';
import type { SignedTransfer, WalletKey } from './chain.js';
import { InvalidTransactionError } from './refused.js';
import { COMPUTE_BUDGET_PROGRAM, MEMO_PROGRAM, MEMO_PROGRAMS, SYSTEM_PROGRAM, WIRE_LIMIT } from './solana-programs.js';

// Imported only when the first transaction is processed, because its dependencies are larger than the rest of the
// feature.

const PROGRAMS = new Set([SYSTEM_PROGRAM, COMPUTE_BUDGET_PROGRAM, ...MEMO_PROGRAMS]);

export interface Lifetime {
  blockhash: string;
  lastValidBlockHeight: bigint;
}

export interface WireInstruction {
  programIdIndex: number;
  accounts: number[];
  data: Uint8Array;
}

/** A decoded wire transaction. */
export interface WireTransaction {
  signature: string;
  signatures: string[];
  version: 'legacy' | 0;
  header: { numRequiredSignatures: number; numReadonlySignedAccounts: number; numReadonlyUnsignedAccounts: number };
  accountKeys: string[];
  recentBlockhash: string;
  instructions: WireInstruction[];
  bytes: Uint8Array;
}

/** Signs a transfer of `lamports` with at most one memo. Throws `bad_request` when the recipient is a program. */
export function signTransfer(
  from: WalletKey,
  to: string,
  lamports: bigint,
  memo: string | undefined,
  lifetime: Lifetime,
): SignedTransfer {
  if (PROGRAMS.has(to))
    throw new MeshError('bad_request', `${to} is a program and no wallet.`, { details: { path: 'to' } });
  const source = createNoopSigner(address(from.address));
  const transfer = getTransferSolInstruction({ source, destination: address(to), amount: lamports });
  const note = memo === undefined ? [] : [getAddMemoInstruction({ memo }, { programAddress: MEMO_PROGRAM as Address })];
  const message = pipe(
    createTransactionMessage({ version: 'legacy' }),
    (empty) => setTransactionMessageFeePayer(source.address, empty),
    (paid) =>
      setTransactionMessageLifetimeUsingBlockhash(
        { blockhash: lifetime.blockhash as Blockhash, lastValidBlockHeight: lifetime.lastValidBlockHeight },
        paid,
      ),
    (timed) => appendTransactionMessageInstructions([transfer, ...note], timed),
  );
  const compiled = compileTransaction(message);
  const signature = new SigningKey(from.seed).signBytes(compiled.messageBytes as unknown as Uint8Array);
  const signatures = { [source.address]: signature } as unknown as typeof compiled.signatures;
  const wire = getTransactionEncoder().encode({ ...compiled, signatures });
  return { signature: encodeBase58(signature), wire: Buffer.from(wire).toString('base64') };
}

/**
 * Reads a transaction strictly: no extra bytes, no duplicate key, every index in range. The machine aborts the whole
 * process on bytes that it cannot read, so only what passes here may be run. Throws InvalidTransactionError.
 */
export function readWire(bytes: Uint8Array): WireTransaction {
  if (bytes.length > WIRE_LIMIT)
    throw new InvalidTransactionError(`It has ${bytes.length} bytes; a transaction has at most ${WIRE_LIMIT}.`);
  const { transaction, message } = decoded(bytes);
  const written = Object.values(transaction.signatures);
  if (!written.every((signature) => signature !== null)) throw new InvalidTransactionError('It lacks a signature.');
  const signatures = written.map((signature) => encodeBase58(signature));
  const { version, header, staticAccounts, lifetimeToken } = message;
  if ('addressTableLookups' in message)
    throw new InvalidTransactionError('Address lookup tables are not taken: name the accounts themselves.');
  const { numSignerAccounts, numReadonlySignerAccounts, numReadonlyNonSignerAccounts } = header;
  const keys = staticAccounts.length;
  if (new Set(staticAccounts).size !== keys) throw new InvalidTransactionError('It names an account twice.');
  if (numSignerAccounts !== signatures.length || numReadonlySignerAccounts >= numSignerAccounts)
    throw new InvalidTransactionError('Its header does not fit its signatures.');
  if (numReadonlyNonSignerAccounts > keys - numSignerAccounts)
    throw new InvalidTransactionError('Its header does not fit its accounts.');
  const instructions = message.instructions.map(({ programAddressIndex, accountIndices, data }) => ({
    programIdIndex: programAddressIndex,
    accounts: [...(accountIndices ?? [])],
    data: Uint8Array.from(data ?? []),
  }));
  for (const { programIdIndex, accounts } of instructions) {
    if (programIdIndex === 0 || programIdIndex >= keys || accounts.some((index) => index >= keys))
      throw new InvalidTransactionError('An instruction names an account that is not there.');
  }
  return {
    // The decoder refuses a transaction without any.
    signature: signatures[0] as string,
    signatures,
    version,
    header: {
      numRequiredSignatures: numSignerAccounts,
      numReadonlySignedAccounts: numReadonlySignerAccounts,
      numReadonlyUnsignedAccounts: numReadonlyNonSignerAccounts,
    },
    accountKeys: [...staticAccounts],
    recentBlockhash: lifetimeToken,
    instructions,
    bytes,
  };
}

function decoded(bytes: Uint8Array) {
  try {
    const transaction = getTransactionDecoder().decode(bytes);
    const message = getCompiledTransactionMessageDecoder().decode(transaction.messageBytes);
    // Lengths have more than one encoding, and bytes can follow the end. Only bytes that re-encode to themselves are
    // accepted.
    const whole = Buffer.from(getTransactionEncoder().encode(transaction));
    const inner = Buffer.from(getCompiledTransactionMessageEncoder().encode(message));
    if (!whole.equals(bytes) || !inner.equals(transaction.messageBytes as unknown as Uint8Array))
      throw new InvalidTransactionError('It has bytes that do not belong to it.');
    if (message.version !== 'legacy' && message.version !== 0)
      throw new InvalidTransactionError('Only legacy and version 0 transactions are taken.');
    return { transaction, message };
  } catch (error) {
    if (error instanceof InvalidTransactionError) throw error;
    throw new InvalidTransactionError('Its bytes are no transaction.');
  }
}
