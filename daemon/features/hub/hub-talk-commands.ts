import {
  AckMessages,
  ByHubAgent,
  ConsumeInbox,
  CreateChannel,
  DeliveredHubMessage,
  HubContact,
  PruneMessages,
  SendHubMessage,
} from '../../contract/commands/hub.js';
import { LIST_LIMIT_MAX } from '../../contract/limits.js';
import {
  CHANNEL_MEMBERS_MAX,
  CHANNELS_MAX,
  type Channel,
  CONTACTS_MAX,
  INBOX_MAX,
  INBOX_RETENTION_DAYS,
} from '../../contract/network/hub.js';
import { freeId } from '../../lib/agents/member-id.js';
import { MeshError } from '../../lib/errors.js';
import { ANY_DAEMON, type CommandKind, commandKind } from '../../shared-log/command-kinds.js';
import type { Command } from '../../shared-log/shared-log.js';
import { getDirectThreadId } from './direct-thread.js';
import type { HubChannelsStore } from './hub-channels-store.js';
import { listOwned } from './hub-commands.js';
import type { HubContactsStore } from './hub-contacts-store.js';
import { notRegistered, registrationOver } from './hub-directory.js';
import { type HubMessagesStore, PAYLOAD_DEPTH_MAX, parsePayload, type Waiting } from './hub-messages-store.js';
import type { HubStore } from './hub-store.js';

/** A message that was logged. */
export interface LoggedMessage {
  /** Its `_id`. */
  seq: number;
  sentMs: number;
  /** The agents whose inboxes got it. */
  receivers: readonly number[];
  /** Of a direct message: whether it follows one of its receiver. */
  isReply: boolean;
  /** Of a direct message: whether it is its sender's first one in the thread, of those that are kept. */
  isFirst: boolean;
}

interface HubTalkParts {
  agents: HubStore;
  channels: HubChannelsStore;
  contacts: HubContactsStore;
  messages: HubMessagesStore;
}

/** Messages that one command deletes at most. */
export const PRUNED_AT_ONCE = 1_000;
const RETENTION_MS = INBOX_RETENTION_DAYS * 86_400_000;

/** The kinds of commands that change channels, contacts and messages of the hub, over their tables. */
export class HubTalkCommands {
  constructor(private readonly parts: HubTalkParts) {}

  get kinds(): Readonly<Record<string, CommandKind>> {
    const { channels, contacts, messages } = this.parts;
    const byAgent = { requires: ({ agent }: { agent: number }) => listOwned(this.parts.agents, [agent]) };
    return {
      'hub.channel-create': commandKind(CreateChannel, (body, command) => this.createChannel(body, command), byAgent),
      'hub.channel-join': commandKind(ByHubAgent, ({ agent }, command) => this.join(agent, command), byAgent),
      'hub.channel-leave': commandKind(
        ByHubAgent,
        ({ agent }, { entity }) => channels.removeMember(channels.get(entity).seq, agent),
        byAgent,
      ),
      'hub.contact-add': commandKind(HubContact, (body, command) => this.addContact(body, command), byAgent),
      'hub.contact-remove': commandKind(HubContact, ({ agent, contact }) => contacts.remove(agent, contact), byAgent),
      'hub.send': commandKind(SendHubMessage, (body, command) => this.send(body, command), {
        requires: ({ sender }) => listOwned(this.parts.agents, [sender]),
      }),
      'hub.delivered': commandKind(
        DeliveredHubMessage,
        ({ message, agents }) => {
          for (const agent of agents) messages.putDelivered(agent, message);
        },
        { requires: ({ agents }) => listOwned(this.parts.agents, agents) },
      ),
      'hub.consume': commandKind(ConsumeInbox, (body, { at }) => this.consume(body, at), byAgent),
      'hub.ack': commandKind(
        AckMessages,
        ({ agent, ids }, { at }) => {
          this.requireRegistered(agent);
          return messages.take(agent, ids, at);
        },
        byAgent,
      ),
      'hub.prune': commandKind(
        PruneMessages,
        (_, { at }) => messages.prune(at - RETENTION_MS, PRUNED_AT_ONCE),
        ANY_DAEMON,
      ),
    };
  }

  private createChannel({ agent, name, id, base }: CreateChannel, { at }: Command): Channel {
    const { channels } = this.parts;
    this.requireRegistered(agent);
    if (channels.count() >= CHANNELS_MAX)
      throw new MeshError('limit_reached', `The hub holds at most ${CHANNELS_MAX} channels.`);
    if (id !== null && channels.find(id)) {
      throw new MeshError('slug_taken', `There is a channel "${id}" already: join it or choose another id.`, {
        details: { path: 'id' },
      });
    }
    const channel = id ?? freeId(base, (one) => channels.find(one) !== undefined);
    channels.addMember(channels.insert(channel, name, at), agent, at);
    return channels.toChannel(channels.get(channel));
  }

  private join(agent: number, { entity, at }: Command): void {
    const { channels } = this.parts;
    this.requireRegistered(agent);
    const channel = channels.get(entity);
    if (channels.isMember(channel.seq, agent)) return;
    if (channels.countMembers(channel.seq) >= CHANNEL_MEMBERS_MAX)
      throw new MeshError('limit_reached', `A channel has at most ${CHANNEL_MEMBERS_MAX} members.`);
    channels.addMember(channel.seq, agent, at);
  }

  private addContact({ agent, contact }: HubContact, { at }: Command): void {
    const { agents, contacts } = this.parts;
    this.requireRegistered(agent);
    if (!agents.isRegistered(contact)) throw notRegistered();
    if (contacts.count(agent) >= CONTACTS_MAX && !contacts.has(agent, contact))
      throw new MeshError('limit_reached', `An agent has at most ${CONTACTS_MAX} contacts.`);
    contacts.add(agent, contact, at);
  }

  private send(body: SendHubMessage, { entity, at }: Command): LoggedMessage {
    const { agents, channels, messages } = this.parts;
    const { sender, receiver, channel, room_id, receivers, payload } = body;
    this.requireRegistered(sender);
    if (channel !== null && !channels.isMember(channel, sender)) throw notMember(room_id);
    if (receiver !== null && !agents.isRegistered(receiver)) throw notRegistered();
    this.checkMessage(body);
    const isReply = receiver !== null && messages.findLastSender(room_id) === receiver;
    const isFirst = receiver !== null && !messages.hasSent(room_id, sender);
    const seq = messages.insert({ message_id: entity, sender, receiver, channel, room_id, payload, sentMs: at });
    // One that has just left the channel gets nothing.
    const isMeant = (one: number) => (channel === null ? one === receiver : channels.isMember(channel, one));
    const reached = [...new Set(receivers)].filter(isMeant);
    for (const one of reached) messages.queue(one, seq, INBOX_MAX);
    return { seq, sentMs: at, receivers: reached, isReply, isFirst };
  }

  /** Throws `bad_request` for what only a sender that is no meshd sends: nobody could read it, or it is misplaced. */
  private checkMessage({ sender, receiver, channel, room_id, payload }: SendHubMessage): void {
    const { agents, channels } = this.parts;
    if (parsePayload(payload) === undefined)
      throw new MeshError('bad_request', `The payload is not JSON of at most ${PAYLOAD_DEPTH_MAX} levels.`);
    if ((receiver === null) === (channel === null))
      throw new MeshError('bad_request', 'A message is either to an agent or to a channel.');
    const room =
      receiver === null
        ? channels.findId(channel ?? 0)
        : getDirectThreadId({ rid: agents.findRid(sender) ?? '' }, { rid: agents.findRid(receiver) ?? '' });
    if (room_id !== room)
      throw new MeshError('bad_request', `"${room_id}" is not the thread of the message, which is "${room}".`);
  }

  private consume({ agent, limit }: ConsumeInbox, at: number): Waiting {
    const { messages } = this.parts;
    this.requireRegistered(agent);
    const taken = messages.look(agent, 0, limit, LIST_LIMIT_MAX);
    messages.take(
      agent,
      taken.messages.map(({ _id }) => _id),
      at,
    );
    const last = taken.receipts.at(-1);
    if (last) messages.putReceiptsRead(agent, last.seq);
    return taken;
  }

  /** Throws `unauthorized` when the registration has ended between the check of its token and the command. */
  private requireRegistered(agent: number): void {
    if (!this.parts.agents.isRegistered(agent)) throw registrationOver();
  }
}

export const notMember = (channelId: string) =>
  new MeshError('forbidden', `Join the channel "${channelId}" before you send to it.`);
