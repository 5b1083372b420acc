import { TURN_MCP_PATH } from '../../../contract/conversations.js';
import { parseBearer, unauthorized, type WrongCredentials } from '../../../http/callers/bearer.js';
import type { App } from '../../../http/route-types.js';
import type { TurnTokens } from '../../conversations/turn-tokens.js';
import { Mcp } from '../mcp.js';
import { mcpRoute } from '../mcp-routes.js';
import { type TurnPorts, turnSurface } from './turn-surface.js';

interface ComposeTurnMcpParts extends TurnPorts {
  app: App;
  tokens: Pick<TurnTokens, 'find' | 'onEnded'>;
  wrong: WrongCredentials;
}

/** Composes the tools of the agents of running turns. A turn's calls and connections end with its token. */
export function composeTurnMcp({ app, tokens, wrong, ...ports }: ComposeTurnMcpParts): Mcp {
  const mcp = new Mcp({
    getSurface: (turn) => turnSurface(ports, turn),
    onFault: (error, id) => app.log.error({ err: error, id }, 'a call of the agent of a turn failed'),
  });
  mcpRoute(app, mcp, {
    path: TURN_MCP_PATH,
    summary: 'Model Context Protocol, for the agent of a running turn',
    access: 'bearer',
    credential: 'turnToken',
    getSubject(request) {
      const token = parseBearer(request);
      if (token === undefined) throw unauthorized();
      const turn = tokens.find(token);
      if (turn === undefined) throw wrong.refuse('turns');
      return turn;
    },
  });
  tokens.onEnded((turn) => void mcp.close(turn));
  return mcp;
}
