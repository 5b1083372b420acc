import { accessSync, closeSync, constants, openSync, readSync } from 'node:fs';
import type { Socket } from 'node:net';
import { systemCode } from '../../lib/errors.js';

/** Established, or half-closed (`FIN_WAIT1`, `FIN_WAIT2`), as by a client that half-closes after its request. */
const HELD_STATES: ReadonlySet<string | undefined> = new Set(['01', '04', '05']);
/** Length of two ends in the table's notation. */
const ENDS_LENGTH = 27;
const TABLE = '/proc/net/tcp';
/** Has the connections that a program makes to an address of IPv4 over a socket of IPv6, as Java does. */
const MAPPED_TABLE = '/proc/net/tcp6';
/** Begins an address of IPv4 in that table. */
const MAPPED_PREFIX = '0000000000000000FFFF0000';
/** Length of one end in the notation of IPv4, and of the space after it. */
const END_LENGTH = 14;
/** The second table is missing, or always closed to this process. Either way it tells of no connection. */
const NOT_TOLD: ReadonlySet<string | undefined> = new Set(['ENOENT', 'EACCES', 'EPERM']);
/** The kernel gives no more than a page at once. */
const PIECE_BYTES = 4_096;

/** Formats an address and a port as the kernel's table does: `127.0.0.1` and port 4747 are `0100007F:128B`. */
function spelled(address: string, port: number): string {
  const octets = address
    .replace(/^::ffff:/, '')
    .split('.')
    .reverse();
  const hex = octets.map((octet) => Number(octet).toString(16).padStart(2, '0')).join('');
  return `${hex}:${port.toString(16).padStart(4, '0')}`.toUpperCase();
}

/** Returns a connection's remote and local end in the table's notation; undefined for a closed connection. */
export function formatEndpoints(
  socket: Pick<Socket, 'remoteAddress' | 'remotePort' | 'localAddress' | 'localPort'>,
): string | undefined {
  const { remoteAddress, remotePort, localAddress, localPort } = socket;
  if (remoteAddress === undefined || remotePort === undefined || localAddress === undefined || localPort === undefined)
    return undefined;
  return `${spelled(remoteAddress, remotePort)} ${spelled(localAddress, localPort)}`;
}

/**
 * Returns the uids that own the connections `wanted` according to the lines of `/proc/net/tcp`. Each connection is
 * named by the peer's end and the daemon's end (`0100007F:9C40 0100007F:128B`). A row counts only while a process holds
 * its socket and can read from it (inode not 0), because the kernel shows an abandoned socket as owned by root.
 */
export function findOwners(lines: Iterable<string>, wanted: { has(ends: string): boolean }): Map<string, number> {
  const owners = new Map<string, number>();
  for (const line of lines) {
    const begin = line.indexOf(': ') + 2;
    const ends = line.slice(begin, begin + ENDS_LENGTH);
    if (begin < 2 || !wanted.has(ends)) continue;
    const [, , state, , , , uid, , inode] = line.slice(begin).trim().split(/\s+/);
    if (HELD_STATES.has(state) && inode !== '0' && uid !== undefined) owners.set(ends, Number(uid));
  }
  return owners;
}

/** The owners of the requested connections that were found, or the reason why there are none. */
export type Reading = ReadonlyMap<string, number> | 'unreadable' | 'no table';

/** Rewrites the rows between two addresses of IPv4 to the notation of the first table, and leaves out all others. */
function* findMapped(lines: Iterable<string>): Generator<string> {
  for (const line of lines) {
    const begin = line.indexOf(': ') + 2;
    const local = begin + MAPPED_PREFIX.length;
    const remote = local + END_LENGTH + MAPPED_PREFIX.length;
    if (!line.startsWith(MAPPED_PREFIX, begin) || !line.startsWith(MAPPED_PREFIX, local + END_LENGTH)) continue;
    yield line.slice(0, begin) + line.slice(local, local + END_LENGTH) + line.slice(remote);
  }
}

function findMappedOwners(readLines: () => Iterable<string>, wanted: ReadonlySet<string>): Map<string, number> {
  try {
    return findOwners(findMapped(readLines()), wanted);
  } catch (error) {
    if (NOT_TOLD.has(systemCode(error))) return new Map();
    throw error;
  }
}

/**
 * Reads the kernel's table once. This takes milliseconds even when the table is small. Only for connections that it
 * does not have, the table of IPv6 is read too.
 */
export function readOwners(
  wanted: ReadonlySet<string>,
  readLines: () => Iterable<string> = readKernelTable,
  readMappedLines: () => Iterable<string> = () => readKernelTable(MAPPED_TABLE),
): Reading {
  try {
    const owners = findOwners(readLines(), wanted);
    const missing = new Set([...wanted].filter((ends) => !owners.has(ends)));
    return missing.size === 0 ? owners : new Map([...owners, ...findMappedOwners(readMappedLines, missing)]);
  } catch (error) {
    return systemCode(error) === 'ENOENT' ? 'no table' : 'unreadable';
  }
}

/**
 * Reads the lines of the kernel's table at `path`, a piece at a time: with ten thousand connections the whole text has
 * three megabytes, which every reading would leave to the garbage collector. Throws the system's error when the table
 * cannot be read, `ENOENT` where the system has none.
 */
export function* readKernelTable(path = TABLE): Generator<string> {
  const file = openSync(path, 'r');
  try {
    const piece = Buffer.allocUnsafe(PIECE_BYTES);
    let rest = '';
    for (let length = readSync(file, piece); length > 0; length = readSync(file, piece)) {
      const lines = (rest + piece.toString('latin1', 0, length)).split('\n');
      rest = lines.pop() as string;
      yield* lines;
    }
    yield rest;
  } finally {
    closeSync(file);
  }
}

/** Reports whether this system can tell which user owns a loopback connection. */
export function canIdentifyPeers(): boolean {
  if (process.getuid === undefined) return false;
  try {
    accessSync(TABLE, constants.R_OK);
    return true;
  } catch (error) {
    return systemCode(error) !== 'ENOENT';
  }
}
