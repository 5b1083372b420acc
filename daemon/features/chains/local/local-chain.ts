import type { Network } from '../../../contract/payments.js';
import { LOCAL_NETWORK } from '../../../contract/payments.js';
import { MeshError } from '../../../lib/errors.js';
import { requireAddress, requireSignature } from '../addresses.js';
import type { Chain, ChainTransaction, SeenTransaction, SignedTransfer, WalletKey } from '../chain.js';
import { memoOfLine } from '../memo-line.js';
import { InvalidTransactionError, TransactionRefusedError } from '../refused.js';
import { CAIP2 } from '../solana-programs.js';
import { readTransaction } from '../transaction-answer.js';
import { toTransactionAnswer } from './local-answer.js';
import type { LocalNetwork } from './local-network.js';

const LISTED = 1000;

/** The embedded network as a Chain. Its transactions are read by the same reader as those of the public networks. */
export class LocalChain implements Chain {
  readonly network: Network = LOCAL_NETWORK;
  readonly caip2 = CAIP2[LOCAL_NETWORK];
  readonly real = false;

  constructor(private readonly local: LocalNetwork) {}

  async getBalance(address: string): Promise<bigint> {
    return this.local.getLamports(requireAddress(address));
  }

  async find(signature: string): Promise<ChainTransaction | undefined> {
    const row = this.local.find(requireSignature(signature));
    return row && readTransaction(signature, await toTransactionAnswer(row));
  }

  async listTransactions(
    address: string,
    until?: string,
    before?: string,
    minSlot = 0,
  ): Promise<readonly SeenTransaction[]> {
    if (this.local.slot < minSlot)
      throw new MeshError('network_unavailable', `The network has not reached the slot ${minSlot}.`);
    const rows = this.local.listTransactions(requireAddress(address), { until, before, limit: LISTED });
    return rows.map(({ signature, slot, error, memo }) => ({
      signature,
      slot,
      failed: error !== null,
      memo: memoOfLine(memo),
    }));
  }

  async sign(from: WalletKey, to: string, lamports: bigint, memo?: string): Promise<SignedTransfer> {
    const { signTransfer } = await import('../solana-wire.js');
    return signTransfer(from, requireAddress(to), lamports, memo, await this.local.lifetime());
  }

  async send({ wire }: SignedTransfer): Promise<void> {
    try {
      const { error } = await this.local.send(Buffer.from(wire, 'base64'));
      if (error !== null)
        throw new MeshError('bad_request', `The transaction failed: ${error}.`, { details: { reason: 'failed' } });
    } catch (error) {
      if (!(error instanceof TransactionRefusedError || error instanceof InvalidTransactionError)) throw error;
      const reason =
        error instanceof TransactionRefusedError && error.error === 'BlockhashNotFound' ? 'expired' : 'refused';
      throw new MeshError('bad_request', `The network refused the transfer. ${error.message}`, { details: { reason } });
    }
  }
}
