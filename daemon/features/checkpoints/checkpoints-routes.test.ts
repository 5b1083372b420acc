import { expect, it } from 'vitest';
import { testApp } from '../../testing/apps/test-app.js';
import { describedOperations } from '../../testing/parts/described-operations.js';

it('describes each operation, who may call it and what it returns', async () => {
  expect(
    await describedOperations(await testApp(), /^\/conversations\/\{conv\}\/(checkpoints|changes|rewind|fork)/),
  ).toEqual({
    'GET /conversations/{conv}/checkpoints':
      'conversations, operator, 200 CheckpointList, Checkpoints of the files of a conversation, oldest first',
    'GET /conversations/{conv}/changes':
      'conversations, operator, 200 Changes, Files that differ between two checkpoints, or since one',
    'GET /conversations/{conv}/changes/file':
      'conversations, operator, 200 FileDiff, The change of one file as a patch',
    'POST /conversations/{conv}/rewind':
      'conversations, operator, 200 Rewound, Return files, messages or both to a checkpoint',
    'POST /conversations/{conv}/changes/revert':
      'conversations, operator, 200 Rewound, Take one file, or one hunk of it, back to how it was',
    'POST /conversations/{conv}/fork':
      'conversations, operator, 201 Conversation, Continue from a checkpoint in a new conversation',
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
