import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

const MAX_BYTES = 65_536;

/**
 * Returns the text of a small file that only this user can access, or undefined. A link, a hard link, a file
 * that another user owns or that others can read, and a file larger than 64 KiB count as missing, because
 * another user can have put it there.
 */
export async function readOwnFile(path: string, ownUid: number | undefined): Promise<string | undefined> {
  let file: FileHandle;
  try {
    file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    // Missing, a link, or not permitted.
    return undefined;
  }
  try {
    const stats = await file.stat();
    if (stats.nlink > 1) return undefined;
    const isOurs = ownUid === undefined || (stats.uid === ownUid && (stats.mode & 0o077) === 0);
    return stats.isFile() && isOurs && stats.size <= MAX_BYTES ? await file.readFile('utf8') : undefined;
  } finally {
    await file.close();
  }
}
