import { accessSync, constants, readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { systemCode } from '../lib/errors.js';

/** Established, or said to send no more (`FIN_WAIT1`, `FIN_WAIT2`), as a client does that half-closes after its request. */
const HELD_STATES: ReadonlySet<string | undefined> = new Set(['01', '04', '05']);
/** Of two ends as the table spells them. */
const ENDS_LENGTH = 27;
const TABLE = '/proc/net/tcp';

/** `127.0.0.1` and port 4747 as the kernel's table spells them: `0100007F:128B`. */
function spelled(address: string, port: number): string {
  const octets = address
    .replace(/^::ffff:/, '')
    .split('.')
    .reverse();
  const hex = octets.map((octet) => Number(octet).toString(16).padStart(2, '0')).join('');
  return `${hex}:${port.toString(16).padStart(4, '0')}`.toUpperCase();
}

/** A connection from its other end to this one, as the table has it; undefined for one that is closed. */
export function endsOf(
  socket: Pick<Socket, 'remoteAddress' | 'remotePort' | 'localAddress' | 'localPort'>,
): string | undefined {
  const { remoteAddress, remotePort, localAddress, localPort } = socket;
  if (remoteAddress === undefined || remotePort === undefined || localAddress === undefined || localPort === undefined)
    return undefined;
  return `${spelled(remoteAddress, remotePort)} ${spelled(localAddress, localPort)}`;
}

/**
 * The uids that own those of the connections `wanted`, each from its own end to the other (`0100007F:9C40 0100007F:128B`), that stand in the text of
 * `/proc/net/tcp`. A row counts only while somebody may read from its socket and still has it (inode not 0): the kernel shows an abandoned one as root's.
 */
export function ownersOf(table: string, wanted: { has(ends: string): boolean }): Map<string, number> {
  const owners = new Map<string, number>();
  for (let at = table.indexOf('\n') + 1; at > 0; at = table.indexOf('\n', at) + 1) {
    const begin = table.indexOf(': ', at) + 2;
    const ends = table.slice(begin, begin + ENDS_LENGTH);
    if (begin < 2 || !wanted.has(ends)) continue;
    const end = table.indexOf('\n', begin);
    const fields = table
      .slice(begin, end === -1 ? undefined : end)
      .trim()
      .split(/\s+/);
    const [, , state, , , , uid, , inode] = fields;
    if (HELD_STATES.has(state) && inode !== '0' && uid !== undefined) owners.set(ends, Number(uid));
  }
  return owners;
}

/** The owners of the wanted connections that were found; else why there are none. */
export type Reading = ReadonlyMap<string, number> | 'unreadable' | 'no table';

/** Reads the kernel's table once, which takes it milliseconds, however little is in it. */
export function readOwners(
  wanted: ReadonlySet<string>,
  readTable: () => string | undefined = readKernelTable,
): Reading {
  const table = readTable();
  if (table === undefined) return 'no table';
  return table === '' ? 'unreadable' : ownersOf(table, wanted);
}

/** The text of the kernel's table at `path`: undefined where the system has none, empty while it cannot be read. */
export function readKernelTable(path = TABLE): string | undefined {
  try {
    return readFileSync(path, 'latin1');
  } catch (error) {
    return systemCode(error) === 'ENOENT' ? undefined : '';
  }
}

/** Whether this system tells whose a loopback connection is. */
export function canTellPeers(): boolean {
  if (process.getuid === undefined) return false;
  try {
    accessSync(TABLE, constants.R_OK);
    return true;
  } catch (error) {
    return systemCode(error) !== 'ENOENT';
  }
}
