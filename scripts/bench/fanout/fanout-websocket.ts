import { randomBytes } from 'node:crypto';
import type { Greeting } from './fanout-brokers.js';

/** Returns a masked text frame, as a client sends it. */
export function clientFrame(text: string): Buffer {
  const body = Buffer.from(text);
  const mask = randomBytes(4);
  const head =
    body.length < 126
      ? Buffer.from([0x81, 0x80 | body.length])
      : Buffer.from([0x81, 0x80 | 126, body.length >> 8, body.length & 255]);
  for (let at = 0; at < body.length; at += 1) body[at] = (body[at] as number) ^ (mask[at & 3] as number);
  return Buffer.concat([head, mask, body]);
}

/** Returns the upgrade to a WebSocket, and `hello` as the first frame if the server expects one. */
export function webSocketGreeting(hello?: string): Greeting {
  return {
    first: (path, port) =>
      `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: Upgrade\r\nUpgrade: ` +
      'websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ' +
      `${randomBytes(16).toString('base64')}\r\n\r\n`,
    end: (head) => {
      if (head.length >= 12 && !head.startsWith('HTTP/1.1 101')) throw new Error(`Refused: ${head.slice(0, 200)}`);
      return head.includes('\r\n\r\n') ? head.indexOf('\r\n\r\n') + 4 : -1;
    },
    hello: () => (hello === undefined ? '' : clientFrame(hello)),
  };
}

/** Counts the payload bytes of WebSocket frames without their headers, however they are split into chunks. */
export function payloadCounter(): (chunk: Buffer) => number {
  /** Remaining bytes of the current frame. */
  let left = 0;
  /** The received part of a header. */
  let head: number[] = [];
  return (chunk) => {
    let sum = 0;
    for (let at = 0; at < chunk.length; ) {
      if (left > 0) {
        const now = Math.min(left, chunk.length - at);
        sum += now;
        left -= now;
        at += now;
        continue;
      }
      head.push(chunk[at] as number);
      at += 1;
      const length = lengthIn(head);
      if (length === undefined) continue;
      left = length;
      head = [];
    }
    return sum;
  };
}

/** Returns the payload length in the unmasked header of a frame; undefined while the header is incomplete. */
function lengthIn(head: readonly number[]): number | undefined {
  const short = (head[1] ?? 0) & 127;
  const more = short === 127 ? 8 : short === 126 ? 2 : 0;
  if (head.length < 2 + more) return undefined;
  return more === 0 ? short : head.slice(2).reduce((sum, byte) => sum * 256 + byte, 0);
}
