import type { Vis } from '../../contract/wall.js';

/** A member as it identified itself when it joined. */
export interface Member {
  handle: string;
  did: string | null;
  vis: Vis;
  /** Whether it presented the credential that administers the cluster. */
  isOwner: boolean;
  /**
   * Whether it observes from outside: a ghost that sends nothing, receives only broadcast frames, and sees private
   * members masked.
   */
  isOnlooker?: boolean;
}

/**
 * An exception of one connection from the frames for all in this tick: inserts `frame` before the frame with index
 * `at`, or omits that frame when `frame` is absent.
 */
interface OwnItem {
  at: number;
  frame?: Buffer;
}

/**
 * A member's connection in a live cluster: over an open socket, held by the daemon itself for the operator, or
 * open at another daemon.
 */
export abstract class Connection {
  /** Its index in the list of connections of the live cluster. */
  index = -1;
  /** Its exceptions in this tick. Undefined while it receives the same frames as all others. */
  own: OwnItem[] | undefined;
  /** Index of the first frame of this tick that it receives. It joined after the earlier ones. */
  since = 0;
  isGone = false;
  /** Whether it is open at another daemon. */
  readonly isRemote: boolean = false;
  /** The second within a ping interval in which it is pinged, so that the pings are spread out. */
  pingSlot = 0;

  constructor(readonly member: Member) {}

  get isVisible(): boolean {
    return this.member.vis !== 'ghost';
  }

  /** Number of bytes queued for the peer. */
  abstract get queuedBytes(): number;
  /** Whether `bytes` more bytes can be queued. */
  abstract canTake(bytes: number): boolean;
  /** Writes one or more whole frames. */
  abstract write(bytes: Buffer): void;
  abstract ping(): void;
  /** Whether two pings have gone unanswered. */
  abstract get isSilent(): boolean;
  /** Whether the peer has read nothing for ten seconds while data was queued. Must be polled periodically. */
  abstract isStalled(): boolean;
  /** Closes the connection with a code and reason. */
  abstract end(code: number, reason: string): void;
  /** Terminates immediately. A closing handshake would wait behind the data that the peer does not read. */
  abstract cut(): void;
}
