import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Answering } from './unread-answer.js';

/** How many connections may be open, and how many of these may be other users'. */
export interface ConnectionLimits {
  total: number;
  foreign: number;
}

/** Tells whose connections are. */
export interface Owners {
  /** Looks up together all that are open by now, as far as the system tells. */
  lookUp(): Promise<ReadonlyMap<string, number> | 'unreadable' | 'no table'>;
  /** Whether one was found. Looks nothing up. */
  isKnown(socket: Socket): boolean;
  /** Whether one is known to be the operator's. Looks nothing up. */
  isKnownOwn(socket: Socket): boolean;
}

/** It is asked whose connections are once so much of the share is taken, and of so much of it nobody knows. */
const TAKEN_PART = 0.5;
const UNKNOWN_PART = 0.125;
/** Of their share, what others may hold: the rest is for those that are being opened while it is enforced. */
const HELD_PART = 0.9;
/** Before that nobody asks for nothing: its request may be on its way, or wait to be read. */
const FIRST_WORD_MS = 50;
/** Cutting one takes a tenth of a millisecond. */
const CUT_AT_ONCE = 32;

/**
 * Keeps other users of this machine to their share of the connections, so that the operator always finds one. Whose a connection is takes the kernel milliseconds
 * to tell, so that it is asked only when the share fills, and then for all at once. Of the others' connections those are cut first that have been idle
 * for longest; of the operator's only what has asked for nothing for a while and came when others filled their share and nobody could tell yet whose it is.
 * Above the total, whoever comes is turned away at once.
 *
 * Node's own `maxConnections` would count a connection that was cut until its `close` event, and turn the operator away in its place.
 */
export class ConnectionShare {
  private readonly open = new Set<Socket>();
  /** Those of which nobody knows yet, the first that came first, and when they came. */
  private readonly unknown = new Map<Socket, number>();
  /** Those of other users, the one that was idle for longest first. */
  private readonly foreign = new Set<Socket>();
  private readonly missed = new WeakSet<Socket>();
  private readonly upgraded = new WeakSet<Socket>();
  private isAsking = false;
  /** When it was asked last. */
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
    this.makeRoom();
    if (this.open.size > this.limits.total) this.cut(socket);
  }

  /** How many connections, of others and of whom nobody knows, are beyond the share. */
  private get surplus(): number {
    return this.foreign.size + this.unknown.size - Math.floor(this.limits.foreign * HELD_PART);
  }

  /**
   * Cuts what is beyond the share: first others' that ask for nothing, then, where others are there, those of which nobody knows and that have
   * asked for nothing for a while, then others' that wait for an answer.
   */
  private makeRoom(): void {
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
    this.makeRoom();
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
      // Nobody is cut for what cannot be told.
      if (found === 'unreadable') return;
      for (const socket of asked) this.sort(socket, found === 'no table');
      this.areOthersThere = this.foreign.size > 0;
      this.enforce();
      this.ask();
    });
  }

  private sort(socket: Socket, isForNobody: boolean): void {
    const isOwn = isForNobody || this.owners.isKnownOwn(socket);
    // A row can be missed once while others come and go; who has none twice has gone.
    if (!isOwn && !this.owners.isKnown(socket) && !this.missed.has(socket)) this.missed.add(socket);
    else if (this.unknown.delete(socket) && !isOwn) this.foreign.add(socket);
  }

  private isBusy(socket: Answering): boolean {
    return socket._httpMessage != null || this.upgraded.has(socket);
  }

  /** A reset leaves no row in the kernel's table; it is refused for one that has said its last word. */
  private cut(socket: Socket): void {
    this.drop(socket);
    if (socket.writableEnded) socket.destroy();
    else socket.resetAndDestroy();
  }

  private drop(socket: Socket): void {
    for (const set of [this.open, this.unknown, this.foreign]) set.delete(socket);
  }
}
