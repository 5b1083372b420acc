import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Returns every file under `path` (or `path` itself if it is a file), relative to `root`, in a stable order. Returns
 * none when it does not exist.
 */
export function listFiles(root, path) {
  const found = statSync(join(root, path), { throwIfNoEntry: false });
  if (!found) return [];
  if (found.isFile()) return [path];
  return readdirSync(join(root, path), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .sort();
}

/**
 * Returns the SHA-256 digest (hex) of the names and contents of all files under `paths` for which `counts` returns
 * true, and of the Node.js version.
 */
export function digestOf(root, paths, counts = () => true) {
  const hash = createHash('sha256').update(process.version);
  for (const file of paths.flatMap((path) => listFiles(root, path))) {
    if (!counts(file)) continue;
    hash.update(`\0${file}\0`).update(readFileSync(join(root, file)));
  }
  return hash.digest('hex');
}

/** Returns the stamp of the last run, or undefined when there is none or it is unreadable. */
export function readStamp(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}

/**
 * Replaces the stamp atomically. A copy of the project whose packages are hard links to those of this one keeps its own.
 */
export function writeStamp(path, stamp) {
  mkdirSync(dirname(path), { recursive: true });
  const temporary = `${path}.${process.pid}.tmp`;
  writeFileSync(temporary, `${JSON.stringify(stamp)}\n`);
  renameSync(temporary, path);
}
