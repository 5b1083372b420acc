import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import * as agentsContract from '../../contract/network/agents.js';
import * as registryContract from '../../contract/network/registry.js';
import { Bus } from '../../events/bus.js';
import { Catalog } from '../../features/registry/catalog.js';
import { Registry } from '../../features/registry/registry.js';
import { registryRoutes } from '../../features/registry/registry-routes.js';
import { RegistryStore } from '../../features/registry/registry-store.js';
import { WrongCredentials } from '../../http/callers/bearer.js';
import { SignedCallers } from '../../http/callers/signed-caller.js';
import { createServer } from '../../http/create-server.js';
import { Guard } from '../../http/guard.js';
import { addSchemas } from '../../http/openapi.js';
import { AgentTokens } from '../../lib/crypto/agent-token.js';
import { Database } from '../../storage/database/database.js';
import { UsedNonces } from '../../storage/database/used-nonces.js';
import { loadKey } from '../../storage/files/key-file.js';
import { FakeClock } from '../fake-clock.js';
import { temporaryFolder } from '../temporary-folder.js';
import type { TestApp } from './test-app.js';

/** The unified API alone, on a free port over a temporary folder. */
export interface ARegistry extends Pick<TestApp, 'root' | 'address' | 'clock' | 'log' | 'call' | 'stop'> {
  registry: Registry;
  bus: Bus;
}

export async function aRegistry({ root = temporaryFolder(), clock = new FakeClock() } = {}): Promise<ARegistry> {
  const log: string[] = [];
  const guard = new Guard();
  const stream = { write: (line: string) => void log.push(line) };
  const app = await createServer({ guard, isForeignPeer: () => false, log: { level: 'debug', stream } });
  const database = new Database(join(root, 'mesh.db'));
  const bus = new Bus(clock);
  const store = new RegistryStore(database);
  const key = await loadKey(
    root,
    'v1.key',
    () => randomBytes(32),
    async () => true,
  );
  let address = '';
  const registry = new Registry(store, new AgentTokens('v1', key, clock), bus, clock, () => address);
  const catalog = new Catalog(store, (agentId) => registry.changed(agentId));
  const signed = new SignedCallers(new UsedNonces(database), clock);
  addSchemas(app, [agentsContract, registryContract]);
  const wrong = new WrongCredentials(clock);
  await app.register(registryRoutes, { registry, catalog, signed, wrong, isPartner: () => false });
  address = await app.listen({ host: '127.0.0.1', port: 0 });
  guard.listeningOn(Number(new URL(address).port));
  registry.start();

  let isStopped = false;
  const stop = async () => {
    if (isStopped) return;
    isStopped = true;
    registry.stop();
    await app.close();
    database.close();
  };
  onTestFinished(stop);
  const call: TestApp['call'] = async (method, path, body, headers = {}) => {
    const response = await fetch(`${address}${path}`, {
      method,
      headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: JSON.parse(text) as never, text };
  };
  return { root, address, clock, log, call, stop, registry, bus };
}
