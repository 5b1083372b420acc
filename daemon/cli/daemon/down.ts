import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { systemCode } from '../../lib/errors.js';
import { findLockHolderPid } from '../../private/lock-holder.js';
import { inState } from '../../private/private-names.js';
import { action, examples } from '../action.js';
import { CommandError, EXIT } from '../exit-codes.js';
import type { Terminal } from '../terminal.js';
import { findDaemon, readDaemonFile } from './project.js';

const STOP_TIMEOUT_MS = 10_000;
const LOOK_EVERY_MS = 20;

/**
 * Whether the process runs. False for a zombie that its parent has not reaped, as in a container without an init
 * process.
 */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  try {
    return !/^\d+ \(.*\) [ZX] /s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    // Without /proc a process that can be signalled counts as running.
    return true;
  }
}

async function untilGone(pid: number): Promise<boolean> {
  for (let waited = 0; waited < STOP_TIMEOUT_MS; waited += LOOK_EVERY_MS) {
    if (!isAlive(pid)) return true;
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
  return false;
}

/**
 * Finds the process that answered the proof, or that holds the store's lock according to the kernel (a daemon of an
 * earlier version, or one that hangs). A pid from a file may have been reused by another process. Throws `unreachable`
 * when a daemon seems to hang and the kernel does not tell which process it is.
 */
async function findPid(root: string): Promise<number | undefined> {
  // Throws for a file that this user's daemon has not written.
  readDaemonFile(root);
  const holder = () => findLockHolderPid(inState(join(root, '.mesh', 'state'), 'mesh.db'));
  try {
    return (await findDaemon(root))?.health.pid ?? holder();
  } catch (error) {
    const pid = holder();
    // Another program answers at the address that a killed daemon had.
    const isGone = error instanceof CommandError && error.code === 'forbidden';
    if (pid === undefined && !isGone) throw error;
    return pid;
  }
}

/** A process that has just ended by itself is stopped as well. */
function terminate(pid: number): void {
  try {
    process.kill(pid, 'SIGTERM');
  } catch (error) {
    if (systemCode(error) !== 'ESRCH') throw error;
  }
}

export function addDown(program: Command, terminal: Terminal): void {
  program
    .command('down')
    .summary('stop the project’s daemon')
    .description('Stop the project’s daemon and wait until it is gone. Stopping what does not run is fine.')
    .addHelpText('after', examples('meshd down', 'meshd down && meshd up'))
    .action(
      action<object, []>(terminal, async ({ root, json }) => {
        const pid = await findPid(root);
        if (pid !== undefined) {
          terminate(pid);
          if (!(await untilGone(pid))) {
            throw new CommandError(
              EXIT.failed,
              `The daemon (pid ${pid}) still runs after 10 s: end it with \`kill -9 ${pid}\`.`,
              'deadline',
            );
          }
        }
        if (json) terminal.object({ stopped: pid !== undefined, pid: pid ?? null, root });
        else terminal.answer(pid === undefined ? 'No daemon was running.' : `Stopped (pid ${pid}).`);
      }),
    );
}
