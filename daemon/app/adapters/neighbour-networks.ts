import type { NetworkName } from '../../contract/payments.js';
import type { NetworkPlace } from '../../features/chains/neighbour-chain.js';
import { RpcEndpoint, RpcEndpointError } from '../../features/chains/rpc-endpoint.js';
import type { NeighbourNetwork } from '../../features/chains/wallets.js';
import type { Neighbours } from '../../features/projects/neighbours.js';
import type { PayingParts } from '../../features/spending/paying-ports.js';
import { isLocalNetworkName, toLocalNetworkName } from '../../lib/agents/local-network-name.js';
import { MeshError } from '../../lib/errors.js';
import type { Clock } from '../../lib/time/clock.js';

interface NeighbourNetworksParts {
  neighbours: Neighbours;
  clock: Clock;
  /** Returns the name of this daemon's own local network; undefined before it has begun. */
  getOwnNetwork: () => NetworkName | undefined;
}

const networkUrl = (address: string) => `${address}/chain`;

/** The local networks of the user's other running projects, each told by its genesis: ports change. */
export class NeighbourNetworks {
  constructor(private readonly parts: NeighbourNetworksParts) {}

  /** Lists the local networks of the neighbours that give an answer. */
  readonly list = async (): Promise<(NetworkPlace & NeighbourNetwork)[]> => {
    const projects = await this.parts.neighbours.all();
    const found = await Promise.all(
      projects.map(async ({ project: { name: project, address } }) => {
        const network = await this.readName(address).catch(() => undefined);
        return network === undefined ? [] : { network, project, url: networkUrl(address) };
      }),
    );
    return found.flat();
  };

  /**
   * Returns the neighbour whose local network has this name. Throws `network_unavailable` when two projects have it:
   * one is a copy of the other's state, and what is paid to one would reach the other.
   */
  readonly locate = async (wanted: NetworkName): Promise<NetworkPlace | undefined> => {
    const found = (await this.list()).filter(({ network }) => network === wanted);
    const names = found.map(({ project }) => project);
    if (wanted === this.parts.getOwnNetwork()) names.unshift('this project');
    if (names.length < 2) return found[0];
    throw new MeshError(
      'network_unavailable',
      `Nothing is paid on ${wanted}: ${names.join(' and ')} have the same local network, since one was made from a ` +
        'copy of the other. Stop one of them with `meshd down`.',
    );
  };

  /** Returns where the agent of a payment is now. Throws while its project does not run. */
  readonly findEndpoint: NonNullable<PayingParts['findEndpoint']> = async ({ agent, agent_url, network }) => {
    const { hostname, pathname } = new URL(agent_url);
    // Another program that is paid on a project's local network has a place of its own.
    if (hostname !== '127.0.0.1' || !pathname.startsWith('/team/')) return agent_url;
    if (!isLocalNetworkName(network)) {
      const found = await this.parts.neighbours.find(agent);
      return found ? `${found.project.address}/team/${found.member}` : agent_url;
    }
    const place = await this.locate(network);
    if (place) return new URL(pathname, place.url).href;
    throw new MeshError('network_unavailable', `The project of ${agent} does not run.`);
  };

  /** Returns the name of the local network of the neighbour at `address`. Throws what `locate` throws. */
  async nameAt(address: string): Promise<NetworkName> {
    const name = await this.readName(address);
    await this.locate(name);
    return name;
  }

  private async readName(address: string): Promise<NetworkName> {
    const endpoint = new RpcEndpoint('solana:local', networkUrl(address), this.parts.clock);
    const told = await endpoint.read('getGenesisHash', []).catch((error: unknown) => {
      if (error instanceof RpcEndpointError) return undefined;
      throw error;
    });
    const name = toLocalNetworkName(told);
    if (name) return name;
    throw new MeshError('network_unavailable', `The local network at ${address} does not say which one it is.`);
  }
}
