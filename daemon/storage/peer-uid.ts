import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { systemCode } from '../lib/errors.js';

const ESTABLISHED = '01';
const verdicts = new WeakMap<Socket, boolean>();

/** `127.0.0.1` and port 4747 as the kernel's table spells them: `0100007F:128B`. */
function spelled(address: string, port: number): string {
  const octets = address
    .replace(/^::ffff:/, '')
    .split('.')
    .reverse();
  const hex = octets.map((octet) => Number(octet).toString(16).padStart(2, '0')).join('');
  return `${hex}:${port.toString(16).padStart(4, '0')}`.toUpperCase();
}

/**
 * The uid that owns the connection from `local` to `remote` in the text of `/proc/net/tcp`, or undefined. A row counts only while its socket is
 * established and still has an owner (inode not 0): the kernel shows an abandoned one as root's.
 */
export function ownerOf(table: string, local: string, remote: string): number | undefined {
  const at = table.indexOf(`: ${local} ${remote} `);
  if (at === -1) return undefined;
  const end = table.indexOf('\n', at);
  const fields = table
    .slice(at + 2, end === -1 ? undefined : end)
    .trim()
    .split(/\s+/);
  const [, , state, , , , uid, , inode] = fields;
  if (state !== ESTABLISHED || inode === '0' || uid === undefined) return undefined;
  return Number(uid);
}

/**
 * Whether the process at the other end of a loopback connection belongs to a user other than `ownUid` and root. Asked once per
 * connection that can be told. Where there is no kernel table (not Linux) nobody is foreign: the operating system's own rules are the perimeter there; while
 * there is one that cannot be read, everybody is.
 */
export function isForeignPeer(socket: Socket, ownUid: number | undefined, readTable: () => string | undefined = readKernelTable): boolean {
  if (ownUid === undefined) return false;
  const known = verdicts.get(socket);
  if (known !== undefined) return known;
  const { remoteAddress, remotePort, localAddress, localPort } = socket;
  if (remoteAddress === undefined || remotePort === undefined || localAddress === undefined || localPort === undefined) return true;
  const client = spelled(remoteAddress, remotePort);
  const server = spelled(localAddress, localPort);
  const table = readTable();
  if (table === undefined) return false;
  // The kernel's table is not read in one instant: a row can be missed while others come and go.
  const uid = ownerOf(table, client, server) ?? ownerOf(readTable() ?? '', client, server);
  if (uid === undefined) return true;
  const isForeign = uid !== 0 && uid !== ownUid;
  verdicts.set(socket, isForeign);
  return isForeign;
}

/** The text of the kernel's table at `path`: undefined where the system has none, empty while it cannot be read. */
export function readKernelTable(path = '/proc/net/tcp'): string | undefined {
  try {
    return readFileSync(path, 'latin1');
  } catch (error) {
    return systemCode(error) === 'ENOENT' ? undefined : '';
  }
}

/** Whether this system tells whose a loopback connection is. */
export const canTellPeers = () => process.getuid !== undefined && readKernelTable() !== undefined;
