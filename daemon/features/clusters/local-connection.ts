import { Connection, type Member } from './connection.js';

/** Called for each message that reaches the connection. `isDirect` is true for a message to its handle alone. */
export type MessageListener = (isDirect: boolean) => void;

/**
 * A connection of the daemon itself, without a socket. It is present like any other. Its callback is only notified that
 * a message arrived, never of the content. Nothing is written to it, so it is never too slow and never silent.
 */
export class LocalConnection extends Connection {
  readonly queuedBytes = 0;
  readonly isSilent = false;

  constructor(
    member: Member,
    readonly onMessage: MessageListener,
  ) {
    super(member);
  }

  canTake(): boolean {
    return true;
  }

  write(): void {
    // Messages are counted where they are sent, see `LiveCluster`.
  }

  ping(): void {
    // There is no peer that could respond.
  }

  isStalled(): boolean {
    return false;
  }

  end(): void {
    // The holder is notified by the cause of the end.
  }

  cut(): void {
    // There is no connection to terminate.
  }
}
