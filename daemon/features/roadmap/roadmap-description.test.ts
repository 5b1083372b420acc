import { expect, it } from 'vitest';
import { describedOperations } from '../../testing/described-operations.js';

it('describes each operation and what it returns', async () => {
  expect(await describedOperations((_, tag) => tag === 'roadmap')).toEqual({
    'GET /roadmap': ['roadmap', 'Tasks of .mesh/roadmap.md and their state', '200', 'application/json Roadmap'],
    'PATCH /roadmap/{task}': ['roadmap', 'Change one task', '200', 'application/json Roadmap'],
    'POST /roadmap/run': ['roadmap', 'Give ready tasks to their members', '200', 'application/json Roadmap'],
    'POST /roadmap/stop': ['roadmap', 'Stop giving out tasks', '200', 'application/json Roadmap'],
    'GET /roadmap/checks': [
      'roadmap',
      'Commands that tasks can be checked with',
      '200',
      'application/json CheckCommands',
    ],
    'PUT /roadmap/checks/{name}': [
      'roadmap',
      'Set a command that tasks can be checked with',
      '200',
      'application/json CheckCommands',
    ],
    'DELETE /roadmap/checks/{name}': [
      'roadmap',
      'Remove a command that tasks can be checked with',
      '200',
      'application/json CheckCommands',
    ],
  });
});
