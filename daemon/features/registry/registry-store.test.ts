import { describe, expect, it, onTestFinished } from 'vitest';
import { ENTRY } from '../../testing/apps/registering.js';
import { databaseOfFile } from '../../testing/database-of-file.js';
import { type NewRegistryRow, RegistryStore } from './registry-store.js';
import { createStub } from './registry-stub.js';

const row = (agent_id: string, more: Partial<NewRegistryRow> = {}): NewRegistryRow => ({
  agent_id,
  rid: `rid of ${agent_id}`,
  api_key_hash: Buffer.alloc(32, 1),
  description: null,
  capabilities: [],
  endpoint: null,
  agent_card: null,
  pubkey: null,
  is_verified: false,
  avail_status: null,
  registered_ms: 1,
  last_seen_ms: 1,
  catalog: null,
  ...more,
});

const database = databaseOfFile();

/** The store of all tests, with the rows of this one in a transaction that is never committed. */
function aStore() {
  database.sql('BEGIN').run();
  onTestFinished(() => void database.sql('ROLLBACK').run());
  return overDatabase();
}

function overDatabase() {
  const store = new RegistryStore(database);
  /** Inserts rows up to the number `last` at once, past the index of words. */
  const fill = (last: number) =>
    database
      .sql(
        `INSERT INTO registry_agents (key, agent_id, rid, description)
         WITH RECURSIVE n (i) AS (SELECT count(*) + 1 FROM registry_agents UNION ALL SELECT i + 1 FROM n WHERE i < ?)
         SELECT 'agent-' || i, 'Agent-' || i, 'r' || i, 'word' || i FROM n`,
      )
      .run(last);
  const list = (filter: object = {}) =>
    store.list({ afterSeq: 0, limit: 2_000, ...filter }).map(({ agent_id }) => agent_id);
  return { store, fill, list };
}

describe('A row of the directory', () => {
  const full = row('Painter', {
    description: 'Paints.',
    capabilities: ['oil', 'ink'],
    endpoint: 'https://painter.example/',
    agent_card: { availability: { now: false }, tags: ['x'] },
    pubkey: 'key',
    is_verified: true,
    avail_status: 'busy',
    registered_ms: 5,
    last_seen_ms: 7,
    catalog: ENTRY,
  });

  it('is found as it was put, by its id in any case', () => {
    const { store } = aStore();
    store.put(full);
    expect(store.find('pAINTER')).toMatchObject({ seq: 1, ...full });
    expect([store.find('writer'), store.count()]).toEqual([undefined, 1]);
  });

  it('keeps its number when it is replaced, and nothing else', () => {
    const { store, list } = aStore();
    for (const one of [row('other'), full, row('PAINTER', { last_seen_ms: null, catalog: null })]) store.put(one);
    expect(store.find('painter')).toMatchObject({ seq: 2, ...row('PAINTER', { last_seen_ms: null }) });
    expect([list({ words: 'oil' }), store.count()]).toEqual([[], 2]);
    const raw = 'SELECT agent_card, catalog, is_away, is_verified FROM registry_agents WHERE seq = 2';
    expect(database.sql(raw).get()).toEqual({ agent_card: null, catalog: null, is_away: 0, is_verified: 0 });
    expect(database.sql('SELECT seq FROM registry_seen').pluck().all()).toEqual([1]);
  });

  it.each([
    [{ availability: { now: false } }, 1],
    [{ availability: { now: true } }, 0],
    [{ tags: ['x'] }, 0],
    [null, 0],
  ])('knows beside its card whether the agent is away: %j', (agent_card, is_away) => {
    const { store } = aStore();
    store.put(row('painter', { agent_card }));
    expect(store.findStanding('PAINTER')).toEqual({
      seq: 1,
      agent_id: 'painter',
      rid: 'rid of painter',
      api_key_hash: Buffer.alloc(32, 1),
      is_away,
    });
  });

  it('is a registration, by number and by id, unless nobody has registered the entry', () => {
    const { store } = aStore();
    store.put(row('Painter'));
    store.put(createStub({ ...ENTRY, agent_id: 'writer' }));
    expect([store.findRegistration(1)?.agent_id, store.findRegistration(2), store.findRegistration(3)]).toEqual([
      'Painter',
      undefined,
      undefined,
    ]);
    expect(['PAINTER', 'writer', 'nobody'].map((id) => store.findRegisteredId(id))).toEqual([
      'Painter',
      undefined,
      undefined,
    ]);
    expect([store.findStanding('writer')?.rid, store.findStanding('nobody')]).toEqual([null, undefined]);
  });

  it('is found by a key that is bound to it, not by one that is only claimed', () => {
    const { store } = aStore();
    store.put(row('writer', { pubkey: 'key' }));
    expect(store.findByBoundKey('key')).toBeUndefined();
    store.put(row('painter', { pubkey: 'key', is_verified: true }));
    expect([store.findByBoundKey('key')?.agent_id, store.findByBoundKey('other')]).toEqual(['painter', undefined]);
  });

  it('goes with its words and its sign of life', () => {
    const { store, list } = aStore();
    store.put(row('painter'));
    store.drop(1);
    expect([store.find('painter'), list({ words: 'painter' }), store.count()]).toEqual([undefined, [], 0]);
    expect(database.sql('SELECT count(*) FROM registry_seen').pluck().get()).toBe(0);
    store.put(row('writer'));
    expect([store.find('writer')?.seq, list({ words: 'painter' })]).toEqual([2, []]);
  });
});

describe('The list', () => {
  it('holds the rows after a number, in order of insertion, up to a limit', () => {
    const { list, fill } = aStore();
    fill(5);
    expect([list({ afterSeq: 1, limit: 2 }), list({ afterSeq: 4 }), list({ afterSeq: 5 })]).toEqual([
      ['Agent-2', 'Agent-3'],
      ['Agent-5'],
      [],
    ]);
  });

  it('is of those that were seen later than a time, or are named as seen, and are neither away nor stubs', () => {
    const { store, list } = aStore();
    store.put(row('late', { last_seen_ms: 11 }));
    store.put(row('edge', { last_seen_ms: 10 }));
    store.put(row('noted', { last_seen_ms: 1 }));
    store.put(row('away', { last_seen_ms: 11, agent_card: { availability: { now: false } } }));
    store.put({ ...createStub({ ...ENTRY, agent_id: 'stub' }), last_seen_ms: 11 });
    expect(list({ seenAfterMs: 10, seenToo: [3, 4, 5] })).toEqual(['late', 'noted']);
    expect([list({ seenAfterMs: 10 }), list({ seenAfterMs: 9 }), list().length]).toEqual([
      ['late'],
      ['late', 'edge'],
      5,
    ]);
  });

  it('is of registered agents, of entries that nobody has registered, or of both', () => {
    const { store, list } = aStore();
    store.put(row('painter'));
    store.put(createStub({ ...ENTRY, agent_id: 'writer' }));
    expect([list({ registered: true }), list({ registered: false }), list()]).toEqual([
      ['painter'],
      ['writer'],
      ['painter', 'writer'],
    ]);
  });

  it('finds an agent by each word of its id, its text, its card and its entry in the catalog', () => {
    const { store, list } = aStore();
    store.put(
      row('Lamp', {
        ...{ description: 'oil', capabilities: ['ink', 'wax'] },
        agent_card: { description: 'fog', category: 'sea', tags: ['tar', 'gum'] },
        catalog: { ...ENTRY, name: 'dew', description: 'ash', tags: ['elm', 'fir'] },
      }),
    );
    store.put(row('other'));
    for (const words of ['LAMP', 'oil', 'ink', 'wax', 'fog', 'sea', 'tar', 'gum', 'dew', 'ash', 'elm', 'fir'])
      expect([words, list({ words })]).toEqual([words, ['Lamp']]);
    expect([list({ words: 'oil fir' }), list({ words: 'amp' }), list({ words: 'oil x' })]).toEqual([['Lamp'], [], []]);
  });

  it('finds nobody by other parts of a row', () => {
    const { store, list } = aStore();
    store.put(row('x-1', { endpoint: 'https://painter.example/', agent_card: { accepts: ['painter/one'] } }));
    expect([list({ words: 'painter' }), list({ words: 'null' }), list({ words: 'undefined' })]).toEqual([[], [], []]);
  });
});

describe('Signs of life', () => {
  it('are listed when they are later than a time, the oldest first, with who is away', () => {
    const { store } = aStore();
    const away = { agent_card: { availability: { now: false } } };
    for (const [id, ms] of [
      ['newest', 30],
      ['edge', 10],
      ['old', 11],
    ] as const)
      store.put(row(id, { last_seen_ms: ms, ...(id === 'old' && away) }));
    store.putSeen(1, 40);
    expect(store.listSeenAfter(10)).toEqual([
      { agent_id: 'old', last_seen_ms: 11, is_away: 1 },
      { agent_id: 'newest', last_seen_ms: 40, is_away: 0 },
    ]);
  });
});

describe('A reading of the whole directory', () => {
  it('gives each row once, in order, and indexes the words of each in place of those that were there', async () => {
    // The last test: its rows stay, for the index is written in steps that are committed.
    const { store, fill, list } = overDatabase();
    store.put(row('Agent-1', { description: 'oil' }));
    database.sql("UPDATE registry_agents SET description = 'word1'").run();
    for (const count of [499, 500, 501, 1_000]) {
      fill(count);
      const ids = Array.from({ length: count }, (_, index) => `Agent-${index + 1}`);
      expect(Array.from(store.all(), ({ agent_id }) => agent_id)).toEqual(ids);
      expect(list({ words: `word${count}` })).toEqual([]);
      await store.indexText();
      expect([list({ words: `word${count}` }), list({ words: 'agent' }).length]).toEqual([[`Agent-${count}`], count]);
    }
    expect([list({ words: 'oil' }), list({ words: 'word1', limit: 1 })]).toEqual([[], ['Agent-1']]);
  });
});
