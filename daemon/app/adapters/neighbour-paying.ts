import type { NetworkName } from '../../contract/payments.js';
import type { NetworkPlace } from '../../features/chains/neighbour-chain.js';
import { RpcEndpoint, RpcEndpointError } from '../../features/chains/rpc-endpoint.js';
import type { NeighbourNetwork } from '../../features/chains/wallets.js';
import type { Neighbours } from '../../features/projects/neighbours.js';
import type { ProvenProject } from '../../features/projects/running-projects.js';
import type { FindBureau } from '../../features/spending/file-report.js';
import type { AgentDirectory, FoundAgent, PayingParts } from '../../features/spending/paying-ports.js';
import { OutboundExchange } from '../../http/outbound/outbound-exchange.js';
import { isLocalNetworkName, toLocalNetworkName } from '../../lib/agents/local-network-name.js';
import { MeshError } from '../../lib/errors.js';
import type { Clock } from '../../lib/time/clock.js';
import { CALLED, type Exchange, sendAsOperator } from './send-as-operator.js';

const CARD_MS = 5_000;
const CARD_BYTES = 1024 * 1024;

interface NeighbourPayingParts {
  neighbours: Neighbours;
  clock: Clock;
  /** This daemon's own address. */
  address: () => string;
  /** Returns the token of a member that this daemon exposes. */
  getOwnToken: (member: string) => string | undefined;
  /** Returns the name of this daemon's own local network; undefined before it has begun. */
  getOwnNetwork: () => NetworkName | undefined;
  /** The agents of this daemon's directories. */
  directory: AgentDirectory;
  /** Calls every other agent. */
  exchange: Exchange;
  readCard: PayingParts['readCard'];
}

const networkUrl = (address: string) => `${address}/chain`;

/**
 * Calls and pays members of this daemon, and by `<project>/<member>` those of the user's other running projects, as
 * their operator: without a token that somebody copied. Others' members are paid on the local network of their daemon
 * and rated with its bureau. Every other agent is passed on unchanged.
 */
export class NeighbourPaying {
  private readonly ownExchange: (hostAndPort: string) => Exchange;

  constructor(private readonly parts: NeighbourPayingParts) {
    const { clock } = parts;
    this.ownExchange = (hostAndPort) => new OutboundExchange({ clock, loopback: () => new Set([hostAndPort]) });
  }

  readonly directory: AgentDirectory = {
    find: async (agentId) => {
      const found = await this.parts.neighbours.find(agentId);
      const own = found ? undefined : await this.parts.directory.find(agentId);
      if (!found) return own && this.placed(own, await this.neighbourOf(own.endpoint));
      const endpoint = `${found.project.address}/team/${found.member}`;
      if (!found.project.current) return this.placed({ agent_id: found.ref, endpoint }, found);
      return (await this.parts.directory.findByEndpoint(endpoint)) ?? { agent_id: null, endpoint };
    },
    findByEndpoint: async (endpoint) => {
      const own = await this.parts.directory.findByEndpoint(endpoint);
      if (own) return this.placed(own, await this.neighbourOf(own.endpoint));
      const neighbour = await this.neighbourOf(endpoint);
      const [, member] = neighbour ? (/\/team\/([a-z0-9][a-z0-9-]*)$/.exec(endpoint) ?? []) : [];
      const ref = neighbour && member !== undefined ? `${neighbour.project.name}/${member}` : null;
      return this.placed({ agent_id: ref, endpoint }, neighbour);
    },
  };

  readonly exchange: Exchange = {
    send: async (request, signal) => {
      const { origin, pathname } = new URL(request.url);
      const { address, exchange, getOwnToken } = this.parts;
      if (origin === address()) return sendAsOperator(exchange, async (member) => getOwnToken(member), request, signal);
      const isCalled = CALLED.test(pathname);
      const neighbour = isCalled ? await this.neighbourOf(request.url) : undefined;
      return neighbour ? this.sendTo(neighbour, request, signal) : this.parts.exchange.send(request, signal);
    },
  };

  readonly readCard = async (url: string): Promise<unknown> => {
    const request = { method: 'GET', url, headers: {}, totalMs: CARD_MS, maxBytes: CARD_BYTES } as const;
    if (new URL(url).origin === this.parts.address()) {
      // Not from the cache of cards: what the operator changes of an own member counts at once.
      const { status, json } = await this.parts.exchange.send(request, AbortSignal.timeout(CARD_MS));
      if (status === 200) return json;
      throw new Error(`It answered ${status} instead of 200.`);
    }
    const neighbour = await this.neighbourOf(url);
    if (!neighbour) return this.parts.readCard(url);
    const answer = await this.sendTo(neighbour, request, AbortSignal.timeout(CARD_MS));
    if (answer.status === 200) return answer.json;
    const { name, root } = neighbour.project;
    throw new Error(`${name} exposes no such member: \`meshd team expose <member>\` in ${root}.`);
  };

  readonly findBureau: FindBureau = async (agentId) => {
    const found = await this.parts.neighbours.find(agentId);
    if (!found || found.project.current) return undefined;
    const neighbour = await this.parts.neighbours.at(found.project.address);
    const registered = neighbour && (await this.parts.neighbours.agentId(neighbour, found.member));
    if (registered === undefined) throw new MeshError('overloaded', `${agentId} is not registered there at present.`);
    return { address: found.project.address, agentId: registered };
  };

  /** Lists the local networks of the neighbours that give an answer. */
  readonly listNetworks = async (): Promise<(NetworkPlace & NeighbourNetwork)[]> => {
    const projects = await this.parts.neighbours.all();
    const found = await Promise.all(
      projects.map(async ({ project: { name: project, address } }) => {
        const network = await this.nameNetwork(address).catch(() => undefined);
        return network === undefined ? [] : { network, project, url: networkUrl(address) };
      }),
    );
    return found.flat();
  };

  /**
   * Returns the neighbour whose local network has this name. Throws `network_unavailable` when two projects have it: one
   * is a copy of the other's state, and what is paid to one would reach the other.
   */
  readonly locateNetwork = async (wanted: NetworkName): Promise<NetworkPlace | undefined> => {
    const found = (await this.listNetworks()).filter(({ network }) => network === wanted);
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
    if (!isLocalNetworkName(network)) {
      const found = await this.parts.neighbours.find(agent);
      return found ? `${found.project.address}/team/${found.member}` : agent_url;
    }
    const place = await this.locateNetwork(network);
    if (place) return new URL(new URL(agent_url).pathname, place.url).href;
    throw new MeshError('network_unavailable', `The project of ${agent} does not run.`);
  };

  private async sendTo(neighbour: ProvenProject, ...[request, signal]: Parameters<Exchange['send']>) {
    const { host, pathname } = new URL(request.url);
    if (!CALLED.test(pathname)) return this.parts.exchange.send(request, signal);
    const findToken = (member: string) => this.parts.neighbours.token(neighbour, member);
    return sendAsOperator(this.ownExchange(host), findToken, request, signal);
  }

  /**
   * Adds how the network is called here that the agent calls `solana:local`: of a neighbour it is that daemon's own. An
   * agent of this machine that is no neighbour is on this daemon's, and one that is reached over https on neither.
   */
  private placed(found: FoundAgent, neighbour: Pick<ProvenProject, 'project'> | undefined): FoundAgent {
    const localNetwork = async ({ address }: { address: string }) => {
      const name = await this.nameNetwork(address);
      await this.locateNetwork(name);
      return name;
    };
    if (neighbour) return { ...found, localNetwork: () => localNetwork(neighbour.project) };
    return new URL(found.endpoint).protocol === 'https:' ? { ...found, localNetwork: async () => null } : found;
  }

  private async nameNetwork(address: string): Promise<NetworkName> {
    const endpoint = new RpcEndpoint('solana:local', networkUrl(address), this.parts.clock);
    const told = await endpoint.read('getGenesisHash', []).catch((error: unknown) => {
      if (error instanceof RpcEndpointError) return undefined;
      throw error;
    });
    const name = toLocalNetworkName(told);
    if (name) return name;
    throw new MeshError('network_unavailable', `The local network at ${address} does not say which one it is.`);
  }

  private async neighbourOf(url: string): Promise<ProvenProject | undefined> {
    const { origin, hostname } = new URL(url);
    if (hostname !== '127.0.0.1' || origin === this.parts.address()) return undefined;
    return this.parts.neighbours.at(origin);
  }
}
