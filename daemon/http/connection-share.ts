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

/**
 * Of their share: from here on it is asked whose connections are, and what other users keep when they hold as many. The rest is room for those who come before
 * it is known and asked again.
 */
const ASKED_PART = 0.625;
const KEPT_PART = 0.375;

/**
 * Keeps other users of this machine to their share of the connections, so that the operator always finds one. Whose a connection is takes the kernel milliseconds
 * to tell, so that it is asked only when the share fills, and then for all at once. Of the others' connections those are cut first that have been idle
 * for longest; of the operator's only what asks for nothing and came while others filled their share and nobody could tell yet whose it is. Above the total, whoever comes is
 * turned away at once.
 *
 * Node's own `maxConnections` would count a connection that was cut until its `close` event, and turn the operator away in its place.
 */
export class ConnectionShare {
  private readonly open = new Set<Socket>();
  private readonly unknown = new Set<Socket>();
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
  ) {}

  follow(server: Server): void {
    server.on('connection', (socket: Socket) => this.add(socket));
    server.on('request', ({ socket }: IncomingMessage) => this.touch(socket));
    server.on('upgrade', ({ socket }: IncomingMessage) => this.upgraded.add(socket));
  }

  private add(socket: Socket): void {
    this.open.add(socket);
    this.unknown.add(socket);
    socket.once('close', () => this.drop(socket));
    this.ask();
    this.makeRoom(socket);
    if (this.open.size > this.limits.total) this.cut(socket);
  }

  /** Where others are there and it is not known yet whose more connections are, those give way that ask for nothing, the last that came excepted. */
  private makeRoom(last: Socket): void {
    if (!this.areOthersThere) return;

    for (const sockets of [this.foreign, this.unknown]) {
      for (const socket of sockets) {
        if (this.foreign.size + this.unknown.size <= this.limits.foreign) return;
        if (socket !== last && !this.isBusy(socket)) this.cut(socket);
      }
    }
  }

  private touch(socket: Socket): void {
    if (this.foreign.delete(socket)) this.foreign.add(socket);
  }

  private ask(): void {
    if (this.isAsking || this.foreign.size + this.unknown.size <= this.limits.foreign * ASKED_PART) return;
    this.isAsking = true;
    const asked = [...this.unknown];
    void this.owners.lookUp().then((found) => {
      this.isAsking = false;
      // Nobody is cut for what cannot be told.
      if (found === 'unreadable') return;
      for (const socket of asked) this.sort(socket, found === 'no table');
      this.areOthersThere = this.foreign.size > 0;
      this.enforce();
      if (found !== 'no table') this.ask();
    });
  }

  private sort(socket: Socket, isForNobody: boolean): void {
    const isOwn = isForNobody || this.owners.isKnownOwn(socket);
    // A row can be missed once while others come and go; who has none twice has gone.
    if (!isOwn && !this.owners.isKnown(socket) && !this.missed.has(socket)) this.missed.add(socket);
    else if (this.unknown.delete(socket) && !isOwn) this.foreign.add(socket);
  }

  private enforce(): void {
    const { foreign: share } = this.limits;
    if (this.foreign.size + this.unknown.size <= share * ASKED_PART) return;
    const [idle, busy]: [Socket[], Socket[]] = [[], []];
    for (const socket of this.foreign) (this.isBusy(socket) ? busy : idle).push(socket);
    const surplus = this.foreign.size - Math.floor(share * KEPT_PART);
    for (const socket of [...idle, ...busy].slice(0, Math.max(0, surplus))) this.cut(socket);
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
