import type { AckMessages, ConsumeInbox, DeliveredHubMessage, SendHubMessage } from '../../contract/commands/hub.js';
import { LIST_LIMIT_DEFAULT, LIST_LIMIT_MAX } from '../../contract/limits.js';
import {
  type AckBody,
  type AckResult,
  type ChannelSendBody,
  type ChannelSent,
  type HistoryQuery,
  type HubMessage,
  type Inbox,
  type InboxQuery,
  type MessageSent,
  PAYLOAD_LIMIT,
  type SendMessageBody,
} from '../../contract/network/hub.js';
import { MeshError } from '../../lib/errors.js';
import { newMessageId } from '../../lib/ids.js';
import type { Clock } from '../../lib/time/clock.js';
import type { SharedChanges } from '../../shared-log/command-kinds.js';
import type { Command } from '../../shared-log/shared-log.js';
import { getDirectThreadId } from './direct-thread.js';
import type { HubChannelsStore } from './hub-channels-store.js';
import type { HubCaller, HubDirectory, HubRegistration } from './hub-directory.js';
import type { HubMessagesStore, NewMessage, Waiting } from './hub-messages-store.js';
import { type LoggedMessage, notMember, PRUNED_AT_ONCE } from './hub-talk-commands.js';

/** The part of the live sockets that messages need. */
interface LiveLines {
  /**
   * Sends the message to every socket of `receiver`. For a direct message, both peers are first sent the id of their
   * direct thread. Returns whether any socket accepted the message.
   */
  deliver(receiver: HubRegistration, message: HubMessage, sender: HubRegistration): boolean;
}

/** A direct message that is on record, and its place in the thread of the two agents. */
export interface SentMessage {
  from: string;
  to: string;
  /** Whether it follows a message of its receiver. */
  isReply: boolean;
  /** Whether it is its sender's first one in the thread, of those that are kept. */
  isFirst: boolean;
}

interface HubMessagesParts {
  store: HubMessagesStore;
  shared: SharedChanges;
  channels: HubChannelsStore;
  directory: HubDirectory;
  lines: LiveLines;
  clock: Clock;
}

const PRUNE_EVERY_MS = 3_600_000;

/**
 * Messages between agents, for agents that cannot be called directly. Each message is logged and stays in its
 * receiver's inbox until it is consumed or acknowledged, whether or not a live socket received it. Messages are kept
 * for seven days and at most 10,000 per inbox; the oldest are dropped first. Contract: Hub.
 */
export class HubMessages {
  private cancelPruning: () => void = () => undefined;
  private readonly listeners: ((sent: SentMessage) => void)[] = [];
  /** Ids of messages that are sent through this daemon, which delivers them itself. */
  private readonly sending = new Set<string>();

  constructor(private readonly parts: HubMessagesParts) {
    parts.shared.kinds.onApplied<LoggedMessage>('hub.send', (logged, command) => this.deliverOthers(logged, command));
  }

  /** Deletes messages older than seven days, immediately and then every hour. */
  start(): void {
    this.cancelPruning = this.parts.clock.after(PRUNE_EVERY_MS, () => this.start());
    // A failure, such as an unwritable store, is retried at the next hourly run.
    void this.prune().catch(() => undefined);
  }

  stop(): void {
    this.cancelPruning();
  }

  /** Calls `listener` after every direct message that is on record. */
  onSent(listener: (sent: SentMessage) => void): void {
    this.listeners.push(listener);
  }

  /**
   * Sends any JSON value to one agent. Throws `unauthorized`, `not_found` for an id that is not registered, `too_large`
   * above 64 KiB. Durable before the promise resolves.
   */
  async send(caller: HubCaller, { to, payload }: SendMessageBody): Promise<MessageSent> {
    const { directory } = this.parts;
    const sender = directory.of(caller);
    const receiver = directory.get(to);
    const room_id = getDirectThreadId(sender, receiver);
    const place = { receiver: receiver.seq, channel: null, room_id };
    const { message, isReply, isFirst } = await this.log(sender, [receiver], place, receiver.agent_id, payload);
    const sent = { from: sender.agent_id, to: receiver.agent_id, isReply, isFirst };
    for (const listener of this.listeners) listener(sent);
    const reached = await this.deliver([receiver], message, sender);
    return { message_id: message._message_id, room_id, delivered: reached > 0 };
  }

  /**
   * Sends any JSON value to all other members of a channel. `delivered` counts the agents with a live socket that
   * accepted it. Throws `unauthorized`, `not_found`, `forbidden` when the caller is not a member, `too_large`.
   */
  async sendToChannel(caller: HubCaller, channelId: string, { payload }: ChannelSendBody): Promise<ChannelSent> {
    const { directory, channels } = this.parts;
    const sender = directory.of(caller);
    const channel = channels.get(channelId);
    if (!channels.isMember(channel.seq, sender.seq)) throw notMember(channelId);
    const others = channels.listMembers(channel.seq).filter((id) => id !== sender.agent_id);
    const receivers = others.flatMap((id) => directory.find(id) ?? []);
    const place = { receiver: null, channel: channel.seq, room_id: channel.id };
    const { message } = await this.log(sender, receivers, place, channel.id, payload);
    return { message_id: message._message_id, delivered: await this.deliver(receivers, message, sender) };
  }

  /**
   * Returns the caller's inbox, oldest first. Reading consumes the messages, except with `since_id`, which only reads.
   * Includes the receipts for messages that the caller sent; each receipt is returned until it has been consumed once.
   */
  async inbox(caller: HubCaller, { since_id, limit = LIST_LIMIT_DEFAULT }: InboxQuery): Promise<Inbox> {
    const { store, directory, shared } = this.parts;
    const { seq, agent_id } = directory.of(caller);
    const seen = store.look(seq, since_id ?? 0, limit, LIST_LIMIT_MAX);
    if (since_id !== undefined || (seen.messages.length === 0 && seen.receipts.length === 0))
      return toInbox(seen, since_id);
    const body = { agent: seq, limit } satisfies ConsumeInbox;
    return toInbox(await shared.log.submit<Waiting>('hub.consume', agent_id, body));
  }

  /** Removes messages from the caller's inbox by their `_id`. Ids that are not in the inbox are skipped. */
  async ack(caller: HubCaller, { ids }: AckBody): Promise<AckResult> {
    const { directory, shared } = this.parts;
    const { seq, agent_id } = directory.of(caller);
    const body = { agent: seq, ids } satisfies AckMessages;
    return { ok: true, acked: await shared.log.submit<number>('hub.ack', agent_id, body) };
  }

  /** The direct messages between the caller and `peer`, newest first. Throws `not_found`. */
  history(caller: HubCaller, peer: string, { limit = LIST_LIMIT_DEFAULT, before }: HistoryQuery): HubMessage[] {
    const { store, directory } = this.parts;
    const room = getDirectThreadId(directory.of(caller), directory.get(peer));
    return store.listThread(room, before ?? Number.MAX_SAFE_INTEGER, limit);
  }

  private async prune(): Promise<void> {
    const some = () => this.parts.shared.log.submit<number>('hub.prune', 'old', {});
    while ((await some()) === PRUNED_AT_ONCE);
  }

  private async log(
    sender: HubRegistration,
    receivers: readonly HubRegistration[],
    place: Pick<NewMessage, 'receiver' | 'channel' | 'room_id'>,
    to: string,
    payload: unknown,
  ): Promise<LoggedMessage & { message: HubMessage }> {
    const text = JSON.stringify(payload);
    if (Buffer.byteLength(text) > PAYLOAD_LIMIT)
      throw new MeshError('too_large', `"payload" is larger than ${PAYLOAD_LIMIT} bytes of JSON.`);
    const _message_id = newMessageId();
    this.sending.add(_message_id);
    const body: SendHubMessage = {
      ...{ ...place, sender: sender.seq, receivers: receivers.map(({ seq }) => seq), payload: text },
    };
    const logged = await Promise.resolve(
      this.parts.shared.log.submit<LoggedMessage>('hub.send', _message_id, body),
    ).finally(() => this.sending.delete(_message_id));
    const message: HubMessage = {
      _id: logged.seq,
      _message_id,
      msg_type: place.channel === null ? 'message' : 'channel_message',
      from: sender.agent_id,
      to,
      room_id: place.room_id,
      payload,
      ts: Math.floor(logged.sentMs / 1000),
    };
    return { ...logged, message };
  }

  /** Delivers a message that another daemon of the network logged to the sockets of this one. */
  private deliverOthers({ seq, receivers }: LoggedMessage, { entity, body }: Command): void {
    if (this.sending.has(entity)) return;
    const { directory, store } = this.parts;
    const { sender: from } = body as SendHubMessage;
    const [message, sender] = [store.find(seq), directory.findBySeq(from)];
    if (!message || !sender) return;
    const here = receivers.flatMap((agent) => directory.findBySeq(agent) ?? []);
    // Not awaited: the next command of the network must not wait for one that this one sends.
    void this.deliver(here, message, sender).catch(() => undefined);
  }

  /**
   * Sends a logged message to the live sockets of its receivers, and marks it in the inboxes of those that accepted it.
   * Returns their number.
   */
  private async deliver(
    receivers: readonly HubRegistration[],
    message: HubMessage,
    sender: HubRegistration,
  ): Promise<number> {
    const { lines, shared } = this.parts;
    const reached = receivers.filter((receiver) => lines.deliver(receiver, message, sender));
    if (reached.length > 0) {
      const body = { message: message._id, agents: reached.map(({ seq }) => seq) } satisfies DeliveredHubMessage;
      await shared.log.submit<void>('hub.delivered', message._message_id, body);
    }
    return reached.length;
  }
}

function toInbox({ messages, receipts }: Waiting, since = 0): Inbox {
  return {
    messages,
    receipts: receipts.map(({ message_id, by, ts }) => ({ message_id, by, ts })),
    next_since_id: messages.at(-1)?._id ?? since,
  };
}
