import { type Static, Type } from 'typebox';
import { LIST_LIMIT_MAX } from '../limits.js';
import { AgentDescription, Capabilities, StateBody, Tier1Card } from '../network/agents.js';
import { AckBody, CHANNEL_MEMBERS_MAX, ChannelBody, PAYLOAD_LIMIT } from '../network/hub.js';
import { orNull } from '../one-of.js';
import { Digest } from './keys.js';
import { AgentNumber as Agent } from './seen.js';

/**
 * The bodies of the commands that change the hub. Agents are named by their number, which is never given twice.
 */

/** `hub.register`: the entity is the agent's id. */
export const RegisterHubAgent = Type.Object(
  {
    rid: Type.String({ minLength: 16, maxLength: 64 }),
    api_key_sha256: Digest,
    description: orNull(AgentDescription),
    capabilities: Capabilities,
    card: orNull(Tier1Card),
    is_verified: Type.Boolean(),
  },
  { additionalProperties: false },
);
export type RegisterHubAgent = Static<typeof RegisterHubAgent>;

/** What a change does: replace the named fields, merge the availability, or end `availability.now: false`. */
export const HubEdit = Type.Object(
  {
    description: Type.Optional(AgentDescription),
    capabilities: Type.Optional(Capabilities),
    card: Type.Optional(Tier1Card),
    availability: Type.Optional(StateBody.properties.availability),
    is_back: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
);
export type HubEdit = Static<typeof HubEdit>;

/** `hub.change` */
export const ChangeHubAgent = Type.Object({ agent: Agent, edit: HubEdit }, { additionalProperties: false });
export type ChangeHubAgent = Static<typeof ChangeHubAgent>;

/** `hub.deregister`, `hub.channel-join` and `hub.channel-leave`: the entity is the agent's or the channel's id. */
export const ByHubAgent = Type.Object({ agent: Agent }, { additionalProperties: false });
export type ByHubAgent = Static<typeof ByHubAgent>;

/**
 * `hub.channel-create`: `id` is the one asked for, `base` what the sender derived from the name. The entity is the one
 * of them that is used.
 */
export const CreateChannel = Type.Object(
  { agent: Agent, name: ChannelBody.properties.name, id: orNull(Type.String()), base: Type.String() },
  { additionalProperties: false },
);
export type CreateChannel = Static<typeof CreateChannel>;

/** `hub.contact-add` and `hub.contact-remove`: the entity is the id of the contact. */
export const HubContact = Type.Object({ agent: Agent, contact: Agent }, { additionalProperties: false });
export type HubContact = Static<typeof HubContact>;

/**
 * `hub.send`: the entity is the message's id, `payload` is JSON text, `receivers` are those whose inboxes get it. One of
 * `receiver` and `channel`, which are numbers of the log, is set.
 */
export const SendHubMessage = Type.Object(
  {
    sender: Agent,
    receiver: orNull(Agent),
    channel: orNull(Type.Integer({ minimum: 1 })),
    room_id: Type.String({ minLength: 1, maxLength: 100 }),
    receivers: Type.Array(Agent, { maxItems: CHANNEL_MEMBERS_MAX }),
    payload: Type.String({ minLength: 1, maxLength: PAYLOAD_LIMIT }),
  },
  { additionalProperties: false },
);
export type SendHubMessage = Static<typeof SendHubMessage>;

/** `hub.delivered`: live sockets of these agents accepted the message. */
export const DeliveredHubMessage = Type.Object(
  { message: Type.Integer({ minimum: 1 }), agents: Type.Array(Agent, { maxItems: CHANNEL_MEMBERS_MAX }) },
  { additionalProperties: false },
);
export type DeliveredHubMessage = Static<typeof DeliveredHubMessage>;

/** `hub.consume`: takes the oldest messages out of an inbox. The entity is the agent's id. */
export const ConsumeInbox = Type.Object(
  { agent: Agent, limit: Type.Integer({ minimum: 1, maximum: LIST_LIMIT_MAX }) },
  { additionalProperties: false },
);
export type ConsumeInbox = Static<typeof ConsumeInbox>;

/** `hub.ack`: removes messages from an inbox. The entity is the agent's id. */
export const AckMessages = Type.Object({ agent: Agent, ids: AckBody.properties.ids }, { additionalProperties: false });
export type AckMessages = Static<typeof AckMessages>;

/** `hub.prune`: deletes messages that were too old when it was sent. The entity is `old`. */
export const PruneMessages = Type.Object({}, { additionalProperties: false });
