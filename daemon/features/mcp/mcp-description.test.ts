import { expect, it } from 'vitest';
import { testApp } from '../../testing/apps/test-app.js';
import { describedOperations } from '../../testing/parts/described-operations.js';

it('describes each operation, who may call it and what it returns', async () => {
  expect(await describedOperations(await testApp(), /mcp$/)).toEqual({
    'GET /mcp': 'mcp, bearer, 200, Model Context Protocol, for the member whose token is sent',
    'POST /mcp': 'mcp, bearer, 200, Model Context Protocol, for the member whose token is sent',
    'DELETE /mcp': 'mcp, bearer, 200, Model Context Protocol, for the member whose token is sent',
    'GET /team/{id}/mcp': 'mcp, bearer, 200, Model Context Protocol of one member',
    'POST /team/{id}/mcp': 'mcp, bearer, 200, Model Context Protocol of one member',
    'DELETE /team/{id}/mcp': 'mcp, bearer, 200, Model Context Protocol of one member',
    'GET /turns/mcp': 'mcp, bearer, 200, Model Context Protocol, for the agent of a running turn',
    'POST /turns/mcp': 'mcp, bearer, 200, Model Context Protocol, for the agent of a running turn',
    'DELETE /turns/mcp': 'mcp, bearer, 200, Model Context Protocol, for the agent of a running turn',
  });
});
