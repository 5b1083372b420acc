import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Surface } from '../../contract/network/agents.js';
import { Bus } from '../../events/bus.js';
import { AgentTokens } from '../../lib/crypto/agent-token.js';
import { Database } from '../../storage/database/database.js';
import { ENTRY } from '../../testing/apps/registering.js';
import { embeddedChanges } from '../../testing/embedded-changes.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { putTemplateDatabase } from '../../testing/template-database.js';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import { Hub } from '../hub/hub.js';
import { HubDirectory } from '../hub/hub-directory.js';
import { HubStore } from '../hub/hub-store.js';
import { Registry } from '../registry/registry.js';
import { RegistryStore } from '../registry/registry-store.js';
import { createStub } from '../registry/registry-stub.js';
import { hubPort, registryPort } from './surface-ports.js';

const CARD = { capabilities: ['ask'], agent_card: { tags: ['project'], availability: { now: true } } };

/** The port of a surface over a store of its own. */
function aPort(surface: Surface) {
  const clock = new FakeClock();
  const database = new Database(putTemplateDatabase(join(temporaryFolder(), 'mesh.db')));
  onTestFinished(() => database.close());
  const shared = embeddedChanges(database, clock);
  const tokens = new AgentTokens(surface, Buffer.alloc(32, 1), clock);
  const bus = new Bus(clock);
  if (surface === 'hub') {
    const store = new HubStore(database);
    const directory = new HubDirectory(store, shared, clock);
    const hub = new Hub({ store, directory, shared, tokens, bus, clock, hubUrl: () => '' });
    return { clock, port: hubPort(hub), getCard: (id: string) => hub.get(id).agent_card };
  }
  const store = new RegistryStore(database);
  store.put(createStub({ ...ENTRY, agent_id: 'a-stub' }));
  const registry = new Registry(store, shared, tokens, bus, clock, () => '');
  return { clock, port: registryPort(registry), getCard: (id: string) => registry.get(id).agent_card };
}

describe.each(['hub', 'v1'] as const)('Self-registration on %s', (surface) => {
  it('registers an id once, as no partner, and opens it with its key alone', async () => {
    const { port, getCard } = aPort(surface);
    expect(port.surface).toBe(surface);
    const { api_key, registration } = await port.register('lamp-dev', CARD);
    expect([registration.agent_id, getCard('lamp-dev')]).toEqual(['lamp-dev', CARD.agent_card]);
    expect(await port.open('LAMP-dev', api_key)).toMatchObject({ agent_id: 'lamp-dev', rid: registration.rid });
    await expect(port.open('lamp-dev', 'another')).rejects.toMatchObject({ code: 'unauthorized' });
    await expect(port.register('Lamp-Dev', CARD)).rejects.toMatchObject({ code: 'agent_id_claimed' });
    await expect(port.register('mesh-dev', CARD)).rejects.toMatchObject({ code: 'reserved_agent_id' });
  });

  it('replaces the card whole with each heartbeat', async () => {
    const { port, getCard } = aPort(surface);
    const { registration } = await port.register('lamp-dev', CARD);
    expect(await port.push(registration, { capabilities: [], agent_card: { tags: ['x'] } })).toBeUndefined();
    expect(getCard('lamp-dev')).toEqual({ tags: ['x'] });
  });

  it('shows who is online and since when, and nobody who is not registered', async () => {
    const { clock, port } = aPort(surface);
    const { api_key, registration } = await port.register('lamp-dev', CARD);
    const lastSeen = clock.now() / 1000;
    expect(port.findState('LAMP-DEV')).toEqual({ isOnline: true, lastSeen });
    await port.push(registration, { capabilities: [], agent_card: { availability: { now: false } } });
    expect(port.findState('lamp-dev')).toEqual({ isOnline: false, lastSeen });
    await port.open('lamp-dev', api_key);
    expect(port.findState('lamp-dev')).toEqual({ isOnline: false, lastSeen });
    await port.push(registration, CARD);
    expect(port.findState('lamp-dev')).toEqual({ isOnline: true, lastSeen });
    expect([port.findState('nobody'), port.findState('a-stub')]).toEqual([undefined, undefined]);
  });

  it('takes a registration back, which then stands no more and cannot act', async () => {
    const { port } = aPort(surface);
    const { registration } = await port.register('lamp-dev', CARD);
    expect([port.isStanding(registration), port.isStanding({ ...registration, rid: 'x' })]).toEqual([true, false]);
    expect(await port.deregister(registration)).toBeUndefined();
    expect([port.isStanding(registration), port.findState('lamp-dev')]).toEqual([false, undefined]);
    const code = surface === 'hub' ? 'unauthorized' : 'not_found';
    await expect(port.deregister(registration)).rejects.toMatchObject({ code });
    await expect(port.push(registration, CARD)).rejects.toMatchObject({ code });
  });
});
