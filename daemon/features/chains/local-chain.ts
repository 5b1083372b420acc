import type { Network } from '../../contract/payments.js';
import { LOCAL_NETWORK } from '../../contract/payments.js';
import { MeshError } from '../../lib/errors.js';
import { requireAddress, requireSignature } from './addresses.js';
import type { Chain, ChainTransaction, SeenTransaction, SignedTransfer, WalletKey } from './chain.js';
import { answerOf } from './local-answer.js';
import type { LocalNetwork } from './local-network.js';
import { memoOfLine } from './memo-line.js';
import { NotATransaction, Refused } from './refused.js';
import { CAIP2 } from './solana-programs.js';
import { readTransaction } from './transaction-answer.js';

const LISTED = 1000;

/** The embedded network as a Chain. Its transactions are read by the same reader as those of the public networks. */
export class LocalChain implements Chain {
  readonly network: Network = LOCAL_NETWORK;
  readonly caip2 = CAIP2[LOCAL_NETWORK];
  readonly real = false;

  constructor(private readonly local: LocalNetwork) {}

  async balanceOf(address: string): Promise<bigint> {
    return this.local.lamportsOf(requireAddress(address));
  }

  async find(signature: string): Promise<ChainTransaction | undefined> {
    const row = this.local.find(requireSignature(signature));
    return row && readTransaction(signature, await answerOf(row));
  }

  async listOf(address: string, until?: string, before?: string): Promise<readonly SeenTransaction[]> {
    const rows = this.local.listOf(requireAddress(address), { until, before, limit: LISTED });
    return rows.map(({ signature, error, memo }) => ({ signature, failed: error !== null, memo: memoOfLine(memo) }));
  }

  async sign(from: WalletKey, to: string, lamports: bigint, memo?: string): Promise<SignedTransfer> {
    const { signTransfer } = await import('./solana-wire.js');
    return signTransfer(from, requireAddress(to), lamports, memo, await this.local.lifetime());
  }

  async send({ wire }: SignedTransfer): Promise<void> {
    try {
      const { error } = await this.local.send(Buffer.from(wire, 'base64'));
      if (error !== null)
        throw new MeshError('bad_request', `The transaction failed: ${error}.`, { details: { reason: 'failed' } });
    } catch (error) {
      if (!(error instanceof Refused || error instanceof NotATransaction)) throw error;
      const reason = error instanceof Refused && error.error === 'BlockhashNotFound' ? 'expired' : 'refused';
      throw new MeshError('bad_request', `The network refused the transfer. ${error.message}`, { details: { reason } });
    }
  }
}
