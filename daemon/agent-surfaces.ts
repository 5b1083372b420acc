import type { Bus } from './events/bus.js';
import type { App } from './http/create-server.js';
import type { Clock } from './lib/clock.js';
import type { SigningKey } from './lib/ed25519.js';
import type { Database } from './storage/database.js';
import type { MeshFolder } from './storage/mesh-folder.js';

export interface AgentSurfacesParts {
  app: App;
  database: Database;
  folder: MeshFolder;
  bus: Bus;
  clock: Clock;
  identity: SigningKey;
  /** Whether new secrets may be written into the credentials folder. */
  mayWriteSecrets: () => Promise<boolean>;
  /** This daemon's own address, once it listens. */
  address: () => string;
}

export interface AgentSurfaces {
  /** Takes up its work once the daemon listens. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** The hub, the unified API, the Oracle, the reputation bureau and the public site, with their routes: everything about agents beyond the team. */
export async function composeAgentSurfaces(_parts: AgentSurfacesParts): Promise<AgentSurfaces> {
  return {
    async start() {},
    async stop() {},
  };
}
