import { describe, expect, it } from 'vitest';
import type { RegistryList } from '../../contract/network/registry.js';
import type { AgentClaims } from '../../lib/crypto/agent-token.js';
import type { CommandKind } from '../../shared-log/command-kinds.js';
import type { Command } from '../../shared-log/shared-log.js';
import { aRegistry } from '../../testing/apps/a-registry.js';
import { CARD, ENTRY, fetchRecord, registered } from '../../testing/apps/registering.js';
import { aReplica, expectFirstWins, expectSameOnReplicas, type KindsOver } from '../../testing/replica.js';
import { editProfile, editState, type ImportedEntries, RegistryCommands } from './registry-commands.js';
import { RegistryStore } from './registry-store.js';
import { createStub } from './registry-stub.js';

const kindsOver: KindsOver = (database) => new RegistryCommands(new RegistryStore(database)).kinds;

const NOW = 1_700_000_000_000;
const RID = 'a-registration-id';

/** The kinds of commands over a store of their own, or over `store`. */
function decider(store?: RegistryStore) {
  const { database } = aReplica(kindsOver);
  const rows = store ?? new RegistryStore(database);
  const gone: string[] = [];
  const { kinds } = new RegistryCommands(rows, (agentId) => void gone.push(agentId));
  const toCommand = (kind: string, entity: string, body: object): Command => ({
    ...{ schema: 1, id: 'command', daemon: 'daemon', at: NOW, kind, entity },
    body: { ...body },
  });
  const decide = <Result = unknown>(kind: string, entity: string, body: object) =>
    (kinds[kind] as CommandKind).decide(toCommand(kind, entity, body)) as Result;
  const register = (id: string, body: object = {}) => {
    const api_key_sha256 = Buffer.alloc(32, 3).toString('base64url');
    return decide('registry.register', id, { rid: RID, api_key_sha256, pubkey: null, profile: {}, ...body });
  };
  const owned = (kind: string, entity: string, body: object) => {
    const command = toCommand(kind, entity, body);
    const { ownership } = kinds[kind] as CommandKind;
    return Object.fromEntries(Object.entries(ownership).map(([name, list]) => [name, list(body, command)]));
  };
  return { store: rows, gone, decide, register, owned };
}

const over = expect.objectContaining({
  code: 'not_found',
  message: 'This registration is over: register again.',
});

describe('commands of the unified API', () => {
  it('leave the same rows on every replica, refusals and what an agent changes of itself included', async () => {
    const app = await aRegistry();
    await app.call('POST', '/v1/catalog', { entries: [ENTRY, { ...ENTRY, agent_id: 'gilder', name: 'Gilder' }] });
    const painter = await registered(app, 'Painter', { agent_card: CARD, capabilities: ['paint'] });
    await app.call('POST', '/v1/agents/register', { agent_id: 'painter' });
    await app.clock.advance(7_000);
    await app.call('POST', '/v1/agents/me/heartbeat', undefined, painter.as);
    await app.clock.advance(60_000);
    await app.call('PATCH', '/v1/agents/me', { description: 'Paints boats.', avail_status: 'busy' }, painter.as);
    await app.call('POST', '/v1/agents/me/state', { availability: { now: false } }, painter.as);
    const { agent_id, api_key } = painter;
    await app.call('POST', '/v1/agents/token', { agent_id, api_key });
    await app.call('PATCH', '/v1/agents/me', { description: 'Paints boats.' }, painter.as);
    const gilder = await registered(app, 'gilder');
    const claims = ({ token }: { token: string }) => app.registry.recognize(token) as AgentClaims;
    const key = (fill: number) => Buffer.alloc(32, fill).toString('base64');
    await app.registry.bindKey(claims(gilder), key(1));
    await app.registry.bindKey(claims(painter), key(1));
    await Promise.all([1, 2].map(() => app.call('DELETE', '/v1/agents/me', undefined, gilder.as)));
    const outcomes = await expectSameOnReplicas(app, kindsOver);
    expect(outcomes.filter(({ ok }) => !ok)).toMatchObject([{ code: 'agent_id_claimed' }, { code: 'not_found' }]);
    expect(new Set(app.commands.map(({ kind }) => kind)).size).toBe(7);
    expect(JSON.stringify(app.commands)).not.toContain(api_key);
  });

  it('note signs of life in memory, known at once, and send one command a minute for all agents', async () => {
    const app = await aRegistry();
    // What is noted is written each full minute from here on.
    await app.clock.advance(10_000);
    const agents = await Promise.all(
      Array.from({ length: 10 }, (_, number) => registered(app, `painter-${number}`, { agent_card: CARD })),
    );
    const listSent = () => app.commands.filter(({ kind }) => kind !== 'registry.register');
    const listStored = () => app.database.sql('SELECT DISTINCT last_seen_ms FROM registry_seen').pluck().all();
    const countLive = async () => ((await app.call('GET', '/v1/agents?live=true')).body as RegistryList).count;
    const registeredMs = app.clock.now();
    await app.clock.advance(295_000);
    for (let beat = 0; beat < 10; beat += 1)
      for (const { token } of agents) {
        const said = beat % 2 === 0 ? undefined : { agent_card: CARD };
        await app.registry.heartbeat(app.registry.recognize(token) as AgentClaims, said);
      }
    const seenMs = app.clock.now();
    expect([listSent(), listStored()]).toEqual([[], [registeredMs]]);
    expect(await fetchRecord(app, 'painter-7')).toMatchObject({ live: true, last_seen: seenMs / 1000 });
    // What the table holds is too old now.
    await app.clock.advance(36_000);
    expect([await countLive(), app.registry.isLive('painter-7')]).toEqual([10, true]);
    await app.clock.advance(19_000);
    await expect.poll(listSent).toMatchObject([{ kind: 'registry.seen', entity: 'seen' }]);
    await expect.poll(listStored).toEqual([seenMs]);
    expect([await countLive(), await fetchRecord(app, 'painter-7')]).toMatchObject([10, { last_seen: seenMs / 1000 }]);
    const outcomes = await expectSameOnReplicas(app, kindsOver);
    expect(outcomes.at(-1)).toMatchObject({ ok: true, result: { length: 10 } });
  });

  it('take nobody as seen later than it was said, nor one that is gone', async () => {
    const app = await aRegistry();
    const [painter, printer] = [await registered(app, 'painter'), await registered(app, 'printer')];
    await app.call('DELETE', '/v1/agents/me', undefined, printer.as);
    const [register] = app.commands as [Command];
    const seen = [1, 2, 3].map((agent) => ({ agent, ms: register.at + 3_600_000 }));
    const replica = aReplica(kindsOver);
    const outcomes = await replica.apply([...app.commands, { ...register, kind: 'registry.seen', body: { seen } }]);
    expect(outcomes.at(-1)).toEqual({
      ok: true,
      result: [{ agent_id: painter.agent_id, ms: register.at, isAway: false }],
    });
  });

  it('give an id to the first of two senders, whichever it is', async () => {
    const app = await aRegistry();
    await Promise.all(
      ['Ada', 'ada'].map((agent_id) => app.call('POST', '/v1/agents/register', { agent_id, capabilities: [agent_id] })),
    );
    const [one, other] = app.commands as [Command, Command];
    await expectFirstWins([one, other], kindsOver, 'agent_id_claimed');
  });
});

describe('In a network, a command of the unified API', () => {
  const painter = { area: 'registry', id: 'painter' };
  const writer = { area: 'registry', id: 'writer' };
  const entries = [{ index: 0, entry: { ...ENTRY, agent_id: 'Gilder' } }];

  it.each([
    ['registry.register', { rid: RID }, { takes: [writer] }],
    ['registry.seen', { seen: [{ agent: 1 }, { agent: 2 }, { agent: 9 }] }, { requires: [painter] }],
    ['registry.change', { rid: RID }, { requires: [writer] }],
    ['registry.set-state', { rid: RID }, { requires: [writer] }],
    ['registry.bind-key', { rid: RID, pubkey: 'bound' }, { requires: [writer, painter] }],
    ['registry.bind-key', { rid: RID, pubkey: 'claimed' }, { requires: [writer] }],
    ['registry.deregister', { rid: RID }, { requires: [writer], frees: [writer] }],
    [
      'catalog.import',
      { entries },
      { requires: [{ area: 'catalog', id: 'gilder' }], takes: [{ area: 'catalog', id: 'gilder' }] },
    ],
  ])('%s is about what belongs to its sender (case %#)', (kind, body, expected) => {
    const { store, register, decide, owned } = decider();
    register('Painter');
    store.put(createStub({ ...ENTRY, agent_id: 'stub' }));
    decide('registry.bind-key', 'Painter', { rid: RID, pubkey: 'bound' });
    register('other', { pubkey: 'claimed' });
    expect(owned(kind, 'Writer', body)).toEqual(expected);
  });
});

describe('A registration', () => {
  it('sets what its profile names, and leaves the rest empty', () => {
    const { store, register } = decider();
    register('Painter', { pubkey: 'key', profile: { description: 'Paints.', avail_status: 'busy' } });
    expect(store.find('painter')).toEqual({
      seq: 1,
      agent_id: 'Painter',
      key: 'painter',
      rid: RID,
      api_key_hash: Buffer.alloc(32, 3),
      description: 'Paints.',
      capabilities: [],
      endpoint: null,
      agent_card: null,
      is_away: 0,
      pubkey: 'key',
      is_verified: false,
      avail_status: 'busy',
      registered_ms: NOW,
      last_seen_ms: NOW,
      catalog: null,
    });
  });

  it('is refused by name when the id is taken, also in a full directory', () => {
    const { store, register } = decider();
    register('Painter');
    store.count = () => 100_000;
    expect(() => register('PAINTER')).toThrow(
      expect.objectContaining({
        code: 'agent_id_claimed',
        message: '"Painter" is registered already: choose another id.',
        details: { path: 'agent_id' },
      }),
    );
  });

  it('is refused with the limit once the directory is full, except on top of an entry that is there', () => {
    const { store, register } = decider();
    store.put(createStub(ENTRY));
    store.count = () => 99_999;
    register('last');
    store.count = () => 100_000;
    expect(() => register('more')).toThrow(
      expect.objectContaining({
        code: 'overloaded',
        message: 'The registry holds 100000 agents, which is all it can.',
      }),
    );
    register('PAINTER');
    expect(store.find('painter')).toMatchObject({ agent_id: 'PAINTER', rid: RID, catalog: ENTRY });
  });

  it('reverts to its entry, or goes, and takes with it what else is about the agent', () => {
    const { store, gone, decide, register } = decider();
    store.put(createStub(ENTRY));
    for (const id of ['Painter', 'Writer']) register(id);
    const seq = store.find('writer')?.seq;
    expect([
      decide('registry.deregister', 'PAINTER', { rid: RID }),
      decide('registry.deregister', 'writer', { rid: RID }),
    ]).toEqual([
      { agent_id: 'Painter', seq: 1, stub: 'painter' },
      { agent_id: 'Writer', seq, stub: null },
    ]);
    expect([gone, store.count(), store.find('painter')]).toMatchObject([
      ['Painter', 'Writer'],
      1,
      { ...createStub(ENTRY), seq: 1 },
    ]);
  });

  it.each([
    ['registry.change', { profile: { description: 'x' } }],
    ['registry.set-state', { availability: { now: true } }],
    ['registry.bind-key', { pubkey: 'key' }],
    ['registry.deregister', {}],
  ])('that is over, or another one, cannot act: %s', (kind, body) => {
    const { store, decide, register } = decider();
    register('painter');
    store.put(createStub({ ...ENTRY, agent_id: 'stub' }));
    for (const [id, rid] of [
      ['painter', 'another-registration'],
      ['nobody', RID],
      ['stub', RID],
    ] as const)
      expect(() => decide(kind, id, { rid, ...body })).toThrow(over);
    expect(store.find('painter')).toMatchObject({ rid: RID, description: null, agent_card: null, pubkey: null });
  });
});

describe('A change of an agent', () => {
  it('tells whether others see a difference, and writes only then', () => {
    const { store, decide, register } = decider();
    register('painter', { profile: { description: 'x' } });
    const change = (description: string) =>
      decide('registry.change', 'PAINTER', { rid: RID, profile: { description } });
    const before = store.find('painter');
    const { put } = store;
    store.put = () => expect.unreachable();
    expect(change('x')).toEqual({ row: before, isDifferent: false, unbound: null });
    store.put = put.bind(store);
    expect(change('y')).toMatchObject({ row: { description: 'y' }, isDifferent: true, unbound: null });
    expect(store.find('painter')).toMatchObject({ description: 'y' });
  });

  it('keeps what it does not name; the availability is merged, and the status follows it again', () => {
    const { store, register } = decider();
    register('painter', { profile: { description: 'x', agent_card: { tags: ['a'] }, avail_status: 'busy' } });
    const row = store.find('painter');
    if (!row) throw new Error('The agent is not registered.');
    expect(editProfile({ description: 'y' })(row)).toEqual({ ...row, description: 'y' });
    expect(editState({ now: false })(row)).toEqual({
      ...row,
      agent_card: { tags: ['a'], availability: { now: false } },
      avail_status: null,
    });
  });

  it('binds a key, which another agent loses and is named, and not the agent itself', () => {
    const { store, decide, register } = decider();
    for (const id of ['Painter', 'writer']) register(id);
    const bind = (id: string) => decide('registry.bind-key', id, { rid: RID, pubkey: 'key' });
    const bound = { pubkey: 'key', is_verified: true };
    expect(bind('Painter')).toMatchObject({ row: bound, isDifferent: true, unbound: null });
    expect(bind('painter')).toMatchObject({ row: bound, isDifferent: false, unbound: null });
    expect(bind('writer')).toMatchObject({ row: bound, isDifferent: true, unbound: 'Painter' });
    expect([store.find('painter'), store.find('writer')]).toMatchObject([{ pubkey: null, is_verified: false }, bound]);
  });

  it('tells who of those that were seen is away', () => {
    const { store, decide, register } = decider();
    register('painter', { profile: { agent_card: { availability: { now: false } } } });
    expect(decide('registry.seen', 'seen', { seen: [{ agent: 1, ms: NOW - 5 }] })).toEqual([
      { agent_id: 'painter', ms: NOW - 5, isAway: true },
    ]);
    expect(store.find('painter')?.last_seen_ms).toBe(NOW - 5);
  });
});

describe('An import of entries', () => {
  it('adds while there is room, always updates, and names those for which there was none', () => {
    const { store, decide, register } = decider();
    store.put(createStub(ENTRY));
    register('Writer');
    const importing = (...ids: string[]) => {
      const entries = ids.map((agent_id, index) => ({ index: index + 10, entry: { ...ENTRY, agent_id, name: 'New' } }));
      return decide<ImportedEntries>('catalog.import', 'catalog', { entries });
    };
    store.count = () => 99_998;
    expect(importing('Gilder', 'Painter', 'writer', 'Etcher', 'Carver', 'GILDER', 'Joiner')).toEqual({
      added: 2,
      updated: 3,
      touched: ['Gilder', 'Painter', 'Writer', 'Etcher', 'GILDER'],
      full: [14, 16],
    });
    expect(store.find('writer')).toMatchObject({ agent_id: 'Writer', rid: RID, catalog: { agent_id: 'writer' } });
    expect(store.find('painter')).toMatchObject({ agent_id: 'Painter', rid: null, catalog: { name: 'New' } });
    expect(store.find('carver')).toBeUndefined();
  });
});
