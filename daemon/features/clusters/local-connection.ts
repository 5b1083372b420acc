import type { Member } from './connection.js';
import { SocketlessConnection } from './socketless-connection.js';

/** Called for each message that reaches the connection. `isDirect` is true for a message to its handle alone. */
export type MessageListener = (isDirect: boolean) => void;

/**
 * A connection of the daemon itself, without a socket. It is present like any other. Its callback is only notified that
 * a message arrived, never of the content.
 */
export class LocalConnection extends SocketlessConnection {
  constructor(
    member: Member,
    readonly onMessage: MessageListener,
  ) {
    super(member);
  }
}
