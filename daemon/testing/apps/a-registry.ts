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
import type { Command } from '../../shared-log/shared-log.js';
import type { Database } from '../../storage/database/database.js';
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
  database: Database;
  /** The commands that were submitted, refused ones too. */
  commands: readonly Command[];
  bus: Bus;
}

export async function aRegistry({ root = temporaryFolder(), clock = new FakeClock() } = {}): Promise<ARegistry> {
  const log: string[] = [];
  const contract = [agentsContract, registryContract];
  const server = await serverWith({ root, clock, contract, log }, async ({ app, database, shared, bus, address }) => {
    const store = new RegistryStore(database);
    const key = await loadKey(
      root,
      'v1.key',
      () => randomBytes(32),
      async () => true,
    );
    const registry = new Registry(store, shared, new AgentTokens('v1', key, clock), bus, clock, address);
    const catalog = new Catalog(shared.log);
    const signed = new SignedCallers(new UsedNonces(database), clock);
    const wrong = new WrongCredentials(clock);
    await app.register(registryRoutes, { registry, catalog, signed, wrong, isPartner: () => false });
    return registry;
  });
  return { ...server, registry: server.surface, log, call: caller(server.address) };
}
