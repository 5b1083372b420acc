import { LOCAL_NETWORK, NETWORKS, type NetworkName } from '../../contract/payments.js';
import { isLocalNetworkName } from '../../lib/agents/local-network-name.js';
import { MeshError } from '../../lib/errors.js';
import type { Chain, Chains } from './chain.js';

/**
 * The embedded network, and the networks whose address is configured on this machine. Spec: Payments. A local network
 * named by its genesis is always known: whether its daemon runs shows when it is used.
 */
export class KnownChains implements Chains {
  private readonly chains: ReadonlyMap<string, Chain>;

  constructor(
    local: Chain,
    configured: readonly Chain[],
    /** Absent where no other daemon is known. */
    private readonly createNeighbour?: (network: NetworkName) => Chain,
    /** Returns the name of the embedded network by its genesis. */
    private readonly getOwnName?: () => Promise<NetworkName | undefined>,
  ) {
    this.chains = new Map([local, ...configured].map((chain) => [chain.network, chain]));
  }

  async get(network: string): Promise<Chain> {
    const chain = this.chains.get(network);
    if (chain) return chain;
    if (isLocalNetworkName(network)) {
      if (network === (await this.getOwnName?.())) return this.get(LOCAL_NETWORK);
      if (this.createNeighbour) return this.createNeighbour(network);
    }
    const isKnown = (NETWORKS as readonly string[]).includes(network);
    const message = isKnown
      ? `${network} is not configured on this machine: give its JSON-RPC address in ${getVariable(network)}, or ` +
        `use ${LOCAL_NETWORK}.`
      : `There is no network of that name: use one of ${this.list().join(', ')}.`;
    throw new MeshError('bad_request', message, { details: { path: 'network' } });
  }

  list(): readonly NetworkName[] {
    return [...this.chains.values()].map(({ network }) => network);
  }
}

/** Returns the environment variable with the JSON-RPC address of `network`. */
const getVariable = (network: string) => `MESHD_SOLANA_${network.replace('solana:', '').toUpperCase()}_URL`;
