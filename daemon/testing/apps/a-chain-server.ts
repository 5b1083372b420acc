import { onTestFinished } from 'vitest';
import { chainRoutes } from '../../features/chains/chain-routes.js';
import type { LocalNetwork } from '../../features/chains/local/local-network.js';
import { localRpcMethods } from '../../features/chains/local/local-rpc.js';
import { createServer } from '../../http/create-server.js';
import { Guard } from '../../http/guard.js';

/**
 * Starts a JSON-RPC server for an embedded network on a free port and returns its address. Stopped when the test ends.
 */
export async function aChainServer(network: LocalNetwork): Promise<string> {
  const guard = new Guard();
  const app = await createServer({ guard, isForeignPeer: () => false, log: false });
  await app.register(chainRoutes, { methods: localRpcMethods(network) });
  onTestFinished(() => app.close());
  const address = await app.listen({ host: '127.0.0.1', port: 0 });
  guard.listeningOn(Number(new URL(address).port));
  return `${address}/chain`;
}
