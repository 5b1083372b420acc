import { randomBytes } from 'node:crypto';
import * as agentsContract from '../../contract/network/agents.js';
import * as registryContract from '../../contract/network/registry.js';
import type { Bus } from '../../events/bus.js';
import { Catalog } from '../../features/registry/catalog.js';
import { Registry } from '../../features/registry/registry.js';
import { registryRoutes } from '../../features/registry/registry-routes.js';
import { RegistryStore } from '../../features/registry/registry-store.js';
import { WrongCredentials } from '../../http/callers/bearer.js';
import { SignedCallers } from '../../http/callers/signed-caller.js';
import { AgentTokens } from '../../lib/crypto/agent-token.js';
import { UsedNonces } from '../../storage/database/used-nonces.js';
import { loadKey } from '../../storage/files/key-file.js';
import { caller } from '../caller.js';
import { FakeClock } from '../fake-clock.js';
import { temporaryFolder } from '../temporary-folder.js';
import { serverWith } from './server-with.js';
import type { TestApp } from './test-app.js';

/** The unified API alone, on a free port over a temporary folder. */
export interface ARegistry extends Pick<TestApp, 'root' | 'address' | 'clock' | 'log' | 'call' | 'stop'> {
  registry: Registry;
  bus: Bus;
}

export async function aRegistry({ root = temporaryFolder(), clock = new FakeClock() } = {}): Promise<ARegistry> {
  const log: string[] = [];
  const contract = [agentsContract, registryContract];
  const server = await serverWith({ root, clock, contract, log }, async ({ app, database, bus, address }) => {
    const store = new RegistryStore(database);
    const key = await loadKey(
      root,
      'v1.key',
      () => randomBytes(32),
      async () => true,
    );
    const registry = new Registry(store, new AgentTokens('v1', key, clock), bus, clock, address);
    const catalog = new Catalog(store, (agentId) => registry.changed(agentId));
    const signed = new SignedCallers(new UsedNonces(database), clock);
    const wrong = new WrongCredentials(clock);
    await app.register(registryRoutes, { registry, catalog, signed, wrong, isPartner: () => false });
    return registry;
  });
  return { ...server, registry: server.surface, log, call: caller(server.address) };
}
