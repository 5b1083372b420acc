import { Readable } from 'node:stream';
import { Type } from 'typebox';
import {
  CancelTurn,
  type Conversation,
  type DroppedTurns,
  ExportQuery,
  type MessageAccepted,
  type MessageList,
  MessagesQuery,
  NewMessage,
  type Turn,
} from '../../contract/conversations.js';
import { contentSecurityPolicy } from '../../http/headers.js';
import type { App } from '../../http/route-types.js';
import type { Messages } from './messages.js';
import { EXPORT_FORMATS } from './transcript.js';

const tags = ['conversations'];

type Id = { Params: { conv: string } };

/** Registers the operator's routes for messages and the queue of conversations. Contract: Conversations. */
export async function messagesRoutes(app: App, { messages }: { messages: Messages }): Promise<void> {
  addMessageRoutes(app, messages);
  addQueueRoutes(app, messages);
  addExportRoute(app, messages);
}

function addMessageRoutes(app: App, messages: Messages): void {
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
    async (request): Promise<MessageList> => messages.page(request.params.conv, request.query),
  );

  app.post<Id & { Body: NewMessage }>(
    '/conversations/:conv/messages',
    {
      schema: {
        summary: 'Send a message; queued while a turn runs',
        tags,
        body: NewMessage,
        response: { 202: Type.Ref('MessageAccepted') },
      },
    },
    async (request, reply) =>
      reply.code(202).send((await messages.say(request.params.conv, request.body)) satisfies MessageAccepted),
  );

  app.delete<{ Params: { conv: string; msg: string } }>(
    '/conversations/:conv/messages/:msg',
    {
      schema: {
        summary: 'Remove a queued message; the running turn continues',
        description: '`msg` is the id of the message or of its turn. 409 `not_waiting` once it runs or has ended.',
        tags,
        response: { 200: Type.Ref('Turn') },
      },
    },
    (request): Promise<Turn> => messages.drop(request.params.conv, request.params.msg),
  );
}

/** The running turn and the messages that wait for it. */
function addQueueRoutes(app: App, messages: Messages): void {
  app.delete<Id>(
    '/conversations/:conv/queue',
    {
      schema: {
        summary: 'Remove all queued messages; the running turn continues',
        tags,
        response: { 200: Type.Ref('DroppedTurns') },
      },
    },
    (request): Promise<DroppedTurns> => messages.dropAll(request.params.conv),
  );

  app.post<Id & { Body: CancelTurn | null | undefined }>(
    '/conversations/:conv/cancel',
    {
      schema: {
        summary: 'Stop the running turn; no body is fine',
        tags,
        body: Type.Union([CancelTurn, Type.Null()]),
        response: { 200: Type.Ref('Conversation') },
      },
    },
    (request): Promise<Conversation> => messages.cancel(request.params.conv, request.body ?? {}),
  );
}

function addExportRoute(app: App, messages: Messages): void {
  app.get<Id & { Querystring: ExportQuery }>(
    '/conversations/:conv/export',
    { schema: { summary: 'The whole conversation as a document', tags, querystring: ExportQuery } },
    async (request, reply) => {
      const { conv } = request.params;
      const format = request.query.format ?? 'md';
      const pieces = messages.export(conv, format);
      void reply.headers({
        'content-type': EXPORT_FORMATS[format],
        'content-disposition': `attachment; filename="${conv}.${format}"`,
        'content-security-policy': contentSecurityPolicy(0),
      });
      return reply.send(Readable.from(pieces));
    },
  );
}
