import { readFileSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { CommandError, EXIT } from './exit-codes.js';
import { systemFailure } from './system-failure.js';
import type { Terminal } from './terminal.js';

/** The text of the file at `path`, or of stdin for `-`. Throws `not_found` when it cannot be read. */
export async function readText(path: string): Promise<string> {
  if (path === '-') return readAll(process.stdin);
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new CommandError(EXIT.notFound, systemFailure(error)?.message ?? `${path} cannot be read.`, 'not_found');
  }
}

/** Reads a secret: a line that the terminal does not show, or all of stdin where it is none. Throws `interrupted`. */
export async function readSecret(terminal: Terminal, name: string): Promise<string> {
  if (!terminal.hasPerson) return (await readAll(terminal.stdin)).trim();
  const secret = await terminal.askHidden(`Paste the ${name}, which is not shown, and press Enter: `);
  if (secret === undefined) throw new CommandError(EXIT.interrupted, `No ${name} was read.`, 'interrupted');
  return secret.trim();
}

/** Reads `stream` to its end as UTF-8. */
export async function readAll(stream: Readable): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(Buffer.from(part as Buffer | string));
  return Buffer.concat(parts).toString('utf8');
}
