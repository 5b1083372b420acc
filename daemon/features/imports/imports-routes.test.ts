import { expect, it } from 'vitest';
import { testApp } from '../../testing/apps/test-app.js';

it('each route of imports and exports tells what it does', async () => {
  const app = await testApp();
  const { paths } = (await app.call('GET', '/openapi.json')).body as {
    paths: Record<string, Record<string, object>>;
  };
  const routes: [path: string, method: string, summary: string, schema: string][] = [
    ['/imports', 'get', 'Agents of other tools that could become members', 'ImportCandidates'],
    ['/imports', 'post', 'Import some of them as members', 'Imported'],
    ['/imports/drift', 'get', 'Imported members whose sources changed', 'DriftList'],
    ['/imports/{id}/drift', 'get', 'Result of a pull for the member’s file; writes nothing', 'PullPreview'],
    ['/imports/{id}/drift', 'post', 'Pull the source’s change into the member, or ignore it', 'DriftList'],
    ['/exports/{id}', 'get', 'A member in another tool’s format', 'Exported'],
    ['/exports', 'post', 'Write members as files of another tool; a dry run unless `write`', 'ExportedList'],
  ];
  for (const [path, method, summary, schema] of routes)
    expect(paths[path]?.[method], `${method} ${path}`).toMatchObject({
      ...{ summary, tags: ['imports'] },
      responses: { '200': { content: { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } } } },
      ...(path.includes('{id}')
        ? { parameters: expect.arrayContaining([expect.objectContaining({ name: 'id', in: 'path' })]) }
        : {}),
    });
});
