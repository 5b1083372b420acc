import type { Network } from '../../contract/payments.js';
import { MeshError } from '../../lib/errors.js';
import type { Clock } from '../../lib/time/clock.js';
import { RpcEndpoint, RpcEndpointError } from './rpc-endpoint.js';
import { CAIP2 } from './solana-programs.js';

const CAIP2_CHARS = 32;

/**
 * The configured address of a public network. Before its first use it is asked for its genesis: the addresses of
 * networks differ by a word, and behind the wrong one real money is spent as worthless, or a price is paid with
 * worthless lamports. As devnet a network of one's own, such as a test validator, may stand in; nothing may as mainnet.
 */
export class PublicEndpoint extends RpcEndpoint {
  private proven: Promise<void> | undefined;

  constructor(
    private readonly name: Network,
    ...[address, clock, pauseMs]: [address: string, clock: Clock, pauseMs?: number]
  ) {
    super(name, address, clock, pauseMs);
  }

  override async read(method: string, params: readonly unknown[]): Promise<unknown> {
    await this.prove();
    return super.read(method, params);
  }

  override async send(method: string, params: readonly unknown[]): Promise<unknown> {
    await this.prove();
    return super.send(method, params);
  }

  private prove(): Promise<void> {
    this.proven ??= this.checkGenesis().catch((error: unknown) => {
      this.proven = undefined;
      throw error;
    });
    return this.proven;
  }

  private async checkGenesis(): Promise<void> {
    const genesis = await super.read('getGenesisHash', []).catch((error: unknown) => {
      if (error instanceof RpcEndpointError) return undefined;
      throw error;
    });
    const id = typeof genesis === 'string' ? `solana:${genesis.slice(0, CAIP2_CHARS)}` : undefined;
    const [served] = Object.entries(CAIP2).find(([, caip2]) => caip2 === id) ?? [];
    if (served === this.name || (served === undefined && this.name !== 'solana:mainnet')) return;
    const what = served === undefined ? 'not one of it' : `one of ${served}`;
    throw new MeshError('network_unavailable', `${this.name} is not used: its JSON-RPC address is ${what}.`);
  }
}
