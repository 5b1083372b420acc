import { readFileSync } from 'node:fs';

const ESTABLISHED = '01';

/** Kernel state of one loopback connection. */
interface Held {
  /** Bytes that were written at one end and not yet read at the other. */
  bytes: number;
  /** Whether the server's end is still open. */
  isOpen: boolean;
}

const hex = (port: number) => port.toString(16).toUpperCase().padStart(4, '0');

/** Returns the kernel state of the connection from `clientPort` to the server's `port`. Linux only. */
export function heldByKernel(port: number, clientPort: number): Held {
  const held: Held = { bytes: 0, isOpen: false };
  for (const line of readFileSync('/proc/net/tcp', 'latin1').split('\n')) {
    const [, local = '', remote = '', state, queues = ''] = line.trim().split(/\s+/);
    const [sending = '0', received = '0'] = queues.split(':');
    if (local.endsWith(`:${hex(port)}`) && remote.endsWith(`:${hex(clientPort)}`)) {
      held.bytes += Number.parseInt(sending, 16);
      held.isOpen = state === ESTABLISHED;
    } else if (local.endsWith(`:${hex(clientPort)}`) && remote.endsWith(`:${hex(port)}`))
      held.bytes += Number.parseInt(received, 16);
  }
  return held;
}

/**
 * Returns the client ports of all connections that the server at `port` has open. Reads the kernel's table once for all
 * of them, which takes long with thousands of lingering connections. Linux only.
 */
export function openClientPorts(port: number): ReadonlySet<number> {
  const ports = new Set<number>();
  const rows = new RegExp(`:${hex(port)} [0-9A-F]{8}:([0-9A-F]{4}) ${ESTABLISHED} `, 'g');
  for (const [, client = ''] of readFileSync('/proc/net/tcp', 'latin1').matchAll(rows))
    ports.add(Number.parseInt(client, 16));
  return ports;
}
