import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** A program that copies a store and its log. It fails when a file is there already. */
const COPY = `for (const end of ['', '-wal']) {
  const [from, to] = process.argv.slice(1).map((path) => path + end);
  if (end === '' || require('fs').existsSync(from)) require('fs').copyFileSync(from, to, 1);
}`;

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
 * recover. Another process copies: the system takes all locks on a file from a process that closes it once.
 */
export function copyDamaged(path: string, damage: string, now: number): string {
  const aside = findCopy(path) ?? `${path}.corrupt-${Math.floor(now / 1000)}`;
  const isCopied = existsSync(aside) || spawnSync(process.execPath, ['-e', COPY, path, aside]).status === 0;
  if (!isCopied) for (const end of ['', '-wal']) rmSync(aside + end, { force: true });
  return (
    `the database is damaged (${damage.split('\n')[0]}); ${isCopied ? `a copy is at ${aside}` : 'it could not be copied'}. ` +
    'Restore a backup with `meshd restore`, or move the file away to start over.'
  );
}
