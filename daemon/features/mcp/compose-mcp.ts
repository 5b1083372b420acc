import type { Bus } from '../../events/bus.js';
import type { WrongCredentials } from '../../http/callers/bearer.js';
import type { App } from '../../http/route-types.js';
import type { Exposure } from '../exposure/exposure.js';
import { Mcp } from './mcp.js';
import type { McpPorts } from './mcp-ports.js';
import { mcpRoutes } from './mcp-routes.js';
import { memberSurface } from './member-surface.js';

interface ComposeMcpParts extends Omit<McpPorts, 'exposure'> {
  app: App;
  exposure: Pick<Exposure, 'external' | 'memberOf' | 'verify' | 'onRevoked'>;
  bus: Bus;
  wrong: WrongCredentials;
}

/** Composes the Model Context Protocol with its routes. The result must be stopped before the asks are. */
export async function composeMcp({ app, bus, wrong, ...ports }: ComposeMcpParts): Promise<Mcp> {
  const { exposure } = ports;
  const mcp = new Mcp({
    getSurface: (member) => memberSurface(ports, member),
    onFault: (error, id) => app.log.error({ err: error, id }, 'a call of the model context protocol failed'),
  });
  await app.register(mcpRoutes, { mcp, exposure, wrong });
  // After a revocation, calls that are already waiting receive no result either.
  exposure.onRevoked((member) => void mcp.close(member));
  bus.watch((event) => {
    if (event.type === 'team.updated') mcp.changed(event.id);
  });
  return mcp;
}
