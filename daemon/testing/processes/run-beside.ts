import { execFileSync, type SpawnSyncOptions, spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** How a program ended. `status` is null when it was killed, wrote too much or could not start. */
interface Ended {
  status: number | null;
  stdout: string;
  stderr: string;
}

/** Opens both ends of the named pipe at `path`. One end alone would wait for the other. */
function openEnds(path: string): { read: number; write: number } {
  const both = openSync(path, 'r+');
  const ends = { read: openSync(path, 'r'), write: openSync(path, 'w') };
  closeSync(both);
  return ends;
}

function startStarter(): { requests: number; replies: number } {
  const folder = mkdtempSync(join(tmpdir(), 'meshd-starter-'));
  const paths = [join(folder, 'requests'), join(folder, 'replies')] as const;
  execFileSync('mkfifo', paths);
  const [requests, replies] = [openEnds(paths[0]), openEnds(paths[1])];
  rmSync(folder, { recursive: true });
  spawn(process.execPath, [fileURLToPath(new URL('./program-starter.mjs', import.meta.url))], {
    stdio: [requests.read, replies.write, 'inherit'],
  }).unref();
  closeSync(requests.read);
  closeSync(replies.write);
  return { requests: requests.write, replies: replies.read };
}

/** The pipes to the small process that runs the programs of this worker. */
let starter: ReturnType<typeof startStarter> | undefined;
const chunk = Buffer.alloc(65_536);
const NEWLINE = 10;

/**
 * Runs a program in a small process and returns how it ended. Blocks until then. A program that a worker of the tests
 * starts itself takes ten times the processor time, because the worker has hundreds of megabytes: see `startGit`.
 */
export function runBeside(program: string, args: readonly string[], options: SpawnSyncOptions): Ended {
  starter ??= startStarter();
  const request = Buffer.from(`${JSON.stringify({ program, args, options })}\n`);
  for (let at = 0; at < request.length; ) at += writeSync(starter.requests, request, at);
  const parts: Buffer[] = [];
  for (;;) {
    const count = readSync(starter.replies, chunk);
    if (count === 0) throw new Error(`program-starter.mjs ended while it ran ${program}.`);
    parts.push(Buffer.from(chunk.subarray(0, count)));
    if (chunk[count - 1] === NEWLINE) return JSON.parse(Buffer.concat(parts).toString()) as Ended;
  }
}
