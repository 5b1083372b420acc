import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Starts and stops the daemon at `program` once in an empty project, which fills V8's code cache so that the next start
 * is fast. Throws when the daemon does not start.
 */
export async function compileDaemon(program) {
  const project = mkdtempSync(join(tmpdir(), 'meshd-build-'));
  try {
    const daemon = spawn(process.execPath, [program, '--root', project, '--port', '0'], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    const ended = once(daemon, 'exit');
    const [word] = await Promise.race([once(daemon, 'message'), ended]);
    if (word?.type !== 'listening') throw new Error('The daemon that was built does not start; see the lines above.');
    daemon.kill('SIGTERM');
    await ended;
  } finally {
    rmSync(project, { recursive: true, force: true });
  }
}
