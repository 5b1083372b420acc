import type { CLOSE } from '../daemon/contract/events.js';
import type { WallFrame } from '../daemon/contract/wall.js';
import { reconnectDelayMs } from './reconnect-policy.js';
import type { CloseOf, Socket } from './socket.js';
import type { Timers } from './timers.js';

type Close = typeof CLOSE;
const DELETED: Close['deleted'] = 4000;
const REVOKED: Close['revoked'] = 4401;
const POLICY: Close['policy'] = 1008;

/** Why one is not in a room any more and does not come back by itself. */
export interface WallEnding {
  why: 'deleted' | 'revoked' | 'refused' | 'too_much';
  /** In the words of whoever ended it; may be empty. */
  reason: string;
}

/** What the close of a room's socket means: an ending, or undefined for a cut after which one comes back. Contract: Clusters, boards, Wall. */
export function wallEndingOf(code: number, reason: string): WallEnding | undefined {
  switch (code) {
    case DELETED:
      return { why: 'deleted', reason };
    case REVOKED:
      return { why: 'revoked', reason };
    case POLICY:
      return { why: 'too_much', reason };
    default:
      return undefined;
  }
}

/** How the line to a room is; times are milliseconds. `cut` (with what its socket was closed) is tried again by itself, `over` only by who asks for it. */
export type WallStatus =
  | { state: 'joining' }
  | { state: 'in'; since: number }
  | { state: 'cut'; since: number; code: number }
  | { state: 'over'; at: number; ending: WallEnding };

export interface WallLineOptions {
  open(): Omit<Socket, 'onopen'>;
  timers: Timers;
  onFrame(frame: WallFrame): void;
  onStatus(status: WallStatus): void;
  /** Whether the room still opens to whoever sits at this line. A browser is not told why a socket was refused. */
  isOpenToUs(): Promise<boolean>;
}

/**
 * The one socket of a program or a tab in a room. Joined with `ready`; tries again with growing, jittered waits when it is cut, and stays away where coming back would
 * not help: the room is gone, its token opens nothing any more, or too much was said at once.
 */
export class WallLine {
  private socket: Omit<Socket, 'onopen'> | undefined;
  private attempt = 0;
  private cutAt: number | undefined;
  private retry: unknown;
  private reason = '';
  private status: WallStatus = { state: 'joining' };
  private isStopped = true;

  constructor(private readonly options: WallLineOptions) {}

  get isIn(): boolean {
    return this.status.state === 'in';
  }

  start(): void {
    this.isStopped = false;
    this.attempt = 0;
    this.cutAt = undefined;
    this.say({ state: 'joining' });
    this.connect();
  }

  stop(): void {
    this.isStopped = true;
    this.options.timers.clearTimeout(this.retry);
    this.drop();
  }

  /** Tries now instead of when the wait is over. */
  wake(): void {
    if (this.isStopped || this.status.state !== 'cut') return;
    this.attempt = 0;
    this.connect();
  }

  /** False where nobody is at the other end: nothing was sent. */
  send(text: string): boolean {
    if (!this.isIn || !this.socket) return false;
    this.socket.send(text);
    return true;
  }

  private connect(): void {
    this.options.timers.clearTimeout(this.retry);
    this.drop();
    const socket = this.options.open();
    this.socket = socket;
    this.reason = '';
    socket.onmessage = (event: { data: unknown }) => {
      if (this.socket !== socket) return;
      const frame = read(event.data);
      if (!frame) return;
      if (frame.kind === 'closed') this.reason = frame.reason;
      if (frame.kind === 'ready') {
        this.attempt = 0;
        this.cutAt = undefined;
        this.options.onFrame(frame);
        this.say({ state: 'in', since: this.options.timers.now() });
      } else this.options.onFrame(frame);
    };
    socket.onclose = ({ code, reason }: CloseOf) => {
      if (this.socket === socket) this.lost(code, this.reason || reason);
    };
  }

  private lost(code: number, reason: string): void {
    const wasIn = this.isIn;
    this.drop();
    if (this.isStopped) return;
    const now = this.options.timers.now();
    const ending = wallEndingOf(code, reason);
    if (ending) {
      this.say({ state: 'over', at: now, ending });
      return;
    }
    this.cutAt ??= now;
    this.say({ state: 'cut', since: this.cutAt, code });
    const again = () => {
      const delay = reconnectDelayMs(this.attempt, this.options.timers.random);
      this.attempt += 1;
      this.retry = this.options.timers.setTimeout(() => this.connect(), delay);
    };
    if (wasIn) {
      again();
      return;
    }
    // Refused before it was open: for good, or is the daemon only away?
    const { cutAt } = this;
    void this.options.isOpenToUs().then((isOpen) => {
      if (this.isStopped || this.socket || this.cutAt !== cutAt || this.status.state !== 'cut') return;
      if (isOpen) again();
      else this.say({ state: 'over', at: this.options.timers.now(), ending: { why: 'refused', reason: '' } });
    });
  }

  private drop(): void {
    const socket = this.socket;
    this.socket = undefined;
    if (!socket) return;
    socket.onmessage = null;
    socket.onclose = null;
    socket.close();
  }

  private say(status: WallStatus): void {
    this.status = status;
    this.options.onStatus(status);
  }
}

function read(data: unknown): WallFrame | undefined {
  if (typeof data !== 'string') return undefined;
  try {
    const frame = JSON.parse(data) as Partial<WallFrame> | null;
    return typeof frame?.kind === 'string' ? (frame as WallFrame) : undefined;
  } catch {
    return undefined;
  }
}
