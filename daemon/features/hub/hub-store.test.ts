import { describe, expect, it } from 'vitest';
import { agentKey } from '../../lib/agents/agent-id.js';
import { rolledBackDatabase } from '../../testing/database-of-file.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { type AgentRow, HubStore } from './hub-store.js';

const NOW = new FakeClock().now();
const DIGEST = Buffer.alloc(32, 1);

const database = rolledBackDatabase();

function aStore() {
  const store = new HubStore(database);
  const put = (agent_id: string, more: Partial<AgentRow> = {}) =>
    store.insert({
      ...{ key: agentKey(agent_id), agent_id, rid: `rid of ${agent_id}`, apiKeySha256: DIGEST },
      ...{ description: null, capabilities: [], card: null, isVerified: false, registeredMs: NOW, ...more },
    });
  /** Inserts `count` agents at once. */
  const fill = (count: number) =>
    database
      .sql(
        `INSERT INTO hub_agents (agent_key, agent_id, rid, api_key_sha256, capabilities, verified, registered_ms)
         WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
         SELECT 'agent-' || i, 'Agent-' || i, 'r' || i, x'00', '[]', 0, ? FROM n`,
      )
      .run(count, NOW);
  return { store, put, fill };
}

describe('The table of agents', () => {
  it('returns what was put, and nothing for a number that was not given', () => {
    const { store, put } = aStore();
    const row = {
      agent_id: 'Lamp',
      description: 'Lights.',
      capabilities: ['light'],
      card: { tags: ['harbour'] },
      isVerified: true,
      registeredMs: NOW,
    };
    const seq = put('Lamp', row) as number;
    expect(store.find(seq)).toEqual({ seq, ...row });
    expect([store.findId(seq), store.isRegistered(seq), store.findKeyDigest(seq)]).toEqual(['Lamp', true, DIGEST]);
    expect([store.find(9), store.findId(9), store.isRegistered(9), store.findKeyDigest(9)]).toEqual([
      undefined,
      undefined,
      false,
      undefined,
    ]);
    expect([store.findRegisteredId('lAMP'), store.findRegisteredId('horn')]).toEqual(['Lamp', undefined]);
  });

  it('gives an id once, in any case, and leaves the first owner and its time unchanged', () => {
    const { store, put } = aStore();
    const seq = put('Lamp') as number;
    expect(put('LAMP', { description: 'mine', registeredMs: NOW + 1 })).toBeUndefined();
    expect(store.find(seq)).toMatchObject({ agent_id: 'Lamp', description: null, registeredMs: NOW });
    expect([...store.listRegistrations()]).toMatchObject([{ seq, lastSeenMs: NOW }]);
  });

  it('stores no card as none, whether it never was there or was put', () => {
    const { store, put } = aStore();
    const seq = put('lamp') as number;
    store.put({ seq: put('horn', { card: {} }) as number, description: null, capabilities: ['x'], card: null });
    const cards = database.sql('SELECT card, verified, capabilities FROM hub_agents ORDER BY seq').all();
    expect(cards).toEqual([
      { card: null, verified: 0, capabilities: '[]' },
      { card: null, verified: 0, capabilities: '["x"]' },
    ]);
    expect(store.find(seq)).toMatchObject({ card: null, isVerified: false });
  });

  it('changes description, capabilities and card of one agent alone', () => {
    const { store, put } = aStore();
    const [lamp, horn] = [put('lamp') as number, put('horn') as number];
    const changed = { description: 'Lights.', capabilities: ['light'], card: { category: 'home' } };
    store.put({ seq: lamp, ...changed });
    expect([store.find(lamp), store.find(horn)]).toMatchObject([changed, { description: null, card: null }]);
  });

  it('knows whether it holds as many agents as it may, not counting those that are gone', () => {
    const { store, fill } = aStore();
    expect([store.holds(0), store.holds(1)]).toEqual([true, false]);
    fill(3);
    expect([store.holds(2), store.holds(3), store.holds(4)]).toEqual([true, true, false]);
    store.remove(1);
    expect([store.holds(2), store.holds(3)]).toEqual([true, false]);
  });

  it('removes an agent with the channels that have no member left, and no other channel', () => {
    const { store, put } = aStore();
    const [lamp, horn] = [put('lamp') as number, put('horn') as number];
    for (const id of ['mine', 'ours'])
      database.sql("INSERT INTO hub_channels (id, name, created_ms) VALUES (?, 'x', 0)").run(id);
    const member = database.sql('INSERT INTO hub_channel_members (channel, agent, joined_ms) VALUES (?, ?, 0)');
    for (const [channel, agent] of [
      [1, lamp],
      [2, lamp],
      [2, horn],
    ])
      member.run(channel, agent);
    store.remove(lamp);
    expect([store.isRegistered(lamp), store.isRegistered(horn)]).toEqual([false, true]);
    expect(database.sql('SELECT id FROM hub_channels').pluck().all()).toEqual(['ours']);
  });
});

describe('When an agent was last seen', () => {
  it('is its latest sign of life, else its registration, and is kept for agents alone', () => {
    const { store, put, fill } = aStore();
    const lamp = put('lamp') as number;
    fill(1);
    for (const ms of [NOW + 5, NOW + 3]) store.putSeen(lamp, ms);
    store.putSeen(99, NOW);
    expect([...store.listRegistrations()]).toEqual([
      { seq: lamp, agent_id: 'lamp', rid: 'rid of lamp', lastSeenMs: NOW + 3, isAway: false },
      { seq: 2, agent_id: 'Agent-1', rid: 'r1', lastSeenMs: NOW, isAway: false },
    ]);
    expect(database.sql('SELECT agent FROM hub_watermarks').pluck().all()).toEqual([lamp]);
  });

  it.each([
    [{ availability: { now: false } }, true],
    [{ availability: { now: true } }, false],
    [{ tags: ['x'] }, false],
    [null, false],
  ])('comes with whether it set itself away: %j', (card, isAway) => {
    const { store, put } = aStore();
    put('lamp', { card });
    expect([...store.listRegistrations()]).toMatchObject([{ isAway }]);
  });
});

describe('A reading of all agents', () => {
  it.each([499, 500, 501, 1_000])('gives each of %i once, in order of registration', (count) => {
    const { store, fill } = aStore();
    fill(count);
    const ids = Array.from({ length: count }, (_, index) => `Agent-${index + 1}`);
    expect(Array.from(store.agents(), ({ agent_id }) => agent_id)).toEqual(ids);
    expect(Array.from(store.listRegistrations(), ({ agent_id }) => agent_id)).toEqual(ids);
    expect([...store.keys(0, undefined, undefined)]).toEqual(ids.map(agentKey));
    expect([...store.keys(count - 1, undefined, undefined)]).toEqual([`agent-${count}`]);
  });

  it('finds a capability as a whole, and words in id, description, capabilities and three keys of the card', () => {
    const { store, put } = aStore();
    put('Lamp', { description: 'On the PIER', capabilities: ['light.switch', 'a'] });
    put('horn', {
      card: { description: 'Blows', tags: ['Fog'], category: 'sound.horn', endpoint: 'https://pier.example/' },
    });
    const find = (capability?: string, words?: string) => [...store.keys(0, capability, words)];
    expect([find('light.switch'), find('light'), find('a')]).toEqual([['lamp'], [], ['lamp']]);
    for (const words of ['lamp', 'pier', 'switch']) expect([words, find(undefined, words)]).toEqual([words, ['lamp']]);
    for (const words of ['blows', 'fog', 'sound.']) expect([words, find(undefined, words)]).toEqual([words, ['horn']]);
    expect([find('a', 'pier'), find('a', 'fog'), find(undefined, 'example')]).toEqual([['lamp'], [], []]);
  });

  it('finds words in any case of any script, and however their accents are written', () => {
    const { store, put } = aStore();
    put('school', { description: 'École de ПОРТ', card: { tags: ['Ärzte'] } });
    for (const words of ['École', 'école', 'ÉCOLE', 'E\u0301cole', 'порт', 'ÄRZTE', 'ärzte'])
      expect([words, [...store.keys(0, undefined, words)]]).toEqual([words, ['school']]);
    expect([...store.keys(0, undefined, 'ecole')]).toEqual([]);
  });
});
