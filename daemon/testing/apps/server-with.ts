import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { MeshEvent } from '../../contract/events.js';
import { Bus } from '../../events/bus.js';
import { createServer } from '../../http/create-server.js';
import { Guard } from '../../http/guard.js';
import { addSchemas } from '../../http/openapi.js';
import type { App } from '../../http/route-types.js';
import type { SharedChanges } from '../../shared-log/command-kinds.js';
import type { Command } from '../../shared-log/shared-log.js';
import { Database } from '../../storage/database/database.js';
import { embeddedChanges } from '../embedded-changes.js';
import type { FakeClock } from '../fake-clock.js';
import { putTemplateDatabase } from '../template-database.js';

/** The dependencies of the features that a test mounts. */
interface Parts {
  app: App;
  database: Database;
  shared: SharedChanges;
  bus: Bus;
  /** The server's own address, available once it listens. */
  address: () => string;
}

/** A feature that is started when the server listens, and stopped before the server. */
interface Surface {
  start(): unknown;
  stop(): unknown;
}

interface Options {
  root: string;
  clock: FakeClock;
  /** The modules of the contract whose schemas the routes name. */
  contract: readonly Record<string, unknown>[];
  /** Receives the lines of the log. Without it nothing is logged. */
  log?: string[];
}

/** A server with its mounted features. */
interface ServerWith<Mounted> {
  root: string;
  address: string;
  port: number;
  clock: FakeClock;
  database: Database;
  bus: Bus;
  surface: Mounted;
  events: MeshEvent[];
  /** The commands that were submitted, refused ones too. */
  commands: readonly Command[];
  stop(): Promise<void>;
}

/**
 * Starts a server with the features that `mount` attaches to it, on a free port over a database in `root`. Stopped when
 * the test ends.
 */
export async function serverWith<Mounted extends Surface>(
  { root, clock, contract, log }: Options,
  mount: (parts: Parts) => Promise<Mounted>,
): Promise<ServerWith<Mounted>> {
  const events: MeshEvent[] = [];
  const guard = new Guard();
  const app = await createServer({
    guard,
    isForeignPeer: () => false,
    log: log !== undefined && { level: 'debug', stream: { write: (line) => void log.push(line) } },
  });
  addSchemas(app, contract);
  const database = new Database(putTemplateDatabase(join(root, 'mesh.db')));
  const bus = new Bus(clock);
  bus.watch((event) => void events.push(event));
  const shared = embeddedChanges(database, clock);
  let address = '';
  const surface = await mount({ app, database, shared, bus, address: () => address });
  address = await app.listen({ host: '127.0.0.1', port: 0 });
  const port = Number(new URL(address).port);
  guard.listeningOn(port);
  await surface.start();

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
  return { root, address, port, clock, database, bus, surface, events, commands: shared.commands, stop };
}
