import { LIST_LIMIT_DEFAULT, LIST_LIMIT_MAX } from '../../contract/limits.js';
import {
  type AckBody,
  type AckResult,
  type ChannelSendBody,
  type ChannelSent,
  type HistoryQuery,
  type HubMessage,
  INBOX_MAX,
  INBOX_RETENTION_DAYS,
  type Inbox,
  type InboxQuery,
  type MessageSent,
  PAYLOAD_LIMIT,
  type SendMessageBody,
} from '../../contract/network/hub.js';
import { MeshError } from '../../lib/errors.js';
import { newMessageId } from '../../lib/ids.js';
import type { Clock } from '../../lib/time/clock.js';
import { getDirectThreadId } from './direct-thread.js';
import type { HubChannelsStore } from './hub-channels-store.js';
import {
  type HubCaller,
  type HubDirectory,
  type HubRegistration,
  notRegistered,
  registrationOver,
} from './hub-directory.js';
import type { HubMessagesStore, NewMessage } from './hub-messages-store.js';
import type { HubStore } from './hub-store.js';

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
  agents: HubStore;
  channels: HubChannelsStore;
  directory: HubDirectory;
  lines: LiveLines;
  clock: Clock;
}

const RETENTION_MS = INBOX_RETENTION_DAYS * 86_400_000;
const PRUNE_EVERY_MS = 3_600_000;
const PRUNED_AT_ONCE = 1_000;

/**
 * Messages between agents, for agents that cannot be called directly. Each message is logged and stays in its
 * receiver's inbox until it is consumed or acknowledged, whether or not a live socket received it. Messages are kept
 * for seven days and at most 10,000 per inbox; the oldest are dropped first. Contract: Hub.
 */
export class HubMessages {
  private cancelPruning: () => void = () => undefined;
  private readonly listeners: ((sent: SentMessage) => void)[] = [];

  constructor(private readonly parts: HubMessagesParts) {}

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
    const { agents, directory, store } = this.parts;
    const sender = directory.of(caller);
    const receiver = directory.get(to);
    const room_id = getDirectThreadId(sender, receiver);
    const place = { receiver: receiver.seq, channel: null, room_id };
    const sent = { from: sender.agent_id, to: receiver.agent_id, isReply: false, isFirst: false };
    const message = await this.log(sender, [receiver], place, receiver.agent_id, payload, () => {
      if (!agents.stands(receiver.seq)) throw notRegistered();
      sent.isReply = store.findLastSender(room_id) === receiver.seq;
      sent.isFirst = !store.hasSent(room_id, sender.seq);
    });
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
    const channel = channels.find(channelId);
    if (!channel) throw new MeshError('not_found', 'There is no such channel.');
    const mustBeMember = () => {
      if (!channels.isMember(channel.seq, sender.seq))
        throw new MeshError('forbidden', `Join the channel "${channelId}" before you send to it.`);
    };
    mustBeMember();
    const others = channels.listMembers(channel.seq).filter((id) => id !== sender.agent_id);
    const receivers = others.flatMap((id) => directory.find(id) ?? []);
    const place = { receiver: null, channel: channel.seq, room_id: channel.id };
    const message = await this.log(sender, receivers, place, channel.id, payload, mustBeMember);
    return { message_id: message._message_id, delivered: await this.deliver(receivers, message, sender) };
  }

  /**
   * Returns the caller's inbox, oldest first. Reading consumes the messages, except with `since_id`, which only reads.
   * Includes the receipts for messages that the caller sent; each receipt is returned until it has been consumed once.
   */
  async inbox(caller: HubCaller, { since_id, limit = LIST_LIMIT_DEFAULT }: InboxQuery): Promise<Inbox> {
    const { store, directory, clock } = this.parts;
    const { seq } = directory.of(caller);
    const look = () => ({
      messages: store.listWaiting(seq, since_id ?? 0, limit),
      receipts: store.listReceipts(seq, LIST_LIMIT_MAX),
    });
    const seen = look();
    if (since_id !== undefined || (seen.messages.length === 0 && seen.receipts.length === 0))
      return toInbox(seen, since_id);
    return store.write(() => {
      this.mustStand(seq);
      const taken = look();
      store.take(
        seq,
        taken.messages.map(({ _id }) => _id),
        clock.now(),
      );
      const last = taken.receipts.at(-1);
      if (last) store.putReceiptsRead(seq, last.seq);
      return toInbox(taken, since_id);
    });
  }

  /** Removes messages from the caller's inbox by their `_id`. Ids that are not in the inbox are skipped. */
  async ack(caller: HubCaller, { ids }: AckBody): Promise<AckResult> {
    const { store, directory, clock } = this.parts;
    const { seq } = directory.of(caller);
    const acked = await store.write(() => {
      this.mustStand(seq);
      return store.take(seq, ids, clock.now());
    });
    return { ok: true, acked };
  }

  /** The direct messages between the caller and `peer`, newest first. Throws `not_found`. */
  history(caller: HubCaller, peer: string, { limit = LIST_LIMIT_DEFAULT, before }: HistoryQuery): HubMessage[] {
    const { store, directory } = this.parts;
    const room = getDirectThreadId(directory.of(caller), directory.get(peer));
    return store.listThread(room, before ?? Number.MAX_SAFE_INTEGER, limit);
  }

  private async prune(): Promise<void> {
    const { store, clock } = this.parts;
    const some = () => store.write(() => store.prune(clock.now() - RETENTION_MS, PRUNED_AT_ONCE));
    while ((await some()) === PRUNED_AT_ONCE);
  }

  private async log(
    sender: HubRegistration,
    receivers: readonly HubRegistration[],
    place: Pick<NewMessage, 'receiver' | 'channel' | 'room_id'>,
    to: string,
    payload: unknown,
    check: () => void,
  ): Promise<HubMessage> {
    const { store, agents, clock } = this.parts;
    const text = JSON.stringify(payload);
    if (Buffer.byteLength(text) > PAYLOAD_LIMIT)
      throw new MeshError('too_large', `"payload" is larger than ${PAYLOAD_LIMIT} bytes of JSON.`);
    const _message_id = newMessageId();
    const sentMs = clock.now();
    const _id = await store.write(() => {
      this.mustStand(sender.seq);
      check();
      const seq = store.insert({ ...place, message_id: _message_id, sender: sender.seq, payload: text, sentMs });
      for (const receiver of receivers) if (agents.stands(receiver.seq)) store.queue(receiver.seq, seq, INBOX_MAX);
      return seq;
    });
    const msg_type = place.channel === null ? 'message' : 'channel_message';
    return {
      _id,
      _message_id,
      msg_type,
      from: sender.agent_id,
      to,
      room_id: place.room_id,
      payload,
      ts: Math.floor(sentMs / 1000),
    };
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
    const { lines, store } = this.parts;
    const reached = receivers.filter((receiver) => lines.deliver(receiver, message, sender));
    if (reached.length > 0) {
      await store.write(() => {
        for (const { seq } of reached) store.putDelivered(seq, message._id);
      });
    }
    return reached.length;
  }

  /** Throws `unauthorized` when the registration has ended between the check of its token and the transaction. */
  private mustStand(seq: number): void {
    if (!this.parts.agents.stands(seq)) throw registrationOver();
  }
}

function toInbox(
  { messages, receipts }: { messages: HubMessage[]; receipts: { message_id: string; by: string; ts: number }[] },
  since = 0,
): Inbox {
  return {
    messages,
    receipts: receipts.map(({ message_id, by, ts }) => ({ message_id, by, ts })),
    next_since_id: messages.at(-1)?._id ?? since,
  };
}
