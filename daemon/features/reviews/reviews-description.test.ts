import { expect, it } from 'vitest';
import { testApp } from '../../testing/apps/test-app.js';
import { describedOperations } from '../../testing/parts/described-operations.js';

it('describes each operation, who may call it and what it returns', async () => {
  expect(await describedOperations(await testApp(), /^\/conversations\/\{conv\}\/(review|merge|pull-request)/)).toEqual(
    {
      'POST /conversations/{conv}/review/comments':
        'conversations, operator, 201 ReviewComment, Draft a comment on a file or on lines',
      'PATCH /conversations/{conv}/review/comments/{comment}':
        'conversations, operator, 200 ReviewComment, Change the text of a draft',
      'DELETE /conversations/{conv}/review/comments/{comment}':
        'conversations, operator, 200 ReviewComment, Delete a draft',
      'GET /conversations/{conv}/review':
        'conversations, operator, 200 Review, Comments on the changes, and who may review them',
      'POST /conversations/{conv}/review/send':
        'conversations, operator, 202 MessageAccepted, Send all drafts as one message',
      'POST /conversations/{conv}/review/ask':
        'conversations, operator, 202 Review, Ask a member to review the changes; its comments arrive as drafts',
      'GET /conversations/{conv}/merge':
        'conversations, operator, 200 MergePreview, What merging the worktree would do',
      'POST /conversations/{conv}/merge': 'conversations, operator, 200 Merged, Merge the worktree',
      'POST /conversations/{conv}/merge/resolve':
        'conversations, operator, 202 MessageAccepted, Hand the conflicts to the member',
      'POST /conversations/{conv}/pull-request':
        'conversations, operator, 201 PullRequest, Push the branch and open a pull request by gh',
    },
  );
});
