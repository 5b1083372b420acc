import type { WebSocket } from 'ws';
import type { AgentBearers } from '../../http/agent-bearer.js';
import type { App } from '../../http/create-server.js';
import type { HubLines } from './hub-lines.js';

/**
 * The live socket of an agent, available under two paths. The caller is authenticated before the upgrade.
 * Contract: Hub.
 */
export function hubSocket(app: App, lines: HubLines, bearers: AgentBearers): void {
  for (const path of ['/agents/ws', '/ws']) {
    app.get(
      path,
      {
        websocket: true,
        config: { access: 'bearer', credential: 'agentToken', socket: true },
        schema: { summary: 'Live socket of an agent: what its inbox holds, as it arrives', tags: ['hub'] },
        onRequest: bearers.checkUpgrade,
      },
      (socket, request) => lines.add(socket as unknown as WebSocket, request.raw.socket, bearers.callerOf(request)),
    );
  }
}
