import { openPrivate } from '../private/private-file.js';

/** The last `bytes` of a file, from the start of a line; nothing where there is no such file. */
async function tailOf(path: string, bytes: number): Promise<string> {
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

/** The last lines of a log that is turned over, oldest first: of the file itself, and where it is young of the one before it. At most `bytes` are read. */
export async function readLogTail(path: string, bytes: number): Promise<string[]> {
  const own = await tailOf(path, bytes);
  const left = bytes - Buffer.byteLength(own);
  const before = left > 0 ? await tailOf(`${path}.1`, left) : '';
  return `${before}${own}`.split('\n').filter(Boolean);
}
