import { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** Node.js keeps the parser of a connection on its socket. */
type Parsed = Socket & { parser?: { getCurrentBuffer?(): Buffer } | null };

/** Whether a request asks for a WebSocket. */
export const asksUpgrade = ({ headers }: Pick<IncomingMessage, 'headers'>): boolean =>
  headers.upgrade?.split(',').some((protocol) => protocol.trim().toLowerCase() === 'websocket') === true;

/**
 * A request whose upgrade to anything but a WebSocket is ignored. A server that listens to `upgrade` is otherwise given
 * every request with that header, its body unread. Clients that prefer HTTP/2 send it with each of their requests, and
 * RFC 9110 (7.8) lets a server ignore it.
 */
export class PlainMessage extends IncomingMessage {
  // Without initializers, because the constructor of the base class sets `upgrade`.
  declare private asked: boolean | null;
  declare private isGiven: boolean | undefined;

  /** The parser sets it before it adds the headers, and Node.js reads it after that. */
  get upgrade(): boolean {
    if (!this.asked) return false;
    if (this.isGiven === undefined) {
      this.isGiven = this.method === 'CONNECT' || asksUpgrade(this);
      if (!this.isGiven) cutIfFollowed(this);
    }
    return this.isGiven;
  }

  set upgrade(asked: boolean | null) {
    this.asked = asked;
  }
}

/**
 * Cuts the connection when more than the rest of `message` comes in the packet with its end. Node.js drops that part
 * behind an ignored upgrade, and would read what comes later, from the middle of a request or its body, as a request.
 */
function cutIfFollowed(message: IncomingMessage): void {
  const { headers, socket } = message;
  const isChunked = headers['transfer-encoding'] !== undefined;
  const endsAt = socket.bytesRead + bytesToCome(getPacket(socket), Number(headers['content-length'] ?? 0));
  // The packet, by its end, that holds something before the last chunk, and so all of that.
  let knownAt = /^[\r\n]/.test(getPacket(socket)) ? undefined : socket.bytesRead;
  let isComplete = false;
  message.push = (chunk: unknown) => {
    if (chunk !== null) knownAt = socket.bytesRead;
    return IncomingMessage.prototype.push.call(message, chunk);
  };
  const isLast = () =>
    isChunked ? endsWithLastChunk(getPacket(socket), knownAt === socket.bytesRead) : socket.bytesRead === endsAt;
  Object.defineProperty(message, 'complete', {
    get: () => isComplete,
    set: (value: boolean) => {
      isComplete = value;
      if (isComplete && !isLast()) socket.destroy();
    },
  });
}

const getPacket = ({ parser }: Parsed) => parser?.getCurrentBuffer?.().toString('latin1') ?? '';

/**
 * Returns how many bytes of a body will come after the packet that ends the headers. The result is too small, never too
 * large, where that packet alone does not tell where they end.
 */
function bytesToCome(packet: string, bodyBytes: number): number {
  // The end of the headers may have begun in the packet before. Empty lines between two requests mean nothing.
  const [rest] = (bodyBytes === 0 ? /^[\r\n]+/ : /^\r?\n/).exec(packet) ?? [];
  const headBytes = rest?.length ?? packet.indexOf('\r\n\r\n') + 4;
  return bodyBytes - (packet.length - headBytes);
}

const LAST_CHUNK = '\r\n0\r\n\r\n';

/** Whether a packet ends with the last chunk of a body: the first in it, or the rest of one that is not whole. */
const endsWithLastChunk = (packet: string, isWhole: boolean) =>
  isWhole ? packet.indexOf(LAST_CHUNK) === packet.length - LAST_CHUNK.length : /^[\r\n]*(?:0\r\n\r\n)?$/.test(packet);
