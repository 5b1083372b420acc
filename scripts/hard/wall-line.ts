import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';

const OPCODE = { text: 1, close: 8, ping: 9, pong: 10 } as const;
const FIN = 0x80;
const MASKED = 0x80;
const NOTHING = Buffer.alloc(0);
const READ_INTO = Buffer.allocUnsafe(256 * 1024);

/** Returns a complete masked frame, as a WebSocket client sends it (RFC 6455). */
export function clientFrame(body: Buffer | string, opcode: number = OPCODE.text): Buffer {
  const bytes = Buffer.from(body);
  const mask = randomBytes(4);
  const head = bytes.length < 126 ? [bytes.length | MASKED] : [126 | MASKED, bytes.length >> 8, bytes.length & 255];
  return Buffer.concat([
    Buffer.from([FIN | opcode, ...head]),
    mask,
    bytes.map((byte, at) => byte ^ (mask[at & 3] as number)),
  ]);
}

/**
 * How a connection ended: the code of the close frame, if one arrived before the connection closed, and the number of
 * text frames received.
 */
interface Ending {
  code: number | undefined;
  texts: number;
}

/**
 * A member's WebSocket connection with little overhead. It parses the daemon's frames without unmasking or decoding
 * text that is not inspected, answers pings and the closing handshake, and can stop reading at once, which client
 * libraries do not guarantee.
 */
export class WallLine {
  /** Called for every text frame. The buffer is valid only during the call. */
  onText: ((text: Buffer) => void) | undefined;
  texts = 0;
  pings = 0;
  /** Resolves when the connection is closed, for whatever reason. */
  readonly ended: Promise<Ending>;
  private rest = NOTHING;
  private closeCode: number | undefined;

  private constructor(private readonly socket: Socket) {
    socket.on('error', () => undefined);
    this.ended = new Promise((resolve) =>
      socket.once('close', () => resolve({ code: this.closeCode, texts: this.texts })),
    );
  }

  /**
   * Joins at `path` of the daemon on `port`. Rejects with an Error that contains the response when the upgrade is
   * refused.
   */
  static open(port: number, path: string, onText?: (text: Buffer) => void): Promise<WallLine> {
    return new Promise((resolve, reject) => {
      let line: WallLine | undefined;
      let head = NOTHING;
      const read = (chunk: Buffer): boolean => {
        if (line) return line.take(chunk);
        head = Buffer.concat([head, chunk]);
        const end = head.indexOf('\r\n\r\n');
        if (end === -1) return true;
        const status = head.toString('latin1', 9, 12);
        if (status !== '101') {
          reject(new Error(`The upgrade was answered ${status}: ${head.toString('latin1', end + 4)}`));
          return false;
        }
        line = new WallLine(socket);
        line.onText = onText;
        resolve(line);
        return line.take(head.subarray(end + 4));
      };
      // Reads into one buffer that is reused for every read. Only in this mode does a pause stop the reading at once.
      const onread = { buffer: READ_INTO, callback: (count: number) => read(READ_INTO.subarray(0, count)) };
      const socket = connect({ port, host: '127.0.0.1', noDelay: true, onread });
      socket.once('error', reject);
      socket.once('close', () => reject(new Error('The connection was closed before the upgrade was answered.')));
      socket.write(
        `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: Upgrade\r\nUpgrade: ` +
          'websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ' +
          `${randomBytes(16).toString('base64')}\r\n\r\n`,
      );
    });
  }

  /** Local port, which identifies the connection in the kernel's tables. */
  get localPort(): number {
    return this.socket.localPort ?? 0;
  }

  get isGone(): boolean {
    return this.socket.destroyed;
  }

  say(text: string): void {
    this.socket.write(clientFrame(text));
  }

  /** Writes raw bytes. Returns false while earlier bytes are still buffered. */
  write(bytes: Buffer): boolean {
    return this.socket.write(bytes);
  }

  /** Calls `run` once when the buffered bytes are written. */
  onDrain(run: () => void): void {
    this.socket.once('drain', run);
  }

  /** Stops reading, as a hung program does. */
  stall(): void {
    this.socket.pause();
  }

  /** Reads again after `stall`. */
  resume(): void {
    this.socket.resume();
  }

  /** Destroys the connection without a closing handshake. */
  cut(): void {
    this.socket.destroy();
  }

  private take(chunk: Buffer): boolean {
    const bytes = this.rest.length === 0 ? chunk : Buffer.concat([this.rest, chunk]);
    let at = 0;
    for (;;) {
      const head = headAt(bytes, at);
      if (!head || bytes.length < head.start + head.length) break;
      const { start, length, opcode } = head;
      at = start + length;
      this.hear(opcode, bytes.subarray(start, at));
    }
    // Copied, so that a partial frame does not retain the whole chunk.
    this.rest = at === bytes.length ? NOTHING : Buffer.from(bytes.subarray(at));
    return true;
  }

  private hear(opcode: number, body: Buffer): void {
    if (opcode === OPCODE.text) {
      this.texts += 1;
      this.onText?.(body);
    } else if (opcode === OPCODE.ping) {
      this.pings += 1;
      this.socket.write(clientFrame(body, OPCODE.pong));
    } else if (opcode === OPCODE.close) {
      this.closeCode = body.length >= 2 ? body.readUInt16BE(0) : 1005;
      this.socket.end(clientFrame(body.subarray(0, 2), OPCODE.close));
    }
  }
}

/** Parses the header of the frame at `at`. Returns undefined while the header is incomplete. */
function headAt(bytes: Buffer, at: number): { opcode: number; start: number; length: number } | undefined {
  if (bytes.length < at + 2) return undefined;
  const opcode = (bytes[at] as number) & 15;
  const short = (bytes[at + 1] as number) & 127;
  if (short < 126) return { opcode, start: at + 2, length: short };
  const start = at + (short === 126 ? 4 : 10);
  if (bytes.length < start) return undefined;
  return { opcode, start, length: short === 126 ? bytes.readUInt16BE(at + 2) : Number(bytes.readBigUInt64BE(at + 2)) };
}
