import { Connection } from './connection.js';

/**
 * A member that is connected to another daemon of the network. It is present like any other. Nothing is written to it:
 * its daemon gets what is said here, and writes it there.
 */
export class RemoteConnection extends Connection {
  override readonly isRemote = true;
  readonly queuedBytes = 0;
  readonly isSilent = false;

  canTake(): boolean {
    return true;
  }

  write(): void {
    // Its daemon writes.
  }

  ping(): void {
    // Its daemon pings it.
  }

  isStalled(): boolean {
    return false;
  }

  end(): void {
    // Its daemon ends it, for the same cause.
  }

  cut(): void {
    // There is no connection to terminate.
  }
}
