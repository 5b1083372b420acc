import { readFileSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { CommandError, EXIT } from './exit-codes.js';
import { systemFailure } from './system-failure.js';

/** The text of the file at `path`, or of stdin for `-`. Throws `not_found` when it cannot be read. */
export async function readText(path: string): Promise<string> {
  if (path === '-') return readAll(process.stdin);
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new CommandError(EXIT.notFound, systemFailure(error)?.message ?? `${path} cannot be read.`, 'not_found');
  }
}

/** Reads `stream` to its end as UTF-8. */
export async function readAll(stream: Readable): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(Buffer.from(part as Buffer | string));
  return Buffer.concat(parts).toString('utf8');
}
