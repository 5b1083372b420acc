import { Connection } from './connection.js';

/** A connection without a socket here. Nothing is written to it, so it is never too slow and never silent. */
export abstract class SocketlessConnection extends Connection {
  readonly queuedBytes = 0;
  readonly isSilent = false;

  canTake(): boolean {
    return true;
  }

  write(): void {
    // Whoever holds it gets what is said where it is sent.
  }

  ping(): void {
    // There is no peer here that could respond.
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
