import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import { CLOSE } from '../../contract/events.js';
import type { HubServerFrame } from '../../contract/network/hub.js';
import { ReaderProgress } from '../../http/reader-progress.js';
import type { SlowReaders } from '../../http/slow-readers.js';
import { readInSlices } from '../../lib/async/read-in-slices.js';
import type { Clock } from '../../lib/time/clock.js';
import { FrameRate } from '../../lib/time/frame-rate.js';
import type { HubRegistration } from './hub-directory.js';
import { createErrorFrame } from './hub-frame.js';

const QUEUE_LIMIT_BYTES = 1024 * 1024;
const STILL_LIMIT_MS = 10_000;
const PINGS_MISSED_MAX = 2;
const LINGER_MS = 200;

/**
 * One live socket of a registration, with its rate limit and its liveness checks. Contract: Hub; limits as for
 * the Wall.
 */
export class HubLine {
  /** Direct threads announced on this socket: the `room_id` by the key of the peer. */
  readonly threads = new Map<string, string>();
  private readonly rate: FrameRate;
  private pingsMissed = 0;
  private readonly progress: ReaderProgress;
  /** Whether a close frame was sent: nothing more is sent or read. */
  isEnding = false;

  constructor(
    readonly agent: HubRegistration,
    /** When its token expires, in epoch seconds. */
    private readonly exp: number,
    private readonly socket: WebSocket,
    connection: Socket,
    private readonly clock: Clock,
    private readonly slow: SlowReaders,
    onText: (text: string) => void,
    onGone: () => void,
  ) {
    this.rate = new FrameRate(clock);
    this.progress = new ReaderProgress(connection, clock, STILL_LIMIT_MS);
    readInSlices(connection, this.rate);
    socket.on('close', onGone);
    socket.on('pong', (data) => {
      this.pingsMissed = 0;
      this.admits(data.length);
    });
    socket.on('ping', (data) => void this.admits(data.length));
    socket.on('message', (data, isBinary) => {
      const text = data as Buffer;
      if (!this.admits(text.length)) return;
      if (isBinary) this.end(1003, 'text frames only');
      else onText(text.toString('utf8'));
    });
  }

  get queuedBytes(): number {
    return this.socket.bufferedAmount;
  }

  /**
   * Queues the frame. Returns false when the socket is not open, or is closed because its queue would exceed 1 MiB.
   */
  send(frame: HubServerFrame): boolean {
    if (this.isEnding || this.socket.readyState !== this.socket.OPEN) return false;
    const text = JSON.stringify(frame);
    if (this.socket.bufferedAmount + Buffer.byteLength(text) > QUEUE_LIMIT_BYTES) {
      this.closeSlowConnection();
      return false;
    }
    this.socket.send(text);
    return true;
  }

  /**
   * Sends a close frame with the code and reason, and terminates the socket 200 ms later whether or not the
   * peer responds.
   */
  end(code: number, reason: string): void {
    if (this.isEnding) return;
    this.isEnding = true;
    this.socket.close(code, reason);
    this.clock.after(LINGER_MS, () => this.socket.terminate());
  }

  /** Closes the socket when its token has expired. */
  checkToken(): void {
    if (this.exp * 1000 <= this.clock.now()) this.end(CLOSE.revoked, 'the token is over');
  }

  /** Closes the socket of a reader that has taken nothing for ten seconds. */
  checkReader(): void {
    if (this.progress.isStalled()) this.closeSlowConnection();
  }

  /** Sends a ping, or terminates the socket when two pings have gone unanswered. */
  ping(): void {
    if (this.isEnding) return;
    if (this.pingsMissed >= PINGS_MISSED_MAX) this.cut();
    else if (this.socket.readyState === this.socket.OPEN) {
      this.pingsMissed += 1;
      this.socket.ping();
    }
  }

  private admits(bytes: number): boolean {
    if (this.isEnding) return false;
    if (this.rate.admits(bytes)) return true;
    this.send(createErrorFrame('too_many_requests', 'At most 200 frames and 1 MiB a second.'));
    this.end(CLOSE.policy, 'too many frames');
    this.socket.pause();
    return false;
  }

  private closeSlowConnection(): void {
    if (this.isEnding) return;
    this.isEnding = true;
    this.slow.close(this.socket, 'too slow');
  }

  /** Terminates without a closing handshake, which would wait behind the data that the peer does not read. */
  private cut(): void {
    this.isEnding = true;
    this.socket.terminate();
  }
}
