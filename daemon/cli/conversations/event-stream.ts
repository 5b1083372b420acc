import type { WebSocket } from 'ws';
import { EventsLine } from '../../client/events-line.js';
import { FrameQueue } from '../../client/frame-queue.js';
import { LateSocket } from '../../client/socket.js';
import { realTimers } from '../../client/timers.js';
import type { EventFrame } from '../../contract/events.js';
import { OPERATOR_HEADER, operatorProof } from '../../lib/crypto/daemon-proof.js';
import { getDaemon } from '../daemon/project.js';
import { CommandError, EXIT } from '../exit-codes.js';

const CONNECT_LIMIT_MS = 10_000;
const RECONNECTS_MAX = 5;
export const RECONNECT_PAUSE_MS = 300;
/** How long a daemon that is gone is looked for. */
export const PATIENCE_MS = RECONNECTS_MAX * RECONNECT_PAUSE_MS;

/**
 * The daemon's event stream, read frame by frame. A connection that breaks is resumed at the last sequence number; when
 * the daemon cannot resume there, the next frame is a `hello` and the reader must fetch the state itself. The daemon
 * proves its identity before each connection.
 */
export class EventStream {
  private readonly queue = new FrameQueue<EventFrame>();
  private readonly line: EventsLine;
  private socket: WebSocket | undefined;
  private isConnected = false;
  /** Consecutive connections without a frame. */
  private fruitless = 0;
  private failure: CommandError | undefined;

  private constructor(
    private readonly root: string,
    reconnectsMax: number,
    onConnected: () => void,
    onFailed: (failure: CommandError) => void,
  ) {
    this.line = new EventsLine({
      open: (since) => new LateSocket(this.connect(since)),
      timers: realTimers(),
      retryAfterMs: () => {
        this.fruitless += 1;
        // Fails at once when the first connection cannot be established.
        if (!this.isConnected || this.fruitless > reconnectsMax) onFailed(this.createEndError());
        return RECONNECT_PAUSE_MS;
      },
      onFrame: (frame) => this.take(frame),
      onStatus: ({ state }) => {
        if (state !== 'live') return;
        this.isConnected = true;
        onConnected();
      },
      onReconnected: () => undefined,
    });
  }

  /**
   * Resolves once connected: all later events are delivered. A connection that breaks is tried again for `patienceMs`
   * milliseconds, about 1.5 s when absent. Throws `unreachable`.
   */
  static open(root: string, patienceMs = PATIENCE_MS): Promise<EventStream> {
    const reconnectsMax = Math.ceil(patienceMs / RECONNECT_PAUSE_MS);
    return new Promise((resolve, reject) => {
      const stream: EventStream = new EventStream(root, reconnectsMax, () => resolve(stream), reject);
      stream.line.start();
    });
  }

  /**
   * Returns the next frame, without heartbeats; undefined once closed. Throws `unreachable` when the daemon is gone.
   */
  next(): Promise<EventFrame | undefined> {
    return this.queue.next();
  }

  /** Closes the stream and drops unread frames. Idempotent. */
  close(): void {
    this.line.stop();
    this.socket?.terminate();
    this.queue.cut();
  }

  private async connect(since: number | undefined): Promise<WebSocket> {
    this.failure = undefined;
    try {
      const [{ WebSocket: Socket }, { file }] = await Promise.all([import('ws'), getDaemon(this.root)]);
      const resume = since === undefined ? '' : `?since=${since}`;
      const socket = new Socket(`${file.address.replace('http', 'ws')}/events${resume}`, {
        headers: { [OPERATOR_HEADER]: operatorProof(file.secret) },
        handshakeTimeout: CONNECT_LIMIT_MS,
        perMessageDeflate: false,
      });
      socket.on('error', ({ message }) => {
        this.failure = gone(`refused the event stream: ${message}`);
      });
      this.socket = socket;
      return socket;
    } catch (error) {
      this.failure = error instanceof CommandError ? error : gone('broke off');
      throw error;
    }
  }

  private createEndError(): CommandError {
    const failure = this.failure ?? gone('broke off again and again');
    this.line.stop();
    this.queue.end(failure);
    return failure;
  }

  private take(frame: EventFrame): void {
    this.fruitless = 0;
    if (frame.type !== 'heartbeat') this.queue.push(frame);
  }
}

function gone(what: string): CommandError {
  return new CommandError(
    EXIT.unreachable,
    `The daemon ${what}. What was said is kept: see \`meshd conversations ls\`.`,
    'unreachable',
  );
}
