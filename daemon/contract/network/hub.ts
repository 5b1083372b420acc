import { type Static, Type } from 'typebox';
import { LIST_LIMIT_MAX } from '../limits.js';
import { PageFields } from '../shared/paging.js';
import { AgentDescription, AgentId, Capabilities, CardAsSent, type Tier1Card } from './agents.js';

/** Maximum size of a message's payload as JSON, in bytes. */
export const PAYLOAD_LIMIT = 64 * 1024;
/** Maximum number of messages that wait in one inbox, and how long they are kept. The oldest are dropped first. */
export const INBOX_MAX = 10_000;
export const INBOX_RETENTION_DAYS = 7;
/** Maximum numbers of channels of the hub, members of one channel, and contacts of one agent. */
export const CHANNELS_MAX = 1_000;
export const CHANNEL_MEMBERS_MAX = 256;
export const CONTACTS_MAX = 1_000;
/** Maximum number of open sockets of one agent. */
export const SOCKETS_MAX = 32;

export const RegisterBody = Type.Object(
  {
    agent_id: AgentId,
    capabilities: Capabilities,
    description: Type.Optional(AgentDescription),
    agent_card: Type.Optional(CardAsSent),
  },
  { additionalProperties: false },
);
export type RegisterBody = Static<typeof RegisterBody>;

/** The only response that contains the `api_key`. Spec: Registration result. */
export const Registration = Type.Object(
  {
    agent_id: Type.String(),
    api_key: Type.String({ description: '32 hexadecimal characters; only the caller keeps it.' }),
    token: Type.String({ description: 'Valid for 24 hours.' }),
    hub_url: Type.String(),
    message: Type.String(),
  },
  { $id: 'Registration' },
);
export type Registration = Static<typeof Registration>;

/** The card is replaced completely, absent keys are left unchanged, and `status` is accepted and ignored. */
export const PatchAgentBody = Type.Object(
  {
    description: Type.Optional(AgentDescription),
    capabilities: Type.Optional(Capabilities),
    agent_card: Type.Optional(CardAsSent),
    status: Type.Optional(Type.Unknown()),
  },
  { additionalProperties: false },
);
export type PatchAgentBody = Static<typeof PatchAgentBody>;

/** Spec: Agent lookup record. Times are epoch seconds. An agent that has published no card has one of its record. */
export const AgentRecord = Type.Object(
  {
    agent_id: Type.String(),
    online: Type.Boolean(),
    agent_card: Type.Unsafe<Tier1Card>(Type.Ref('Tier1Card')),
    description: Type.Union([Type.String(), Type.Null()]),
    capabilities: Type.Array(Type.String()),
    verified: Type.Boolean(),
    registered_at: Type.Integer(),
    last_seen: Type.Integer(),
  },
  { $id: 'AgentRecord' },
);
export type AgentRecord = Static<typeof AgentRecord>;

/** The response is a bare array; the `Link` header contains the cursor of the next page. */
export const AgentsQuery = Type.Object(
  {
    all: Type.Optional(Type.Boolean({ description: 'Also those that are offline.' })),
    capability: Type.Optional(Type.String({ maxLength: 64 })),
    q: Type.Optional(Type.String({ maxLength: 200 })),
    ...PageFields,
  },
  { additionalProperties: false },
);
export type AgentsQuery = Static<typeof AgentsQuery>;

/** Response of `PATCH /agents/me` and `POST /agents/me/state`. */
export const AgentUpdated = Type.Object(
  {
    status: Type.Literal('ok'),
    agent_id: Type.String(),
    online: Type.Boolean(),
    agent_card: Type.Ref('Tier1Card'),
  },
  { $id: 'AgentUpdated' },
);
export type AgentUpdated = { status: 'ok'; agent_id: string; online: boolean; agent_card: Tier1Card };

export const SendMessageBody = Type.Object(
  { to: AgentId, payload: Type.Unknown({ description: 'Any JSON, at most 64 KiB.' }) },
  { additionalProperties: false },
);
export type SendMessageBody = Static<typeof SendMessageBody>;

export const MessageSent = Type.Object(
  {
    message_id: Type.String(),
    room_id: Type.String(),
    delivered: Type.Boolean({ description: 'Whether a live socket of the receiver took it.' }),
  },
  { $id: 'MessageSent' },
);
export type MessageSent = Static<typeof MessageSent>;

export const HubMessage = Type.Object(
  {
    _id: Type.Integer({ description: 'Rises with every message; what `since_id` counts.' }),
    _message_id: Type.String(),
    msg_type: Type.String({ description: '`message` or `channel_message`.' }),
    from: Type.String(),
    to: Type.String({ description: 'An agent, or a channel.' }),
    room_id: Type.String(),
    payload: Type.Unknown(),
    ts: Type.Integer(),
    delivered: Type.Optional(
      Type.Literal(true, { description: 'In the inbox: a live socket of the receiver already took it.' }),
    ),
  },
  { $id: 'HubMessage' },
);
export type HubMessage = Static<typeof HubMessage>;

/** Without `since_id` the returned messages are consumed; with it none are. */
export const InboxQuery = Type.Object(
  {
    since_id: Type.Optional(Type.Integer({ minimum: 0 })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: LIST_LIMIT_MAX })),
  },
  { additionalProperties: false },
);
export type InboxQuery = Static<typeof InboxQuery>;

export const Inbox = Type.Object(
  {
    messages: Type.Array(Type.Ref('HubMessage')),
    receipts: Type.Array(Type.Object({ message_id: Type.String(), by: Type.String(), ts: Type.Integer() }), {
      description:
        'Messages of one’s own that a receiver has consumed or acknowledged since the last look without ' +
        '`since_id`; at most 200.',
    }),
    next_since_id: Type.Integer(),
  },
  { $id: 'Inbox' },
);
export type Inbox = {
  messages: HubMessage[];
  receipts: { message_id: string; by: string; ts: number }[];
  next_since_id: number;
};

export const AckBody = Type.Object(
  { ids: Type.Array(Type.Integer({ minimum: 1 }), { minItems: 1, maxItems: 1000, description: '`_id`s.' }) },
  { additionalProperties: false },
);
export type AckBody = Static<typeof AckBody>;
export const AckResult = Type.Object({ ok: Type.Literal(true), acked: Type.Integer() }, { $id: 'AckResult' });
export type AckResult = Static<typeof AckResult>;

/** The response is a bare array, newest first. */
export const HistoryQuery = Type.Object(
  {
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: LIST_LIMIT_MAX })),
    before: Type.Optional(Type.Integer({ minimum: 1, description: 'Only messages with a lower `_id`.' })),
  },
  { additionalProperties: false },
);
export type HistoryQuery = Static<typeof HistoryQuery>;

export const CHANNEL_ID_PATTERN = '^[a-z0-9][a-z0-9-]{0,63}$';
export const ChannelBody = Type.Object(
  {
    id: Type.Optional(Type.String({ pattern: CHANNEL_ID_PATTERN, description: 'Made from the name when absent.' })),
    name: Type.String({ minLength: 1, maxLength: 80 }),
  },
  { additionalProperties: false },
);
export type ChannelBody = Static<typeof ChannelBody>;
export const Channel = Type.Object(
  { id: Type.String(), name: Type.String(), members: Type.Array(Type.String()), created_at: Type.Integer() },
  { $id: 'Channel' },
);
export type Channel = Static<typeof Channel>;
export const ChannelCreated = Type.Object({ channel: Type.Ref('Channel') }, { $id: 'ChannelCreated' });
/** A page of all channels, oldest first. Every registered agent may join any channel. `count` is that of the page. */
export const ChannelList = Type.Object(
  {
    channels: Type.Array(Type.Ref('Channel')),
    count: Type.Integer(),
    next_cursor: Type.Union([Type.String(), Type.Null()]),
  },
  { $id: 'ChannelList' },
);
export type ChannelList = { channels: Channel[]; count: number; next_cursor: string | null };
export const ChannelSendBody = Type.Object({ payload: Type.Unknown() }, { additionalProperties: false });
export type ChannelSendBody = Static<typeof ChannelSendBody>;
export const ChannelSent = Type.Object(
  { message_id: Type.String(), delivered: Type.Integer() },
  { $id: 'ChannelSent' },
);
export type ChannelSent = Static<typeof ChannelSent>;

export const Contact = Type.Object(
  { agent_id: Type.String(), online: Type.Boolean(), added_at: Type.Integer() },
  { $id: 'Contact' },
);
export type Contact = Static<typeof Contact>;
/** A page of the contacts of an agent, oldest first. `count` is that of the page. */
export const ContactList = Type.Object(
  {
    contacts: Type.Array(Type.Ref('Contact')),
    count: Type.Integer(),
    next_cursor: Type.Union([Type.String(), Type.Null()]),
  },
  { $id: 'ContactList' },
);
export type ContactList = { contacts: Contact[]; count: number; next_cursor: string | null };
export const HubOk = Type.Object({ ok: Type.Literal(true) }, { $id: 'HubOk' });
export type HubOk = Static<typeof HubOk>;

/**
 * Frames that a client sends on the live socket `/agents/ws?token=` (alias `/ws?token=`). On the wire `msg_type` names
 * the kind as well as `type` does; other members are ignored.
 */
export type HubClientFrame =
  | { type: 'connect_to'; to: string }
  | { type: 'send'; to: string; room_id?: string; payload: unknown };
/**
 * Frames that the server sends. `room_created` reaches both peers before the first message of their direct thread.
 * `from` is the peer that opened it.
 */
export type HubServerFrame =
  | {
      type: 'room_created';
      msg_type: 'room_created';
      room_id: string;
      from: string;
      to: string;
      peers: [string, string];
    }
  | ({ type: 'message' } & HubMessage)
  | {
      type: 'presence';
      msg_type: 'presence';
      payload: { agent_id: string; status: 'online' | 'offline' };
      agent_id: string;
      online: boolean;
    }
  | { type: 'error'; msg_type: 'error'; error: string; message: string; payload: { detail: string } };
