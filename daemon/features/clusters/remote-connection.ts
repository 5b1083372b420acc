import { SocketlessConnection } from './socketless-connection.js';

/**
 * A member that is connected to another daemon of the network. It is present like any other. Its daemon gets what is
 * said here, and writes it there.
 */
export class RemoteConnection extends SocketlessConnection {
  override readonly isRemote = true;
}
