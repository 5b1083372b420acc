import { Type } from 'typebox';
import type { MessageAccepted } from '../../contract/conversations.js';
import {
  AskReview,
  NewReviewComment,
  type Review,
  type ReviewComment,
  ReviewCommentPatch,
  SendReview,
} from '../../contract/work/reviews.js';
import type { App } from '../../http/route-types.js';
import type { Reviews } from './reviews.js';

const tags = ['conversations'];

type Id = { Params: { conv: string } };
type CommentId = { Params: { conv: string; comment: string } };

/** Registers the operator's routes for reviews of a conversation's changes. Contract: Reviews. */
export async function reviewsRoutes(app: App, { reviews }: { reviews: Reviews }): Promise<void> {
  addCommentRoutes(app, reviews);
  const answer = { 202: Type.Ref('MessageAccepted') };

  app.get<Id>(
    '/conversations/:conv/review',
    {
      schema: {
        summary: 'Comments on the changes, and who may review them',
        tags,
        response: { 200: Type.Ref('Review') },
      },
    },
    async (request): Promise<Review> => reviews.view(request.params.conv),
  );

  app.post<Id & { Body: SendReview | undefined }>(
    '/conversations/:conv/review/send',
    { schema: { summary: 'Send all drafts as one message', tags, body: Type.Optional(SendReview), response: answer } },
    async (request, reply) =>
      reply.code(202).send((await reviews.send(request.params.conv, request.body ?? {})) satisfies MessageAccepted),
  );

  app.post<Id & { Body: AskReview }>(
    '/conversations/:conv/review/ask',
    {
      schema: {
        summary: 'Ask a member to review the changes; its comments arrive as drafts',
        tags,
        body: AskReview,
        response: { 202: Type.Ref('Review') },
      },
    },
    async (request, reply) =>
      reply.code(202).send((await reviews.ask(request.params.conv, request.body.member)) satisfies Review),
  );
}

function addCommentRoutes(app: App, reviews: Reviews): void {
  app.post<Id & { Body: NewReviewComment }>(
    '/conversations/:conv/review/comments',
    {
      schema: {
        summary: 'Draft a comment on a file or on lines',
        tags,
        body: NewReviewComment,
        response: { 201: Type.Ref('ReviewComment') },
      },
    },
    async (request, reply) =>
      reply.code(201).send((await reviews.add(request.params.conv, request.body)) satisfies ReviewComment),
  );

  app.patch<CommentId & { Body: ReviewCommentPatch }>(
    '/conversations/:conv/review/comments/:comment',
    {
      schema: {
        summary: 'Change the text of a draft',
        tags,
        body: ReviewCommentPatch,
        response: { 200: Type.Ref('ReviewComment') },
      },
    },
    async (request): Promise<ReviewComment> => reviews.patch(request.params.conv, request.params.comment, request.body),
  );

  app.delete<CommentId>(
    '/conversations/:conv/review/comments/:comment',
    { schema: { summary: 'Delete a draft', tags, response: { 200: Type.Ref('ReviewComment') } } },
    (request): Promise<ReviewComment> => reviews.remove(request.params.conv, request.params.comment),
  );
}
