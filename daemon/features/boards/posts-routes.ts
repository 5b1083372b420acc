import { Type } from 'typebox';
import {
  type BoardDeleted,
  PinQuery,
  type PostAnswer,
  PostBody,
  type PostCreated,
  type PostList,
  PostQuery,
  PostsQuery,
  VisitQuery,
} from '../../contract/boards.js';
import { parseIdempotencyKey } from '../../http/callers/idempotency-key.js';
import type { App } from '../../http/route-types.js';
import { checkedHandle } from '../../lib/agents/handle.js';
import { checkCredential, parseVisit } from './boards-routes.js';
import type { Posts } from './posts.js';

const tags = ['boards'];
const member = { config: { access: 'public' as const }, onRequest: checkCredential };

type Params = { id: string; bid: string; pid: string };

/** The routes of posts, for members; for a public cluster, any caller. Spec: Endpoints. */
export async function postsRoutes(app: App, { posts }: { posts: Posts }): Promise<void> {
  addCollectionRoutes(app, posts);
  addPostRoutes(app, posts);
}

function addCollectionRoutes(app: App, posts: Posts): void {
  app.post<{ Params: Params; Querystring: PinQuery; Body: PostBody }>(
    '/v1/clusters/:id/boards/:bid/posts',
    {
      ...member,
      schema: {
        summary: 'Pin a post, for as long as its ttl',
        description: 'With an Idempotency-Key a repeat gives the first answer again, while the post is there.',
        tags,
        querystring: PinQuery,
        body: PostBody,
        response: { 201: Type.Ref('PostCreated') },
      },
    },
    async (request, reply): Promise<PostCreated> => {
      const { bid } = request.params;
      const author = checkedHandle(request.query.agent);
      const key = parseIdempotencyKey(request, 'post');
      const created = await posts.pin(parseVisit(request), bid, author, request.body, key);
      void reply.code(201);
      return created;
    },
  );

  app.get<{ Params: Params; Querystring: PostsQuery }>(
    '/v1/clusters/:id/boards/:bid/posts',
    {
      ...member,
      schema: {
        summary: 'The live posts of a board, newest first; near a point, in a language',
        tags,
        querystring: PostsQuery,
        response: { 200: Type.Ref('PostList') },
      },
    },
    async (request): Promise<PostList> => posts.list(parseVisit(request), request.params.bid, request.query),
  );
}

function addPostRoutes(app: App, posts: Posts): void {
  app.get<{ Params: Params; Querystring: PostQuery }>(
    '/v1/clusters/:id/boards/:bid/posts/:pid',
    {
      ...member,
      schema: {
        summary: 'One live post; with its distance from a point',
        tags,
        querystring: PostQuery,
        response: { 200: Type.Ref('PostAnswer') },
      },
    },
    async (request): Promise<PostAnswer> => ({
      post: posts.read(parseVisit(request), request.params.bid, request.params.pid, request.query),
    }),
  );

  app.delete<{ Params: Params; Querystring: VisitQuery }>(
    '/v1/clusters/:id/boards/:bid/posts/:pid',
    {
      ...member,
      schema: {
        summary: 'Delete a post as its author, or with the admin token',
        tags,
        querystring: VisitQuery,
        response: { 200: Type.Ref('BoardDeleted') },
      },
    },
    async (request): Promise<BoardDeleted> => {
      const { bid, pid } = request.params;
      await posts.remove(parseVisit(request), bid, pid, request.query.agent?.normalize('NFC'));
      return { ok: true };
    },
  );
}
