import { describe, expect, it } from 'vitest';
import { MeshError } from '../../lib/errors.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { ClusterSite } from './cluster-site.js';
import { PublicMap } from './public-map.js';
import { Site } from './site.js';
import { tier2CardIn } from './tier2-check.js';

/** 2026-11-21 12:00 UTC. */
const NOW = 1_795_262_400;
const TIER2 = {
  ...{ name: 'Printer', url: 'https://p.example', version: '1', description: 'Prints.', protocols: ['http'] },
  ...{ defaultInputModes: [], defaultOutputModes: [], availability: { now: true }, pricing: [] },
  skills: [{ id: 'print', name: 'Print', description: 'Prints.' }],
};
const NOT_FOUND = { code: 'not_found', message: 'There is no such agent.' };
const NOTHING = {
  ...{ agent_id: 'printer', ok: false, url: null, hosted: false, reason: null, message: null, card: null },
  fetched_at: NOW,
};
const TIMES = { registered_at: 5, last_seen: 7 };

const onHub = (given: object = {}) => ({
  ...{
    agent_id: 'printer',
    online: true,
    verified: true,
    agent_card: undefined,
    description: null,
    ...TIMES,
    ...given,
  },
});
const onRegistry = (given: object = {}) => ({
  ...{ agent_id: 'printer', registered: true, live: true, verified: true, agent_card: null, description: null },
  ...{ endpoint: null, ...TIMES, ...given },
});

interface World {
  hub?: object;
  registry?: object;
  /** The member of this daemon that `printer` is, on a surface. */
  hosted?: 'hub' | 'v1';
  exposed?: string[];
  fetched?: object;
  elsewhere?: object;
  project?: string;
}

/** The site of a world with one agent. */
function aSite({ hub, registry, hosted, exposed = ['keeper'], fetched, elsewhere, project = 'Lamp' }: World = {}) {
  const asked: unknown[] = [];
  const card = (id: string) => ({
    ...{ name: id.toUpperCase(), description: `Is ${id}.`, version: '7', url: `http://127.0.0.1:1/team/${id}` },
    skills: [
      { id: 'ask', examples: ['Lit?', 'Dark?'] },
      { id: 'look', examples: ['Where?'] },
    ],
  });
  const site = new Site({
    hub: { find: (id: string) => (id === 'printer' ? hub : undefined), get: () => hub },
    registry: { find: (id: string) => (id === 'printer' ? registry : undefined) },
    reputation: { of: (id: string) => ({ of: id }) },
    exposure: { externalMembers: () => exposed.map((id) => ({ id })) },
    host: { publicCard: card },
    outbound: {
      json: async (url: string) => {
        asked.push(url);
        return { fetched_ms: 3_999, ...fetched };
      },
    },
    elsewhere: {
      find: async () => ({ endpoint: 'http://127.0.0.1:2/team/x' }),
      readCard: async (url: string) => {
        asked.push(url);
        return TIER2;
      },
      ...elsewhere,
    },
    hostedMember: (id: string, surface: string) => (id === 'printer' && surface === hosted ? 'keeper' : undefined),
    ...{ origin: () => 'http://127.0.0.1:1', project, clock: new FakeClock(NOW * 1000 + 999) },
  } as never);
  return { site, asked, card: card('keeper') };
}

describe('An agent of the site', () => {
  it('is the one of the hub where that knows it', () => {
    const card = { description: 'Of the card.', endpoint: 'https://p.example' };
    const { site } = aSite({ hub: onHub({ agent_card: card, description: 'Said.' }), registry: onRegistry() });
    expect(site.find('printer')).toEqual({
      ...{ agent_id: 'printer', surface: 'hub', online: true, verified: true, card, description: 'Of the card.' },
      ...{ endpoint: 'https://p.example', ...TIMES, member: undefined },
    });
    expect(aSite({ hub: onHub({ description: 'Said.' }) }).site.find('printer')).toMatchObject({
      ...{ card: undefined, description: 'Said.', endpoint: undefined },
    });
    expect(aSite({ hub: onHub() }).site.find('printer')?.description).toBeUndefined();
  });

  it('is else the one that is registered, and no mere entry of the catalog', () => {
    const card = { description: 'Of the card.', endpoint: 'https://card.example' };
    const of = (given: object) => aSite({ registry: onRegistry(given) }).site.find('printer');
    expect(of({ agent_card: card, description: 'Said.', endpoint: 'https://p.example', live: false })).toEqual({
      ...{ agent_id: 'printer', surface: 'v1', online: false, verified: true, card, description: 'Of the card.' },
      ...{ endpoint: 'https://p.example', ...TIMES, member: undefined },
    });
    expect(of({ agent_card: card })?.endpoint).toBe('https://card.example');
    expect(of({ description: 'Said.' })).toMatchObject({ card: {}, description: 'Said.', endpoint: undefined });
    expect(of({})?.description).toBeUndefined();
    expect(of({ registered: false })).toBeUndefined();
    expect(aSite().site.find('printer')).toBeUndefined();
  });

  it.each(['hub', 'v1'] as const)('may be a member of this daemon on the surface %s', (hosted) => {
    const world = hosted === 'hub' ? { hub: onHub() } : { registry: onRegistry() };
    const { site, card } = aSite({ ...world, hosted });
    expect([site.find('printer')?.member, site.facts('printer')?.card]).toEqual(['keeper', card]);
    expect(aSite({ ...world, hosted, exposed: ['other'] }).site.facts('printer')?.card).toBeUndefined();
    expect(aSite({ ...world, hosted: hosted === 'hub' ? 'v1' : 'hub' }).site.facts('printer')?.card).toBeUndefined();
  });

  it('has a page with what is known of it', () => {
    const { site } = aSite({ hub: onHub() });
    expect(site.facts('printer')).toMatchObject({
      ...{ agent: { agent_id: 'printer' }, standing: { of: 'printer' }, origin: 'http://127.0.0.1:1', now: NOW },
    });
    expect(site.facts('nobody')).toBeUndefined();
  });

  it('has a summary card', () => {
    expect(aSite({ hub: onHub({ agent_card: { tags: ['a'] } }) }).site.tier1('printer')).toEqual({ tags: ['a'] });
    expect(() => aSite().site.tier1('printer')).toThrow(expect.objectContaining(NOT_FOUND));
  });
});

describe('The full card of an agent', () => {
  const endpoint = 'https://p.example/a/';
  const url = 'https://p.example/a/.well-known/agent.json';

  it('is that of a member, or at its endpoint', () => {
    const { site, card } = aSite({ hub: onHub({ agent_card: { endpoint } }), hosted: 'hub' });
    expect(site.tier2('printer')).toEqual({ card });
    expect(aSite({ hub: onHub({ agent_card: { endpoint } }) }).site.tier2('printer')).toEqual({ location: url });
    for (const agent_card of [undefined, { endpoint: 'nats://x' }])
      expect(() => aSite({ hub: onHub({ agent_card }) }).site.tier2('printer')).toThrow(
        expect.objectContaining({
          code: 'not_found',
          message: 'This agent has no endpoint, so it has no public card.',
        }),
      );
    expect(() => aSite().site.tier2('printer')).toThrow(expect.objectContaining(NOT_FOUND));
  });

  const read = async (world: World) => {
    const { site, asked } = aSite(world);
    return { result: await site.readTier2('printer'), asked };
  };
  const carded = onHub({ agent_card: { endpoint } });

  it('of a member is returned without a request', async () => {
    const { result, asked } = await read({ hub: carded, hosted: 'hub' });
    expect(result).toEqual({
      ...{ ...NOTHING, ok: true, hosted: true, card: aSite().card },
      url: 'http://127.0.0.1:1/team/keeper/.well-known/agent.json',
    });
    expect(asked).toEqual([]);
  });

  it.each([[onHub()], [onHub({ agent_card: { endpoint: 'nats://x' } })]])(
    'of an agent without an endpoint is not there (%#)',
    async (hub) => {
      const { result, asked } = await read({ hub });
      expect(result).toEqual({ ...NOTHING, reason: 'no_endpoint', message: 'It has no endpoint.' });
      expect(asked).toEqual([]);
    },
  );

  it('is read at its endpoint, with the time at which it was', async () => {
    const { result, asked } = await read({ hub: carded, fetched: { ok: true, value: TIER2 } });
    expect(result).toEqual({ ...NOTHING, ok: true, url, card: TIER2, fetched_at: 3 });
    expect(asked).toEqual([url]);
  });

  it.each([
    [{ ok: false, reason: 'too_slow', message: 'It took too long.' }, 'too_slow', 'It took too long.'],
    [{ ok: true, value: 7 }, 'bad_card', 'Its card is not valid: the card must be object.'],
  ])('may be missing or wrong: %j', async (fetched, reason, message) => {
    expect((await read({ hub: carded, fetched })).result).toEqual({ ...NOTHING, url, reason, message, fetched_at: 3 });
  });

  it('of an unknown agent is not there', async () => {
    await expect(aSite().site.readTier2('printer')).rejects.toMatchObject(NOT_FOUND);
  });

  it('of a member of another project is read there', async () => {
    const { site, asked } = aSite();
    const there = 'http://127.0.0.1:2/team/x/.well-known/agent.json';
    expect(await site.readTier2('other/x')).toEqual({
      ...{ ...NOTHING, agent_id: 'other/x', ok: true, url: there, card: TIER2 },
    });
    expect(asked).toEqual([there]);
    const failing = (elsewhere: object) => aSite({ elsewhere }).site.readTier2('other/x');
    expect(await failing({ readCard: () => Promise.reject(new Error('It is gone.')) })).toEqual({
      ...{ ...NOTHING, agent_id: 'other/x', url: there, reason: 'bad_card', message: 'It is gone.' },
    });
    expect(await failing({ readCard: async () => 7 })).toMatchObject({
      ...{ ok: false, reason: 'bad_card', message: 'Its card is not valid: the card must be object.', card: null },
    });
    for (const find of [async () => undefined, async () => ({ endpoint: 'nats://x' })])
      await expect(failing({ find })).rejects.toMatchObject(NOT_FOUND);
    const refusal = new MeshError('bad_request', 'Which project?');
    await expect(failing({ find: () => Promise.reject(refusal) })).rejects.toBe(refusal);
  });

  it.each([
    [{ ...TIER2, name: '' }, /^Its card is not valid: "name" .+\.$/],
    [{ ...TIER2, skills: [{ ...TIER2.skills[0], id: 7 }] }, /^Its card is not valid: "skills\.0\.id" .+\.$/],
    [null, /^Its card is not valid: the card must be object\.$/],
  ])('tells what is wrong with it (%#)', (card, problem) => {
    expect(tier2CardIn(card)).toEqual({ problem: expect.stringMatching(problem) });
    expect(tier2CardIn({ ...TIER2, more: 1 })).toEqual({ card: { ...TIER2, more: 1 } });
  });
});

describe('The catalog', () => {
  it('has an entry for each exposed member', () => {
    const { site } = aSite({ exposed: ['keeper', 'consultant'] });
    const entry = (id: string) => ({
      ...{ identifier: `urn:air:localhost:Lamp:${id}`, displayName: id.toUpperCase(), description: `Is ${id}.` },
      ...{ type: 'application/a2a-agent-card+json', version: '7', capabilities: ['ask', 'look'] },
      ...{ url: `http://127.0.0.1:1/team/${id}/.well-known/agent-card.json` },
      representativeQueries: ['Lit?', 'Dark?', 'Where?'],
    });
    expect(site.catalog()).toEqual({
      specVersion: '1.0',
      host: { displayName: 'Lamp (meshd)', documentationUrl: 'http://127.0.0.1:1/docs' },
      entries: [entry('keeper'), entry('consultant')],
    });
  });

  it.each([
    ['The  lamp/house', 'The-lamp-house'],
    ['a._-9Z', 'a._-9Z'],
    ['', 'project'],
  ])('names the project %j in its identifiers as %s', (project, namespace) => {
    const { identifier } = aSite({ project }).site.catalog().entries[0] ?? {};
    expect(identifier).toBe(`urn:air:localhost:${namespace}:keeper`);
  });
});

describe('A public cluster', () => {
  const ROWS = [
    { id: 'c_1', slug: 'town', visibility: 'public' },
    { id: 'c_2', slug: null, visibility: 'public' },
    { id: 'c_3', slug: 'crew', visibility: 'private' },
  ];
  function aClusterSite() {
    const asked: unknown[] = [];
    const site = new ClusterSite({
      clusters: {
        find: (name: string) => ROWS.find(({ id, slug }) => id === name || slug === name),
        record: ({ id, slug }: { id: string; slug: string }) => ({ id, slug, name: 'Town' }),
        list(query: object) {
          asked.push(query);
          return { clusters: ROWS.slice(0, 2) };
        },
      },
      boards: { list: (row: object, count: number) => [row, count] },
      hub: { shown: (id: string) => [`in ${id}`] },
      ...{ origin: () => 'http://127.0.0.1:1', clock: new FakeClock(NOW * 1000 + 999) },
    } as never);
    return { site, asked };
  }
  const record = { id: 'c_1', slug: 'town', name: 'Town' };

  it('has a record and a page at its slug, and nowhere else', () => {
    const { site } = aClusterSite();
    expect(site.record('town')).toEqual(record);
    expect(site.facts('town')).toEqual({
      ...{ cluster: record, boards: [ROWS[0], 5], online: ['in c_1'], origin: 'http://127.0.0.1:1', now: NOW },
    });
    for (const name of ['c_1', 'c_2', 'c_3', 'crew', 'nothing', '']) {
      expect([name, site.facts(name)]).toEqual([name, undefined]);
      expect(() => site.record(name)).toThrow(
        expect.objectContaining({ code: 'not_found', message: 'There is no public cluster at this address.' }),
      );
    }
  });

  it.each([
    [{ slug: 'town' }, true],
    [{ slug: 'town', id: 'c_9', vis: 'private' }, true],
    [{ id: 'c_1' }, true],
    [{ id: 'c_1', vis: 'public' }, true],
    [{ id: 'c_1', vis: 'private' }, false],
    [{ id: 'town' }, false],
    [{ id: 'c_2' }, false],
    [{ id: 'c_3' }, false],
    [{ slug: 'c_1' }, false],
    [{ slug: 'crew' }, false],
    [{ slug: '', id: 'c_1' }, false],
    [{ vis: 'public' }, false],
  ])('that %j names can be watched: %j', (query, isFound) => {
    expect(aClusterSite().site.findMonitored(query)).toEqual(isFound ? record : undefined);
  });

  it('is in the list of those that can be watched when it has a slug', () => {
    const { site, asked } = aClusterSite();
    expect(site.listMonitored()).toEqual([ROWS[0]]);
    expect(asked).toEqual([{ limit: 200 }]);
  });
});

describe('The map of clusters', () => {
  function aMap({
    clusters = 1,
    isPlacedCut = false,
    isLocatedCut = false,
    expiresAt = undefined as number | undefined,
  }) {
    const drawn: number[][] = [];
    const state = { changes: 1 };
    const clock = new FakeClock(NOW * 1000);
    const where = { lat: -33.4489, lon: 13.3777, label: 'Here' };
    const map = new PublicMap({
      clusters: {
        listPlaced(limit: number) {
          drawn.push([limit]);
          const cluster = { id: 'c_1', slug: 'town', name: 'Town', where };
          return { clusters: Array.from({ length: clusters }, () => cluster), isTruncated: isPlacedCut };
        },
      },
      boards: {
        listLocated(limit: number) {
          drawn.at(-1)?.push(limit);
          return { posts: [], isTruncated: isLocatedCut, expiresAt };
        },
      },
      ...{ clock, changes: () => state.changes },
    } as never);
    return { map, drawn, state, clock };
  }

  it('holds 1,000 clusters at most, and leaves the rest of 2,000 to posts', () => {
    const { map, drawn } = aMap({ clusters: 3 });
    expect(map.data()).toMatchObject({ count: 3, places: [{ lat: -33.4, lon: 13.4 }, {}, {}] });
    expect(drawn).toEqual([[1_000, 1_997]]);
  });

  it.each([
    [false, false, false],
    [true, false, true],
    [false, true, true],
  ])('says whether clusters (%j) or posts (%j) were left out: %j', (isPlacedCut, isLocatedCut, truncated) => {
    expect(aMap({ isPlacedCut, isLocatedCut }).map.data().truncated).toBe(truncated);
  });

  it('is drawn again only when something has changed, a post expires or the clock was set back', () => {
    const { map, drawn, state, clock } = aMap({ expiresAt: NOW + 10 });
    const first = map.data();
    clock.step(9_999);
    expect([map.data() === first, drawn.length]).toEqual([true, 1]);
    clock.step(1);
    expect([map.data() === first, drawn.length]).toEqual([false, 2]);
    clock.step(-10_000);
    map.data();
    expect(drawn.length).toBe(3);
    clock.step(-1);
    map.data();
    expect(drawn.length).toBe(4);
    state.changes = 2;
    map.data();
    expect(drawn.length).toBe(5);
    map.data();
    expect(drawn.length).toBe(5);
  });

  it('does not grow old where no post expires', () => {
    const { map, drawn, clock } = aMap({});
    map.data();
    clock.step(365 * 86_400_000);
    map.data();
    expect(drawn).toHaveLength(1);
  });
});
