import type { Neighbours } from '../../features/projects/neighbours.js';
import type { ProvenProject } from '../../features/projects/running-projects.js';
import type { FindBureau } from '../../features/spending/file-report.js';
import type { AgentDirectory, FoundAgent, PayingParts } from '../../features/spending/paying-ports.js';
import { OutboundExchange } from '../../http/outbound/outbound-exchange.js';
import { MeshError } from '../../lib/errors.js';
import type { Clock } from '../../lib/time/clock.js';
import type { NeighbourNetworks } from './neighbour-networks.js';
import { CALLED, type Exchange, sendAsOperator } from './send-as-operator.js';

const CARD_MS = 5_000;
const CARD_BYTES = 1024 * 1024;

interface NeighbourPayingParts {
  neighbours: Neighbours;
  networks: Pick<NeighbourNetworks, 'nameAt'>;
  clock: Clock;
  /** This daemon's own address. */
  address: () => string;
  /** Returns the token of a member that this daemon exposes. */
  getOwnToken: (member: string) => string | undefined;
  /** The agents of this daemon's directories. */
  directory: AgentDirectory;
  /** Calls every other agent. */
  exchange: Exchange;
  readCard: PayingParts['readCard'];
}

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
    if (neighbour) return { ...found, localNetwork: () => this.parts.networks.nameAt(neighbour.project.address) };
    return new URL(found.endpoint).protocol === 'https:' ? { ...found, localNetwork: async () => null } : found;
  }

  private async neighbourOf(url: string): Promise<ProvenProject | undefined> {
    const { origin, hostname } = new URL(url);
    if (hostname !== '127.0.0.1' || origin === this.parts.address()) return undefined;
    return this.parts.neighbours.at(origin);
  }
}
