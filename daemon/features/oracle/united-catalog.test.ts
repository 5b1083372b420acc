import { describe, expect, it } from 'vitest';
import type { RegistryRecord } from '../../contract/network/registry.js';
import { EMPTY_ROW } from '../../testing/catalog-row.js';
import type { HubAgent } from '../hub/hub-agent.js';
import { type Surfaces, UnitedCatalog } from './united-catalog.js';

type Agent = Partial<HubAgent> & { agent_id: string };
type Record = Partial<RegistryRecord> & { agent_id: string };
type Card = HubAgent['card'];

const aCard = (over: object) => over as Card;

/** A catalog of agents of the hub and records of the registry. The ids in `online` are online there. */
function united(
  agents: readonly Agent[],
  records: readonly Record[],
  online: { hub?: string[]; registry?: string[] } = {},
) {
  const listeners: [string, (agentId: string) => void][] = [];
  const heard = (name: string) => (listener: (agentId: string) => void) => void listeners.push([name, listener]);
  const hubAgents = agents.map((agent) => ({
    description: null,
    capabilities: [],
    card: null,
    lastSeenMs: 0,
    ...agent,
  }));
  const registryRecords = records.map((record) => ({
    ...{ endpoint: null, agent_card: null, description: null, capabilities: [], last_seen: null, catalog: null },
    registered: true,
    ...record,
  }));
  const surfaces = {
    hub: {
      all: () => hubAgents,
      find: (id: string) => hubAgents.find(({ agent_id }) => agent_id === id),
      isOnline: (id: string) => online.hub?.includes(id) ?? false,
      onChanged: heard('hub changed'),
      onRemoved: heard('hub removed'),
    },
    registry: {
      all: () => registryRecords,
      find: (id: string) => registryRecords.find(({ agent_id }) => agent_id === id),
      isLive: (id: string) => online.registry?.includes(id) ?? false,
      onChanged: heard('registry changed'),
      onRemoved: heard('registry removed'),
    },
  } as unknown as Surfaces;
  return { catalog: new UnitedCatalog(surfaces), listeners };
}

const NOTHING = { ...EMPTY_ROW, isOnline: false };

const free = { unit: 'request', amount: 0, currency: 'lamports' };
const dear = { unit: 'request', amount: 9, currency: 'lamports' };
const HUB_CARD = aCard({
  endpoint: 'https://hub.example',
  description: 'Of the hub card.',
  tags: ['law', 'tax'],
  category: 'data',
  accepts: ['a/a', 'a/b'],
  produces: ['p/a', 'p/b'],
  protocols: ['mcp', 'a2a'],
  pricing: free,
});
/** What both surfaces know of the same agent: the endpoint. */
const SAME = { endpoint: 'https://hub.example/' };
const OWN_CARD = aCard({
  endpoint: 'https://own.example',
  description: 'Of the own card.',
  tags: ['tax', 'court'],
  category: 'other',
  accepts: ['a/b', 'a/c'],
  produces: ['p/b', 'p/c'],
  protocols: ['a2a', 'http'],
  pricing: dear,
});
const ENTRY = {
  agent_id: 'one',
  name: 'The one',
  description: 'Of the entry.',
  url: 'https://entry.example',
  tags: ['court', 'list'],
  country: 'DE',
  source: 'list',
};

describe('an agent', () => {
  it('of the hub alone has what its record and its card say', () => {
    const { catalog } = united([{ agent_id: 'one', capabilities: ['ocr'], card: HUB_CARD, lastSeenMs: 5_000 }], []);
    expect(catalog.find('one')).toEqual({
      ...NOTHING,
      agentId: 'one',
      endpoint: 'https://hub.example',
      description: 'Of the hub card.',
      tags: ['law', 'tax'],
      capabilities: ['ocr'],
      category: 'data',
      accepts: ['a/a', 'a/b'],
      produces: ['p/a', 'p/b'],
      protocols: ['mcp', 'a2a'],
      pricing: free,
      lastSeenMs: 5_000,
    });
  });

  it('of the registry alone has what its record, its card and its entry say', () => {
    const { catalog } = united(
      [],
      [{ agent_id: 'one', capabilities: ['ocr'], agent_card: OWN_CARD, last_seen: 7, catalog: ENTRY }],
    );
    expect(catalog.find('one')).toEqual({
      agentId: 'one',
      name: 'The one',
      endpoint: 'https://own.example',
      description: 'Of the own card.',
      tags: ['tax', 'court', 'list'],
      capabilities: ['ocr'],
      category: 'other',
      accepts: ['a/b', 'a/c'],
      produces: ['p/b', 'p/c'],
      protocols: ['a2a', 'http'],
      pricing: dear,
      country: 'DE',
      isOnline: false,
      lastSeenMs: 7_000,
    });
  });

  it('on both is one row, with the values of the hub first and the lists of both', () => {
    const { catalog } = united(
      [{ agent_id: 'one', capabilities: ['ocr', 'read'], card: HUB_CARD, lastSeenMs: 9_000 }],
      [{ ...SAME, agent_id: 'one', capabilities: ['read', 'sum'], agent_card: OWN_CARD, last_seen: 7, catalog: ENTRY }],
    );
    expect([...catalog.rows()]).toEqual([
      {
        agentId: 'one',
        name: 'The one',
        endpoint: 'https://hub.example',
        description: 'Of the hub card.',
        tags: ['law', 'tax', 'court', 'list'],
        capabilities: ['ocr', 'read', 'sum'],
        category: 'data',
        accepts: ['a/a', 'a/b', 'a/c'],
        produces: ['p/a', 'p/b', 'p/c'],
        protocols: ['mcp', 'a2a', 'http'],
        pricing: free,
        country: 'DE',
        isOnline: false,
        lastSeenMs: 9_000,
      },
    ]);
  });

  it('without any values has none', () => {
    const { catalog } = united([{ agent_id: 'one' }], [{ agent_id: 'two' }]);
    expect([...catalog.rows()]).toEqual([
      { ...NOTHING, agentId: 'one' },
      { ...NOTHING, agentId: 'two' },
    ]);
    expect(catalog.find('three')).toBeUndefined();
  });

  it('was last seen where it was seen later', () => {
    const seenMs = (lastSeenMs: number, last_seen: number | null) =>
      united([{ agent_id: 'one', lastSeenMs, card: HUB_CARD }], [{ ...SAME, agent_id: 'one', last_seen }]).catalog.find(
        'one',
      )?.lastSeenMs;
    expect([seenMs(9_000, 7), seenMs(6_000, 7), seenMs(6_000, null), seenMs(0, 7)]).toEqual([
      9_000, 7_000, 6_000, 7_000,
    ]);
  });

  it('is online where either says so', () => {
    const isOnline = (online: { hub?: string[]; registry?: string[] }) => {
      const { catalog } = united([{ agent_id: 'one', card: HUB_CARD }], [{ ...SAME, agent_id: 'one' }], online);
      return [catalog.isOnline('one'), catalog.find('one')?.isOnline];
    };
    expect(isOnline({})).toEqual([false, false]);
    expect(isOnline({ hub: ['one'] })).toEqual([true, true]);
    expect(isOnline({ registry: ['one'] })).toEqual([true, true]);
    expect(isOnline({ hub: ['two'], registry: ['two'] })).toEqual([false, false]);
  });
});

describe('of several values the first is used', () => {
  const described = (agent: Partial<HubAgent>, record: Partial<RegistryRecord>) =>
    united([{ agent_id: 'one', ...agent }], [{ agent_id: 'one', ...record }]).catalog.find('one')?.description;

  it('for the description: the card and the record of the hub, those of the registry, and the entry', () => {
    const hub = { card: HUB_CARD, description: 'Of the hub.' };
    const record = { ...SAME, agent_card: OWN_CARD, description: 'Of the registry.', catalog: ENTRY };
    const card = aCard(SAME);
    expect(described(hub, record)).toBe('Of the hub card.');
    expect(described({ ...hub, card }, record)).toBe('Of the hub.');
    expect(described({ card }, record)).toBe('Of the own card.');
    expect(described({ card }, { ...record, agent_card: null })).toBe('Of the registry.');
    expect(described({}, { registered: false, catalog: ENTRY })).toBe('Of the entry.');
  });

  it('for the endpoint: the card of the hub, the record and the card of the registry, and the entry', () => {
    const at = (agent: Partial<HubAgent> | undefined, record: Partial<RegistryRecord>) =>
      united(agent ? [{ agent_id: 'one', ...agent }] : [], [{ agent_id: 'one', ...record }]).catalog.find('one')
        ?.endpoint;
    const record = { endpoint: 'https://record.example', agent_card: OWN_CARD, catalog: ENTRY };
    expect(at({ card: HUB_CARD }, record)).toBe('https://hub.example');
    expect(at(undefined, record)).toBe('https://record.example');
    expect(at(undefined, { ...record, endpoint: null })).toBe('https://own.example');
    expect(at({}, { registered: false, catalog: ENTRY })).toBe('https://entry.example');
  });
});

describe('an id that another owner has on the unified API', () => {
  const squatted = (registeredMs: number) =>
    united(
      [{ agent_id: 'one', capabilities: ['ocr'], registeredMs, lastSeenMs: 1_000 }],
      [{ agent_id: 'one', agent_card: OWN_CARD, catalog: ENTRY, last_seen: 7, registered_at: 5 }],
      { registry: ['one'] },
    ).catalog;

  it('gives the row of the hub nothing: no endpoint, list, name or online state', () => {
    const row = { ...NOTHING, agentId: 'one', capabilities: ['ocr'], lastSeenMs: 1_000 };
    expect([...squatted(9_000).rows()]).toEqual([row]);
    expect(squatted(9_000).isOnline('one')).toBe(false);
  });

  it('is of another while that one was the first to have it', () => {
    expect(squatted(9_000).isIdOfAnother('one')).toBe(true);
    expect(squatted(4_000).isIdOfAnother('one')).toBe(false);
    const both = united([{ agent_id: 'one', card: HUB_CARD }], [{ ...SAME, agent_id: 'one', registered_at: 0 }]);
    expect(both.catalog.isIdOfAnother('one')).toBe(false);
    expect(both.catalog.isIdOfAnother('two')).toBe(false);
  });
});

it('the rows are those of the hub, and those of the registry that the hub has not', () => {
  const { catalog } = united([{ agent_id: 'one' }, { agent_id: 'two' }], [{ agent_id: 'two' }, { agent_id: 'three' }]);
  expect([...catalog.rows()].map(({ agentId }) => agentId)).toEqual(['one', 'two', 'three']);
});

it('who listens hears of changes and removals on both', () => {
  const { catalog, listeners } = united([], []);
  const heard: string[] = [];
  catalog.onChanged((agentId) => void heard.push(agentId));
  for (const [name, listener] of listeners) listener(name);
  expect(heard).toEqual(['hub changed', 'hub removed', 'registry changed', 'registry removed']);
});
