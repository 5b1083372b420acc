import { expect, it } from 'vitest';
import { testApp } from '../../testing/apps/test-app.js';

it('each route of checkpoints and changes tells what it does', async () => {
  const app = await testApp();
  const { paths } = (await app.call('GET', '/openapi.json')).body as {
    paths: Record<string, Record<string, { summary?: string; tags?: string[]; responses: Record<string, object> }>>;
  };
  const route = (path: string, method: string) => paths[`/conversations/{conv}/${path}`]?.[method];
  const routes: [path: string, method: string, summary: string, status: string, schema: string][] = [
    ['checkpoints', 'get', 'Checkpoints of the files of a conversation, oldest first', '200', 'CheckpointList'],
    ['changes', 'get', 'Files that differ between two checkpoints, or since one', '200', 'Changes'],
    ['changes/file', 'get', 'The change of one file as a patch', '200', 'FileDiff'],
    ['changes/revert', 'post', 'Take one file, or one hunk of it, back to how it was', '200', 'Rewound'],
    ['rewind', 'post', 'Return files, messages or both to a checkpoint', '200', 'Rewound'],
    ['fork', 'post', 'Continue from a checkpoint in a new conversation', '201', 'Conversation'],
  ];
  for (const [path, method, summary, status, schema] of routes)
    expect(route(path, method), path).toMatchObject({
      ...{ summary, tags: ['conversations'] },
      responses: {
        [status]: { content: { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } } },
      },
    });
});

it('a hunk of the longest patch is accepted, and no larger body', async () => {
  const app = await testApp();
  const revert = (hunk: string) => app.call('POST', '/conversations/conv-0/changes/revert', { path: 'a.txt', hunk });
  expect((await revert('\u{1d11e}'.repeat(1_000_000))).status).toBe(404);
  expect((await revert('x'.repeat(8 * 1024 * 1024))).status).toBe(413);
});

it.each([
  ['GET', 'changes?path=a.txt'],
  ['GET', 'changes/file'],
  ['POST', 'changes/revert'],
  ['POST', 'rewind'],
  ['POST', 'fork'],
])('%s %s is refused without what it needs, or with something else', async (method, path) => {
  const app = await testApp();
  const body = method === 'GET' ? undefined : { checkpoint: 'start', what: 'files', path: 'a.txt', other: 1 };
  expect((await app.call(method, `/conversations/conv-0/${path}`, body)).status).toBe(400);
});
