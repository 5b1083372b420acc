import { Type } from 'typebox';
import { RemoveWorktreeQuery, type WorktreeList, type WorktreeRemoved } from '../../contract/work/worktrees.js';
import type { App } from '../../http/route-types.js';
import type { WorktreeRemoval } from './worktree-removal.js';

const tags = ['conversations'];

/** Registers the operator's routes for the worktrees of conversations. Contract: Worktrees. */
export async function worktreesRoutes(app: App, { removal }: { removal: WorktreeRemoval }): Promise<void> {
  app.get(
    '/worktrees',
    {
      schema: {
        summary: 'The git worktrees of conversations, with their sizes and changes',
        tags,
        response: { 200: Type.Ref('WorktreeList') },
      },
    },
    (): Promise<WorktreeList> => removal.list(),
  );

  app.delete<{ Params: { conv: string }; Querystring: RemoveWorktreeQuery }>(
    '/conversations/:conv/worktree',
    {
      schema: {
        summary: 'Remove the worktree of a conversation',
        description:
          'Its next turn gets a new one. A worktree with changes needs `changes=discard`; they are kept on a git ref.' +
          ' One with repositories in it needs it too; what is in these is lost.',
        tags,
        querystring: RemoveWorktreeQuery,
        response: { 200: Type.Ref('WorktreeRemoved') },
      },
    },
    (request): Promise<WorktreeRemoved> => removal.remove(request.params.conv, request.query.changes === 'discard'),
  );
}
