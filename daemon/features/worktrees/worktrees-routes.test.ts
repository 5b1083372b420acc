import { expect, it } from 'vitest';
import { testApp } from '../../testing/apps/test-app.js';
import { describedOperations } from '../../testing/parts/described-operations.js';

it('the description of the API tells what the routes of worktrees return, and that the operator may call them', async () => {
  const app = await testApp();
  expect(await describedOperations(app, /^\/(worktrees|conversations\/\{conv\}\/worktree)$/)).toEqual({
    'GET /worktrees':
      'conversations, operator, 200 WorktreeList, The git worktrees of conversations, with their sizes and changes',
    'DELETE /conversations/{conv}/worktree':
      'conversations, operator, 200 WorktreeRemoved, Remove the worktree of a conversation: Its next turn gets a new ' +
      'one. A worktree with changes needs `changes=discard`; they are kept on a git ref. One with repositories in it ' +
      'needs it too; what is in these is lost.',
  });
  const removal = (query: string) => app.call('DELETE', `/conversations/conv-0/worktree${query}`);
  expect((await removal('?changes=keep')).status).toBe(400);
  expect((await removal('?discard=1')).status).toBe(400);
  expect((await removal('')).status).toBe(404);
});
