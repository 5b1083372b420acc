import type { NETWORK_DROPS } from '../contract/shared/network.js';

/** Why a message of another daemon, or a part of it, was dropped. */
export type DropReason = (typeof NETWORK_DROPS)[number];

/** What becomes of messages between daemons. Another daemon is named by its key. */
export interface FrameListener {
  /** The daemon is connected: nothing is known of the others yet. */
  onOpen(): void;
  /** The daemon left the network or stops: nobody else is there any longer. */
  onClose(): void;
  /** A new daemon has greeted this one, or the interval of announcements has passed. */
  onAnnounce(): void;
  /** The other daemon is gone. */
  onAbsent(peer: string): void;
  /** Takes a message about who is there. Returns why it was dropped, if it was. */
  onPresence(peer: string, entity: string, content: unknown): DropReason | undefined;
  /** Takes a message of an entity that is followed. Returns why it was dropped, if it was. */
  onFrames(peer: string, entity: string, content: unknown): DropReason | undefined;
}

/** Where a message belongs: who is there, or what is said. */
export type FrameTopic = 'presence' | 'wall';

/** Messages between the daemons of a network that are stored nowhere: whoever is not there does not get them. */
export interface SharedFrames {
  /** Whether what is sent now reaches the servers. */
  readonly isReachable: boolean;
  /** Sets what becomes of messages. Must be called once. */
  listen(listener: FrameListener): void;
  /** Receives the frames of an entity from now on, until `unfollow`. */
  follow(entity: string): void;
  unfollow(entity: string): void;
  /** Sends a message, signed. What cannot be sent now is dropped; nothing is kept for later. */
  send(topic: FrameTopic, entity: string, content: object): void;
  /** Counts what a listener dropped of a message that it took otherwise. */
  countDropped(reason: DropReason, count?: number): void;
}
