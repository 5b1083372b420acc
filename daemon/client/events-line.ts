import type { EventFrame } from '../contract/events.js';
import { elapsedMs, isLineDead, reconnectDelayMs, WATCHDOG_MS } from './reconnect-policy.js';
import { ReconnectingLine, readFrame } from './reconnecting-line.js';
import type { Socket } from './socket.js';
import type { Timers } from './timers.js';

export type LineState = 'live' | 'catching_up' | 'offline';

/** State of the event stream, and when the daemon last sent something (epoch milliseconds, 0 for never). */
export interface LineStatus {
  state: LineState;
  lastActivityAt: number;
}

interface LineOptions {
  /** Opens a socket that resumes after `since`, or starts at the present when undefined. */
  open(since: number | undefined): Omit<Socket, 'send'>;
  /** Resumes after this `seq` from the start. */
  since?: number | undefined;
  /**
   * Returns how long to wait before retry `attempt` of a row (from 0), in milliseconds. May stop the line instead. The
   * default backs off exponentially with jitter and retries without limit.
   */
  retryAfterMs?: typeof reconnectDelayMs;
  /**
   * Resolves with whether a connection would be accepted. Must settle. Asked before every connection but the first. A
   * browser may delay all connections to an address that refused some.
   */
  mayConnect?: () => Promise<boolean>;
  timers: Timers;
  onFrame(frame: EventFrame): void;
  onStatus(status: LineStatus): void;
  /** Called when the stream is back after a gap: data read before may be stale. */
  onReconnected(): void;
}

/** The handle that the caller holds. */
export interface HeldLine {
  /** Starts, or continues after a `stop`. Idempotent. */
  start(): void;
  /** Idempotent. */
  stop(): void;
  /**
   * Call after the program or tab was suspended: replaces a connection that may have died at once instead of after the
   * watchdog's timeout.
   */
  wake(): void;
}

/**
 * The event stream of a program or tab, over one socket. Resumes after the last `seq` it received, treats 25 seconds of
 * silence as a dead connection, and reconnects with exponential back-off and jitter until it is stopped.
 */
export class EventsLine extends ReconnectingLine<Omit<Socket, 'send'>> implements HeldLine {
  private since: number | undefined;
  private hasBeenLive = false;
  private state: LineState = 'catching_up';

  constructor(private readonly options: LineOptions) {
    super(options.timers, options.mayConnect);
    this.since = options.since;
  }

  start(): void {
    if (!this.isStopped) return;
    this.isStopped = false;
    this.connect();
  }

  wake(): void {
    if (this.isStopped) return;
    const isFresh = this.state === 'live' && elapsedMs(this.lastActivityAt, this.timers.now()) < WATCHDOG_MS * 5;
    if (isFresh) return;
    this.attempt = 0;
    if (this.state === 'live') this.say('catching_up');
    this.reconnect();
  }

  protected connect(): void {
    this.drop();
    this.retry = undefined;
    if (this.state !== 'offline') this.say('catching_up');
    const socket = this.options.open(this.since);
    this.socket = socket;
    const openedAt = this.timers.now();
    // The clock may have been set back.
    this.lastActivityAt = Math.min(this.lastActivityAt, openedAt);
    this.watch(openedAt);
    socket.onopen = () => {
      if (this.socket === socket && this.since !== undefined) this.live();
    };
    socket.onmessage = (event: { data: unknown }) => {
      if (this.socket !== socket) return;
      const frame = readFrame<EventFrame>(event.data, isEventFrame);
      if (!frame) return;
      this.lastActivityAt = this.timers.now();
      if (frame.type === 'hello' || this.since === undefined || frame.seq > this.since) this.since = frame.seq;
      this.live();
      this.options.onFrame(frame);
    };
    socket.onclose = () => {
      if (this.socket === socket) this.lost();
    };
  }

  private live(): void {
    this.attempt = 0;
    if (this.state === 'live') return;
    const isReturn = this.hasBeenLive;
    this.hasBeenLive = true;
    this.lastActivityAt = this.timers.now();
    this.say('live');
    if (isReturn) this.options.onReconnected();
  }

  protected putOff(): void {
    this.lost();
  }

  private lost(): void {
    this.drop();
    if (this.isStopped) return;
    // The first quick retry is not reported as offline: a daemon that restarts should not flash "Offline".
    this.say(this.attempt === 0 && this.hasBeenLive ? 'catching_up' : 'offline');
    const { retryAfterMs = reconnectDelayMs } = this.options;
    const delay = retryAfterMs(this.attempt, this.timers.random);
    if (!this.isStopped) this.connectAfter(delay);
  }

  private watch(openedAt: number): void {
    this.watchdog = this.timers.setTimeout(() => {
      if (isLineDead(Math.max(openedAt, this.lastActivityAt), this.timers.now())) this.lost();
      else this.watch(openedAt);
    }, WATCHDOG_MS);
  }

  protected override drop(): void {
    if (this.socket) this.socket.onopen = null;
    super.drop();
  }

  private say(state: LineState): void {
    this.state = state;
    this.options.onStatus({ state, lastActivityAt: this.lastActivityAt });
  }
}

const isEventFrame = ({ type, seq }: Partial<EventFrame>) => typeof type === 'string' && typeof seq === 'number';
