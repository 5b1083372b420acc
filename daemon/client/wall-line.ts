import type { CLOSE } from '../contract/events.js';
import type { WallFrame } from '../contract/wall.js';
import { elapsedMs, isLineDead, reconnectDelayMs, SILENCE_LIMIT_MS, WATCHDOG_MS } from './reconnect-policy.js';
import { ReconnectingLine, readFrame } from './reconnecting-line.js';
import type { Socket, SocketClose } from './socket.js';
import type { Timers } from './timers.js';

type Close = typeof CLOSE;
const DELETED: Close['deleted'] = 4000;
const REVOKED: Close['revoked'] = 4401;
const POLICY: Close['policy'] = 1008;
/** Close code for a connection that ended without a close frame. */
const LOST = 1006;

/** How long a live cluster may take to respond to a liveness check, in milliseconds. */
const ANSWER_WITHIN_MS = 10_000;
/** A live cluster may be silent forever. After this many milliseconds without a frame its connection is checked. */
const QUIET_MS = SILENCE_LIMIT_MS - ANSWER_WITHIN_MS;

/** Why a connection ended without reconnecting by itself. */
export interface WallEnding {
  why: 'deleted' | 'revoked' | 'refused' | 'too_much';
  /** As sent by the side that ended it; may be empty. */
  reason: string;
}

/**
 * Maps the close of a Wall socket to an ending, or to undefined for a cut after which the line reconnects. Contract:
 * Clusters, boards, Wall.
 */
function toWallEnding(code: number, reason: string): WallEnding | undefined {
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

/**
 * State of a Wall connection; times are epoch milliseconds. `cut` (with the close code of its socket) is retried
 * automatically, `over` only on request.
 */
export type WallStatus =
  | { state: 'joining' }
  | { state: 'in'; since: number }
  | { state: 'cut'; since: number; code: number }
  | { state: 'over'; at: number; ending: WallEnding };

interface WallLineOptions {
  open(): Omit<Socket, 'onopen'>;
  /** Resolves with whether the daemon answers. Must settle. Asked before every connection. */
  mayConnect?: (() => Promise<boolean>) | undefined;
  timers: Timers;
  onFrame(frame: WallFrame): void;
  onStatus(status: WallStatus): void;
  /**
   * Resolves with whether the cluster still admits this connection. A browser does not learn why a socket was refused.
   */
  isOpenToUs(): Promise<boolean>;
}

/**
 * The one socket of a program or tab to a live cluster. It is joined with `ready`. When it is cut it reconnects with
 * exponential back-off and jitter, except when that would not help: the cluster is deleted, its token is revoked, or
 * too much was sent at once. A silent connection is checked for liveness; without a response it counts as cut since its
 * last frame. This is necessary because a socket whose peer is gone does not report it, and a browser does not expose
 * the daemon's pings.
 */
export class WallLine extends ReconnectingLine<Omit<Socket, 'onopen'>> {
  private cutAt: number | undefined;
  private askedAt: number | undefined;
  private reason = '';
  private status: WallStatus = { state: 'joining' };

  /**
   * A handle that no member has. A message to it reaches no one, and the daemon acknowledges that; this is the liveness
   * check.
   */
  private readonly nobody: string;

  constructor(private readonly options: WallLineOptions) {
    super(options.timers, options.mayConnect);
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
    this.reconnect();
  }

  /**
   * Call after the program or tab was suspended: retries at once instead of after the delay, and checks a connection
   * that has been silent.
   */
  wake(): void {
    if (this.isStopped) return;
    if (this.isIn && elapsedMs(this.lastActivityAt, this.timers.now()) >= WATCHDOG_MS) this.sendProbe();
    if (this.status.state !== 'cut') return;
    this.attempt = 0;
    this.reconnect();
  }

  /** Sends `text`. Returns false, without sending, when the connection is not joined. */
  send(text: string): boolean {
    if (!this.isIn || !this.socket) return false;
    this.socket.send(text);
    return true;
  }

  protected connect(): void {
    this.timers.clearTimeout(this.retry);
    this.drop();
    const socket = this.options.open();
    this.socket = socket;
    this.reason = '';
    this.noteActivity();
    this.watch();
    socket.onmessage = (event: { data: unknown }) => {
      if (this.socket !== socket) return;
      const frame = readFrame<WallFrame>(event.data, isWallFrame);
      if (!frame) return;
      this.noteActivity();
      if (frame.kind === 'ack' && frame.to === this.nobody) return;
      if (frame.kind === 'closed') this.reason = frame.reason;
      if (frame.kind === 'ready') {
        this.attempt = 0;
        this.cutAt = undefined;
        this.options.onFrame(frame);
        this.say({ state: 'in', since: this.timers.now() });
      } else this.options.onFrame(frame);
    };
    socket.onclose = ({ code, reason }: SocketClose) => {
      if (this.socket === socket) this.lost(code, this.reason || reason);
    };
  }

  private noteActivity(): void {
    this.lastActivityAt = this.timers.now();
    this.askedAt = undefined;
  }

  private sendProbe(): void {
    if (this.askedAt !== undefined) return;
    this.askedAt = this.timers.now();
    this.send(JSON.stringify({ to: this.nobody, payload: null }));
  }

  /**
   * A timer may run late, for example in a hidden tab. Only a connection that was checked, or that never received a
   * frame, counts as dead.
   */
  private watch(): void {
    const { timers } = this;
    this.watchdog = timers.setTimeout(() => {
      const now = timers.now();
      const isDead =
        this.askedAt === undefined
          ? !this.isIn && isLineDead(this.lastActivityAt, now)
          : elapsedMs(this.askedAt, now) >= ANSWER_WITHIN_MS;
      if (isDead) return this.lost(LOST, '', this.lastActivityAt);
      if (this.isIn && elapsedMs(this.lastActivityAt, now) >= QUIET_MS) this.sendProbe();
      this.watch();
    }, WATCHDOG_MS);
  }

  protected putOff(): void {
    this.lost(LOST, '', this.timers.now());
  }

  /** `silentSince` is set for a connection that did not close but was given up, or not attempted. */
  private lost(code: number, reason: string, silentSince?: number): void {
    const wasIn = this.isIn;
    this.drop();
    if (this.isStopped) return;
    const now = this.timers.now();
    const ending = toWallEnding(code, reason);
    if (ending) {
      this.say({ state: 'over', at: now, ending });
      return;
    }
    this.cutAt ??= silentSince ?? now;
    this.say({ state: 'cut', since: this.cutAt, code });
    const again = () => this.connectAfter(reconnectDelayMs(this.attempt, this.timers.random));
    if (wasIn || silentSince !== undefined) {
      again();
      return;
    }
    // The socket was closed before it was open. Finds out whether it was refused or the daemon is only unavailable.
    const { cutAt } = this;
    void this.options.isOpenToUs().then((isOpen) => {
      if (this.isStopped || this.socket || this.asking) return;
      if (this.cutAt !== cutAt || this.status.state !== 'cut') return;
      if (isOpen) again();
      else this.say({ state: 'over', at: this.timers.now(), ending: { why: 'refused', reason: '' } });
    });
  }

  private say(status: WallStatus): void {
    this.status = status;
    this.options.onStatus(status);
  }
}

const isWallFrame = ({ kind }: Partial<WallFrame>) => typeof kind === 'string';
