import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/** The files below a folder that hold the bytes anywhere, by their paths in it. */
export function findBytes(folder: string, bytes: string | Buffer): string[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => readFileSync(path).includes(bytes))
    .map((path) => relative(folder, path))
    .sort();
}
