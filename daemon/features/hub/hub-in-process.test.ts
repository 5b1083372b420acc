import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Bus } from '../../events/bus.js';
import { AgentTokens } from '../../lib/crypto/agent-token.js';
import { Database } from '../../storage/database/database.js';
import { hubApp } from '../../testing/apps/hub-app.js';
import { embeddedChanges } from '../../testing/embedded-changes.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { putTemplateDatabase } from '../../testing/template-database.js';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import { Hub } from './hub.js';
import { HubDirectory } from './hub-directory.js';
import { HubStore } from './hub-store.js';

/** The hub without a server, and with `isShared` as in a network. */
function aHub({ isShared = false } = {}) {
  const clock = new FakeClock();
  const database = new Database(putTemplateDatabase(join(temporaryFolder(), 'mesh.db')));
  onTestFinished(() => database.close());
  const embedded = embeddedChanges(database, clock);
  const log = { isShared, submit: embedded.log.submit.bind(embedded.log) };
  const shared = { ...embedded, log };
  const bus = new Bus(clock);
  const events: string[] = [];
  bus.watch((event) => void events.push(`${event.type} ${(event as { agent_id?: string }).agent_id}`));
  const store = new HubStore(database);
  const directory = new HubDirectory(store, shared, clock);
  const tokens = new AgentTokens('hub', Buffer.alloc(32, 1), clock);
  const gone: string[] = [];
  const hub = new Hub({
    ...{ store, directory, shared, tokens, bus, clock, hubUrl: () => 'http://hub.example' },
    gone: (agentId) => void gone.push(agentId),
  });
  const removed: string[] = [];
  hub.onRemoved((agentId) => void removed.push(agentId));
  /** Registers an agent and returns it as a caller. */
  const enter = async (agent_id: string, more: object = {}) => {
    const { token, api_key } = await hub.register({ agent_id, capabilities: [], ...more });
    return { ...(await hub.authenticate(token)), token, api_key };
  };
  /** Tells of a command as one that was applied here. */
  const applied = (kind: string, result: unknown, body: Record<string, unknown> = {}) =>
    embedded.kinds.applied(
      { schema: 1, id: 'x', kind, entity: 'lamp', at: clock.now(), daemon: 'other', body },
      result,
    );
  const listKinds = () => embedded.commands.map(({ kind }) => kind);
  return {
    ...{ clock, database, shared, events, store, directory, hub, gone, removed, applied, listKinds },
    ...{ enter, commands: embedded.commands },
  };
}

const row = (seq: number, more: object = {}) => ({ seq, agent_id: 'lamp', card: null, ...more });
const AWAY = { availability: { now: false } };

describe('Hub called in process', () => {
  it('applies the same rules to register, token, update and deregister, and notifies listeners of each change', async () => {
    const { hub } = await hubApp();
    const received: string[] = [];
    hub.onChanged((id) => void received.push(`changed ${id}`));
    hub.onRemoved((id) => void received.push(`removed ${id}`));
    const registration = await hub.register({ agent_id: 'mesh-house', capabilities: ['ask'] }, { isPartner: true });
    await expect(hub.register({ agent_id: 'mesh-other', capabilities: [] })).rejects.toMatchObject({
      code: 'reserved_agent_id',
    });
    const { token } = await hub.token({ agent_id: 'mesh-house', api_key: registration.api_key });
    const caller = await hub.authenticate(token);
    received.length = 0;
    await hub.update(caller, { description: 'house' });
    await hub.update(caller, { description: 'house' });
    expect(received).toEqual(['changed mesh-house']);
    expect(hub.find('MESH-HOUSE')).toMatchObject({ agent_id: 'mesh-house', description: 'house', isVerified: true });
    expect([...hub.ids()]).toEqual(['mesh-house']);
    expect([...hub.all()]).toEqual([hub.find('mesh-house')]);
    await hub.deregister(caller);
    expect(received).toEqual(['changed mesh-house', 'removed mesh-house']);
    expect([...hub.all()]).toEqual([]);
  });

  it('resolves a deletion after all removal listeners have finished', async () => {
    const { hub, events } = await hubApp();
    let letGo: () => void = () => undefined;
    hub.onRemoved(
      () =>
        new Promise((resolve) => {
          letGo = resolve;
        }),
    );
    const { token } = await hub.register({ agent_id: 'lamp-agent', capabilities: [] });
    let isAnswered = false;
    const deleted = hub.deregister(await hub.authenticate(token)).then(() => {
      isAnswered = true;
    });
    await hub.register({ agent_id: 'horn-agent', capabilities: [] });
    expect([isAnswered, hub.find('lamp-agent'), events.map(({ type }) => type).includes('agent.deregistered')]).toEqual(
      [false, undefined, true],
    );
    letGo();
    await deleted;
    expect(isAnswered).toBe(true);
  });

  it('notifies listeners once of an agent that registers as away, and reports it offline', async () => {
    const { hub, events } = await hubApp();
    const received: string[] = [];
    hub.onChanged((id) => void received.push(id));
    await hub.register({ agent_id: 'lamp-agent', capabilities: [], agent_card: { availability: { now: false } } });
    await hub.register({ agent_id: 'horn-agent', capabilities: [] });
    expect(received).toEqual(['lamp-agent', 'horn-agent']);
    expect([hub.isOnline('lamp-agent'), hub.isOnline('horn-agent'), hub.isOnline('nobody')]).toEqual([
      false,
      true,
      false,
    ]);
    expect(events.map(({ type }) => type)).toEqual(['agent.registered', 'agent.registered', 'agent.online']);
  });

  it('lists each of many agents exactly once', async () => {
    const { hub } = await hubApp();
    const ids = Array.from({ length: 1201 }, (_, i) => `agent-${i}`);
    await Promise.all(ids.map((agent_id) => hub.register({ agent_id, capabilities: [] })));
    expect([...hub.all()].map(({ agent_id }) => agent_id)).toEqual(ids);
    expect([...hub.ids()]).toEqual(ids);
    const met: string[] = [];
    for (let cursor: string | undefined; ; ) {
      const { agents, next } = hub.list({ limit: 200, ...(cursor === undefined ? {} : { cursor }) });
      met.push(...agents.map(({ agent_id }) => agent_id));
      if (next === undefined) break;
      cursor = next;
    }
    expect(met).toEqual(ids);
    expect(hub.list({ q: 'AGENT-1200' }).agents).toHaveLength(1);
  });
});

describe('A registration in process', () => {
  it('is answered with the address and what to do, and sent without the key, as of no partner by default', async () => {
    const { hub, commands } = aHub();
    const { api_key, token, ...told } = await hub.register({ agent_id: 'Lamp', capabilities: ['a'] });
    expect(told).toEqual({
      agent_id: 'Lamp',
      hub_url: 'http://hub.example',
      message: 'Welcome, Lamp. Keep the api_key: it is shown once. Send a heartbeat about every 5 minutes.',
    });
    expect(commands).toMatchObject([{ kind: 'hub.register', entity: 'Lamp' }]);
    expect(commands[0]?.body).toEqual({
      rid: hub.recognize(token)?.rid,
      api_key_sha256: expect.stringMatching(/^[\w-]{43}$/),
      description: null,
      capabilities: ['a'],
      card: null,
      is_verified: false,
    });
    expect(JSON.stringify(commands)).not.toContain(api_key);
  });

  it('stands until it has ended, for its own token alone', async () => {
    const { hub, enter } = aHub();
    const lamp = await enter('lamp');
    const stands = (rid: string, agent_id = 'LAMP') => hub.isStanding({ agent_id, rid });
    expect([stands(lamp.rid), stands('another'), stands(lamp.rid, 'horn')]).toEqual([true, false, false]);
    await hub.deregister(lamp);
    expect(stands(lamp.rid)).toBe(false);
    expect(() => hub.recognize(lamp.token)).toThrow(expect.objectContaining({ code: 'unauthorized' }));
    await expect(hub.authenticate(lamp.token)).rejects.toMatchObject({ code: 'unauthorized' });
    expect(hub.recognize('a token from elsewhere')).toBeUndefined();
  });

  it('takes with it what else is about the agent', async () => {
    const { hub, gone, removed, enter } = aHub();
    await hub.deregister(await enter('Lamp'));
    expect([gone, removed]).toEqual([['Lamp'], ['Lamp']]);
  });
});

describe('A token in process', () => {
  it('is refused with the reason for a wrong key and an unknown id', async () => {
    const { hub, enter } = aHub();
    const { api_key } = await enter('lamp');
    for (const [agent_id, key] of [
      ['lamp', `${api_key}0`],
      ['horn', api_key],
    ] as const)
      await expect(hub.token({ agent_id, api_key: key })).rejects.toMatchObject({
        code: 'unauthorized',
        message: 'This pair of agent_id and api_key is not valid here.',
      });
  });

  it('leaves the card of an agent that is not away as it is, and ends being away with one change', async () => {
    const { hub, enter, listKinds } = aHub();
    const { agent_id, api_key, ...lamp } = await enter('lamp', { agent_card: { tags: ['x'] } });
    await hub.token({ agent_id, api_key });
    expect([hub.get('lamp').agent_card, listKinds()]).toEqual([{ tags: ['x'] }, ['hub.register']]);
    await hub.setState({ ...lamp, agent_id }, AWAY);
    for (let time = 0; time < 2; time += 1) await hub.token({ agent_id, api_key });
    expect(hub.get('lamp').agent_card).toEqual({ tags: ['x'], availability: { now: true } });
    expect(listKinds()).toEqual(['hub.register', 'hub.change', 'hub.change']);
  });
});

describe('A heartbeat in process', () => {
  it('that says what is known sends no command, and one with any difference sends one', async () => {
    const { hub, enter, listKinds } = aHub();
    const known = { description: 'Lights.', capabilities: ['a'], agent_card: { tags: ['x'] } };
    const lamp = await enter('lamp', known);
    for (const body of [known, {}, { capabilities: ['a'] }, undefined]) await hub.update(lamp, body);
    expect(listKinds()).toEqual(['hub.register']);
    for (const body of [{ description: 'x' }, { capabilities: ['b'] }, { agent_card: { tags: ['y'] } }])
      await hub.update(lamp, body);
    expect(listKinds()).toHaveLength(4);
    expect(hub.find('lamp')).toMatchObject({ description: 'x', capabilities: ['b'], card: { tags: ['y'] } });
  });

  it('is refused once the row is gone, before its end was told', async () => {
    const { hub, store, enter } = aHub();
    const lamp = await enter('lamp');
    store.remove(1);
    await expect(hub.update(lamp, { description: 'x' })).rejects.toMatchObject({ code: 'unauthorized' });
  });
});

describe('The list of agents', () => {
  it('names a next page only when one follows', async () => {
    const { hub, enter } = aHub();
    for (const id of ['lamp', 'horn', 'bell', 'buoy']) await enter(id);
    const page = (cursor?: string) => hub.list({ limit: 2, ...(cursor !== undefined && { cursor }) });
    expect([page().next, page('2').next, page('2').agents.length]).toEqual(['2', undefined, 2]);
  });

  it('is searched without the blanks around the words', async () => {
    const { hub, enter } = aHub();
    for (const id of ['lamp', 'horn']) await enter(id);
    const find = (q: string) => hub.list({ q }).agents.map(({ agent_id }) => agent_id);
    expect([find('  HORN '), find(' '), find('')]).toEqual([['horn'], ['lamp', 'horn'], ['lamp', 'horn']]);
  });

  it('leaves out an agent whose registration was not told yet', async () => {
    const { hub, store, enter } = aHub();
    await enter('lamp');
    const more = { description: null, capabilities: [], card: null, isVerified: false, registeredMs: 0 };
    store.insert({ key: 'horn', agent_id: 'horn', rid: 'r', apiKeySha256: Buffer.alloc(32), ...more });
    expect(hub.list({ all: true }).agents.map(({ agent_id }) => agent_id)).toEqual(['lamp']);
    expect([...hub.all()].map(({ agent_id }) => agent_id)).toEqual(['lamp']);
    expect(hub.find('horn')).toBeUndefined();
  });
});

describe('A command that is applied late', () => {
  it('of an earlier registration of an id does not touch the later one', async () => {
    const { hub, events, enter, applied } = aHub();
    await hub.deregister(await enter('lamp'));
    await enter('LAMP');
    events.length = 0;
    await applied('hub.change', row(1, { card: AWAY }));
    await applied('hub.deregister', row(1));
    expect([hub.isOnline('lamp'), hub.find('lamp')?.agent_id]).toEqual([true, 'LAMP']);
    expect(events).toEqual(['agent.updated lamp', 'agent.deregistered lamp']);
  });

  it('about an agent that is gone here is told, and changes nothing', async () => {
    const { hub, events, removed, applied } = aHub();
    await applied('hub.change', row(1, { card: AWAY }));
    await applied('hub.deregister', row(1));
    expect([hub.find('lamp'), removed, events]).toEqual([
      undefined,
      ['lamp'],
      ['agent.updated lamp', 'agent.deregistered lamp'],
    ]);
  });
});

describe('In a network, the hub', () => {
  it('shows an agent online that another daemon has seen', async () => {
    const { clock, hub, enter, applied } = aHub({ isShared: true });
    await enter('lamp');
    clock.advance(330_000);
    expect(hub.isOnline('lamp')).toBe(false);
    await applied('hub.seen', undefined, { seen: [{ agent: 1, ms: clock.now() }] });
    expect([hub.isOnline('lamp'), hub.get('lamp').last_seen]).toEqual([true, clock.now() / 1000]);
  });

  it('knows only the agents of the tables by which its own were replaced', async () => {
    const { hub, store, shared, enter } = aHub({ isShared: true });
    await enter('lamp');
    store.remove(1);
    const more = { description: null, capabilities: [], card: null, isVerified: false, registeredMs: 0 };
    store.insert({ key: 'horn', agent_id: 'horn', rid: 'r', apiKeySha256: Buffer.alloc(32), ...more });
    await shared.kinds.replaced();
    expect([...hub.ids()]).toEqual(['horn']);
  });
});
