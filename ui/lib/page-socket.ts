import { LateSocket, type Socket } from '../../client/socket.js';
import { pageProtocols, renewProof } from './page-proof.js';

let isOpened = false;

/** A socket to a route of the operator's. One that is opened again may reach another run of the daemon, whose refusal nobody can read. */
export function pageSocket(address: URL): Omit<Socket, 'send'> {
  const open = () => new WebSocket(address, pageProtocols());
  if (isOpened) return new LateSocket(renewProof().then(open));
  isOpened = true;
  return open();
}
