import type { AddressInfo } from 'node:net';
import { Mcp } from '../../daemon/features/mcp/mcp.js';
import { mcpRoute } from '../../daemon/features/mcp/mcp-routes.js';
import { createServer } from '../../daemon/http/create-server.js';
import { Guard } from '../../daemon/http/guard.js';
import { fixtures } from './fixtures.js';

const SUBJECT = 'conformance';

/**
 * Starts the daemon's own server, guard and protocol route with the fixtures of the conformance suite in place of a
 * member. The suite sends no credential, so none is required. This is never part of the product.
 */
export async function conformanceServer(): Promise<{ url: string; close(): Promise<void> }> {
  const guard = new Guard();
  const app = await createServer({ guard, isForeignPeer: () => false, log: false });
  const mcp: Mcp = new Mcp({
    getSurface: () => fixtures(() => mcp.changed(SUBJECT)),
    onFault: (error, id) => console.error(`A fixture failed (${id}):`, error),
  });
  mcpRoute(app, mcp, { path: '/mcp', summary: 'Fixtures', access: 'public', getSubject: () => SUBJECT });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  guard.listeningOn(port);
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    async close() {
      await mcp.stop();
      await app.close();
    },
  };
}
