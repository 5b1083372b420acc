import type { CLOSE } from '../daemon/contract/events.js';
import type { WallFrame } from '../daemon/contract/wall.js';
import { isLineDead, reconnectDelayMs, SILENCE_LIMIT_MS, WATCHDOG_MS } from './reconnect-policy.js';
import type { CloseOf, Socket } from './socket.js';
import type { Timers } from './timers.js';

type Close = typeof CLOSE;
const DELETED: Close['deleted'] = 4000;
const REVOKED: Close['revoked'] = 4401;
const POLICY: Close['policy'] = 1008;
/** Of a line that ended without a word. */
const LOST = 1006;

/** How long an answer may take of a room that is asked whether it is still there. */
const ANSWER_WITHIN_MS = 10_000;
/** A room may be silent for good: so long after its last frame it is asked. */
const QUIET_MS = SILENCE_LIMIT_MS - ANSWER_WITHIN_MS;

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
 * not help: the room is gone, its token opens nothing any more, or too much was said at once. A silent room is asked for a sign of life, and one that gives none
 * is taken for cut since it was last heard: a socket whose other end is gone says nothing of it, and the pings of the daemon are not shown to a browser.
 */
export class WallLine {
  private socket: Omit<Socket, 'onopen'> | undefined;
  private attempt = 0;
  private cutAt: number | undefined;
  private heardAt = 0;
  private askedAt: number | undefined;
  private retry: unknown;
  private watchdog: unknown;
  private reason = '';
  private status: WallStatus = { state: 'joining' };
  private isStopped = true;

  /** A handle that nobody has: what is said to it reaches no one, and the daemon answers that. */
  private readonly nobody: string;

  constructor(private readonly options: WallLineOptions) {
    this.nobody = `nobody-${Math.floor(options.timers.random() * Number.MAX_SAFE_INTEGER).toString(36)}`;
  }

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

  /** For a program or a tab that slept: tries now instead of when the wait is over, and asks a line that has been silent. */
  wake(): void {
    if (this.isStopped) return;
    if (this.isIn && this.options.timers.now() - this.heardAt >= WATCHDOG_MS) this.askForLife();
    if (this.status.state !== 'cut') return;
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
    this.heard();
    this.watch();
    socket.onmessage = (event: { data: unknown }) => {
      if (this.socket !== socket) return;
      const frame = read(event.data);
      if (!frame) return;
      this.heard();
      if (frame.kind === 'ack' && frame.to === this.nobody) return;
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

  private heard(): void {
    this.heardAt = this.options.timers.now();
    this.askedAt = undefined;
  }

  private askForLife(): void {
    if (this.askedAt !== undefined) return;
    this.askedAt = this.options.timers.now();
    this.send(JSON.stringify({ to: this.nobody, payload: null }));
  }

  /** A timer may come late, in a tab that nobody looks at for one: only a line that was asked, or never said anything, is dead. */
  private watch(): void {
    const { timers } = this.options;
    this.watchdog = timers.setTimeout(() => {
      const now = timers.now();
      const isDead =
        this.askedAt === undefined
          ? !this.isIn && isLineDead(this.heardAt, now)
          : now - this.askedAt >= ANSWER_WITHIN_MS;
      if (isDead) return this.lost(LOST, '', this.heardAt);
      if (this.isIn && now - this.heardAt >= QUIET_MS) this.askForLife();
      this.watch();
    }, WATCHDOG_MS);
  }

  /** `silentSince` for a line that did not end, but was given up. */
  private lost(code: number, reason: string, silentSince?: number): void {
    const wasIn = this.isIn;
    this.drop();
    if (this.isStopped) return;
    const now = this.options.timers.now();
    const ending = wallEndingOf(code, reason);
    if (ending) {
      this.say({ state: 'over', at: now, ending });
      return;
    }
    this.cutAt ??= silentSince ?? now;
    this.say({ state: 'cut', since: this.cutAt, code });
    const again = () => {
      const delay = reconnectDelayMs(this.attempt, this.options.timers.random);
      this.attempt += 1;
      this.retry = this.options.timers.setTimeout(() => this.connect(), delay);
    };
    if (wasIn || silentSince !== undefined) {
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
    this.options.timers.clearTimeout(this.watchdog);
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
