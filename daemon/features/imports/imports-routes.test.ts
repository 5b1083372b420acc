import { expect, it } from 'vitest';
import { testApp } from '../../testing/apps/test-app.js';
import { describedOperations } from '../../testing/parts/described-operations.js';

it('describes each operation, who may call it and what it returns', async () => {
  expect(await describedOperations(await testApp(), /^\/(imports|exports)/)).toEqual({
    'GET /imports': 'imports, operator, 200 ImportCandidates, Agents of other tools that could become members',
    'POST /imports': 'imports, operator, 200 Imported, Import some of them as members',
    'GET /imports/drift': 'imports, operator, 200 DriftList, Imported members whose sources changed',
    'GET /imports/{id}/drift':
      'imports, operator, 200 PullPreview, Result of a pull for the member’s file; writes nothing',
    'POST /imports/{id}/drift':
      'imports, operator, 200 DriftList, Pull the source’s change into the member, or ignore it',
    'GET /exports/{id}': 'imports, operator, 200 Exported, A member in another tool’s format',
    'POST /exports':
      'imports, operator, 200 ExportedList, Write members as files of another tool; a dry run unless `write`',
  });
});
