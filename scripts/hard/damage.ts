import { connect, type Socket } from 'node:net';
import type { Dice } from '../../daemon/testing/dice.js';

/** What parsers trip over. */
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

/** `text` with some of it lost, doubled, moved, or replaced by what parsers trip over. */
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

/** A whole masked frame of text. */
export function frameOf({ below }: Dice, text: string): Buffer {
  const body = Buffer.from(text);
  const mask = Buffer.from([below(256), below(256), below(256), below(256)]);
  const head = body.length < 126 ? [0x81, 0x80 | body.length] : [0x81, 0xfe, body.length >> 8, body.length & 255];
  return Buffer.concat([Buffer.from(head), mask, body.map((byte, at) => byte ^ (mask[at & 3] as number))]);
}

/** A frame of text whose bytes are damaged, mostly in its head: opcode, lengths, mask, fragments. */
export function damagedFrame(dice: Dice, text: string): Buffer {
  const { random, below } = dice;
  const frame = frameOf(dice, text);
  for (let times = 1 + below(3); times > 0; times -= 1) frame[below(random() < 0.7 ? 6 : frame.length)] = below(256);
  return random() < 0.2 ? frame.subarray(0, below(frame.length)) : frame;
}

/** What came back on a connection, and whether nothing came and nobody closed it within the limit. */
export interface Exchanged {
  text: string;
  isSilent: boolean;
}

/**
 * Sends bytes on a connection of its own and gives what came back, once the other end closes, or `isDone`, or `quietMs` have passed in silence.
 * After `endAfterMs` of silence the other end is told that no more will come; with `isAnswerFirst` only once it has
 * answered anything: an upgrade is refused when it is half closed before the system has told whose it is.
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
      // Not closed in order: thousands of connections that linger would slow down every look at who connects.
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

/** The status of an answer, 0 when there is none. */
export const statusOf = (answer: string): number => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0);
