import type { Surface, Tier1Card } from '../../contract/network/agents.js';
import type { PublicCard } from '../../contract/network/card.js';
import type { Reputation as Standing } from '../../contract/network/reputation.js';
import type { AiCatalog, Tier2Card, Tier2Result } from '../../contract/network/site.js';
import type { OutboundFetch } from '../../http/outbound/outbound-fetch.js';
import { tier2Url } from '../../lib/agents/tier2-url.js';
import { getErrorMessage, MeshError } from '../../lib/errors.js';
import type { Clock } from '../../lib/time/clock.js';
import type { AgentHost } from '../agent-host/agent-host.js';
import type { Exposure } from '../exposure/exposure.js';
import type { Hub } from '../hub/hub.js';
import type { Registry } from '../registry/registry.js';
import type { Reputation } from '../reputation/reputation.js';
import { tier2CardIn } from './tier2-check.js';

interface SiteParts {
  hub: Pick<Hub, 'find' | 'get'>;
  registry: Pick<Registry, 'find'>;
  reputation: Pick<Reputation, 'of'>;
  exposure: Pick<Exposure, 'externalMembers'>;
  host: Pick<AgentHost, 'publicCard'>;
  outbound: Pick<OutboundFetch, 'json'>;
  /**
   * The members of the user's other running projects. `find` throws `not_found` and `bad_request` for the project;
   * `readCard` throws an Error that says why there is no card.
   */
  elsewhere: {
    find(ref: string): Promise<{ endpoint: string } | undefined>;
    readCard(url: string): Promise<unknown>;
  };
  /** The member of this daemon that is registered under `agentId` on that surface. */
  hostedMember: (agentId: string, surface: Surface) => string | undefined;
  /** `{site_url}`. */
  origin: () => string;
  project: string;
  clock: Clock;
}

/** A registered agent as shown on the site. Times are epoch seconds. */
interface SiteAgent {
  agent_id: string;
  surface: Surface;
  online: boolean;
  verified: boolean;
  card: Tier1Card;
  description: string | undefined;
  endpoint: string | undefined;
  registered_at: number | null;
  last_seen: number | null;
  /** The id of this daemon's member that the agent is, if any. */
  member: string | undefined;
}

/** The data shown on an agent's page. */
export interface AgentFacts {
  agent: SiteAgent;
  /** Only set for a member of this daemon. The cards of other agents are not fetched for a page. */
  card: PublicCard | undefined;
  standing: Standing;
  origin: string;
  now: number;
}

/**
 * The public site of agents under `/agent/<agent_id>`, an address that stays the same when an agent moves. Agents are
 * looked up on the hub first, whose catalog is canonical. Spec: What the service does, 5.
 */
export class Site {
  constructor(private readonly parts: SiteParts) {}

  /** Returns a registered agent. Undefined for any other id, including unregistered catalog entries. */
  find(agentId: string): SiteAgent | undefined {
    const { hub, registry, hostedMember } = this.parts;
    if (hub.find(agentId)) {
      const { agent_id, online, verified, agent_card: card, description, registered_at, last_seen } = hub.get(agentId);
      return {
        agent_id,
        surface: 'hub',
        online,
        verified,
        card,
        description: card?.description ?? description ?? undefined,
        endpoint: card?.endpoint,
        registered_at,
        last_seen,
        member: hostedMember(agent_id, 'hub'),
      };
    }
    const record = registry.find(agentId);
    if (!record?.registered) return undefined;
    const { agent_id, live, verified, agent_card: card, description, endpoint, registered_at, last_seen } = record;
    return {
      agent_id,
      surface: 'v1',
      online: live,
      verified,
      card: card ?? {},
      description: card?.description ?? description ?? undefined,
      endpoint: endpoint ?? card?.endpoint,
      registered_at,
      last_seen,
      member: hostedMember(agent_id, 'v1'),
    };
  }

  /** Throws `not_found`. */
  tier1(agentId: string): Tier1Card {
    return this.get(agentId).card;
  }

  /** The data of an agent's page. Undefined for an agent that is not registered. */
  facts(agentId: string): AgentFacts | undefined {
    const agent = this.find(agentId);
    if (!agent) return undefined;
    const { reputation, origin, clock } = this.parts;
    return {
      agent,
      card: this.hostedCard(agent),
      standing: reputation.of(agent.agent_id),
      origin: origin(),
      now: Math.floor(clock.now() / 1000),
    };
  }

  /**
   * The Tier-2 card of a member of this daemon, or the URL at which the agent itself serves it. Throws `not_found`,
   * also for an agent without an endpoint.
   */
  tier2(agentId: string): { card: PublicCard } | { location: string } {
    const agent = this.get(agentId);
    const card = this.hostedCard(agent);
    if (card) return { card };
    const location = agent.endpoint === undefined ? undefined : tier2Url(agent.endpoint);
    if (location === undefined)
      throw new MeshError('not_found', 'This agent has no endpoint, so it has no public card.');
    return { location };
  }

  /**
   * Reads an agent's Tier-2 card from its endpoint under the outbound policy. The card of a member of this daemon is
   * returned directly, that of a member of another running project is read by `<project>/<member>`. Failures are
   * reported in the result. Throws `not_found` for an agent that is not registered.
   */
  async readTier2(agentId: string): Promise<Tier2Result> {
    if (agentId.includes('/')) return this.readElsewhere(agentId);
    const agent = this.get(agentId);
    const nowMs = this.parts.clock.now();
    const result = (part: Partial<Tier2Result>, atMs = nowMs): Tier2Result => ({
      agent_id: agent.agent_id,
      ok: false,
      url: null,
      hosted: false,
      reason: null,
      message: null,
      card: null,
      ...part,
      fetched_at: Math.floor(atMs / 1000),
    });
    const hosted = this.hostedCard(agent);
    if (hosted)
      return result({
        ok: true,
        hosted: true,
        url: tier2Url(hosted.url) ?? null,
        card: hosted as unknown as Tier2Card,
      });
    const url = agent.endpoint === undefined ? undefined : tier2Url(agent.endpoint);
    if (url === undefined) return result({ reason: 'no_endpoint', message: 'It has no endpoint.' });
    const fetched = await this.parts.outbound.json(url);
    if (!fetched.ok) return result({ url, reason: fetched.reason, message: fetched.message }, fetched.fetched_ms);
    const read = tier2CardIn(fetched.value);
    if ('problem' in read) return result({ url, reason: 'bad_card', message: read.problem }, fetched.fetched_ms);
    return result({ url, ok: true, card: read.card }, fetched.fetched_ms);
  }

  private async readElsewhere(ref: string): Promise<Tier2Result> {
    const { elsewhere, clock } = this.parts;
    const found = await elsewhere.find(ref);
    const url = found && tier2Url(found.endpoint);
    if (url === undefined) throw new MeshError('not_found', 'There is no such agent.');
    const read = await elsewhere
      .readCard(url)
      .then(tier2CardIn, (error: unknown) => ({ problem: getErrorMessage(error) }));
    const none = { ok: false, reason: 'bad_card', card: null } as const;
    return {
      ...{ agent_id: ref, url, hosted: false, fetched_at: Math.floor(clock.now() / 1000) },
      ...('problem' in read
        ? { ...none, message: read.problem }
        : { ok: true, reason: null, message: null, card: read.card }),
    };
  }

  /** The AI catalog of this daemon: its exposed members. */
  catalog(): AiCatalog {
    const { exposure, host, origin, project } = this.parts;
    const namespace = project.replace(/[^A-Za-z0-9._-]+/g, '-') || 'project';
    return {
      specVersion: '1.0',
      host: { displayName: `${project} (meshd)`, documentationUrl: `${origin()}/docs` },
      entries: exposure.externalMembers().map(({ id }) => {
        const { name, description, version, skills } = host.publicCard(id);
        return {
          identifier: `urn:air:localhost:${namespace}:${id}`,
          displayName: name,
          type: 'application/a2a-agent-card+json',
          url: `${origin()}/team/${id}/.well-known/agent-card.json`,
          description,
          version,
          capabilities: skills.map((skill) => skill.id),
          representativeQueries: skills.flatMap(({ examples }) => examples),
        };
      }),
    };
  }

  private get(agentId: string): SiteAgent {
    const agent = this.find(agentId);
    if (!agent) throw new MeshError('not_found', 'There is no such agent.');
    return agent;
  }

  private hostedCard({ member }: SiteAgent): PublicCard | undefined {
    const isExposed = member !== undefined && this.parts.exposure.externalMembers().some(({ id }) => id === member);
    return isExposed ? this.parts.host.publicCard(member) : undefined;
  }
}
