import type { NetworkName } from '../../contract/payments.js';
import { MeshError } from '../../lib/errors.js';
import type { Clock } from '../../lib/time/clock.js';
import type { Chain, ChainTransaction, SeenTransaction, SignedTransfer, WalletKey } from './chain.js';
import { RpcChain } from './rpc-chain.js';
import { RpcEndpoint } from './rpc-endpoint.js';
import { LAMPORTS_PER_SIGNATURE } from './solana-programs.js';

/** A local network confirms at once, and is one server, so it is polled more often than a public one. */
export const LOCAL_CONFIRMING = { totalMs: 10_000, lookMs: 25, resendMs: 2_000, youngMs: 0, goneMs: 5_000 } as const;

/** The daemon whose local network it is. */
export interface NetworkPlace {
  /** The name of its project. */
  project: string;
  /** Its JSON-RPC address. */
  url: string;
}

/**
 * The local network of another daemon of this user. Before every use the daemon is located anew by the genesis of its
 * network, so a restart on another port changes nothing, and while it does not run every method throws `network_unavailable`.
 */
export class NeighbourChain implements Chain {
  readonly real = false;
  readonly caip2: string;

  constructor(
    readonly network: NetworkName,
    private readonly parts: {
      /** Returns the running daemon that has this network; undefined when there is none. */
      locate: (network: NetworkName) => Promise<NetworkPlace | undefined>;
      clock: Clock;
    },
  ) {
    this.caip2 = network;
  }

  async getBalance(address: string): Promise<bigint> {
    return (await this.reach()).chain.getBalance(address);
  }

  async find(signature: string): Promise<ChainTransaction | undefined> {
    return (await this.reach()).chain.find(signature);
  }

  async listTransactions(
    address: string,
    until?: string,
    before?: string,
    minSlot?: number,
  ): Promise<readonly SeenTransaction[]> {
    return (await this.reach()).chain.listTransactions(address, until, before, minSlot);
  }

  async requireFunds(from: WalletKey, lamports: bigint): Promise<void> {
    const { chain, project } = await this.reach();
    const held = await chain.getBalance(from.address);
    const needed = lamports + LAMPORTS_PER_SIGNATURE;
    if (held < needed) {
      throw new MeshError(
        'insufficient_funds',
        `the wallet holds ${held} lamports on ${this.network}, the local network of ${project}, and the payment with its fee takes ${needed}. \`meshd wallet fund --project ${project}\` fills it (not real money).`,
        { details: { balance: Number(held), lamports: Number(needed) } },
      );
    }
  }

  async sign(from: WalletKey, to: string, lamports: bigint, memo?: string): Promise<SignedTransfer> {
    return (await this.reach()).chain.sign(from, to, lamports, memo);
  }

  async send(transfer: SignedTransfer): Promise<void> {
    await (await this.reach()).chain.send(transfer);
  }

  private async reach(): Promise<{ chain: Chain; project: string }> {
    const { locate, clock } = this.parts;
    const place = await locate(this.network);
    if (!place) {
      throw new MeshError(
        'network_unavailable',
        `No running project of yours has the network ${this.network}: start it with \`meshd up\` in its folder.`,
      );
    }
    const endpoint = new RpcEndpoint(this.network, place.url, clock);
    return { chain: new RpcChain(this.network, endpoint, clock, LOCAL_CONFIRMING), project: place.project };
  }
}
