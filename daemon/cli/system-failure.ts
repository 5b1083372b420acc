import { isDiskFull } from '../lib/disk-errors.js';
import { CommandError, EXIT } from './exit-codes.js';

const about = (path: string): Readonly<Record<string, string>> => ({
  ENOENT: `There is no file or folder ${path}, or no folder to create it in: check the path.`,
  ENOTDIR: `A part of the path ${path} is a file, not a folder: check the path.`,
  EISDIR: `${path} is a folder: name a file.`,
  EEXIST: `${path} already exists: name another path.`,
  ENOTEMPTY: `${path} is not empty: name another path.`,
  EACCES: `You may not read or write ${path}: check its permissions.`,
  EPERM: `You may not read or write ${path}: check its permissions.`,
  EROFS: `${path} is on a read-only file system: name a path that can be written.`,
  ENOSPC: `The disk is full, and ${path} was not written: free some space, then run the command again.`,
  EDQUOT: `Your quota is used up, and ${path} was not written: free some space, then run the command again.`,
  EIO: `The disk failed to read or write ${path}: check it.`,
  ELOOP: `The path ${path} follows too many symbolic links: check it.`,
  ENAMETOOLONG: `The name ${path} is too long: name a shorter path.`,
  EMFILE:
    `Too many files are open to use ${path}: close some programs or raise \`ulimit -n\`, then run the ` +
    'command again.',
});

/**
 * Returns the failure of a command whose system call failed or that met a full disk, as a sentence that names the path,
 * where it is known, and what would be right; undefined for any other error. The failure is a usage error, `bad_root`,
 * when the current folder no longer exists.
 */
export function systemFailure(error: unknown): CommandError | undefined {
  if (!(error instanceof Error)) return undefined;
  const { syscall, code, path, dest, message } = error as NodeJS.ErrnoException & { dest?: string };
  // The target of a copy or a rename is what cannot be written.
  const place = dest ?? path;
  if (isDiskFull(error) && place === undefined)
    return new CommandError(EXIT.failed, 'The disk is full: free some space, then run the command again.', 'no_space');
  if (syscall === undefined) return undefined;
  if (syscall === 'uv_cwd' && code === 'ENOENT')
    return new CommandError(EXIT.usage, 'This folder no longer exists: change to another one.', 'bad_root');
  const said = place === undefined || code === undefined ? undefined : about(place)[code];
  return new CommandError(EXIT.failed, said ?? `The system refused it: ${message}.`, 'system');
}
