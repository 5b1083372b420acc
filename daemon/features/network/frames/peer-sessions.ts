import { randomBytes } from 'node:crypto';
import { NETWORK_ABSENT_MS } from '../../../contract/shared/network.js';
import type { NetworkShown } from '../../../contract/shared/network-asks.js';
import {
  PEER_BYTES_PER_SECOND,
  PEER_MESSAGES_PER_SECOND,
  PEERS_AT_FULL_RATE,
  type PeerGreeting,
  type PeerMessage,
  SEEN_MAX,
} from '../../../contract/shared/peer-frames.js';
import type { Clock } from '../../../lib/time/clock.js';
import { FrameRate } from '../../../lib/time/frame-rate.js';
import type { DropReason } from '../../../shared-log/shared-frames.js';

const SESSION_BYTES = 16;
/** Sessions of one daemon that are remembered: a replayed greeting must not displace the genuine one. */
const HEARD_MAX = 4;
const LIMITS = {
  framesPerSecond: PEER_MESSAGES_PER_SECOND,
  burst: PEER_MESSAGES_PER_SECOND,
  bytesPerSecond: PEER_BYTES_PER_SECOND,
};

const LIMITS_OF_ALL = {
  framesPerSecond: PEERS_AT_FULL_RATE * LIMITS.framesPerSecond,
  burst: PEERS_AT_FULL_RATE * LIMITS.burst,
  bytesPerSecond: PEERS_AT_FULL_RATE * LIMITS.bytesPerSecond,
};
/** Daemons that are remembered although they are away. One member can be as many daemons as it likes. */
const PEERS_MAX = SEEN_MAX;
const FORGET_MS = 3_600_000;

/** Another daemon. */
interface Peer {
  /** Ids of its sessions as it announced them, the newest last. */
  heard: readonly string[];
  /** The session that has answered to ours, with the number of its last message. */
  proven: { session: string; seq: number } | undefined;
  /** Its sessions that were proven before: they are over. */
  ended: Set<string>;
  rate: FrameRate;
  /** Whether it has proved to be there since it was last reported absent. */
  isThere: boolean;
  /** When it was first heard or last proved to be there, by the monotonic clock. */
  lastMs: number;
  /** When it last proved to be there, by the wall clock. */
  lastSeenMs: number | undefined;
  shown: NetworkShown | undefined;
}

/** What is known of a daemon: whether it is connected, when its last message arrived, and what it shows to others. */
export interface PeerPresence {
  isPresent: boolean;
  /** Epoch milliseconds. */
  lastSeenMs: number | undefined;
  /** Undefined when its version of meshd shows it in another form. */
  shown: NetworkShown | undefined;
}

/** A greeting whose form was checked. */
type Greeting = Omit<PeerGreeting, 'shown'> & Pick<PeerPresence, 'shown'>;

interface GreetingResult {
  isNew: boolean;
  isProven: boolean;
}

/**
 * The sessions of other daemons, and which of their messages are fresh. A session counts once a signed greeting of
 * it names the session of this daemon, which nobody could know before; from then on its messages must be numbered
 * upwards. So no message of an earlier session is accepted, independently of clocks.
 */
export class PeerSessions {
  private readonly peers = new Map<string, Peer>();
  private own = newSession();
  private seq = 0;
  private readonly rate: FrameRate;

  constructor(private readonly clock: Clock) {
    this.rate = new FrameRate(clock, LIMITS_OF_ALL);
  }

  /** How many other daemons are known, present or not. */
  get count(): number {
    return this.peers.size;
  }

  /** Begins a new session: the others must prove theirs again. */
  begin(): void {
    this.own = newSession();
    this.seq = 0;
    for (const peer of this.peers.values()) {
      // The next greeting of each counts as new, so that it is answered.
      peer.heard = [];
      peer.proven = undefined;
      peer.ended.clear();
    }
  }

  /** The next message of this session. */
  number(content: unknown): PeerMessage {
    this.seq += 1;
    return { session: this.own, seq: this.seq, content };
  }

  /**
   * The sessions of others whose greetings arrived, as many as a greeting holds: first the newest of each, and of those
   * who are present, in the order in which they came.
   */
  get seen(): string[] {
    const peers = [...this.peers.values()];
    const present = peers.filter((peer) => this.isPresent(peer));
    const ordered = [...new Set([...present, ...peers.reverse()])];
    const newest = ordered.flatMap(({ heard }) => heard.slice(-1));
    return [...newest, ...ordered.flatMap(({ heard }) => heard.slice(0, -1))].slice(0, SEEN_MAX);
  }

  /** Counts a message of a daemon before it is looked at. Returns false beyond its limit, and beyond that of all. */
  admits(key: string, bytes: number): boolean {
    return this.peerOf(key).rate.admits(bytes) && this.rate.admits(bytes);
  }

  /** Takes a greeting: whether its session was unknown, whether it is proven now, or why the greeting was dropped. */
  greet(key: string, message: PeerMessage, { seen, bye, shown }: Greeting): GreetingResult | DropReason {
    const peer = this.peerOf(key);
    const { session } = message;
    if (peer.ended.has(session)) return 'replay';
    const isNew = !bye && !peer.heard.includes(session);
    if (isNew) peer.heard = [...peer.heard.slice(1 - HEARD_MAX), session];
    if (!seen.includes(this.own)) return { isNew, isProven: false };
    if (peer.proven?.session !== session) {
      if (peer.proven) peer.ended.add(peer.proven.session);
      peer.proven = { session, seq: 0 };
    }
    const dropped = this.accept(key, message);
    if (dropped !== undefined) return dropped;
    peer.shown = shown;
    if (bye) {
      peer.ended.add(session);
      peer.proven = undefined;
      peer.isThere = false;
    }
    return { isNew, isProven: true };
  }

  /** Takes the number of a message. Returns why it is no new one of a proven session, if so. */
  accept(key: string, { session, seq }: PeerMessage): DropReason | undefined {
    const peer = this.peers.get(key);
    if (peer?.proven?.session !== session) return 'session';
    if (seq <= peer.proven.seq) return 'replay';
    peer.proven.seq = seq;
    peer.isThere = true;
    peer.lastMs = this.clock.elapsed();
    peer.lastSeenMs = this.clock.now();
    return undefined;
  }

  /** A daemon that sent nothing for a minute, or ended its session, is not present. */
  find(key: string): PeerPresence {
    const peer = this.peers.get(key);
    return {
      isPresent: peer !== undefined && this.isPresent(peer),
      lastSeenMs: peer?.lastSeenMs,
      shown: peer?.shown,
    };
  }

  /** Forgets the daemons of a network that was left. */
  clear(): void {
    this.peers.clear();
  }

  /** Returns the daemons that have sent nothing for a minute, each once per silence. */
  takeAbsent(): string[] {
    const absent = [...this.peers].filter(([, peer]) => peer.isThere && !this.isPresent(peer));
    for (const [, peer] of absent) peer.isThere = false;
    this.forgetSome();
    return absent.map(([key]) => key);
  }

  private forgetSome(): void {
    const surplus = this.peers.size - PEERS_MAX;
    if (surplus <= 0) return;
    const before = this.clock.elapsed() - FORGET_MS;
    const gone = [...this.peers].filter(([, { lastMs }]) => lastMs <= before);
    for (const [key] of gone.sort(([, a], [, b]) => a.lastMs - b.lastMs).slice(0, surplus)) this.peers.delete(key);
  }

  private isPresent({ isThere, lastMs }: Peer): boolean {
    return isThere && this.clock.elapsed() - lastMs < NETWORK_ABSENT_MS;
  }

  private peerOf(key: string): Peer {
    let peer = this.peers.get(key);
    if (!peer) {
      peer = {
        ...{ heard: [], proven: undefined, ended: new Set(), rate: new FrameRate(this.clock, LIMITS) },
        ...{ isThere: false, lastMs: this.clock.elapsed(), lastSeenMs: undefined, shown: undefined },
      };
      this.peers.set(key, peer);
    }
    return peer;
  }
}

const newSession = () => randomBytes(SESSION_BYTES).toString('base64url');
