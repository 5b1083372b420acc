import { accessSync, constants, readFileSync } from 'node:fs';
import type { Server, Socket } from 'node:net';
import { type Clock, systemClock } from '../lib/clock.js';
import { MeshError, systemCode } from '../lib/errors.js';

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

/** In the place of a uid: another user's connection, of whom the system does not tell which. */
export const UNKNOWN_UID = -1;
/** After a reading of the kernel's table so many times as long is left to everything else. */
const REST = 4;
/** The kernel's table is not read in one instant: a row can be missed while others come and go. */
const READINGS_MAX = 2;

/** Those who wait to know whose a connection is. */
interface Waiting {
  readings: number;
  known: (() => void)[];
}

/**
 * Knows to whom the processes at the other end of loopback connections belong, and which of them are other users' than `ownUid` and root. Each connection is looked up once, when it is
 * first asked about, and with it all that were accepted by then: the kernel takes milliseconds for its table, however little is in it. Where there is no
 * table (not Linux) nobody is foreign: the operating system's own rules are the perimeter there; while there is one that cannot be read, nobody gets in.
 */
export class Peers {
  private readonly uids = new WeakMap<Socket, number>();
  private readonly accepted = new Set<Socket>();
  private readonly waiting = new Map<Socket, Waiting>();
  private isScheduled = false;
  private restsUntilMs = 0;

  constructor(
    private readonly ownUid: number | undefined,
    private readonly readTable: () => string | undefined = readKernelTable,
    private readonly clock: Pick<Clock, 'elapsed' | 'after'> = systemClock,
  ) {}

  /** Has connections that `server` accepts looked up together. */
  follow(server: Server): void {
    server.on('connection', (socket) => {
      this.accepted.add(socket);
      socket.once('close', () => this.accepted.delete(socket));
    });
  }

  /**
   * Calls `known` when the connection was looked up as far as it can be: at once when it was before. However many come and go, readings of the table
   * take a fifth of the event loop at most: whoever comes meanwhile waits for the next one.
   */
  whenKnown(socket: Socket, known: () => void): void {
    if (this.ownUid === undefined || this.uids.has(socket) || socket.remotePort === undefined) {
      known();
      return;
    }
    const waiting = this.waiting.get(socket);
    if (waiting) waiting.known.push(known);
    else this.waiting.set(socket, { readings: 0, known: [known] });
    this.schedule();
  }

  /** Throws `overloaded` while the table cannot be read: a look-up that failed says nothing of who it is. */
  isForeign(socket: Socket): boolean {
    return this.foreignUid(socket) !== undefined;
  }

  /** The uid at the other end; undefined for the operator's own connections and root's. Throws as `isForeign`. */
  foreignUid(socket: Socket): number | undefined {
    if (this.ownUid === undefined) return undefined;
    if (!this.uids.has(socket)) {
      // One that is closed already has no row.
      if (socket.remotePort === undefined) return UNKNOWN_UID;
      const found = this.identify([socket]);
      if (found === 'no table') return undefined;
      if (found === 'unreadable') {
        throw new MeshError(
          'overloaded',
          'The system does not tell at the moment who is connecting, so nobody is let in: send the request again.',
          { details: { retry_after: 1 } },
        );
      }
    }
    const uid = this.uids.get(socket) ?? UNKNOWN_UID;
    return this.isOwn(uid) ? undefined : uid;
  }

  /** Whether it was looked up and found. Reads nothing. */
  isKnown(socket: Socket): boolean {
    return this.uids.has(socket);
  }

  /** Whether what was looked up until now says that it is the operator's or root's. Reads nothing. */
  isKnownOwn(socket: Socket): boolean {
    const uid = this.uids.get(socket);
    return uid !== undefined && this.isOwn(uid);
  }

  /**
   * Looks up `sockets`, and all that were accepted and not looked up yet, together, with so many readings of the kernel's table at most; says whether it could be
   * read.
   */
  identify(sockets: readonly Socket[], readings = READINGS_MAX): 'read' | 'unreadable' | 'no table' {
    let found: 'read' | 'unreadable' = 'unreadable';
    for (let reading = 0; reading < readings && !sockets.every((socket) => this.uids.has(socket)); reading += 1) {
      const table = this.readTable();
      if (table === undefined) return reading === 0 ? 'no table' : 'read';
      if (table === '') continue;
      found = 'read';
      this.settle(table, new Set([...this.accepted, ...sockets]));
    }
    if (this.waiting.size > 0) setImmediate(() => this.tellKnown());
    return found;
  }

  private schedule(): void {
    if (this.isScheduled || this.waiting.size === 0) return;
    this.isScheduled = true;
    const restMs = this.restsUntilMs - this.clock.elapsed();
    if (restMs > 0) this.clock.after(restMs, () => this.lookUpWaiting());
    else setImmediate(() => this.lookUpWaiting());
  }

  private lookUpWaiting(): void {
    const startedMs = this.clock.elapsed();
    const table = this.readTable();
    if (table) this.settle(table, new Set([...this.accepted, ...this.waiting.keys()]));
    const endedMs = this.clock.elapsed();
    this.restsUntilMs = endedMs + (endedMs - startedMs) * REST;
    this.isScheduled = false;
    for (const [socket, waiting] of this.waiting) {
      waiting.readings += 1;
      if (this.uids.has(socket)) continue;
      // Whoever has no row twice has gone, and is not looked for again.
      if (table && waiting.readings >= READINGS_MAX) {
        this.uids.set(socket, UNKNOWN_UID);
        this.accepted.delete(socket);
      }
      // While nothing can be told, whoever waits learns that.
      if (!table) this.tell(socket, waiting);
    }
    this.tellKnown();
    this.schedule();
  }

  private tellKnown(): void {
    for (const [socket, waiting] of this.waiting) if (this.uids.has(socket)) this.tell(socket, waiting);
  }

  private tell(socket: Socket, { known }: Waiting): void {
    this.waiting.delete(socket);
    for (const one of known) one();
  }

  private isOwn(uid: number): boolean {
    return uid === 0 || uid === this.ownUid;
  }

  private settle(table: string, sockets: ReadonlySet<Socket>): void {
    const byEnds = new Map<string, Socket>();
    for (const socket of sockets) {
      const { remoteAddress, remotePort, localAddress, localPort } = socket;
      if (
        remoteAddress === undefined ||
        remotePort === undefined ||
        localAddress === undefined ||
        localPort === undefined
      )
        continue;
      byEnds.set(`${spelled(remoteAddress, remotePort)} ${spelled(localAddress, localPort)}`, socket);
    }
    for (const [ends, uid] of ownersOf(table, byEnds)) {
      const socket = byEnds.get(ends) as Socket;
      this.uids.set(socket, uid);
      this.accepted.delete(socket);
    }
  }
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
