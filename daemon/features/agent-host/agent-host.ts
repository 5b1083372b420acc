import type { PublicCard } from '../../contract/card.js';
import type { CardTests } from '../../contract/member-tests.js';
import { isMeshError, MeshError } from '../../lib/errors.js';
import type { Exposure } from '../exposure/exposure.js';
import type { MemberVersion } from '../team/member-file.js';
import type { DefaultWallet } from './default-wallet.js';
import { HostedAgent, type HostedAgentPorts } from './hosted-agent.js';
import { memberAgent } from './member-agent.js';
import type { AskDesk } from './member-ask.js';
import { mayBePriced } from './skill-prices.js';

export interface AgentHostParts extends HostedAgentPorts {
  exposure: Pick<Exposure, 'external' | 'verify'>;
  asks: AskDesk;
  /** This daemon's address, once it listens. */
  origin: () => string;
  /** What a member runs on now, and what keeps it from running. */
  resolve: (member: MemberVersion) => { client_resolved: string; problem?: string };
  wallet: DefaultWallet;
  /** How a member's contract tests stand; undefined when it has none. */
  findTests: (member: MemberVersion) => CardTests | undefined;
}

interface Hosted {
  member: MemberVersion;
  /** What else the card rests on. */
  basis: string;
  agent: HostedAgent;
}

const mayCost = ({ pricing, skills }: MemberVersion) => pricing !== undefined || skills !== undefined;
const lacksWallet = ({ spec: { payment, skills } }: HostedAgent) =>
  payment?.wallet === undefined && skills.some(mayBePriced);
const OPENER = { name: 'memberToken', description: 'Token of this member, handed out by its operator.' };

/** The exposed members as hosted agents, each made anew when its file changes. Spec: Interface hosted by each agent. */
export class AgentHost {
  private readonly hosted = new Map<string, Hosted>();

  constructor(private readonly parts: AgentHostParts) {}

  /** The agent that an exposed member is; `not_found` for unknown and internal members alike. */
  agent(id: string): HostedAgent {
    const member = this.parts.exposure.external(id);
    if (!member) {
      this.hosted.delete(id);
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

  /** As `agent`, with this daemon's wallet known where the agent is paid into it. */
  async ready(id: string): Promise<HostedAgent> {
    const agent = this.agent(id);
    if (!lacksWallet(agent)) return agent;
    try {
      await this.parts.wallet.load();
    } catch (error) {
      // The card is true as far as it goes; whoever wants to pay is told by the till what is wrong.
      if (!isMeshError(error)) throw error;
    }
    return this.agent(id);
  }

  /**
   * The Tier-2 card as far as it is known; `not_found` for unknown and internal members alike. Where this daemon's wallet belongs on it and is not known
   * yet, it is looked for meanwhile.
   */
  publicCard(id: string): PublicCard {
    const agent = this.agent(id);
    // Whoever needs the wallet asks with `ready`, and is told what is wrong.
    if (lacksWallet(agent)) this.ready(id).catch(() => undefined);
    return agent.card().value;
  }

  private make(member: MemberVersion, tests: CardTests | undefined): HostedAgent {
    const { exposure, asks, origin, resolve, wallet } = this.parts;
    const { id } = member;
    const spec = memberAgent({
      member,
      url: () => `${origin()}/team/${id}`,
      opener: { ...OPENER, isRight: (token) => exposure.verify(id, token) },
      asks,
      provider: () => resolve(member).client_resolved,
      isReady: () => resolve(member).problem === undefined,
      tests,
      defaultWallet: () => wallet.find(),
    });
    return new HostedAgent(spec, this.parts);
  }
}
