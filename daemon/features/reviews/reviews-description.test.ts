import { expect, it } from 'vitest';
import { describedOperations } from '../../testing/described-operations.js';

it('describes each operation and what it returns', async () => {
  expect(
    await describedOperations((path) => /^\/conversations\/\{conv\}\/(review|merge|pull-request)/.test(path)),
  ).toEqual({
    'POST /conversations/{conv}/review/comments': [
      'conversations',
      'Draft a comment on a file or on lines',
      '201',
      'application/json ReviewComment',
    ],
    'PATCH /conversations/{conv}/review/comments/{comment}': [
      'conversations',
      'Change the text of a draft',
      '200',
      'application/json ReviewComment',
    ],
    'DELETE /conversations/{conv}/review/comments/{comment}': [
      'conversations',
      'Delete a draft',
      '200',
      'application/json ReviewComment',
    ],
    'GET /conversations/{conv}/review': [
      'conversations',
      'Comments on the changes, and who may review them',
      '200',
      'application/json Review',
    ],
    'POST /conversations/{conv}/review/send': [
      'conversations',
      'Send all drafts as one message',
      '202',
      'application/json MessageAccepted',
    ],
    'POST /conversations/{conv}/review/ask': [
      'conversations',
      'Ask a member to review the changes; its comments arrive as drafts',
      '202',
      'application/json Review',
    ],
    'GET /conversations/{conv}/merge': [
      'conversations',
      'What merging the worktree would do',
      '200',
      'application/json MergePreview',
    ],
    'POST /conversations/{conv}/merge': ['conversations', 'Merge the worktree', '200', 'application/json Merged'],
    'POST /conversations/{conv}/merge/resolve': [
      'conversations',
      'Hand the conflicts to the member',
      '202',
      'application/json MessageAccepted',
    ],
    'POST /conversations/{conv}/pull-request': [
      'conversations',
      'Push the branch and open a pull request by gh',
      '201',
      'application/json PullRequest',
    ],
  });
});
