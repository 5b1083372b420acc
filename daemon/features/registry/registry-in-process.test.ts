import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Bus } from '../../events/bus.js';
import { AgentTokens } from '../../lib/crypto/agent-token.js';
import { Database } from '../../storage/database/database.js';
import { ENTRY, recordEvents } from '../../testing/apps/registering.js';
import { embeddedChanges } from '../../testing/embedded-changes.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { putTemplateDatabase } from '../../testing/template-database.js';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import { Registry } from './registry.js';
import { RegistryStore } from './registry-store.js';
import { createStub } from './registry-stub.js';

const MINUTE = 60_000;
const ONLINE_MS = 330_000;
const SELF = 'our-own-daemon-1';
const AWAY = { availability: { now: false } };

/** The directory without a server, and with `isShared` as in a network. */
function aDirectory({ isShared = false } = {}) {
  const clock = new FakeClock();
  const database = new Database(putTemplateDatabase(join(temporaryFolder(), 'mesh.db')));
  onTestFinished(() => database.close());
  const embedded = embeddedChanges(database, clock, Buffer.from(SELF, 'base64url').toString('base64'));
  const shared = { ...embedded, log: { isShared, submit: embedded.log.submit.bind(embedded.log) } };
  const bus = new Bus(clock);
  const events = recordEvents({ bus });
  const store = new RegistryStore(database);
  const tokens = new AgentTokens('v1', Buffer.alloc(32, 1), clock);
  const gone: string[] = [];
  const registry = new Registry(
    store,
    shared,
    tokens,
    bus,
    clock,
    () => 'http://v1.example',
    (agentId) => void gone.push(agentId),
  );
  const changed: string[] = [];
  registry.onChanged((agentId) => void changed.push(agentId));
  /** Registers an agent and returns it as a caller. */
  const enter = async (agent_id: string, more: object = {}) => {
    const { token, api_key } = await registry.register({ agent_id, ...more });
    return { ...(await registry.authenticate(token)), token, api_key };
  };
  /** Tells of a command as one that was applied here. */
  const applied = (kind: string, result: unknown, { at = clock.now(), entity = 'painter', body = {} } = {}) =>
    embedded.kinds.applied({ schema: 1, id: 'x', kind, entity, at, daemon: 'other', body }, result);
  const own = (id: string, daemon: string) =>
    database.sql("INSERT INTO network_owners (area, entity, daemon) VALUES ('registry', ?, ?)").run(id, daemon);
  const listKinds = () => embedded.commands.map(({ kind }) => kind);
  const ids = (query: object) => registry.list(query).agents.map(({ agent_id }) => agent_id);
  return {
    ...{ clock, database, shared, events, store, registry, gone, changed, enter, applied, own, listKinds, ids },
    commands: embedded.commands,
  };
}

describe('A registration in process', () => {
  it('is answered with the address and what to do, and sent without the key', async () => {
    const { registry, commands } = aDirectory();
    const { api_key, token, ...told } = await registry.register({ agent_id: 'Painter' });
    expect(told).toEqual({
      agent_id: 'Painter',
      base_url: 'http://v1.example',
      message: 'Welcome, Painter. Keep the api_key: it is shown once. Send a heartbeat at least every 300 seconds.',
    });
    expect(commands).toMatchObject([{ kind: 'registry.register', entity: 'Painter' }]);
    expect(commands[0]?.body).toEqual({
      rid: registry.recognize(token)?.rid,
      api_key_sha256: expect.stringMatching(/^[\w-]{43}$/),
      pubkey: null,
      profile: {},
    });
    expect(commands[0]?.body.rid).toMatch(/^[\w-]{16}$/);
    expect(JSON.stringify(commands)).not.toContain(api_key);
  });

  it('of a reserved id is open to partners alone, and nobody is one by default', async () => {
    const { registry } = aDirectory();
    const refused = { code: 'reserved_agent_id' };
    await expect(registry.register({ agent_id: 'mesh-x' })).rejects.toMatchObject(refused);
    await expect(registry.register({ agent_id: 'mesh-x' }, { isPartner: false })).rejects.toMatchObject(refused);
    expect(await registry.register({ agent_id: 'mesh-x' }, { isPartner: true })).toMatchObject({ agent_id: 'mesh-x' });
  });

  it('stands until it has ended, for its own token alone, which is known all its time', async () => {
    const { registry, store, enter } = aDirectory();
    store.put(createStub({ ...ENTRY, agent_id: 'stub' }));
    const painter = await enter('painter');
    const stands = (rid: string, agent_id = 'PAINTER') => registry.isStanding({ agent_id, rid });
    expect([stands(painter.rid), stands('another'), stands(painter.rid, 'nobody'), stands('', 'stub')]).toEqual([
      true,
      false,
      false,
      false,
    ]);
    await registry.deregister(painter);
    expect(stands(painter.rid)).toBe(false);
    expect(registry.recognize(painter.token)).toMatchObject({ agent_id: 'painter', rid: painter.rid });
    expect(registry.recognize('a token from elsewhere')).toBeUndefined();
  });

  it('that is away is told, and not as online', async () => {
    const { registry, events, changed, enter } = aDirectory();
    await enter('painter', { agent_card: AWAY });
    await enter('writer', { agent_card: { tags: ['x'] } });
    expect(events).toEqual(['agent.registered v1 painter', 'agent.registered v1 writer', 'agent.online v1 writer']);
    expect([new Set(changed), registry.isLive('painter'), registry.isLive('writer')]).toEqual([
      new Set(['painter', 'writer']),
      false,
      true,
    ]);
  });

  it('takes with it what is noted and what else is about the agent; its end waits for all who let go of it', async () => {
    const { clock, registry, events, store, gone, changed, listKinds, enter } = aDirectory();
    store.put(createStub(ENTRY));
    const painter = await enter('Painter');
    await registry.heartbeat(painter);
    events.length = changed.length = 0;
    const steps: unknown[] = [];
    registry.onRemoved(async (agentId) => {
      await new Promise(setImmediate);
      steps.push(['let go', agentId, [...changed], [...events]]);
    });
    expect(await registry.deregister(painter)).toEqual({ status: 'deleted', agent_id: 'Painter' });
    expect([steps, changed, events, gone]).toEqual([
      [['let go', 'Painter', [], []]],
      ['painter'],
      ['agent.deregistered v1 Painter'],
      ['Painter'],
    ]);
    registry.start();
    clock.advance(ONLINE_MS);
    await registry.stop();
    expect([listKinds(), events.length, clock.pending]).toEqual([['registry.register', 'registry.deregister'], 1, 0]);
  });
});

describe('A token in process', () => {
  it('is refused with the reason for a wrong key, an unknown id, and an entry that nobody has registered', async () => {
    const { registry, store, enter } = aDirectory();
    store.put(createStub({ ...ENTRY, agent_id: 'stub' }));
    const { api_key } = await enter('painter');
    for (const [agent_id, key] of [
      ['painter', `${api_key}0`],
      ['nobody', api_key],
      ['stub', api_key],
    ] as const)
      await expect(registry.token({ agent_id, api_key: key })).rejects.toMatchObject({
        code: 'unauthorized',
        message: 'This pair of agent_id and api_key is not valid here.',
      });
    expect(await registry.token({ agent_id: 'PAINTER', api_key })).toMatchObject({ agent_id: 'painter' });
  });
});

describe('An agent of another daemon of the network', () => {
  it('cannot act here, where its daemon would not see it', async () => {
    const { registry, own, enter, listKinds } = aDirectory({ isShared: true });
    const painter = await enter('Painter');
    own('painter', 'another-daemon');
    const elsewhere = { code: 'forbidden', message: '"painter" belongs to another daemon of the network.' };
    for (const act of [
      () => registry.token(painter),
      () => registry.heartbeat(painter),
      () => registry.heartbeat(painter, { endpoint: 'https://x.example/' }),
      () => registry.update(painter, { description: 'x' }),
      () => registry.setState(painter, AWAY),
    ])
      await expect(act()).rejects.toMatchObject(elsewhere);
    expect(listKinds()).toEqual(['registry.register']);
  });
});

describe('A change in process', () => {
  it('that says what is known sends no command', async () => {
    const { registry, enter, listKinds } = aDirectory();
    const known = {
      description: 'x',
      endpoint: 'https://x.example/',
      capabilities: ['a'],
      agent_card: { tags: ['a'] },
    };
    const painter = await enter('painter', known);
    await registry.update(painter, { ...known, avail_status: null });
    await registry.update(painter, {});
    await registry.heartbeat(painter, { agent_card: { tags: ['a'] } });
    expect(listKinds()).toEqual(['registry.register']);
    await registry.setState(painter, AWAY);
    await registry.setState(painter, AWAY);
    await registry.update(painter, { avail_status: 'busy' });
    expect(listKinds()).toEqual(['registry.register', 'registry.set-state', 'registry.change']);
  });

  it('of a registration that is over is refused', async () => {
    const { registry, enter } = aDirectory();
    const painter = await enter('painter');
    const over = { code: 'not_found', message: 'This registration is over: register again.' };
    for (const caller of [
      { ...painter, rid: 'another' },
      { ...painter, agent_id: 'nobody' },
    ]) {
      await expect(registry.heartbeat(caller)).rejects.toMatchObject(over);
      await expect(registry.update(caller, { description: 'x' })).rejects.toMatchObject(over);
    }
  });

  it('of a silent agent brings nobody online, and one of an agent that was just seen keeps it so', async () => {
    const { clock, registry, enter } = aDirectory();
    const painter = await enter('painter');
    clock.advance(ONLINE_MS - 1);
    await registry.heartbeat(painter);
    clock.advance(ONLINE_MS - 1);
    await registry.update(painter, { description: 'x' });
    expect([registry.liveUntilMs('painter'), registry.isLive('painter')]).toEqual([clock.now() + 1, true]);
    clock.advance(1);
    await registry.update(painter, { description: 'y' });
    expect([registry.liveUntilMs('painter'), registry.isLive('painter')]).toEqual([0, false]);
  });
});

describe('A look at the directory', () => {
  it('says that an agent is not there', () => {
    const { registry } = aDirectory();
    expect([registry.find('nobody'), registry.isLive('nobody'), registry.liveUntilMs('nobody')]).toEqual([
      undefined,
      false,
      0,
    ]);
    expect(() => registry.get('nobody')).toThrow(
      expect.objectContaining({ code: 'not_found', message: 'There is no such agent in this directory.' }),
    );
  });

  it('names a next page only when one follows, and ignores blank words', async () => {
    const { registry, enter, ids } = aDirectory();
    for (const id of ['one', 'two', 'three', 'four']) await enter(id);
    const { next_cursor, count } = registry.list({ limit: 2 });
    expect([next_cursor, count, ids({ limit: 2, cursor: '2' })]).toEqual(['2', 2, ['three', 'four']]);
    expect(registry.list({ limit: 2, cursor: '2' })).toMatchObject({ count: 2, next_cursor: null });
    expect([ids({ q: ' ' }).length, ids({ q: 'three' }), ids({ q: ' two ' })]).toEqual([4, ['three'], ['two']]);
  });

  it('takes as cursor nothing but what an earlier page named', () => {
    const { registry } = aDirectory();
    for (const cursor of ['x', '1x', 'x1', '1.5', '-1', '', '1234567890123456'])
      expect(() => registry.list({ cursor }), cursor).toThrow(
        expect.objectContaining({
          code: 'bad_request',
          message: '"cursor" must be the next_cursor of an earlier page.',
          details: { path: 'cursor' },
        }),
      );
  });

  it('takes cursors from 0 to 15 digits', async () => {
    const { enter, ids } = aDirectory();
    await enter('painter');
    expect([ids({ cursor: '0' }), ids({ cursor: '123456789012345' })]).toEqual([['painter'], []]);
  });

  it('counts as live who was seen a short time ago, also when that is only noted', async () => {
    const { clock, registry, enter, ids } = aDirectory();
    const [painter] = [await enter('painter'), await enter('writer')];
    clock.advance(1_000);
    await registry.heartbeat(painter);
    clock.advance(ONLINE_MS - 1_001);
    expect(ids({ live: true })).toEqual(['painter', 'writer']);
    clock.advance(1);
    expect([ids({ live: true }), ids({ live: false })]).toEqual([['painter'], ['painter', 'writer']]);
    clock.advance(1_000);
    expect(ids({ live: true })).toEqual([]);
  });
});

describe('A command that is applied late', () => {
  it.each([
    [ONLINE_MS - 1, ['agent.registered v1 painter', 'agent.online v1 painter']],
    [ONLINE_MS, ['agent.registered v1 painter']],
  ])('%i ms after it was sent tells what is true still', async (age, expected) => {
    const { clock, events, changed, applied } = aDirectory();
    await applied('registry.register', undefined, { at: clock.now() - age, body: { profile: {} } });
    expect([events, changed.at(-1)]).toEqual([expected, 'painter']);
  });

  it('tells of a row without any sign of life, and of the agent that lost its key', async () => {
    const { events, store, applied } = aDirectory();
    store.put(createStub(ENTRY));
    const row = store.find('painter');
    for (const [isDifferent, unbound] of [
      [false, null],
      [true, null],
      [false, 'writer'],
    ])
      await applied('registry.bind-key', { row, isDifferent, unbound });
    expect(events).toEqual(['agent.updated v1 painter', 'agent.updated v1 writer']);
  });
});

describe('Signs of life that are applied', () => {
  it('show an agent of another daemon online, and say nothing new of one of this daemon', async () => {
    const { clock, registry, own, enter, applied } = aDirectory({ isShared: true });
    for (const id of ['Painter', 'Writer']) await enter(id);
    own('painter', 'another-daemon');
    own('writer', SELF);
    clock.advance(ONLINE_MS);
    const ms = clock.now();
    const seen = ['Painter', 'Writer'].map((agent_id) => ({ agent_id, ms, isAway: false }));
    await applied('registry.seen', seen);
    expect([registry.liveUntilMs('Painter'), registry.isLive('Writer')]).toEqual([ms + ONLINE_MS, false]);
    await applied('registry.seen', [{ agent_id: 'Painter', ms, isAway: true }]);
    expect(registry.isLive('Painter')).toBe(false);
  });

  it('say nothing new without a network', async () => {
    const { clock, registry, own, applied } = aDirectory();
    own('painter', 'another-daemon');
    await applied('registry.seen', [{ agent_id: 'painter', ms: clock.now(), isAway: false }]);
    expect(registry.isLive('painter')).toBe(false);
  });
});

describe('A directory whose rows were replaced', () => {
  it('finds the new ones by their words, and knows who of them is online, until they fall silent', async () => {
    const { clock, database, shared, registry, events, enter, listKinds, ids } = aDirectory();
    registry.start();
    await registry.heartbeat(await enter('painter'));
    clock.advance(1_000);
    database.sql('DELETE FROM registry_agents').run();
    for (const [seq, id, is_away] of [
      [1, 'horn', 0],
      [2, 'bell', 1],
    ])
      database
        .sql(
          "INSERT INTO registry_agents (seq, key, agent_id, rid, description, is_away) VALUES (?, ?, ?, 'r', 'fog', ?)",
        )
        .run(seq, id, id, is_away);
    database.sql('INSERT INTO registry_seen (seq, last_seen_ms) SELECT seq, ? FROM registry_agents').run(clock.now());
    events.length = 0;
    await shared.kinds.replaced();
    expect([ids({ q: 'fog' }), ids({ q: 'painter' })]).toEqual([['horn', 'bell'], []]);
    expect(['painter', 'horn', 'bell'].map((id) => registry.isLive(id))).toEqual([false, true, false]);
    clock.advance(ONLINE_MS);
    expect(events).toEqual(['agent.offline v1 horn']);
    await registry.stop();
    expect(listKinds()).toEqual(['registry.register']);
  });
});

describe('A directory that is started', () => {
  it('knows who was seen a short time ago, without telling, and who of them is away', () => {
    const { clock, registry, events, store } = aDirectory();
    const row = { ...createStub(ENTRY), rid: 'r', catalog: null };
    const ago = (ms: number) => clock.now() - ms;
    store.put({ ...row, agent_id: 'late', last_seen_ms: ago(ONLINE_MS - 1) });
    store.put({ ...row, agent_id: 'silent', last_seen_ms: ago(ONLINE_MS) });
    store.put({ ...row, agent_id: 'away', last_seen_ms: ago(0), agent_card: AWAY });
    registry.start();
    expect(['late', 'silent', 'away'].map((id) => registry.isLive(id))).toEqual([true, false, false]);
    expect(events).toEqual([]);
    clock.advance(250);
    expect(events).toEqual(['agent.offline v1 late']);
  });

  it('writes what was noted when it stops, and has no timer left', async () => {
    const { clock, registry, enter, listKinds, store } = aDirectory();
    registry.start();
    const painter = await enter('painter');
    clock.advance(MINUTE / 2);
    await registry.heartbeat(painter);
    await registry.stop();
    expect([clock.pending, listKinds(), store.find('painter')?.last_seen_ms]).toEqual([
      0,
      ['registry.register', 'registry.seen'],
      clock.now(),
    ]);
  });
});
