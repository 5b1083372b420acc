import { NETWORKS, type Network, type NetworkName } from '../contract/payments.js';
import type { Chain, Chains } from '../features/chains/chain.js';
import { LOCAL_CONFIRMING } from '../features/chains/neighbour-chain.js';
import { PublicEndpoint } from '../features/chains/public-endpoint.js';
import { RpcChain } from '../features/chains/rpc-chain.js';
import { RpcEndpoint } from '../features/chains/rpc-endpoint.js';
import { MeshError } from '../lib/errors.js';
import type { Clock } from '../lib/time/clock.js';

const LOOPBACK_HOST = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

const isNetwork = (name: string): name is Network => (NETWORKS as readonly string[]).includes(name);

/** The networks that a program has configured, each with its JSON-RPC address. */
export class LibraryChains implements Chains {
  private readonly chains = new Map<string, Chain>();

  /**
   * Throws `bad_request` for an unknown network, and for an address that is neither https
   * nor on the loopback interface.
   */
  constructor(addresses: Readonly<Record<string, string>>, clock: Clock) {
    for (const [network, address] of Object.entries(addresses)) {
      const refuse = (message: string) =>
        new MeshError('bad_request', `"chains.${network}" ${message}.`, { details: { path: `chains.${network}` } });
      if (!isNetwork(network)) throw refuse(`is no network: use one of ${NETWORKS.join(', ')}`);
      const url = URL.canParse(address) ? new URL(address) : undefined;
      const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && LOOPBACK_HOST.test(url.hostname));
      if (!url || !isSafe) throw refuse('must be an https address, or an http one on the loopback');
      this.chains.set(
        network,
        network === 'solana:local'
          ? new RpcChain(network, new RpcEndpoint(network, url.href, clock), clock, LOCAL_CONFIRMING)
          : new RpcChain(network, new PublicEndpoint(network, url.href, clock), clock),
      );
    }
  }

  async get(network: string): Promise<Chain> {
    const chain = this.chains.get(network);
    if (chain) return chain;
    throw new MeshError('bad_request', `This agent has no address of ${network}: name one in "chains".`, {
      details: { path: 'network' },
    });
  }

  list(): readonly NetworkName[] {
    return [...this.chains.values()].map(({ network }) => network);
  }
}
