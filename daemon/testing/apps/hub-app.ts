import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import * as errorsContract from '../../contract/errors.js';
import type { MeshEvent } from '../../contract/events.js';
import * as agentsContract from '../../contract/network/agents.js';
import * as hubContract from '../../contract/network/hub.js';
import { Bus } from '../../events/bus.js';
import { composeHub, type HubArea } from '../../features/hub/compose-hub.js';
import type { Hub } from '../../features/hub/hub.js';
import { WrongCredentials } from '../../http/callers/bearer.js';
import { PartnerKeys } from '../../http/callers/partner-key.js';
import { createServer } from '../../http/create-server.js';
import { Guard } from '../../http/guard.js';
import { addSchemas } from '../../http/openapi.js';
import { AgentTokens } from '../../lib/crypto/agent-token.js';
import { Database } from '../../storage/database/database.js';
import { loadKey } from '../../storage/files/key-file.js';
import { type Caller, caller } from '../caller.js';
import { FakeClock } from '../fake-clock.js';
import { putTemplateDatabase } from '../template-database.js';
import { temporaryFolder } from '../temporary-folder.js';

export interface HubApp {
  root: string;
  address: string;
  clock: FakeClock;
  database: Database;
  surface: HubArea;
  hub: Hub;
  events: MeshEvent[];
  log: string[];
  call: Caller;
  stop(): Promise<void>;
}

/**
 * Starts the hub alone on a free port, over a database in a temporary folder, with a fake clock. Stopped when the test
 * ends.
 */
export async function hubApp({
  root = temporaryFolder(),
  clock = new FakeClock(),
  partnerKeys = [],
}: {
  root?: string;
  clock?: FakeClock;
  partnerKeys?: readonly string[];
} = {}): Promise<HubApp> {
  const log: string[] = [];
  const events: MeshEvent[] = [];
  const guard = new Guard();
  const app = await createServer({
    guard,
    isForeignPeer: () => false,
    log: { level: 'debug', stream: { write: (line) => void log.push(line) } },
  });
  addSchemas(app, [errorsContract, agentsContract, hubContract]);
  const database = new Database(putTemplateDatabase(join(root, 'mesh.db')));
  const bus = new Bus(clock);
  bus.watch((event) => void events.push(event));
  const tokens = new AgentTokens(
    'hub',
    await loadKey(
      root,
      'hub.key',
      () => randomBytes(32),
      async () => true,
    ),
    clock,
  );
  const wrong = new WrongCredentials(clock);
  let address = '';
  const partners = new PartnerKeys(partnerKeys, wrong);
  const surface = await composeHub({ app, database, tokens, bus, clock, address: () => address, partners, wrong });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as { port: number };
  guard.listeningOn(port);
  address = `http://127.0.0.1:${port}`;
  surface.start();

  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= (async () => {
      await surface.stop();
      await app.close();
      database.close();
    })();
    return stopped;
  };
  onTestFinished(stop);
  return { root, address, clock, database, surface, hub: surface.hub, events, log, call: caller(address), stop };
}
