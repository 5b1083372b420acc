import { expect, it } from 'vitest';
import type { WrongCredentials } from '../../../http/callers/bearer.js';
import { openServer } from '../../../testing/open-server.js';
import { TurnTokens } from '../../conversations/turn-tokens.js';
import { composeTurnMcp } from './compose-turn-mcp.js';
import type { TurnPorts } from './turn-surface.js';

it('keeps the connections of a turn until its token ends, and those of another turn on', async () => {
  const tokens = new TurnTokens();
  const ports = { findAgent: () => ({ id: 'developer', name: 'Developer' }), version: '1' } as unknown as TurnPorts;
  const wrong = {} as WrongCredentials;
  const mcp = composeTurnMcp({ ...ports, app: await openServer(), tokens, wrong });
  const [first, other] = [tokens.begin('turn-1'), tokens.begin('turn-2')];
  const [before, others] = [await mcp.endpoint('turn-1'), await mcp.endpoint('turn-2')];
  expect(await mcp.endpoint('turn-1')).toBe(before);
  first.end();
  expect(await mcp.endpoint('turn-1')).not.toBe(before);
  expect(await mcp.endpoint('turn-2')).toBe(others);
  other.end();
  await mcp.stop();
});
