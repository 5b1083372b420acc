import type { Server, Socket } from 'node:net';
import { MeshError } from '../../lib/errors.js';
import { systemClock } from '../../lib/time/clock.js';
import { TableReader } from '../database/table-reader.js';
import { formatEndpoints, type Reading } from './connection-table.js';

/** Stands for the uid of another user whom the system does not identify. */
export const UNKNOWN_UID = -1;
/** The kernel's table is not read atomically: a row can be missed while connections open and close. */
const READINGS_MAX = 2;

/** The callers that wait for the owner of one connection. */
interface Waiting {
  readings: number;
  known: (() => void)[];
}

/**
 * Maps loopback connections to the uids of the processes at the other end, and reports which of them belong to users
 * other than `ownUid` and root. Each connection is looked up once, when it is first queried, together with all
 * connections accepted by then. Where no table of connections exists (not Linux), no connection is foreign: there the
 * operating system's own rules are the perimeter. While the table exists but cannot be read, no connection is admitted.
 */
export class Peers {
  private readonly uids = new WeakMap<Socket, number>();
  private readonly accepted = new Set<Socket>();
  private readonly waiting = new Map<Socket, Waiting>();
  private listeners: ((reading: Reading) => void)[] = [];
  private isReading = false;

  constructor(
    private readonly ownUid: number | undefined,
    private readonly table: Pick<TableReader, 'now' | 'soon'> = new TableReader(undefined, systemClock),
  ) {}

  /** Includes the connections that `server` accepts in the next look-up. */
  follow(server: Server): void {
    server.on('connection', (socket) => {
      this.accepted.add(socket);
      socket.once('close', () => this.accepted.delete(socket));
    });
  }

  /**
   * Calls `known` once the connection has been looked up as far as possible, at once when it already was. One reading
   * of the table serves all connections that are waiting.
   */
  onKnown(socket: Socket, known: () => void): void {
    if (this.ownUid === undefined || this.uids.has(socket) || socket.remotePort === undefined) {
      known();
      return;
    }
    const waiting = this.waiting.get(socket);
    if (waiting) waiting.known.push(known);
    else this.waiting.set(socket, { readings: 0, known: [known] });
    this.read();
  }

  /** Looks up all open connections that were not looked up yet. Resolves with the reading of the table. */
  lookUp(): Promise<Reading> {
    return new Promise((resolve) => {
      this.listeners.push(resolve);
      this.read();
    });
  }

  /** Records a connection over which the operator has authenticated. */
  rememberOwn(socket: Socket): void {
    if (this.ownUid !== undefined) this.remember(socket, this.ownUid);
  }

  /** Throws `overloaded` while the table cannot be read, because a failed look-up does not identify the owner. */
  isForeign(socket: Socket): boolean {
    return this.foreignUid(socket) !== undefined;
  }

  /**
   * Returns the uid at the other end; undefined for the operator's own connections and root's. Throws like `isForeign`.
   */
  foreignUid(socket: Socket): number | undefined {
    if (this.ownUid === undefined) return undefined;
    if (!this.uids.has(socket)) {
      // A connection that is already closed has no row.
      if (socket.remotePort === undefined) return UNKNOWN_UID;
      const reading = this.readUid(socket);
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

  /** Reports whether the connection was looked up and its owner found. Does not read the table. */
  isKnown(socket: Socket): boolean {
    return this.uids.has(socket);
  }

  /** Reports whether an earlier look-up identified the owner as the operator or root. Does not read the table. */
  isKnownOwn(socket: Socket): boolean {
    const uid = this.uids.get(socket);
    return uid !== undefined && this.isOwn(uid);
  }

  private readUid(socket: Socket): Reading {
    let last: Reading = 'unreadable';
    for (let reading = 0; reading < READINGS_MAX && !this.uids.has(socket); reading += 1) {
      const sockets = this.open([socket]);
      const found = this.table.now(new Set(sockets.keys()));
      if (found === 'no table') return reading === 0 ? found : last;
      if (found === 'unreadable') continue;
      last = found;
      this.settle(sockets, found);
    }
    if (this.waiting.size > 0) setImmediate(() => this.notifyKnown());
    return last;
  }

  private read(): void {
    if (this.isReading || (this.waiting.size === 0 && this.listeners.length === 0)) return;
    this.isReading = true;
    let sockets = new Map<string, Socket>();
    let [asked, told]: [Socket[], typeof this.listeners] = [[], []];
    const begin = () => {
      asked = [...this.waiting.keys()];
      [told, this.listeners] = [this.listeners, []];
      sockets = this.open(asked);
      return new Set(sockets.keys());
    };
    this.table.soon(begin, (reading) => {
      this.isReading = false;
      this.end(asked, sockets, reading);
      for (const notify of told) notify(reading);
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
      // A connection without a row in two readings is closed and is not looked up again.
      if (isRead && waiting.readings >= READINGS_MAX) this.remember(socket, UNKNOWN_UID);
      // While the table cannot be read, the waiting callers are notified at once.
      if (!isRead) this.tell(socket, waiting);
    }
    this.notifyKnown();
  }

  private notifyKnown(): void {
    for (const [socket, waiting] of this.waiting) if (this.uids.has(socket)) this.tell(socket, waiting);
  }

  private tell(socket: Socket, { known }: Waiting): void {
    this.waiting.delete(socket);
    for (const one of known) one();
  }

  private isOwn(uid: number): boolean {
    return uid === 0 || uid === this.ownUid;
  }

  /** The accepted connections that were not looked up yet, and `more`, keyed by their two ends. */
  private open(more: readonly Socket[]): Map<string, Socket> {
    const sockets = new Map<string, Socket>();
    for (const socket of new Set([...this.accepted, ...more])) {
      const ends = formatEndpoints(socket);
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
