import type { WebSocket } from 'ws';
import type { EventFrame } from '../contract/events.js';
import { CommandFailure, EXIT } from './exit-codes.js';
import { getDaemon } from './project.js';

/** The daemon's heartbeat comes every ten seconds; a line that is quiet for longer than this is dead. */
const QUIET_LIMIT_MS = 35_000;
const CONNECT_LIMIT_MS = 10_000;
const RECONNECTS_MAX = 5;
const RECONNECT_PAUSE_MS = 300;

/**
 * What the daemon tells as it happens, read frame by frame. A line that breaks is taken up again where it broke; when too much was missed for that
 * the next frame is a `hello`, and the reader looks for itself. The daemon has proven itself before each connection.
 */
export class EventStream {
  private readonly frames: EventFrame[] = [];
  private wake: () => void = () => undefined;
  private socket: WebSocket | undefined;
  private seq: number | undefined;
  private failure: CommandFailure | undefined;
  private isClosed = false;
  private reconnects = 0;

  private constructor(private readonly root: string) {}

  /** Resolves once connected: what happens from then on is told. Throws `unreachable`. */
  static async open(root: string): Promise<EventStream> {
    const stream = new EventStream(root);
    await stream.connect();
    return stream;
  }

  /** The next frame, heartbeats left out; undefined once closed. Throws `unreachable` when the daemon is gone. */
  async next(): Promise<EventFrame | undefined> {
    while (this.frames.length === 0) {
      if (this.isClosed) return undefined;
      if (this.failure) throw this.failure;
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
    return this.isClosed ? undefined : this.frames.shift();
  }

  /** Safe to repeat. What waits to be read is dropped. */
  close(): void {
    this.isClosed = true;
    this.socket?.terminate();
    this.wake();
  }

  private async connect(): Promise<void> {
    const [{ WebSocket: Socket }, { file }] = await Promise.all([import('ws'), getDaemon(this.root)]);
    const resume = this.seq === undefined ? '' : `?since=${this.seq}`;
    const socket = new Socket(`${file.address.replace('http', 'ws')}/events${resume}`, {
      handshakeTimeout: CONNECT_LIMIT_MS,
      perMessageDeflate: false,
    });
    let quiet = setTimeout(() => socket.terminate(), QUIET_LIMIT_MS);
    socket.on('message', (data) => {
      clearTimeout(quiet);
      quiet = setTimeout(() => socket.terminate(), QUIET_LIMIT_MS);
      this.take(JSON.parse(String(data)) as EventFrame);
    });
    await new Promise<void>((resolve, reject) => {
      socket.once('open', resolve);
      socket.once('error', (error) => {
        clearTimeout(quiet);
        reject(gone(`refused to tell what happens: ${error.message}`));
      });
    });
    // An error is followed by the close, which says all that is needed.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearTimeout(quiet);
      void this.reconnect();
    });
    this.socket = socket;
    if (this.isClosed) socket.terminate();
  }

  private take(frame: EventFrame): void {
    this.seq = frame.seq;
    this.reconnects = 0;
    if (frame.type === 'heartbeat') return;
    this.frames.push(frame);
    this.wake();
  }

  private async reconnect(): Promise<void> {
    while (!this.isClosed) {
      this.reconnects += 1;
      await new Promise((resolve) => setTimeout(resolve, RECONNECT_PAUSE_MS));
      if (this.isClosed) return;
      try {
        if (this.reconnects <= RECONNECTS_MAX) return await this.connect();
        this.failure = gone('broke off again and again');
      } catch (error) {
        if (this.reconnects < RECONNECTS_MAX) continue;
        this.failure = error instanceof CommandFailure ? error : gone('broke off');
      }
      return this.wake();
    }
  }
}

function gone(what: string): CommandFailure {
  return new CommandFailure(EXIT.unreachable, `The daemon ${what}. What was said is kept: see \`meshd conversations ls\`.`, 'unreachable');
}
