import { describe, expect, it } from 'vitest';
import type { CatalogImported, RegistryList } from '../../contract/network/registry.js';
import { type ARegistry, aRegistry } from '../../testing/apps/a-registry.js';
import { CARD, ENTRY, fetchRecord, recordEvents, registered } from '../../testing/apps/registering.js';
import { Catalog } from './catalog.js';

/** A catalog whose log keeps the entries, and has no room for those with an index in `full`. */
function aCatalog(...full: number[]) {
  const submitted: unknown[] = [];
  const submit = async <Result>(...command: unknown[]) => {
    submitted.push(command);
    return { added: 7, updated: 8, touched: [], full } as Result;
  };
  return { submitted, catalog: new Catalog({ isShared: false, submit }) };
}

const load = async (app: ARegistry, ...entries: unknown[]): Promise<CatalogImported> =>
  (await app.call('POST', '/v1/catalog', { entries })).body;
const count = async (app: ARegistry) => ((await app.call('GET', '/v1/agents')).body as RegistryList).count;

describe('Catalog row', () => {
  it('imports an entry as a catalog-only stub, which a later registration takes over', async () => {
    const app = await aRegistry();
    const events = recordEvents(app);
    expect(await load(app, ENTRY)).toEqual({ added: 1, updated: 0, refused: [] });
    expect(await fetchRecord(app, 'painter')).toMatchObject({
      registered: false,
      live: false,
      endpoint: null,
      catalog: ENTRY,
    });
    expect(events).toEqual([]);
    await registered(app, 'painter', { agent_card: CARD });
    expect(await fetchRecord(app, 'painter')).toMatchObject({
      registered: true,
      endpoint: CARD.endpoint,
      catalog: ENTRY,
    });
    expect(await count(app)).toBe(1);
  });

  it('keeps an imported entry beneath an agent that is already registered and leaves the registration unchanged', async () => {
    const app = await aRegistry();
    const { as } = await registered(app, 'Painter', { agent_card: CARD });
    expect(await load(app, ENTRY)).toEqual({ added: 0, updated: 1, refused: [] });
    expect(await fetchRecord(app, 'painter')).toMatchObject({
      agent_id: 'Painter',
      registered: true,
      live: true,
      agent_card: CARD,
      catalog: ENTRY,
    });
    expect((await app.call('POST', '/v1/agents/me/heartbeat', undefined, as)).status).toBe(200);
  });

  it('replaces the entry when the same id is imported again', async () => {
    const app = await aRegistry();
    const { country: _, ...abroad } = ENTRY;
    await load(app, ENTRY);
    expect(await load(app, { ...abroad, name: 'Another' })).toEqual({ added: 0, updated: 1, refused: [] });
    expect((await fetchRecord(app, 'painter')).catalog).toEqual({ ...abroad, name: 'Another' });
    expect(((await app.call('GET', '/v1/agents?q=another')).body as RegistryList).count).toBe(1);
  });

  it('reports each invalid entry by index and reason and imports the others', async () => {
    const app = await aRegistry();
    const { refused, added } = await load(
      app,
      { ...ENTRY, agent_id: 'first' },
      { ...ENTRY, url: 'javascript:alert(1)' },
      { ...ENTRY, mood: 'fine' },
      'nonsense',
      { ...ENTRY, agent_id: 'register' },
      { ...ENTRY, tags: 'art' },
      { agent_id: 'x'.repeat(300) },
      { ...ENTRY, country: 'Italy' },
      { ...ENTRY, url: 'https://a:b@list.example/' },
      { ...ENTRY, agent_id: 'last' },
    );
    expect(added).toBe(2);
    expect(refused.map(({ index, agent_id }) => [index, agent_id])).toEqual([
      [1, 'painter'],
      [2, 'painter'],
      [3, null],
      [4, 'register'],
      [5, 'painter'],
      [6, 'x'.repeat(64)],
      [7, 'painter'],
      [8, 'painter'],
    ]);
    expect(refused.map(({ reason }) => reason)).toEqual([
      expect.stringContaining('"url"'),
      '"mood" is no key of a catalog entry.',
      'The line must be object.',
      expect.stringContaining('register'),
      '"tags" must be array.',
      expect.stringContaining('is required'),
      expect.stringContaining('"country"'),
      expect.stringContaining('credentials'),
    ]);
    expect(await count(app)).toBe(2);
  });

  it('rejects a URL that a parser would read differently from how it is displayed', async () => {
    const app = await aRegistry();
    const addresses = [
      'java\nscript:alert(1)',
      ' https://list.example/',
      'https://list.example/\u001b[31m',
      'https://list.example/\u202e',
      '//list.example/',
      'data:text/html,x',
    ];
    const { added, refused } = await load(app, ...addresses.map((url) => ({ ...ENTRY, url })));
    expect([added, refused.length]).toEqual([0, addresses.length]);
  });

  it('responds 400 to an empty import and to more than a thousand entries', async () => {
    const app = await aRegistry();
    for (const entries of [[], Array.from({ length: 1001 }, () => 0)]) {
      expect((await app.call('POST', '/v1/catalog', { entries })).status).toBe(400);
    }
  });
});

describe('An entry that is imported', () => {
  it.each([
    ['no object', 7, null, 'The line must be object.'],
    ['null', null, null, 'The line must be object.'],
    ['an id that is a number', { ...ENTRY, agent_id: 7 }, null, '"agent_id" must be string.'],
    ['no name', { ...ENTRY, name: undefined }, 'painter', '"name" is required.'],
    ['an unknown key', { ...ENTRY, mood: 'fine' }, 'painter', '"mood" is no key of a catalog entry.'],
    ['an empty tag', { ...ENTRY, tags: ['a', ''] }, 'painter', '"tags.1" must NOT have fewer than 1 characters.'],
    ['a file as its URL', { ...ENTRY, url: 'file:///x' }, 'painter', '"url" must be an http: or https: URL.'],
    ['no URL', { ...ENTRY, url: 'list.example' }, 'painter', '"url" must be an http: or https: URL.'],
    ['a blank', { ...ENTRY, url: 'https://x.example/a b' }, 'painter', '"url" must be an http: or https: URL.'],
    ['a user', { ...ENTRY, url: 'https://user@x.example/' }, 'painter', '"url" must not carry credentials.'],
    ['a password', { ...ENTRY, url: 'https://:pass@x.example/' }, 'painter', '"url" must not carry credentials.'],
  ])('is refused with its index, its id and the reason when it is or has %s', async (_name, entry, id, reason) => {
    const { catalog, submitted } = aCatalog();
    const { refused } = await catalog.import({ entries: [ENTRY, entry] });
    expect(refused).toEqual([{ index: 1, agent_id: id, reason }]);
    expect(submitted).toEqual([['catalog.import', 'catalog', { entries: [{ index: 0, entry: ENTRY }] }]]);
  });

  it('may have a plain URL and a reserved id, which others have listed', async () => {
    const { catalog, submitted } = aCatalog();
    const entry = { ...ENTRY, agent_id: 'mesh-x', url: 'http://list.example/' };
    expect(await catalog.import({ entries: [entry] })).toEqual({ added: 7, updated: 8, refused: [] });
    expect(submitted).toMatchObject([[{}, {}, { entries: [{ entry }] }]]);
  });

  it('is refused among the others, in their order, when there is no room for it', async () => {
    const { catalog } = aCatalog(3, 0);
    const entries = ['first', 'x', 'second', 'third'].map((agent_id) => ({ ...ENTRY, agent_id }));
    expect((await catalog.import({ entries })).refused).toEqual([
      { index: 0, agent_id: 'first', reason: 'The registry holds 100000 rows, which is all it can.' },
      { index: 1, agent_id: 'x', reason: expect.stringContaining('"agent_id"') },
      { index: 3, agent_id: 'third', reason: 'The registry holds 100000 rows, which is all it can.' },
    ]);
  });
});

describe('Registry change listeners', () => {
  it('are notified of changes and removals, but not of heartbeats', async () => {
    const app = await aRegistry();
    const heardOf: string[] = [];
    app.registry.onChanged((agentId) => void heardOf.push(`changed ${agentId}`));
    app.registry.onRemoved((agentId) => void heardOf.push(`removed ${agentId}`));
    const heardSince = () => heardOf.splice(0);

    await load(app, ENTRY);
    expect(heardSince()).toEqual(['changed painter']);
    const { as } = await registered(app, 'Painter');
    expect(new Set(heardSince())).toEqual(new Set(['changed Painter']));
    await app.call('POST', '/v1/agents/me/heartbeat', { agent_card: CARD }, as);
    expect(heardSince()).toEqual(['changed Painter']);
    await app.call('POST', '/v1/agents/me/heartbeat', { agent_card: CARD }, as);
    expect(heardSince()).toEqual([]);
    app.clock.advance(330_000);
    expect(heardSince()).toEqual(['changed Painter']);
    await app.call('DELETE', '/v1/agents/me', undefined, as);
    expect(heardSince()).toEqual(['removed Painter', 'changed painter']);
  });

  it('iterates over every record while other callers write', async () => {
    const app = await aRegistry();
    const entry = (index: number) => ({ ...ENTRY, agent_id: `agent-${index}` });
    await load(app, ...Array.from({ length: 1000 }, (_, index) => entry(index)));
    const seen: string[] = [];
    for (const { agent_id } of app.registry.all()) {
      seen.push(agent_id);
      if (seen.length === 500) await load(app, entry(1000));
    }
    expect(seen).toEqual(Array.from({ length: 1001 }, (_, index) => `agent-${index}`));
  });
});
