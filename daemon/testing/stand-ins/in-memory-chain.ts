import { randomBytes } from 'node:crypto';
import type { Network } from '../../contract/payments.js';
import type { Chain, ChainTransaction, SeenTransaction, SignedTransfer } from '../../features/chains/chain.js';
import { encodeBase58 } from '../../lib/crypto/base58.js';
import { MeshError } from '../../lib/errors.js';

/**
 * A network that holds the transactions put on it. It provides what the embedded network never does: old blocks,
 * failures, an unreachable network and transactions that become visible late.
 */
export class InMemoryChain implements Chain {
  readonly caip2 = 'solana:test';
  readonly real = true;
  isReachable = true;
  /** How often a transaction was looked up. */
  looks = 0;
  private readonly transactions: (ChainTransaction & { slot: number })[] = [];

  constructor(readonly network: Network) {}

  /**
   * Puts a transaction of one transfer on the chain, in a slot of its own, with the fields of `more` replaced, and
   * returns its signature.
   */
  put(
    to: string,
    lamports: bigint,
    memos: readonly string[],
    more: Partial<ChainTransaction & { slot: number }> = {},
  ): string {
    const signature = more.signature ?? encodeBase58(randomBytes(64));
    const from = encodeBase58(randomBytes(32));
    this.transactions.push({
      signature,
      slot: this.slot + 1,
      failed: false,
      blockTime: null,
      transfers: [{ from, to, lamports }],
      memos,
      balanceChanges: new Map([
        [from, -lamports],
        [to, lamports],
      ]),
      ...more,
    });
    return signature;
  }

  async getBalance(address: string): Promise<bigint> {
    this.reach();
    return this.transactions.reduce((sum, { balanceChanges }) => sum + (balanceChanges.get(address) ?? 0n), 0n);
  }

  async find(signature: string): Promise<ChainTransaction | undefined> {
    this.looks += 1;
    this.reach();
    return this.transactions.find((one) => one.signature === signature);
  }

  async listTransactions(
    address: string,
    until?: string,
    before?: string,
    minSlot = 0,
  ): Promise<readonly SeenTransaction[]> {
    this.reach();
    if (this.slot < minSlot) throw new MeshError('network_unavailable', 'The network lags behind.');
    const newestFirst = this.transactions.filter(({ balanceChanges }) => balanceChanges.has(address)).reverse();
    const start = newestFirst.findIndex(({ signature }) => signature === before) + 1;
    const end = newestFirst.findIndex(({ signature }) => signature === until);
    return newestFirst
      .slice(start, end === -1 ? undefined : end)
      .slice(0, 1000)
      .map(({ signature, slot, failed, memos }) => ({ signature, slot, failed, memo: memos.join('; ') || null }));
  }

  async sign(): Promise<SignedTransfer> {
    throw new Error('Nothing is signed here: put it on the chain.');
  }

  async send(): Promise<void> {
    throw new Error('Nothing is sent here: put it on the chain.');
  }

  private get slot(): number {
    return this.transactions.at(-1)?.slot ?? 0;
  }

  private reach(): void {
    if (!this.isReachable) throw new MeshError('network_unavailable', 'The network cannot be reached.');
  }
}
