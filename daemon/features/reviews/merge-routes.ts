import { Type } from 'typebox';
import type { MessageAccepted } from '../../contract/conversations.js';
import {
  type Merged,
  type MergePreview,
  MergeQuery,
  NewMerge,
  NewPullRequest,
  type PullRequest,
  ResolveConflicts,
} from '../../contract/work/reviews.js';
import type { App } from '../../http/route-types.js';
import type { Merges } from './merges.js';
import type { PullRequests } from './pull-requests.js';

const tags = ['conversations'];

type Id = { Params: { conv: string } };

interface MergeRoutesParts {
  merges: Merges;
  pullRequests: PullRequests;
}

/** Registers the operator's routes for merging what a conversation changed. Contract: Merge. */
export async function mergeRoutes(app: App, { merges, pullRequests }: MergeRoutesParts): Promise<void> {
  app.get<Id & { Querystring: MergeQuery }>(
    '/conversations/:conv/merge',
    {
      schema: {
        summary: 'What merging the worktree would do',
        tags,
        querystring: MergeQuery,
        response: { 200: Type.Ref('MergePreview') },
      },
    },
    (request): Promise<MergePreview> => merges.preview(request.params.conv, request.query.into),
  );

  app.post<Id & { Body: NewMerge }>(
    '/conversations/:conv/merge',
    { schema: { summary: 'Merge the worktree', tags, body: NewMerge, response: { 200: Type.Ref('Merged') } } },
    (request): Promise<Merged> => merges.merge(request.params.conv, request.body),
  );

  app.post<Id & { Body: ResolveConflicts }>(
    '/conversations/:conv/merge/resolve',
    {
      schema: {
        summary: 'Hand the conflicts to the member',
        tags,
        body: ResolveConflicts,
        response: { 202: Type.Ref('MessageAccepted') },
      },
    },
    async (request, reply) =>
      reply.code(202).send((await merges.resolve(request.params.conv, request.body)) satisfies MessageAccepted),
  );

  app.post<Id & { Body: NewPullRequest }>(
    '/conversations/:conv/pull-request',
    {
      schema: {
        summary: 'Push the branch and open a pull request by gh',
        tags,
        body: NewPullRequest,
        response: { 201: Type.Ref('PullRequest') },
      },
    },
    async (request, reply) =>
      reply.code(201).send((await pullRequests.open(merges, request.params.conv, request.body)) satisfies PullRequest),
  );
}
