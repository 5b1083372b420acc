import { randomBytes } from 'node:crypto';
import { NETWORK_ABSENT_MS } from '../../../contract/shared/network.js';
import {
  PEER_BYTES_PER_SECOND,
  PEER_MESSAGES_PER_SECOND,
  type PeerGreeting,
  type PeerMessage,
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

/** Another daemon. */
interface Peer {
  /** Ids of its sessions as it told them, the newest last. */
  heard: readonly string[];
  /** The session that has answered to ours, with the number of its last message. */
  proven: { session: string; seq: number } | undefined;
  /** Its sessions that were proven before: they are over. */
  ended: Set<string>;
  rate: FrameRate;
  /** When it last proved to be there; infinite once it is absent. */
  lastMs: number;
}

interface Greeted {
  isNew: boolean;
  isProven: boolean;
}

/**
 * Which daemons talk with this one, and which of their messages are fresh. A session counts once a signed greeting of
 * it names the session of this daemon, which nobody could know before; from then on its messages must be numbered
 * upwards. So nothing of an earlier session is believed, whatever the clocks say.
 */
export class PeerSessions {
  private readonly peers = new Map<string, Peer>();
  private own = newSession();
  private seq = 0;

  constructor(private readonly clock: Clock) {}

  /** Begins a new session: the others must prove theirs again. */
  begin(): void {
    this.own = newSession();
    this.seq = 0;
    for (const peer of this.peers.values()) {
      // Heard of again, each is told again who is here.
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

  /** The sessions of others that were heard of. */
  get seen(): string[] {
    return [...this.peers.values()].flatMap(({ heard }) => heard);
  }

  /** Counts a message of a daemon before it is looked at. Returns false beyond its limit. */
  admits(key: string, bytes: number): boolean {
    return this.peerOf(key).rate.admits(bytes);
  }

  /** Takes a greeting: whether its session was unknown, whether it is proven now, or why the greeting was dropped. */
  greet(key: string, message: PeerMessage, { seen, bye }: PeerGreeting): Greeted | DropReason {
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
    if (bye) {
      peer.ended.add(session);
      peer.proven = undefined;
    }
    return { isNew, isProven: true };
  }

  /** Takes the number of a message. Returns why it is no new one of a proven session, if so. */
  accept(key: string, { session, seq }: PeerMessage): DropReason | undefined {
    const peer = this.peers.get(key);
    if (peer?.proven?.session !== session) return 'session';
    if (seq <= peer.proven.seq) return 'replay';
    peer.proven.seq = seq;
    peer.lastMs = this.clock.elapsed();
    return undefined;
  }

  /** Returns the daemons that have said nothing for a minute, each once for every silence. */
  takeAbsent(): string[] {
    const sinceMs = this.clock.elapsed() - NETWORK_ABSENT_MS;
    const absent = [...this.peers].filter(([, { lastMs }]) => lastMs <= sinceMs);
    for (const [, peer] of absent) peer.lastMs = Number.POSITIVE_INFINITY;
    return absent.map(([key]) => key);
  }

  private peerOf(key: string): Peer {
    let peer = this.peers.get(key);
    if (!peer) {
      const { clock } = this;
      const rate = new FrameRate(clock, LIMITS);
      peer = { heard: [], proven: undefined, ended: new Set(), rate, lastMs: clock.elapsed() };
      this.peers.set(key, peer);
    }
    return peer;
  }
}

const newSession = () => randomBytes(SESSION_BYTES).toString('base64url');
