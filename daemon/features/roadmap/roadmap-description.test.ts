import { expect, it } from 'vitest';
import { testApp } from '../../testing/apps/test-app.js';
import { describedOperations } from '../../testing/parts/described-operations.js';

it('describes each operation, who may call it and what it returns', async () => {
  expect(await describedOperations(await testApp(), /^\/roadmap/)).toEqual({
    'GET /roadmap': 'roadmap, operator, 200 Roadmap, Tasks of .mesh/roadmap.md and their state',
    'PATCH /roadmap/{task}': 'roadmap, operator, 200 Roadmap, Change one task',
    'POST /roadmap/run': 'roadmap, operator, 200 Roadmap, Give ready tasks to their members',
    'POST /roadmap/stop': 'roadmap, operator, 200 Roadmap, Stop giving out tasks',
    'GET /roadmap/checks': 'roadmap, operator, 200 CheckCommands, Commands that tasks can be checked with',
    'PUT /roadmap/checks/{name}': 'roadmap, operator, 200 CheckCommands, Set a command that tasks can be checked with',
    'DELETE /roadmap/checks/{name}':
      'roadmap, operator, 200 CheckCommands, Remove a command that tasks can be checked with',
  });
});
