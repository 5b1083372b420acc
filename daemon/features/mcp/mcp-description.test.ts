import { expect, it } from 'vitest';
import { describedOperations } from '../../testing/described-operations.js';

it('describes each operation and what it returns', async () => {
  expect(await describedOperations((_, tag) => tag === 'mcp')).toEqual({
    'GET /mcp': ['mcp', 'Model Context Protocol, for the member whose token is sent', '200', 'memberToken'],
    'POST /mcp': ['mcp', 'Model Context Protocol, for the member whose token is sent', '200', 'memberToken'],
    'DELETE /mcp': ['mcp', 'Model Context Protocol, for the member whose token is sent', '200', 'memberToken'],
    'GET /team/{id}/mcp': ['mcp', 'Model Context Protocol of one member', '200', 'memberToken'],
    'POST /team/{id}/mcp': ['mcp', 'Model Context Protocol of one member', '200', 'memberToken'],
    'DELETE /team/{id}/mcp': ['mcp', 'Model Context Protocol of one member', '200', 'memberToken'],
    'GET /turns/mcp': ['mcp', 'Model Context Protocol, for the agent of a running turn', '200', 'turnToken'],
    'POST /turns/mcp': ['mcp', 'Model Context Protocol, for the agent of a running turn', '200', 'turnToken'],
    'DELETE /turns/mcp': ['mcp', 'Model Context Protocol, for the agent of a running turn', '200', 'turnToken'],
  });
});
