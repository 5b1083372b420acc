import type { Vis } from '../../contract/wall.js';

/** Who sits there, as said on joining. */
export interface Member {
  handle: string;
  did: string | null;
  vis: Vis;
  /** Whether it showed the credential that administers the room. */
  isOwner: boolean;
  /** Looks on from outside: a ghost that says nothing, gets what is for all alone, and sees private members masked. */
  isOnlooker?: boolean;
}

/** What one seat gets beside the turn's frames for all, or in place of one of them: `frame` absent leaves out the frame for all numbered `at`. */
export interface OwnItem {
  at: number;
  frame?: Buffer;
}

/** A place that a member has taken in a room: at the end of an open socket, or held by the daemon itself for the operator. */
export abstract class Seat {
  /** Where it stands among the room's seats. */
  index = -1;
  /** What this turn has for it alone; undefined while it gets what all get. */
  own: OwnItem[] | undefined;
  /** The first of the turn's frames that it gets: it was not there for those before. */
  since = 0;
  isGone = false;
  /** Which of the seconds between two rounds of pings is its own, so that not all are pinged at once. */
  pingSlot = 0;

  constructor(readonly member: Member) {}

  get isVisible(): boolean {
    return this.member.vis !== 'ghost';
  }

  /** Bytes that wait for the peer to read. */
  abstract get queuedBytes(): number;
  /** Whether `bytes` more can be queued. */
  abstract canTake(bytes: number): boolean;
  /** Whole frames, one or many. */
  abstract write(bytes: Buffer): void;
  abstract ping(): void;
  /** Whether two pings stayed unanswered. */
  abstract get isSilent(): boolean;
  /** Whether the peer has read nothing for ten seconds while something waited. To be asked every now and then. */
  abstract isStalled(): boolean;
  /** Tells the peer that it is over and why. */
  abstract end(code: number, reason: string): void;
  /** Lets go at once: a closing handshake would wait behind what the peer does not read. */
  abstract cut(): void;
}
