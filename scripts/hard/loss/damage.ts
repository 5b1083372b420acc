import { connect, type Socket } from 'node:net';
import type { Dice } from '../../../daemon/testing/dice.js';

/** Fragments that are difficult for parsers. */
const SPLINTERS = [
  '',
  '"',
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '\\',
  '\\u',
  '\0',
  '\u202e',
  '\ud800',
  '\u{1f4a9}',
  '#',
  '`',
  '%',
  '%00',
  '%ff',
  '&',
  '=',
  '/',
  '..',
  '?',
  ' ',
  '\r\n',
  '-1',
  '1e999',
  'null',
  '__proto__',
  'constructor',
  'x'.repeat(300),
  '['.repeat(40),
  'payload',
  'to',
  'token=',
  'ck_',
  'c_',
  'Infinity',
  '9'.repeat(40),
];

/**
 * Returns `text` with random parts removed, duplicated, moved, or replaced by fragments that are difficult for parsers.
 */
export function damaged({ random, below, pick }: Dice, text: string): string {
  let result = text;
  for (let times = 1 + below(3); times > 0; times -= 1) {
    const from = below(result.length + 1);
    const to = Math.min(result.length, from + below(8));
    const splinter = random() < 0.3 ? result.slice(below(result.length), below(result.length)) : pick(SPLINTERS);
    result = result.slice(0, from) + splinter + result.slice(random() < 0.5 ? from : to);
  }
  return result;
}

/** Returns a complete masked text frame. */
export function encodeFrame({ below }: Dice, text: string): Buffer {
  const body = Buffer.from(text);
  const mask = Buffer.from([below(256), below(256), below(256), below(256)]);
  const head = body.length < 126 ? [0x81, 0x80 | body.length] : [0x81, 0xfe, body.length >> 8, body.length & 255];
  return Buffer.concat([Buffer.from(head), mask, body.map((byte, at) => byte ^ (mask[at & 3] as number))]);
}

/** Returns a text frame with damaged bytes, mostly in its header: opcode, lengths, mask, fragmentation. */
export function damagedFrame(dice: Dice, text: string): Buffer {
  const { random, below } = dice;
  const frame = encodeFrame(dice, text);
  for (let times = 1 + below(3); times > 0; times -= 1) frame[below(random() < 0.7 ? 6 : frame.length)] = below(256);
  return random() < 0.2 ? frame.subarray(0, below(frame.length)) : frame;
}

/** Bytes received on a connection, and whether the limit passed without any response or closing. */
interface Exchanged {
  text: string;
  isSilent: boolean;
}

/**
 * Sends bytes on a new connection. Resolves with the received bytes once the peer closes, `isDone` returns true, or
 * `quietMs` have passed without data. After `endAfterMs` without data the sending side is closed; with `isAnswerFirst`
 * only after the first data, because the daemon rejects an upgrade that is half closed before the owner of the
 * connection is looked up.
 */
export function exchange(
  port: number,
  bytes: readonly (Buffer | string)[],
  {
    isDone = () => false,
    quietMs,
    endAfterMs,
    isAnswerFirst = false,
  }: { isDone?: (text: string) => boolean; quietMs: number; endAfterMs?: number; isAnswerFirst?: boolean },
): Promise<Exchanged> {
  return new Promise((resolve) => {
    let text = '';
    const socket: Socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    const finish = (isSilent: boolean) => {
      // Reset instead of closed, since thousands of lingering connections would slow down every lookup of a peer.
      socket.resetAndDestroy();
      resolve({ text, isSilent });
    };
    socket.setEncoding('latin1');
    let mayEnd = endAfterMs !== undefined;
    const fallSilent = () => {
      if (!mayEnd || (isAnswerFirst && text === '')) return finish(true);
      mayEnd = false;
      socket.end();
      socket.setTimeout(quietMs);
    };
    socket.setTimeout(isAnswerFirst ? quietMs : (endAfterMs ?? quietMs), fallSilent);
    socket.on('data', (chunk) => {
      if (mayEnd && endAfterMs !== undefined) socket.setTimeout(endAfterMs);
      text += chunk;
      if (isDone(text)) finish(false);
    });
    socket.on('end', () => finish(false));
    socket.on('error', () => finish(false));
    socket.on('close', () => finish(false));
    for (const chunk of bytes) socket.write(chunk, 'latin1');
  });
}

/** Returns the status of a raw response, or 0 when there is none. */
export const parseStatus = (answer: string): number => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0);
