import type { Server, Socket } from 'node:net';
import { systemClock } from '../lib/clock.js';
import { MeshError } from '../lib/errors.js';
import { endsOf, type Reading } from './connection-table.js';
import { TableReader } from './table-reader.js';

/** In the place of a uid: another user's connection, of whom the system does not tell which. */
export const UNKNOWN_UID = -1;
/** The kernel's table is not read in one instant: a row can be missed while others come and go. */
const READINGS_MAX = 2;

/** Those who wait to know whose a connection is. */
interface Waiting {
  readings: number;
  known: (() => void)[];
}

/**
 * Knows to whom the processes at the other end of loopback connections belong, and which of them are other users' than `ownUid` and root. Each connection is looked up once, when it is
 * first asked about, and with it all that were accepted by then. Where there is no table of connections (not Linux) nobody is foreign: the operating system's own rules are the
 * perimeter there; while there is one that cannot be read, nobody gets in.
 */
export class Peers {
  private readonly uids = new WeakMap<Socket, number>();
  private readonly accepted = new Set<Socket>();
  private readonly waiting = new Map<Socket, Waiting>();
  private told: ((reading: Reading) => void)[] = [];
  private isReading = false;

  constructor(
    private readonly ownUid: number | undefined,
    private readonly table: Pick<TableReader, 'now' | 'soon'> = new TableReader(undefined, systemClock),
  ) {}

  /** Has connections that `server` accepts looked up together. */
  follow(server: Server): void {
    server.on('connection', (socket) => {
      this.accepted.add(socket);
      socket.once('close', () => this.accepted.delete(socket));
    });
  }

  /**
   * Calls `known` when the connection was looked up as far as it can be: at once when it was before. However many come meanwhile, one reading of the table
   * tells of all of them.
   */
  whenKnown(socket: Socket, known: () => void): void {
    if (this.ownUid === undefined || this.uids.has(socket) || socket.remotePort === undefined) {
      known();
      return;
    }
    const waiting = this.waiting.get(socket);
    if (waiting) waiting.known.push(known);
    else this.waiting.set(socket, { readings: 0, known: [known] });
    this.read();
  }

  /** Looks up all that are open by now and were not looked up yet; gives how the table was read. */
  lookUp(): Promise<Reading> {
    return new Promise((resolve) => {
      this.told.push(resolve);
      this.read();
    });
  }

  /** Remembers a connection over which the operator has proven itself. */
  rememberOwn(socket: Socket): void {
    if (this.ownUid !== undefined) this.remember(socket, this.ownUid);
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
      const reading = this.lookUpNow(socket);
      if (reading === 'no table') return undefined;
      if (reading === 'unreadable') {
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

  private lookUpNow(socket: Socket): Reading {
    let last: Reading = 'unreadable';
    for (let reading = 0; reading < READINGS_MAX && !this.uids.has(socket); reading += 1) {
      const sockets = this.open([socket]);
      const found = this.table.now(new Set(sockets.keys()));
      if (found === 'no table') return reading === 0 ? found : last;
      if (found === 'unreadable') continue;
      last = found;
      this.settle(sockets, found);
    }
    if (this.waiting.size > 0) setImmediate(() => this.tellKnown());
    return last;
  }

  private read(): void {
    if (this.isReading || (this.waiting.size === 0 && this.told.length === 0)) return;
    this.isReading = true;
    let sockets = new Map<string, Socket>();
    let [asked, told]: [Socket[], typeof this.told] = [[], []];
    const begin = () => {
      asked = [...this.waiting.keys()];
      [told, this.told] = [this.told, []];
      sockets = this.open(asked);
      return new Set(sockets.keys());
    };
    this.table.soon(begin, (reading) => {
      this.isReading = false;
      this.end(asked, sockets, reading);
      for (const tell of told) tell(reading);
      this.read();
    });
  }

  private end(asked: readonly Socket[], sockets: ReadonlyMap<string, Socket>, reading: Reading): void {
    const isRead = typeof reading !== 'string';
    if (isRead) this.settle(sockets, reading);
    for (const socket of asked) {
      const waiting = this.waiting.get(socket);
      if (!waiting || this.uids.has(socket)) continue;
      waiting.readings += 1;
      // Whoever has no row twice has gone, and is not looked for again.
      if (isRead && waiting.readings >= READINGS_MAX) this.remember(socket, UNKNOWN_UID);
      // While nothing can be told, whoever waits learns that.
      if (!isRead) this.tell(socket, waiting);
    }
    this.tellKnown();
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

  /** What was accepted and not looked up yet, and `more`, by its ends. */
  private open(more: readonly Socket[]): Map<string, Socket> {
    const sockets = new Map<string, Socket>();
    for (const socket of new Set([...this.accepted, ...more])) {
      const ends = endsOf(socket);
      if (ends !== undefined) sockets.set(ends, socket);
    }
    return sockets;
  }

  private settle(sockets: ReadonlyMap<string, Socket>, owners: ReadonlyMap<string, number>): void {
    for (const [ends, uid] of owners) this.remember(sockets.get(ends) as Socket, uid);
  }

  private remember(socket: Socket, uid: number): void {
    this.uids.set(socket, uid);
    this.accepted.delete(socket);
  }
}
