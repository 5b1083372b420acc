import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Answering } from '../answers/unread-answer.js';

/** How many connections may be open, and how many of these may belong to other users. */
interface ConnectionLimits {
  total: number;
  foreign: number;
}

/** Finds out which user a connection belongs to. */
export interface Owners {
  /**
   * Looks up the owners of all connections that are open at the time of the call, as far as the system reports them.
   */
  lookUp(): Promise<ReadonlyMap<string, number> | 'unreadable' | 'no table'>;
  /** Whether the owner of a connection was found. Performs no lookup. */
  isKnown(socket: Socket): boolean;
  /** Whether a connection is known to be the operator's. Performs no lookup. */
  isKnownOwn(socket: Socket): boolean;
}

/**
 * A lookup starts when connections of other users and of unknown owners exceed this part of the share, and those of
 * unknown owners alone exceed `UNKNOWN_PART` of it.
 */
const TAKEN_PART = 0.5;
const UNKNOWN_PART = 0.125;
/**
 * The part of their share that other users may hold. The rest is for connections that are opened while the limit is
 * enforced.
 */
const HELD_PART = 0.9;
/** A younger connection does not count as silent: its request may be in transit or still unread. */
const FIRST_WORD_MS = 50;
/** Cutting one connection takes a tenth of a millisecond. */
const CUT_AT_ONCE = 32;

/**
 * Limits other users of this machine to their share of the connections, so that the operator can always connect. The
 * kernel needs milliseconds to report the owner of a connection. Owners are therefore looked up only when the share
 * fills, and then for all connections together. Connections of other users are cut first, the longest idle before the
 * rest. A connection of the operator can be cut only when it sent no request for a while and was opened while other
 * users filled their share and its owner was still unknown. A connection above the total is closed at once.
 *
 * Node's own `maxConnections` counts a connection that was cut until its `close` event, and would refuse the operator
 * in its place.
 */
export class ConnectionShare {
  private readonly open = new Set<Socket>();
  /** Connections whose owner is not known yet, oldest first, with the time at which they were opened. */
  private readonly unknown = new Map<Socket, number>();
  /** Connections of other users, the longest idle first. */
  private readonly foreign = new Set<Socket>();
  private readonly missed = new WeakSet<Socket>();
  private readonly upgraded = new WeakSet<Socket>();
  private isAsking = false;
  /** Whether the last lookup found connections of other users. */
  private areOthersThere = false;

  constructor(
    private readonly limits: ConnectionLimits,
    private readonly owners: Owners,
    private readonly now: () => number = () => performance.now(),
  ) {}

  follow(server: Server): void {
    server.on('connection', (socket: Socket) => this.add(socket));
    server.on('request', ({ socket }: IncomingMessage) => this.touch(socket));
    server.on('upgrade', ({ socket }: IncomingMessage) => this.upgraded.add(socket));
  }

  private add(socket: Socket): void {
    this.open.add(socket);
    this.unknown.set(socket, this.now());
    socket.once('close', () => this.drop(socket));
    this.ask();
    this.evictConnections();
    if (this.open.size > this.limits.total) this.cut(socket);
  }

  /** The number of connections, of other users and of unknown owners, that exceed the share. */
  private get surplus(): number {
    return this.foreign.size + this.unknown.size - Math.floor(this.limits.foreign * HELD_PART);
  }

  /**
   * Cuts connections beyond the share in this order: idle ones of other users; then, if other users are connected,
   * silent ones of unknown owners; then those of other users that wait for a response.
   */
  private evictConnections(): void {
    const cameBeforeMs = this.now() - FIRST_WORD_MS;
    let left = Math.min(this.surplus, CUT_AT_ONCE);
    const cutFrom = (sockets: Iterable<Socket>, mayCut: (socket: Socket) => boolean) => {
      for (const socket of sockets) {
        if (left <= 0) return;
        if (this.owners.isKnownOwn(socket)) this.unknown.delete(socket);
        else if (mayCut(socket)) this.cut(socket);
        else continue;
        left -= 1;
      }
    };
    cutFrom(this.foreign, (socket) => !this.isBusy(socket));
    const isSilent = (socket: Socket) => (this.unknown.get(socket) ?? Infinity) < cameBeforeMs && !this.isBusy(socket);
    if (this.areOthersThere) cutFrom(this.unknown.keys(), isSilent);
    cutFrom(this.foreign, () => true);
  }

  private enforce(): void {
    this.evictConnections();
    if (this.surplus > 0 && this.foreign.size > 0) setImmediate(() => this.enforce());
  }

  private touch(socket: Socket): void {
    if (this.foreign.delete(socket)) this.foreign.add(socket);
  }

  private ask(): void {
    const { foreign: share } = this.limits;
    const isFilling = this.foreign.size + this.unknown.size > share * TAKEN_PART;
    if (this.isAsking || !isFilling || this.unknown.size <= share * UNKNOWN_PART) return;
    this.isAsking = true;
    const asked = [...this.unknown.keys()];
    void this.owners.lookUp().then((found) => {
      this.isAsking = false;
      // No connection is cut when owners cannot be determined.
      if (found === 'unreadable') return;
      for (const socket of asked) this.sort(socket, found === 'no table');
      this.areOthersThere = this.foreign.size > 0;
      this.enforce();
      this.ask();
    });
  }

  private sort(socket: Socket, isForNobody: boolean): void {
    const isOwn = isForNobody || this.owners.isKnownOwn(socket);
    // A row can be missing once while other connections open and close. A connection without a row in two lookups has
    // gone.
    if (!isOwn && !this.owners.isKnown(socket) && !this.missed.has(socket)) this.missed.add(socket);
    else if (this.unknown.delete(socket) && !isOwn) this.foreign.add(socket);
  }

  private isBusy(socket: Answering): boolean {
    return socket._httpMessage != null || this.upgraded.has(socket);
  }

  /** A reset leaves no row in the kernel's table. Node refuses to reset a socket that has ended its writable side. */
  private cut(socket: Socket): void {
    this.drop(socket);
    if (socket.writableEnded) socket.destroy();
    else socket.resetAndDestroy();
  }

  private drop(socket: Socket): void {
    for (const set of [this.open, this.unknown, this.foreign]) set.delete(socket);
  }
}
