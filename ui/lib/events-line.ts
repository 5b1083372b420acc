import type { EventFrame } from '../../daemon/contract/events.js';
import { isLineDead, reconnectDelayMs } from './reconnect-policy.js';

export type LineState = 'live' | 'catching_up' | 'offline';

/** What the dashboard may say about its line: the state, and when the daemon was last heard (ms, 0 for never). */
export interface LineStatus {
  state: LineState;
  heardAt: number;
}

/** The part of `WebSocket` that the line needs. */
export interface Socket {
  onopen: ((event: never) => void) | null;
  onmessage: ((event: MessageEvent) => void) | null;
  onclose: ((event: never) => void) | null;
  close(): void;
}

export interface Timers {
  now(): number;
  setTimeout(run: () => void, ms: number): unknown;
  clearTimeout(timer: unknown): void;
  random(): number;
}

export interface LineOptions {
  /** Opens a socket that resumes after `since`, or from the present when undefined. */
  open(since: number | undefined): Socket;
  timers: Timers;
  onFrame(frame: EventFrame): void;
  onStatus(status: LineStatus): void;
  /** The line is back after a gap: whatever was read before may be stale. */
  onReconnected(): void;
}

const WATCHDOG_MS = 2_500;

/**
 * The one socket of a tab. Resumes after the last `seq` it saw, takes 25 silent seconds for death, and reconnects with
 * growing, jittered waits for as long as it is not stopped.
 */
export class EventsLine {
  private socket: Socket | undefined;
  private since: number | undefined;
  private attempt = 0;
  private hasBeenLive = false;
  private state: LineState = 'catching_up';
  private heardAt = 0;
  private retry: unknown;
  private watchdog: unknown;
  private isStopped = true;

  constructor(private readonly options: LineOptions) {}

  start(): void {
    if (!this.isStopped) return;
    this.isStopped = false;
    this.connect();
  }

  stop(): void {
    this.isStopped = true;
    this.options.timers.clearTimeout(this.retry);
    this.drop();
  }

  /** For a tab that woke up: a line that may have died in its sleep is replaced now instead of after the watchdog. */
  wake(): void {
    if (this.isStopped) return;
    const isFresh = this.state === 'live' && this.options.timers.now() - this.heardAt < WATCHDOG_MS * 5;
    if (isFresh) return;
    this.options.timers.clearTimeout(this.retry);
    this.attempt = 0;
    this.connect();
  }

  private connect(): void {
    this.drop();
    this.retry = undefined;
    if (this.state !== 'offline') this.say('catching_up');
    const socket = this.options.open(this.since);
    this.socket = socket;
    const openedAt = this.options.timers.now();
    this.watch(openedAt);
    socket.onopen = () => {
      if (this.socket === socket && this.since !== undefined) this.live();
    };
    socket.onmessage = (event) => {
      if (this.socket !== socket) return;
      const frame = read(event.data);
      if (!frame) return;
      this.heardAt = this.options.timers.now();
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
    this.heardAt = this.options.timers.now();
    this.say('live');
    if (isReturn) this.options.onReconnected();
  }

  private lost(): void {
    this.drop();
    if (this.isStopped) return;
    // One quick retry passes unremarked: a daemon that restarts should not flash "Offline".
    this.say(this.attempt === 0 && this.hasBeenLive ? 'catching_up' : 'offline');
    const delay = reconnectDelayMs(this.attempt, this.options.timers.random);
    this.attempt += 1;
    this.retry = this.options.timers.setTimeout(() => this.connect(), delay);
  }

  private watch(openedAt: number): void {
    this.watchdog = this.options.timers.setTimeout(() => {
      if (isLineDead(Math.max(openedAt, this.heardAt), this.options.timers.now())) this.lost();
      else this.watch(openedAt);
    }, WATCHDOG_MS);
  }

  private drop(): void {
    this.options.timers.clearTimeout(this.watchdog);
    const socket = this.socket;
    this.socket = undefined;
    if (!socket) return;
    socket.onopen = null;
    socket.onmessage = null;
    socket.onclose = null;
    socket.close();
  }

  private say(state: LineState): void {
    this.state = state;
    this.options.onStatus({ state, heardAt: this.heardAt });
  }
}

function read(data: unknown): EventFrame | undefined {
  if (typeof data !== 'string') return undefined;
  try {
    const frame = JSON.parse(data) as Partial<EventFrame> | null;
    return typeof frame?.type === 'string' && typeof frame.seq === 'number' ? (frame as EventFrame) : undefined;
  } catch {
    return undefined;
  }
}
