import { createRequire } from 'node:module';
import type * as Native from 'litesvm/dist/internal.js';
import { decodeBase58 } from '../../../lib/crypto/base58.js';
import { MeshError } from '../../../lib/errors.js';
import { type TransactionError, transactionError } from '../machine-errors.js';
import {
  COMPUTE_BUDGET_PROGRAM,
  lamportsOfTransfer,
  MEMO_PROGRAM,
  MEMO_PROGRAM_LATEST,
  MEMO_PROGRAMS,
  SYSTEM_PROGRAM,
} from '../solana-programs.js';
import type { WireTransaction } from '../solana-wire.js';

/** The outcome of a transaction in the machine. */
export interface Outcome {
  error: TransactionError | null;
  /** Balances of the transaction's account keys, in their order. */
  before: bigint[];
  after: bigint[];
  logs: string[];
  computeUnits: number;
}

const SYSTEM_OWNER = new Uint8Array(32);
const NO_DATA = new Uint8Array();
/** Length in bytes of each accepted compute budget instruction, by its number. */
const BUDGET_BYTES: Readonly<Record<number, number>> = { 1: 5, 2: 5, 3: 9, 4: 5 };

const listBytes = (address: string): Uint8Array => decodeBase58(address) ?? SYSTEM_OWNER;

/** Reports whether the transaction may change the account at `index`. */
function isWritable({ header, accountKeys }: WireTransaction, index: number): boolean {
  const { numRequiredSignatures: signers, numReadonlySignedAccounts, numReadonlyUnsignedAccounts } = header;
  return index < signers
    ? index < signers - numReadonlySignedAccounts
    : index < accountKeys.length - numReadonlyUnsignedAccounts;
}

/**
 * An embedded machine that executes transactions like a validator. It keeps no state: balances are written before each
 * run and read after it. Its native library exists only for some platforms and is loaded when the first machine is
 * opened.
 */
export class LocalMachine {
  private constructor(
    private readonly native: typeof Native,
    private readonly machine: Native.LiteSvm,
  ) {}

  /** Throws `network_unavailable` when the library is not installed or does not support this platform. */
  static open(): LocalMachine {
    let native: typeof Native;
    try {
      // The entry point of the package would load its entire client library a second time.
      native = createRequire(import.meta.url)('litesvm/dist/internal.js');
    } catch (error) {
      throw new MeshError(
        'network_unavailable',
        'The local network is not available here: its library (litesvm) is not installed, or has no code for ' +
          `${process.platform} ${process.arch}. Everything else works; a network behind JSON-RPC can ` +
          'be configured.',
        { cause: error },
      );
    }
    const machine = new native.LiteSvm();
    // The network checks blockhashes and repeats itself, because it also knows those from before a restart.
    machine.setBlockhashCheck(false);
    machine.setTransactionHistory(0n);
    const rent = machine.getRent();
    rent.lamportsPerByteYear = 0n;
    machine.setRent(rent);
    const memo = machine.getAccount(listBytes(MEMO_PROGRAM));
    if (memo) machine.addProgramWithLoader(listBytes(MEMO_PROGRAM_LATEST), memo.data(), memo.owner());
    return new LocalMachine(native, machine);
  }

  /**
   * Returns why the network rejects `transaction` regardless of balances, or undefined. It accepts transfers, memos and
   * compute budgets, and no instruction that stores data.
   */
  findRefusal(transaction: WireTransaction): string | undefined {
    const { accountKeys, instructions } = transaction;
    for (const { programIdIndex, accounts, data } of instructions) {
      const program = accountKeys[programIdIndex] as string;
      if (MEMO_PROGRAMS.has(program)) continue;
      if (program === COMPUTE_BUDGET_PROGRAM && BUDGET_BYTES[data[0] ?? 0] === data.length) continue;
      if (program === SYSTEM_PROGRAM && lamportsOfTransfer(data) !== undefined && accounts.length >= 2) continue;
      return 'The local network carries System transfers, memos and compute budgets, and no other instruction.';
    }
    const program = accountKeys.find((address, index) => isWritable(transaction, index) && this.isBuiltIn(address));
    return program === undefined ? undefined : `${program} is no account that can hold lamports.`;
  }

  /**
   * Runs `transaction` with the balances that `getLamports` returns. With `isRehearsal` nothing is charged, whatever
   * the outcome.
   */
  run(
    transaction: WireTransaction,
    getLamports: (address: string) => bigint,
    slot: number,
    blockTime: number,
    isRehearsal: boolean,
  ): Outcome {
    const { native, machine } = this;
    const { accountKeys, bytes } = transaction;
    for (const address of accountKeys) {
      if (this.isBuiltIn(address)) continue;
      machine.setAccount(
        listBytes(address),
        new native.Account(getLamports(address), NO_DATA, SYSTEM_OWNER, false, 0n),
      );
    }
    machine.setClock(new native.Clock(BigInt(slot), 0n, 0n, 0n, BigInt(blockTime)));
    const before = this.balances(accountKeys);
    // The format with versions includes the legacy one.
    const result = isRehearsal ? machine.simulateVersionedTransaction(bytes) : machine.sendVersionedTransaction(bytes);
    const meta = result instanceof native.TransactionMetadata ? result : result.meta();
    return {
      error: result instanceof native.FailedTransactionMetadata ? transactionError(result.err()) : null,
      before,
      after: this.balances(accountKeys),
      logs: meta.logs(),
      computeUnits: Number(meta.computeUnitsConsumed()),
    };
  }

  /** Reports whether the machine has an account of its own at `address`, such as a program: System owns all others. */
  private isBuiltIn(address: string): boolean {
    const account = this.machine.getAccount(listBytes(address));
    return account !== null && !Buffer.from(account.owner()).equals(SYSTEM_OWNER);
  }

  private balances(addresses: readonly string[]): bigint[] {
    return addresses.map((address) => this.machine.getBalance(listBytes(address)) ?? 0n);
  }
}
