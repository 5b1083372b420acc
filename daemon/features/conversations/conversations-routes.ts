import { Type } from 'typebox';
import {
  type Conversation,
  type ConversationList,
  ConversationPatch,
  ConversationsQuery,
  DeleteQuery,
  NewConversation,
} from '../../contract/conversations.js';
import type { App } from '../../http/route-types.js';
import type { Conversations } from './conversations.js';

const tags = ['conversations'];
const one = { 200: Type.Ref('Conversation') };

type Id = { Params: { conv: string } };

/** Registers the operator's routes for conversations with members. Contract: Conversations. */
export async function conversationsRoutes(
  app: App,
  { conversations }: { conversations: Conversations },
): Promise<void> {
  addCollectionRoutes(app, conversations);
  addConversationRoutes(app, conversations);
}

function addCollectionRoutes(app: App, conversations: Conversations): void {
  app.post<{ Body: NewConversation }>(
    '/conversations',
    {
      schema: {
        summary: 'Start a conversation',
        tags,
        body: NewConversation,
        response: { 201: Type.Ref('Conversation') },
      },
    },
    async (request, reply) => reply.code(201).send(await conversations.create(request.body)),
  );

  app.get<{ Querystring: ConversationsQuery }>(
    '/conversations',
    {
      schema: {
        summary: 'Conversations, pinned first, then newest',
        tags,
        querystring: ConversationsQuery,
        response: { 200: Type.Ref('ConversationList') },
      },
    },
    async (request): Promise<ConversationList> => conversations.list(request.query),
  );
}

function addConversationRoutes(app: App, conversations: Conversations): void {
  app.get<Id>(
    '/conversations/:conv',
    { schema: { summary: 'One conversation', tags, response: one } },
    async (request): Promise<Conversation> => conversations.get(request.params.conv),
  );

  app.patch<Id & { Body: ConversationPatch }>(
    '/conversations/:conv',
    {
      schema: {
        summary: 'Rename, pin, archive, or change client, model and effort',
        tags,
        body: ConversationPatch,
        response: one,
      },
    },
    (request): Promise<Conversation> => conversations.patch(request.params.conv, request.body),
  );

  app.delete<Id & { Querystring: DeleteQuery }>(
    '/conversations/:conv',
    {
      schema: {
        summary: 'Stop and delete a conversation',
        tags,
        querystring: DeleteQuery,
        response: { 200: Type.Ref('ConversationDeleted') },
      },
    },
    async (request) => {
      const place = await conversations.remove(request.params.conv, request.query.only_empty);
      return { ok: true as const, deleted: request.params.conv, ...place };
    },
  );
}
