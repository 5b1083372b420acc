import { LateSocket, type Socket } from '../../client/socket.js';
import { pageProtocols, renewProof } from './page-proof.js';

/**
 * Opens sockets to a route of the operator's, one after the other. Each but the first may reach another run of the
 * daemon, whose refusal nobody can
 * read: the page proves itself anew before it.
 */
export function pageSockets(): (address: URL) => Omit<Socket, 'send'> {
  let isOpened = false;
  return (address) => {
    const open = () => new WebSocket(address, pageProtocols());
    if (isOpened) return new LateSocket(renewProof().then(open));
    isOpened = true;
    return open();
  };
}
