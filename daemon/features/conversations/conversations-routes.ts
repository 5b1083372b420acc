import { Readable } from 'node:stream';
import { Type } from 'typebox';
import {
  CancelTurn,
  type Conversation,
  type ConversationList,
  ConversationPatch,
  ConversationsQuery,
  DecidePermission,
  ExportQuery,
  type MessageAccepted,
  type MessageList,
  MessagesQuery,
  NewConversation,
  NewMessage,
  type Permission,
} from '../../contract/conversations.js';
import type { App } from '../../http/create-server.js';
import { contentSecurityPolicy } from '../../http/headers.js';
import type { Conversations } from './conversations.js';
import { EXPORT_FORMATS } from './transcript.js';

const tags = ['conversations'];
const one = { 200: Type.Ref('Conversation') };

type Id = { Params: { conv: string } };

/** Working conversations with members, for the operator. Contract: Conversations. */
export function conversationsRoutes(app: App, conversations: Conversations): void {
  app.post<{ Body: NewConversation }>(
    '/conversations',
    { schema: { summary: 'Begin a conversation', tags, body: NewConversation, response: { 201: Type.Ref('Conversation') } } },
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

  app.get<Id>(
    '/conversations/:conv',
    { schema: { summary: 'One conversation', tags, response: one } },
    async (request): Promise<Conversation> => conversations.get(request.params.conv),
  );

  app.patch<Id & { Body: ConversationPatch }>(
    '/conversations/:conv',
    { schema: { summary: 'Rename, pin, archive, or run it on something else', tags, body: ConversationPatch, response: one } },
    (request): Promise<Conversation> => conversations.patch(request.params.conv, request.body),
  );

  app.delete<Id>(
    '/conversations/:conv',
    { schema: { summary: 'Stop it and remove all that was said', tags, response: { 200: Type.Ref('ConversationDeleted') } } },
    async (request) => {
      await conversations.remove(request.params.conv);
      return { ok: true as const, deleted: request.params.conv };
    },
  );

  app.get<Id & { Querystring: MessagesQuery }>(
    '/conversations/:conv/messages',
    {
      schema: {
        summary: 'A page of the transcript, oldest first',
        tags,
        querystring: MessagesQuery,
        response: { 200: Type.Ref('MessageList') },
      },
    },
    async (request): Promise<MessageList> => conversations.messages(request.params.conv, request.query),
  );

  app.post<Id & { Body: NewMessage }>(
    '/conversations/:conv/messages',
    {
      schema: { summary: 'Say something; waits while a turn runs', tags, body: NewMessage, response: { 202: Type.Ref('MessageAccepted') } },
    },
    async (request, reply) => reply.code(202).send((await conversations.say(request.params.conv, request.body)) satisfies MessageAccepted),
  );

  app.post<Id & { Body: CancelTurn | undefined }>(
    '/conversations/:conv/cancel',
    { schema: { summary: 'Stop the running turn', tags, body: Type.Optional(CancelTurn), response: one } },
    (request): Promise<Conversation> => conversations.cancel(request.params.conv, request.body ?? {}),
  );

  app.post<{ Params: { conv: string; pid: string }; Body: DecidePermission }>(
    '/conversations/:conv/permissions/:pid',
    { schema: { summary: 'Answer a question of the agent', tags, body: DecidePermission, response: { 200: Type.Ref('Permission') } } },
    (request): Promise<Permission> => conversations.decide(request.params.conv, request.params.pid, request.body.decision),
  );

  app.get<Id & { Querystring: ExportQuery }>(
    '/conversations/:conv/export',
    { schema: { summary: 'The whole conversation as a document', tags, querystring: ExportQuery } },
    async (request, reply) => {
      const { conv } = request.params;
      const format = request.query.format ?? 'md';
      const pieces = conversations.export(conv, format);
      void reply.headers({
        'content-type': EXPORT_FORMATS[format],
        'content-disposition': `attachment; filename="${conv}.${format}"`,
        'content-security-policy': contentSecurityPolicy(0),
      });
      return reply.send(Readable.from(pieces));
    },
  );
}
