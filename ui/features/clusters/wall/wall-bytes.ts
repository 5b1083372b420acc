import type { FRAME_MAX_BYTES } from '../../../../daemon/contract/wall.js';

export const FRAME_MAX: typeof FRAME_MAX_BYTES = 65_536;
/** From this size on a message reads better as a post. */
const LONG_BYTES = 2_000;
/** Matches text that looks like one of the daemon's own tokens. */
const SECRET = /\b(?:mk|ck|ak|tk)_[\w-]{43}\b/;

const encoder = new TextEncoder();

/** Returns the size of the whole frame of a message, in bytes. */
export const frameBytes = (text: string, to: readonly string[]): number =>
  encoder.encode(
    JSON.stringify(to.length === 0 ? { payload: text } : { to: to.length === 1 ? to[0] : to, payload: text }),
  ).length;

export const isLong = (bytes: number): boolean => bytes > LONG_BYTES;
export const hasSecret = (text: string): boolean => SECRET.test(text);

/** Formats as `41 of 64 KB`; empty below half of the limit. */
export function formatSize(bytes: number): string {
  if (bytes > FRAME_MAX) return `${(bytes - FRAME_MAX).toLocaleString('en')} bytes more than the 64 KB of one message`;
  return bytes > FRAME_MAX / 2 ? `${Math.ceil(bytes / 1024)} of 64 KB` : '';
}
