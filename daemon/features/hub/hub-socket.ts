import type { AgentBearers } from '../../http/callers/agent-bearer.js';
import type { App } from '../../http/route-types.js';
import type { HubLines } from './hub-lines.js';

/**
 * The live socket of an agent, available under two paths. The caller is authenticated before the upgrade.
 * Contract: Hub.
 */
export async function hubSocket(
  app: App,
  { lines, bearers }: { lines: HubLines; bearers: AgentBearers },
): Promise<void> {
  for (const path of ['/agents/ws', '/ws']) {
    app.get(
      path,
      {
        websocket: true,
        config: { access: 'bearer', credential: 'agentToken', socket: true },
        schema: { summary: 'Live socket of an agent: what its inbox holds, as it arrives', tags: ['hub'] },
        onRequest: bearers.checkUpgrade,
      },
      (socket, request) => lines.add(socket, request.raw.socket, bearers.getCaller(request)),
    );
  }
}
