import { decodeBase58, encodeBase58 } from '../../../lib/crypto/base58.js';
import { RPC, RpcError, type RpcMethod } from '../json-rpc.js';
import { InvalidTransactionError, TransactionRefusedError } from '../refused.js';
import {
  addressParam,
  choiceParam,
  integerParam,
  listParam,
  optionsParam,
  signatureParam,
  textParam,
} from '../rpc-params.js';
import { LAMPORTS_PER_SIGNATURE, SYSTEM_PROGRAM, WIRE_LIMIT } from '../solana-programs.js';
import { toTransactionAnswer, toTransactionMeta, toTransactionStatus } from './local-answer.js';
import type { LedgerRow } from './local-ledger.js';
import type { LocalNetwork } from './local-network.js';

/** Maximum of one `requestAirdrop`. The operator's faucet route allows more. */
export const AIRDROP_MAX = 10_000_000_000;
const STATUSES_MAX = 256;
const ACCOUNTS_MAX = 100;
const LISTED_MAX = 1000;
const SLOTS_PER_EPOCH = 432_000;
const VERSION = { 'solana-core': '3.0.0-local', 'feature-set': 0 };

type Encoding = 'base58' | 'base64';

/** The JSON-RPC methods of the public networks on the embedded network, so that the same client works with both. */
export function localRpcMethods(local: LocalNetwork): ReadonlyMap<string, RpcMethod> {
  const methods = {
    ...networkMethods(local),
    ...accountMethods(local),
    ...sendingMethods(local),
    ...historyMethods(local),
  };
  return new Map(Object.entries(methods));
}

function networkMethods(local: LocalNetwork): Record<string, RpcMethod> {
  return {
    getHealth: () => 'ok',
    getVersion: () => VERSION,
    getGenesisHash: async () => (await local.begun()).hash,
    getSlot: () => local.slot,
    getBlockHeight: () => local.slot,
    getTransactionCount: () => local.transactionCount,
    getEpochInfo: () => epochInfo(local),
    getMinimumBalanceForRentExemption: () => 0,
    getRecentPrioritizationFees: () => [],
    async getLatestBlockhash() {
      const { blockhash, lastValidBlockHeight } = await local.lifetime();
      return withContext(local, { blockhash, lastValidBlockHeight: Number(lastValidBlockHeight) });
    },
    isBlockhashValid: async ([blockhash]) =>
      withContext(local, await local.isBlockhashGood(textParam(blockhash, 'blockhash'))),
  };
}

function accountMethods(local: LocalNetwork): Record<string, RpcMethod> {
  return {
    getBalance: ([address]) => withContext(local, Number(local.getLamports(addressParam(address)))),
    getAccountInfo: ([address]) => withContext(local, accountInfo(local, addressParam(address))),
    getMultipleAccounts: ([addresses]) =>
      withContext(
        local,
        listParam(addresses, 'addresses', ACCOUNTS_MAX).map((one) => accountInfo(local, addressParam(one))),
      ),
  };
}

function sendingMethods(local: LocalNetwork): Record<string, RpcMethod> {
  return {
    getFeeForMessage: ([message]) => withContext(local, getFee(textParam(message, 'message'))),
    async sendTransaction([wire, given]) {
      const options = optionsParam(given);
      const bytes = wireParam(wire, choiceParam<Encoding>(options['encoding'], 'encoding', ['base58', 'base64']));
      return (await runCall(() => local.send(bytes, { mayFail: options['skipPreflight'] === true }))).signature;
    },
    async simulateTransaction([wire, given]) {
      const bytes = wireParam(
        wire,
        choiceParam<Encoding>(optionsParam(given)['encoding'], 'encoding', ['base58', 'base64']),
      );
      return withContext(local, await simulated(local, bytes));
    },
    async requestAirdrop([address, lamports]) {
      const amount = integerParam(lamports, 'lamports', 1, AIRDROP_MAX);
      return (await runCall(() => local.fund(addressParam(address), BigInt(amount)))).signature;
    },
  };
}

function historyMethods(local: LocalNetwork): Record<string, RpcMethod> {
  return {
    async getTransaction([signature, given]) {
      const options = typeof given === 'string' ? { encoding: given } : optionsParam(given);
      const encoding = choiceParam<Encoding | 'json'>(options['encoding'], 'encoding', ['json', 'base64', 'base58']);
      const row = local.find(signatureParam(signature));
      return row ? transactionIn(row, encoding, options['maxSupportedTransactionVersion']) : null;
    },
    getSignatureStatuses: ([signatures]) => {
      const rows = listParam(signatures, 'signatures', STATUSES_MAX).map((one) => local.find(signatureParam(one)));
      const statuses = rows.map((row) =>
        row
          ? { slot: row.slot, confirmations: null, ...toTransactionStatus(row), confirmationStatus: 'finalized' }
          : null,
      );
      return withContext(local, statuses);
    },
    getSignaturesForAddress([address, given]) {
      const options = optionsParam(given);
      const signatureIn = (name: string) => (options[name] === undefined ? undefined : signatureParam(options[name]));
      const limit = integerParam(options['limit'] ?? LISTED_MAX, 'limit', 1, LISTED_MAX);
      requireSlot(local, options['minContextSlot']);
      const rows = local.listTransactions(addressParam(address), {
        until: signatureIn('until'),
        before: signatureIn('before'),
        limit,
      });
      return rows.map((row) => ({
        signature: row.signature,
        slot: row.slot,
        err: toTransactionStatus(row).err,
        memo: row.memo,
        blockTime: row.block_time,
        confirmationStatus: 'finalized',
      }));
    },
  };
}

/** Refuses a call for which the network has not reached the slot `minSlot`. */
function requireSlot(local: LocalNetwork, minSlot: unknown): void {
  if (integerParam(minSlot ?? 0, 'minContextSlot', 0, Number.MAX_SAFE_INTEGER) <= local.slot) return;
  const message = 'Minimum context slot has not been reached';
  throw new RpcError(RPC.minContextSlot, message, { contextSlot: local.slot });
}

function withContext(local: LocalNetwork, value: unknown) {
  return { context: { slot: local.slot, apiVersion: VERSION['solana-core'] }, value };
}

function accountInfo(local: LocalNetwork, address: string) {
  const lamports = Number(local.getLamports(address));
  return lamports === 0
    ? null
    : { lamports, owner: SYSTEM_PROGRAM, data: ['', 'base64'], executable: false, rentEpoch: 0, space: 0 };
}

function epochInfo(local: LocalNetwork) {
  const { slot } = local;
  return {
    absoluteSlot: slot,
    blockHeight: slot,
    epoch: Math.floor(slot / SLOTS_PER_EPOCH),
    slotIndex: slot % SLOTS_PER_EPOCH,
    slotsInEpoch: SLOTS_PER_EPOCH,
    transactionCount: local.transactionCount,
  };
}

/** Decodes the bytes of a transaction parameter. */
function wireParam(wire: unknown, encoding: Encoding): Uint8Array {
  const text = textParam(wire, 'transaction');
  // A text with more characters than the largest transaction has in either encoding is not decoded at all.
  const bytes =
    text.length > WIRE_LIMIT * 2 ? undefined : encoding === 'base64' ? Buffer.from(text, 'base64') : decodeBase58(text);
  if (!bytes || bytes.length === 0 || bytes.length > WIRE_LIMIT)
    throw new RpcError(RPC.invalidParams, `Invalid params: a transaction is 1 to ${WIRE_LIMIT} bytes in ${encoding}.`);
  return bytes;
}

/**
 * Returns the fee of a message: a fixed amount per required signature. The first byte after an optional version byte
 * has the number of signatures.
 */
function getFee(message: string): number {
  const bytes = Buffer.from(message, 'base64');
  const first = bytes[0] ?? 0;
  const signatures = first & 0x80 ? (bytes[1] ?? 0) : first;
  return signatures * Number(LAMPORTS_PER_SIGNATURE);
}

/** Runs `run`, and turns InvalidTransactionError into an invalid-params error. */
async function readable<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof InvalidTransactionError)) throw error;
    throw new RpcError(RPC.invalidParams, `Invalid params: failed to deserialize the transaction. ${error.message}`);
  }
}

/** Runs `run`, and turns a refusal into the error that the network's own servers return. */
async function runCall<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await readable(run);
  } catch (error) {
    throw error instanceof TransactionRefusedError ? refusal(error) : error;
  }
}

function refusal({ message, error, logs }: TransactionRefusedError): RpcError {
  if (error === 'SignatureFailure') return new RpcError(RPC.signature, 'Transaction signature verification failure');
  const data = { err: error, logs, accounts: null, unitsConsumed: 0, returnData: null, innerInstructions: null };
  return new RpcError(RPC.preflight, `Transaction simulation failed. ${message}`, data);
}

async function simulated(local: LocalNetwork, bytes: Uint8Array) {
  const nothing = { accounts: null, returnData: null };
  try {
    const { logs, computeUnits } = await readable(() => local.simulate(bytes));
    return { ...nothing, err: null, logs, unitsConsumed: computeUnits };
  } catch (error) {
    if (!(error instanceof TransactionRefusedError)) throw error;
    return { ...nothing, err: error.error, logs: error.logs, unitsConsumed: 0 };
  }
}

async function transactionIn(row: LedgerRow, encoding: Encoding | 'json', newest: unknown) {
  const { transaction, version, ...rest } = await toTransactionAnswer(row);
  if (version === 0 && newest !== 0) {
    throw new RpcError(
      RPC.version,
      'Transaction version (0) is not supported by the requesting client. Please try the request again with ' +
        'the following configuration parameter: "maxSupportedTransactionVersion": 0',
    );
  }
  const written =
    encoding === 'json'
      ? transaction
      : [encoding === 'base64' ? row.wire.toString('base64') : encodeBase58(row.wire), encoding];
  return { ...rest, meta: toTransactionMeta(row), transaction: written, ...(newest === undefined ? {} : { version }) };
}
