import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/**
 * Copies a file to a new one in another process: the system takes all locks on a file from a process that closes it
 * once. Returns whether there is a copy.
 */
function copyElsewhere(from: string, to: string): boolean {
  const copy = `require('fs').copyFileSync(${JSON.stringify(from)}, ${JSON.stringify(to)}, 1)`;
  return spawnSync(process.execPath, ['-e', copy]).status === 0;
}

/** Returns the copy of the file as it is: of its size, and made since it was written last. */
function findCopy(path: string): string | undefined {
  const { size, mtimeMs } = statSync(path);
  const isCopy = (name: string) => name.startsWith(`${basename(path)}.corrupt-`) && !name.endsWith('-wal');
  return readdirSync(dirname(path))
    .filter(isCopy)
    .map((name) => join(dirname(path), name))
    .find((copy) => {
      const made = statSync(copy);
      return made.size === size && made.mtimeMs >= mtimeMs;
    });
}

/**
 * Copies a damaged store with its log to a name beside it, unless there is a copy. Returns the message that says how to
 * recover.
 */
export function copyDamaged(path: string, damage: string, now: number): string {
  const aside = findCopy(path) ?? `${path}.corrupt-${Math.floor(now / 1000)}`;
  const copyAll = () =>
    ['', '-wal'].every((end) => (end !== '' && !existsSync(path + end)) || copyElsewhere(path + end, aside + end));
  const isCopied = existsSync(aside) || copyAll();
  if (!isCopied) for (const end of ['', '-wal']) rmSync(aside + end, { force: true });
  return (
    `the database is damaged (${damage.split('\n')[0]}); ${isCopied ? `a copy is at ${aside}` : 'it could not be copied'}. ` +
    'Restore a backup with `meshd restore`, or move the file away to start over.'
  );
}
