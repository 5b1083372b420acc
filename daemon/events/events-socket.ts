import type { WebSocket } from 'ws';
import { CLOSE, EventsQuery, type Hello, type MeshEvent } from '../contract/events.js';
import { EVENT_HEARTBEAT_SECONDS } from '../contract/limits.js';
import type { App } from '../http/route-types.js';
import { SlowReaders } from '../http/slow-readers.js';
import { escapeInvisibleJson } from '../lib/text/display-text.js';
import type { Clock } from '../lib/time/clock.js';
import type { Bus } from './bus.js';
import { coalesce } from './slow-reader.js';

/** Above this many buffered bytes a reader is behind: nothing more is queued for it until its socket has drained. */
const BEHIND_BYTES = 256 * 1024;
const BEHIND_LIMIT_MS = 10_000;
const RETRY_MS = 250;
const PINGS_MISSED_MAX = 2;

type HelloState = Omit<Hello, 'type' | 'seq' | 'ts'>;

/**
 * Invisible characters are escaped because an event may be printed on a terminal: no frame can carry a control
 * sequence.
 */
const getFrame = (event: MeshEvent | Hello) => escapeInvisibleJson(JSON.stringify(event));

/**
 * Serves `GET /events` over a WebSocket: a `hello` with the state needed to draw the dashboard, then every event.
 * `?since=<seq>` resumes without a gap when the ring still holds all later events; otherwise the stream starts with a
 * fresh `hello`. A reader that falls behind receives the newest event of each kind once its socket drains, and is
 * closed with 4408 when it does not drain within ten seconds. Each heartbeat sends a ping; a reader that misses two
 * pings in a row is terminated. Contract: Events.
 */
export class EventsSocket {
  private readonly readers = new Set<Reader>();
  private readonly slow: SlowReaders;

  constructor(
    private readonly bus: Bus,
    private readonly clock: Clock,
    private readonly state: () => HelloState,
  ) {
    this.slow = new SlowReaders(clock);
    let text = '';
    let seq = -1;
    bus.watch((event) => {
      if (this.readers.size === 0) return;
      if (event.seq !== seq) {
        text = getFrame(event);
        seq = event.seq;
      }
      for (const reader of this.readers) reader.offer(event.seq, text);
    });
    this.beat();
  }

  /** The number of open sockets. */
  get size(): number {
    return this.readers.size;
  }

  /** Closes every reader with the code for a daemon shutdown. */
  close(): void {
    for (const reader of this.readers) reader.end(CLOSE.shuttingDown, 'the daemon stops');
    this.slow.stop();
  }

  /** Sends what was missed since the event of that number, or the state, and every event from then on. */
  open(socket: WebSocket, since: number | undefined): void {
    const missed = since === undefined ? undefined : this.bus.since(since);
    const reader = new Reader(socket, this.bus, this.clock, this.slow, () => this.readers.delete(reader));
    if (missed) for (const event of missed) socket.send(getFrame(event));
    else
      socket.send(
        getFrame({
          type: 'hello',
          seq: this.bus.seq,
          ts: Math.floor(this.clock.now() / 1000),
          ...this.state(),
        } satisfies Hello),
      );
    reader.sent = this.bus.seq;
    this.readers.add(reader);
  }

  private beat(): void {
    this.clock.after(EVENT_HEARTBEAT_SECONDS * 1000, () => {
      const text = JSON.stringify({ type: 'heartbeat', seq: this.bus.seq, ts: Math.floor(this.clock.now() / 1000) });
      for (const reader of this.readers) reader.heartbeat(text);
      this.beat();
    });
  }
}

export async function eventsRoutes(app: App, { events }: { events: EventsSocket }): Promise<void> {
  app.get(
    '/events',
    { websocket: true, config: { socket: true }, schema: { querystring: EventsQuery } },
    (socket, request) => events.open(socket, request.query.since),
  );
}

/** One open socket and the last sequence number sent to it. */
class Reader {
  sent = 0;
  private behindSince: number | undefined;
  private pingsMissed = 0;
  /** Heartbeats that fall due in the same event loop tick send one ping: no pong can arrive between them. */
  private hasJustPinged = false;

  constructor(
    private readonly socket: WebSocket,
    private readonly bus: Bus,
    private readonly clock: Clock,
    private readonly slow: SlowReaders,
    private readonly onGone: () => void,
  ) {
    socket.on('close', () => onGone());
    socket.on('error', () => socket.terminate());
    socket.on('pong', () => {
      this.pingsMissed = 0;
    });
    // The stream is one-way: messages from clients are ignored.
    socket.on('message', () => undefined);
  }

  offer(seq: number, text: string): void {
    if (this.behindSince !== undefined) return;
    if (this.socket.bufferedAmount > BEHIND_BYTES) {
      this.behindSince = this.clock.elapsed();
      this.retry();
      return;
    }
    this.socket.send(text);
    this.sent = seq;
  }

  heartbeat(text: string): void {
    if (this.pingsMissed >= PINGS_MISSED_MAX) {
      this.socket.terminate();
      return;
    }
    if (!this.hasJustPinged) this.ping();
    if (this.behindSince === undefined && this.socket.bufferedAmount <= BEHIND_BYTES) this.socket.send(text);
  }

  private ping(): void {
    this.pingsMissed += 1;
    this.socket.ping();
    this.hasJustPinged = true;
    setImmediate(() => {
      this.hasJustPinged = false;
    });
  }

  end(code: number, reason: string): void {
    this.onGone();
    this.socket.close(code, reason);
  }

  private retry(): void {
    this.clock.after(RETRY_MS, () => {
      if (this.behindSince === undefined || this.socket.readyState !== this.socket.OPEN) return;
      if (this.socket.bufferedAmount <= BEHIND_BYTES / 4) return this.catchUp();
      if (this.clock.elapsed() - this.behindSince > BEHIND_LIMIT_MS) return this.cut();
      return this.retry();
    });
  }

  private catchUp(): void {
    const missed: MeshEvent[] | undefined = this.bus.since(this.sent);
    if (!missed) {
      this.cut();
      return;
    }
    this.behindSince = undefined;
    for (const event of coalesce(missed)) this.socket.send(getFrame(event));
    this.sent = this.bus.seq;
  }

  private cut(): void {
    this.onGone();
    this.slow.close(this.socket, `too slow; resume with ?since=${this.sent}`);
  }
}
