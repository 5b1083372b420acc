import { readFileSync } from 'node:fs';
import { CommandFailure, EXIT } from './exit-codes.js';

/** The text of `path`, or of stdin when it is `-`. Throws `not_found` when it cannot be read. */
export async function readText(path: string): Promise<string> {
  if (path === '-') return readStandardInput();
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new CommandFailure(EXIT.notFound, `${path} cannot be read: ${(error as Error).message}.`, 'not_found');
  }
}

async function readStandardInput(): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of process.stdin) parts.push(part as Buffer);
  return Buffer.concat(parts).toString('utf8');
}
