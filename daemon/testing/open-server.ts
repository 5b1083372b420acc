import { onTestFinished } from 'vitest';
import { createServer, type ServerOptions } from '../http/create-server.js';
import type { Guard } from '../http/guard.js';

/** Returns a server without routes, whose guard lets every caller through. It ends with the test. */
export async function openServer(options: Partial<ServerOptions> = {}) {
  const guard = { check: () => undefined } as unknown as Guard;
  const app = await createServer({ guard, isForeignPeer: () => false, log: false, ...options });
  onTestFinished(() => app.close());
  return app;
}
