import { openPrivate } from '../../private/private-file.js';

/** Returns the last `bytes` of a file, from the start of a line; empty when the file does not exist. */
async function getTail(path: string, bytes: number): Promise<string> {
  const file = await openPrivate(path);
  if (!file) return '';
  try {
    const { size } = await file.stat();
    const start = Math.max(0, size - bytes);
    const buffer = Buffer.alloc(size - start);
    const { bytesRead } = await file.read(buffer, 0, buffer.length, start);
    const text = buffer.toString('utf8', 0, bytesRead);
    return start === 0 ? text : text.slice(text.indexOf('\n') + 1);
  } finally {
    await file.close();
  }
}

/**
 * Returns the last lines of a rotated log, oldest first: from the file itself, and when it is short also from the one
 * before it. Reads at most `bytes`.
 */
export async function readLogTail(path: string, bytes: number): Promise<string[]> {
  const own = await getTail(path, bytes);
  const left = bytes - Buffer.byteLength(own);
  const before = left > 0 ? await getTail(`${path}.1`, left) : '';
  return `${before}${own}`.split('\n').filter(Boolean);
}
