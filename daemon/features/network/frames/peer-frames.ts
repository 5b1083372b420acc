import type { Msg, NatsConnection, Subscription } from '@nats-io/transport-node';
import { NETWORK_PRESENCE_MS, type NetworkFrames } from '../../../contract/shared/network.js';
import { NetworkShown } from '../../../contract/shared/network-asks.js';
import {
  PEER_MESSAGE_BYTES_MAX,
  PEER_QUEUE_BYTES_MAX,
  PeerGreeting,
  type PeerMessage,
} from '../../../contract/shared/peer-frames.js';
import { within } from '../../../lib/async/within.js';
import type { SigningKey } from '../../../lib/crypto/ed25519.js';
import { type Clock, every } from '../../../lib/time/clock.js';
import { hasForm } from '../../../shared-log/has-form.js';
import type { DropReason, FrameListener, FrameTopic, SharedFrames } from '../../../shared-log/shared-frames.js';
import { toBase64Url } from '../command-envelope.js';
import { type PeerPresence, PeerSessions } from './peer-sessions.js';
import { openMessage, sealMessage } from './sealed-message.js';

/** The entity of greetings. The id of a cluster begins with `c_`. */
const GREETINGS = 'daemons';
const GOODBYE_MS = 1_000;
/** So many daemons are answered at once. */
const FEW_PEERS = 16;
const GATHER_MS_PER_PEER = 5;
const GATHER_MS = NETWORK_PRESENCE_MS / 4;
/** Another id, which any daemon can give a cluster, cannot be part of a subject: the client throws for a space. */
const ENTITY = /^[A-Za-z0-9_-]{1,64}$/;

interface FramesParts {
  key: SigningKey;
  clock: Clock;
  /** Whether it is the present key of a daemon that is in the network. */
  isMember: (key: string) => boolean;
  /** What others see of this daemon. */
  show: () => NetworkShown;
}

interface Link {
  connection: NatsConnection;
  network: string;
  subscriptions: Map<string, Subscription>;
  cancel: () => void;
}

/**
 * The messages between daemons of a network that are not stored: each is signed, and goes over a
 * connection of its own, so that the log of changes never waits behind it. Without a network nothing is sent or kept.
 */
export class PeerFrames implements SharedFrames {
  private readonly own: string;
  private readonly sessions: PeerSessions;
  private readonly followed = new Set<string>();
  private readonly dropped = new Map<DropReason, number>();
  private listener: FrameListener | undefined;
  private link: Link | undefined;
  private isConnected = false;
  private isAnnouncing = false;
  private sent = 0;
  private received = 0;
  /** Bytes that the servers have not confirmed, and those of them that no confirmation was asked for yet. */
  private waiting = 0;
  private unasked = 0;
  private isAsking = false;

  constructor(private readonly parts: FramesParts) {
    this.own = toBase64Url(parts.key.pubkey);
    this.sessions = new PeerSessions(parts.clock);
  }

  get isReachable(): boolean {
    const isOpen = this.isConnected && this.link?.connection.isClosed() === false;
    return isOpen && this.waiting <= PEER_QUEUE_BYTES_MAX;
  }

  /** How much was exchanged since the start of the daemon. */
  get counts(): NetworkFrames {
    const dropped = [...this.dropped].map(([reason, count]) => ({ reason, count }));
    return {
      sent: this.sent,
      received: this.received,
      dropped: dropped.sort((a, b) => (a.reason < b.reason ? -1 : 1)),
    };
  }

  /** Returns what is known of the daemon with the key, also of this one. */
  find(key: string): PeerPresence {
    if (key !== this.own) return this.sessions.find(key);
    const { isConnected, parts } = this;
    return { isPresent: isConnected, lastSeenMs: isConnected ? parts.clock.now() : undefined, shown: parts.show() };
  }

  listen(listener: FrameListener): void {
    if (this.listener) throw new Error('Messages of other daemons have a listener already.');
    this.listener = listener;
    if (this.link) listener.onOpen();
  }

  /** Uses the connection, which must not echo, until `close`. */
  open(connection: NatsConnection, network: string): void {
    const cancel = every(this.parts.clock, NETWORK_PRESENCE_MS, () => this.announceAgain());
    this.link = { connection, network, subscriptions: new Map(), cancel };
    // A question that an earlier connection was closed with is never answered.
    this.isAsking = false;
    this.subscribe('presence', '*');
    for (const entity of this.followed) this.subscribe('wall', entity);
    void this.followConnection(this.link);
    this.begin();
    this.listener?.onOpen();
  }

  /** Ends the session with a greeting, and closes the connection. */
  async close(): Promise<void> {
    const { link } = this;
    if (!link) return;
    link.cancel();
    const { isReachable } = this;
    if (isReachable) this.greet(true);
    this.link = undefined;
    this.isConnected = false;
    this.sessions.clear();
    this.listener?.onClose();
    // Until then the goodbye may wait in this process.
    if (isReachable) await within(this.parts.clock, GOODBYE_MS, link.connection.flush()).catch(() => undefined);
    await link.connection.close();
  }

  follow(entity: string): void {
    if (this.followed.has(entity) || !ENTITY.test(entity)) return;
    this.followed.add(entity);
    if (this.link) this.subscribe('wall', entity);
  }

  unfollow(entity: string): void {
    if (!this.followed.delete(entity)) return;
    this.link?.subscriptions.get(entity)?.unsubscribe();
    this.link?.subscriptions.delete(entity);
  }

  send(topic: FrameTopic, entity: string, content: object): void {
    const { link } = this;
    if (!link) return;
    if (!ENTITY.test(entity)) {
      this.countDropped('form');
      return;
    }
    if (!this.isReachable) {
      this.countDropped('overflow');
      return;
    }
    const subject = `m.${link.network}.${topic}.${entity}.${this.own}`;
    const bytes = sealMessage(this.parts.key, subject, this.sessions.number(content));
    const most = Math.min(link.connection.info?.max_payload ?? PEER_MESSAGE_BYTES_MAX, PEER_MESSAGE_BYTES_MAX);
    if (bytes.length > most) {
      this.countDropped('size');
      return;
    }
    link.connection.publish(subject, bytes);
    this.sent += 1;
    this.waiting += bytes.length;
    this.unasked += bytes.length;
    void this.askConfirmation(link);
  }

  countDropped(reason: DropReason, count = 1): void {
    this.dropped.set(reason, (this.dropped.get(reason) ?? 0) + count);
  }

  /** The servers answer once they have taken everything before the question. */
  private async askConfirmation({ connection }: Link): Promise<void> {
    if (this.isAsking) return;
    this.isAsking = true;
    while (this.unasked > 0 && this.isConnected) {
      const asked = this.unasked;
      this.unasked = 0;
      await connection.flush().catch(() => undefined);
      this.waiting -= Math.min(asked, this.waiting);
    }
    this.isAsking = false;
  }

  private begin(): void {
    this.isConnected = true;
    this.waiting = 0;
    this.unasked = 0;
    this.sessions.begin();
    this.greet(false);
  }

  private async followConnection(link: Link): Promise<void> {
    for await (const { type } of link.connection.status()) {
      if (this.link !== link) return;
      if (type === 'disconnect') this.isConnected = false;
      if (type === 'reconnect') this.begin();
    }
  }

  /** Sends a greeting now, with what this daemon shows. */
  announce(): void {
    if (this.isConnected) this.greet(false);
  }

  private greet(bye: boolean): void {
    const shown = this.parts.show();
    this.send('presence', GREETINGS, { seen: this.sessions.seen, bye, shown } satisfies PeerGreeting);
  }

  /**
   * Sends a greeting and the lists of members: once per event-loop tick, or where there are many daemons, once in a
   * while of random length. All of them come back at once after a restart of the servers, and each has to answer all.
   */
  announceSoon(): void {
    if (this.isAnnouncing) return;
    this.isAnnouncing = true;
    const announce = () => {
      this.isAnnouncing = false;
      if (!this.isConnected) return;
      this.greet(false);
      this.listener?.onAnnounce();
    };
    const { count } = this.sessions;
    if (count <= FEW_PEERS) setImmediate(announce);
    else this.parts.clock.after((0.5 + Math.random() / 2) * Math.min(GATHER_MS, count * GATHER_MS_PER_PEER), announce);
  }

  private announceAgain(): void {
    for (const peer of this.sessions.takeAbsent()) this.listener?.onAbsent(peer);
    this.announceSoon();
  }

  private subscribe(topic: FrameTopic, entity: string): void {
    const { link } = this;
    if (!link) return;
    const subscription = link.connection.subscribe(`m.${link.network}.${topic}.${entity}.*`, {
      callback: (error, message) => {
        if (error || this.link !== link) return;
        const reason = this.take(topic, message);
        if (reason === undefined) this.received += 1;
        else this.countDropped(reason);
      },
    });
    link.subscriptions.set(entity, subscription);
  }

  /** Returns why the message was dropped, if it was. */
  private take(topic: FrameTopic, { subject, data }: Msg): DropReason | undefined {
    const [entity = '', key = ''] = subject.split('.').slice(3);
    if (key === this.own || !this.parts.isMember(key)) return 'daemon';
    if (!this.sessions.admits(key, data.length)) return 'rate';
    const message = openMessage(key, subject, data);
    if (typeof message === 'string') return message;
    if (entity === GREETINGS) return this.takeGreeting(key, message);
    const refused = this.sessions.accept(key, message);
    if (refused !== undefined) return refused;
    if (!ENTITY.test(entity)) return 'form';
    return topic === 'wall'
      ? this.listener?.onFrames(key, entity, message.content)
      : this.listener?.onPresence(key, entity, message.content);
  }

  private takeGreeting(key: string, message: PeerMessage): DropReason | undefined {
    if (!hasForm(PeerGreeting, message.content)) return 'form';
    const greeting = message.content as PeerGreeting;
    const shown = hasForm(NetworkShown, greeting.shown) ? (greeting.shown as NetworkShown) : undefined;
    const greeted = this.sessions.greet(key, message, { ...greeting, shown });
    if (typeof greeted === 'string') return greeted;
    if (greeted.isNew) this.announceSoon();
    if (greeting.bye && greeted.isProven) this.listener?.onAbsent(key);
    return undefined;
  }
}
