import type { RegistryRecord } from '../../contract/network/registry.js';
import type { Hub } from '../hub/hub.js';
import type { HubAgent } from '../hub/hub-agent.js';
import type { Registry } from '../registry/registry.js';
import type { CatalogRow, CatalogSource } from './catalog-source.js';
import { joinOfOneOwner } from './one-owner.js';

/** The parts of the two surfaces that are read. */
export interface Surfaces {
  hub: Pick<Hub, 'all' | 'find' | 'isOnline' | 'onChanged' | 'onRemoved'>;
  registry: Pick<Registry, 'all' | 'find' | 'isLive' | 'onChanged' | 'onRemoved'>;
}

/**
 * Merges the hub's catalog and the unified API's catalog. An agent on both is one row. The hub is canonical: where both
 * have a value, the hub's is used. Lists are joined, and the agent is online if either surface reports it as online.
 * Where the two are not of one owner (see `joinOfOneOwner`), the row is the hub's alone. An unclaimed entry of the
 * scraped catalog is a row that is never online. Spec: What the service does, 1 and 3; Catalog row.
 */
export class UnitedCatalog implements CatalogSource {
  constructor(private readonly surfaces: Surfaces) {}

  *rows(): Generator<CatalogRow> {
    const { hub, registry } = this.surfaces;
    for (const agent of hub.all()) yield this.mergeRows(agent, registry.find(agent.agent_id)) as CatalogRow;
    for (const record of registry.all())
      if (!hub.find(record.agent_id)) yield this.mergeRows(undefined, record) as CatalogRow;
  }

  find(agentId: string): CatalogRow | undefined {
    return this.mergeRows(this.surfaces.hub.find(agentId), this.surfaces.registry.find(agentId));
  }

  isOnline(agentId: string): boolean {
    const { hub, registry } = this.surfaces;
    if (hub.isOnline(agentId)) return true;
    return registry.isLive(agentId) && joinOfOneOwner(hub.find(agentId), registry.find(agentId)) !== undefined;
  }

  /**
   * Whether somebody else had the id on the unified API before the agent of its row: what is known about the id may
   * then be about that other agent.
   */
  isIdOfAnother(agentId: string): boolean {
    const { hub, registry } = this.surfaces;
    const [agent, record] = [hub.find(agentId), registry.find(agentId)];
    if (!agent || !record || joinOfOneOwner(agent, record)) return false;
    return (record.registered_at ?? 0) * 1000 <= agent.registeredMs;
  }

  onChanged(listener: (agentId: string) => void): void {
    for (const surface of [this.surfaces.hub, this.surfaces.registry]) {
      surface.onChanged(listener);
      surface.onRemoved(listener);
    }
  }

  private mergeRows(agent: HubAgent | undefined, other: RegistryRecord | undefined): CatalogRow | undefined {
    const record = joinOfOneOwner(agent, other);
    const agentId = agent?.agent_id ?? record?.agent_id;
    if (agentId === undefined) return undefined;
    const cards = [agent?.card, record?.agent_card];
    const entry = record?.catalog ?? undefined;
    const first = <T>(...values: (T | null | undefined)[]): T | null =>
      values.find((value) => value !== null && value !== undefined) ?? null;
    const joined = (...lists: (readonly string[] | null | undefined)[]) => [
      ...new Set(lists.flatMap((list) => list ?? [])),
    ];
    const seen = [agent?.lastSeenMs ?? 0, (record?.last_seen ?? 0) * 1000];
    return {
      agentId,
      name: entry?.name ?? null,
      endpoint: first(cards[0]?.endpoint, record?.endpoint, cards[1]?.endpoint, entry?.url),
      description: first(
        cards[0]?.description,
        agent?.description,
        cards[1]?.description,
        record?.description,
        entry?.description,
      ),
      tags: joined(cards[0]?.tags, cards[1]?.tags, entry?.tags),
      capabilities: joined(agent?.capabilities, record?.capabilities),
      category: first(cards[0]?.category, cards[1]?.category),
      accepts: joined(cards[0]?.accepts, cards[1]?.accepts),
      produces: joined(cards[0]?.produces, cards[1]?.produces),
      protocols: joined(cards[0]?.protocols, cards[1]?.protocols),
      pricing: first(cards[0]?.pricing, cards[1]?.pricing),
      country: entry?.country ?? null,
      isOnline: this.isOnline(agentId),
      lastSeenMs: Math.max(...seen) || null,
    };
  }
}
