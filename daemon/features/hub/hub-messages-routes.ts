import { Type } from 'typebox';
import {
  AckBody,
  type AckResult,
  ChannelBody,
  type ChannelList,
  ChannelSendBody,
  type ChannelSent,
  type ContactList,
  HistoryQuery,
  type HubMessage,
  type HubOk,
  type Inbox,
  InboxQuery,
  type MessageSent,
  SendMessageBody,
} from '../../contract/network/hub.js';
import { PageQuery } from '../../contract/shared/paging.js';
import type { AgentBearers } from '../../http/callers/agent-bearer.js';
import type { App } from '../../http/route-types.js';
import type { HubChannels } from './hub-channels.js';
import type { HubContacts } from './hub-contacts.js';
import type { HubMessages } from './hub-messages.js';

const OK: HubOk = { ok: true };
const ok = { 200: Type.Ref('HubOk') };
const describeRoute = (summary: string) => ({ summary, tags: ['hub messages'] });

interface HubMessagesRoutesParts {
  messages: HubMessages;
  channels: HubChannels;
  contacts: HubContacts;
  bearers: AgentBearers;
}

/** The routes for messages, channels and contacts between agents. Contract: Hub. */
export async function hubMessagesRoutes(app: App, parts: HubMessagesRoutesParts): Promise<void> {
  addMessageRoutes(app, parts);
  addChannelRoutes(app, parts);
  addContactRoutes(app, parts);
}

function addMessageRoutes(app: App, { messages, bearers }: HubMessagesRoutesParts): void {
  app.post<{ Body: SendMessageBody }>(
    '/agents/messages',
    {
      ...bearers.route,
      schema: {
        ...describeRoute('Send a message to an agent'),
        body: SendMessageBody,
        response: { 200: Type.Ref('MessageSent') },
      },
    },
    (request): Promise<MessageSent> => messages.send(bearers.getCaller(request), request.body),
  );

  app.get<{ Querystring: InboxQuery }>(
    '/agents/messages',
    {
      ...bearers.route,
      schema: {
        ...describeRoute('Take what waits in the inbox; with since_id only look'),
        querystring: InboxQuery,
        response: { 200: Type.Ref('Inbox') },
      },
    },
    (request): Promise<Inbox> => messages.inbox(bearers.getCaller(request), request.query),
  );

  app.post<{ Body: AckBody }>(
    '/agents/messages/ack',
    {
      ...bearers.route,
      schema: {
        ...describeRoute('Take messages out of the inbox by their _id'),
        body: AckBody,
        response: { 200: Type.Ref('AckResult') },
      },
    },
    (request): Promise<AckResult> => messages.ack(bearers.getCaller(request), request.body),
  );

  app.get<{ Params: { peer: string }; Querystring: HistoryQuery }>(
    '/agents/messages/:peer/history',
    {
      ...bearers.route,
      schema: {
        ...describeRoute('Messages exchanged with a peer, newest first'),
        querystring: HistoryQuery,
        response: { 200: Type.Array(Type.Ref('HubMessage')) },
      },
    },
    async (request): Promise<HubMessage[]> =>
      messages.history(bearers.getCaller(request), request.params.peer, request.query),
  );
}

function addChannelRoutes(app: App, { messages, channels, bearers }: HubMessagesRoutesParts): void {
  app.post<{ Body: ChannelBody }>(
    '/agents/channels',
    {
      ...bearers.route,
      schema: {
        ...describeRoute('Make a channel and join it'),
        body: ChannelBody,
        response: { 201: Type.Ref('ChannelCreated') },
      },
    },
    async (request, reply) =>
      reply.code(201).send({ channel: await channels.create(bearers.getCaller(request), request.body) }),
  );

  app.get<{ Querystring: PageQuery }>(
    '/agents/channels',
    {
      ...bearers.route,
      schema: {
        ...describeRoute('All channels, oldest first'),
        querystring: PageQuery,
        response: { 200: Type.Ref('ChannelList') },
      },
    },
    async (request): Promise<ChannelList> => channels.list(bearers.getCaller(request), request.query),
  );

  app.post<{ Params: { id: string } }>(
    '/agents/channels/:id/join',
    { ...bearers.route, schema: { ...describeRoute('Join a channel'), response: ok } },
    async (request): Promise<HubOk> => {
      await channels.join(bearers.getCaller(request), request.params.id);
      return OK;
    },
  );

  app.post<{ Params: { id: string } }>(
    '/agents/channels/:id/leave',
    { ...bearers.route, schema: { ...describeRoute('Leave a channel'), response: ok } },
    async (request): Promise<HubOk> => {
      await channels.leave(bearers.getCaller(request), request.params.id);
      return OK;
    },
  );

  app.post<{ Params: { id: string }; Body: ChannelSendBody }>(
    '/agents/channels/:id/send',
    {
      ...bearers.route,
      schema: {
        ...describeRoute('Send a message to a channel'),
        body: ChannelSendBody,
        response: { 200: Type.Ref('ChannelSent') },
      },
    },
    (request): Promise<ChannelSent> =>
      messages.sendToChannel(bearers.getCaller(request), request.params.id, request.body),
  );
}

function addContactRoutes(app: App, { contacts, bearers }: HubMessagesRoutesParts): void {
  app.put<{ Params: { agent_id: string } }>(
    '/agents/contacts/:agent_id',
    { ...bearers.route, schema: { ...describeRoute('Keep an agent as a contact'), response: ok } },
    async (request): Promise<HubOk> => {
      await contacts.add(bearers.getCaller(request), request.params.agent_id);
      return OK;
    },
  );

  app.delete<{ Params: { agent_id: string } }>(
    '/agents/contacts/:agent_id',
    { ...bearers.route, schema: { ...describeRoute('Drop a contact'), response: ok } },
    async (request): Promise<HubOk> => {
      await contacts.remove(bearers.getCaller(request), request.params.agent_id);
      return OK;
    },
  );

  app.get<{ Querystring: PageQuery }>(
    '/agents/contacts',
    {
      ...bearers.route,
      schema: {
        ...describeRoute('Contacts, and who of them is online'),
        querystring: PageQuery,
        response: { 200: Type.Ref('ContactList') },
      },
    },
    async (request): Promise<ContactList> => contacts.list(bearers.getCaller(request), request.query),
  );
}
