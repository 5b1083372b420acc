import type { CardTests } from '../../contract/member-tests.js';
import type { PublicCard } from '../../contract/network/card.js';
import { isMeshError, MeshError } from '../../lib/errors.js';
import type { Exposure } from '../exposure/exposure.js';
import type { MemberVersion } from '../team/member-file.js';
import type { DefaultWallet } from './default-wallet.js';
import { HostedAgent, type HostedAgentPorts } from './hosted-agent.js';
import { memberAgent } from './member-agent.js';
import type { AskPort } from './member-ask.js';
import { type RateLimit, RateLimits } from './rate-limits.js';
import { mayBePriced } from './skill-prices.js';

interface AgentHostParts extends HostedAgentPorts {
  exposure: Pick<Exposure, 'external' | 'verify'>;
  asks: AskPort;
  /** This daemon's address, available once it listens. */
  origin: () => string;
  /** The client that a member currently runs on, and the problem that prevents it from running, if any. */
  resolve: (member: MemberVersion) => { client_resolved: string; problem?: string };
  /** The payment networks that are configured. */
  networks: readonly string[];
  wallet: DefaultWallet;
  /** The state of a member's contract tests. Undefined when it has none. */
  findTests: (member: MemberVersion) => CardTests | undefined;
}

interface Hosted {
  member: MemberVersion;
  /** The other inputs of the card, besides the member's file, as a cache key. */
  basis: string;
  agent: HostedAgent;
}

const mayCost = ({ pricing, skills }: MemberVersion) => pricing !== undefined || skills !== undefined;
const lacksWallet = ({ spec: { payment, skills } }: HostedAgent) =>
  payment?.wallet === undefined && skills.some(mayBePriced);
const OPENER = { name: 'memberToken', description: 'Token of this member, handed out by its operator.' };

/**
 * The exposed members as hosted agents. Each is rebuilt when its file changes; the count of its calls goes on. Spec:
 * Interface hosted by each agent.
 */
export class AgentHost {
  private readonly hosted = new Map<string, Hosted>();
  private readonly limits = new Map<string, RateLimits>();

  constructor(private readonly parts: AgentHostParts) {}

  /** Returns the agent of an exposed member. Throws `not_found` for unknown and internal members alike. */
  agent(id: string): HostedAgent {
    const member = this.parts.exposure.external(id);
    if (!member) {
      this.hosted.delete(id);
      this.limits.delete(id);
      throw new MeshError('not_found', 'There is no such agent.');
    }
    const tests = this.parts.findTests(member);
    const basis = JSON.stringify([this.parts.origin(), mayCost(member) ? this.parts.wallet.find() : undefined, tests]);
    const known = this.hosted.get(id);
    if (known?.member === member && known.basis === basis) return known.agent;
    const agent = this.make(member, tests);
    this.hosted.set(id, { member, basis, agent });
    return agent;
  }

  /** Like `agent`, but first loads this daemon's wallet when the agent is paid into it. */
  async ready(id: string): Promise<HostedAgent> {
    const agent = this.agent(id);
    if (!lacksWallet(agent)) return agent;
    try {
      await this.parts.wallet.load();
    } catch (error) {
      // The card is valid without the wallet. A caller that tries to pay receives the error from the payment processor.
      if (!isMeshError(error)) throw error;
    }
    return this.agent(id);
  }

  /**
   * The Tier-2 card with what is known so far. Throws `not_found` for unknown and internal members alike. When the card
   * needs this daemon's wallet and that is not yet loaded, loading starts in the background.
   */
  publicCard(id: string): PublicCard {
    const agent = this.agent(id);
    // Errors are ignored here. A caller that needs the wallet uses `ready`.
    if (lacksWallet(agent)) this.ready(id).catch(() => undefined);
    return agent.card().value;
  }

  private make(member: MemberVersion, tests: CardTests | undefined): HostedAgent {
    const { exposure, asks, origin, resolve, networks, wallet } = this.parts;
    const { id } = member;
    const spec = memberAgent({
      member,
      url: () => `${origin()}/team/${id}`,
      opener: { ...OPENER, isRight: (token) => exposure.verify(id, token) },
      asks,
      provider: () => resolve(member).client_resolved,
      isReady: () => resolve(member).problem === undefined,
      tests,
      networks,
      defaultWallet: () => wallet.find(),
    });
    return new HostedAgent(spec, this.parts, this.limitsOf(id, spec.rateLimits));
  }

  private limitsOf(id: string, limit: RateLimit): RateLimits {
    const limits = this.limits.get(id) ?? new RateLimits(limit, this.parts.clock);
    this.limits.set(id, limits);
    limits.use(limit);
    return limits;
  }
}
