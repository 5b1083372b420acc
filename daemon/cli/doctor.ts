import { accessSync, constants, existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import type { DoctorCheck, DoctorReport } from '../contract/system.js';
import { action, examples } from './action.js';
import { CommandFailure, EXIT } from './exit-codes.js';
import { findDaemonProgram } from './installation.js';
import { findDaemon } from './project.js';
import type { Terminal } from './terminal.js';

const OLDEST_NODE = [20, 19] as const;

function checkNode(version: string): DoctorCheck {
  const [major = 0, minor = 0] = version.slice(1).split('.').map(Number);
  const isEnough = major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1]);
  const check = { id: 'node', title: 'Node.js', found: version };
  return isEnough ? { ...check, state: 'ok' } : { ...check, state: 'fail', fix: `Install Node.js ${OLDEST_NODE.join('.')} or newer.` };
}

function checkProgram(entry: string): DoctorCheck {
  try {
    return { id: 'program', title: 'Daemon program', state: 'ok', found: findDaemonProgram(entry) };
  } catch (error) {
    return { id: 'program', title: 'Daemon program', state: 'fail', found: 'not built', fix: (error as CommandFailure).message };
  }
}

function checkFolder(root: string): DoctorCheck {
  const folder = existsSync(join(root, '.mesh')) ? join(root, '.mesh') : root;
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    return { id: 'folder', title: 'Project folder', state: 'ok', found: folder };
  } catch {
    return { id: 'folder', title: 'Project folder', state: 'fail', found: `${folder} cannot be written`, fix: `chmod u+rwx '${folder}'` };
  }
}

/** The daemon's own report, or the one line that says why there is none. */
async function askDaemon(root: string): Promise<{ checks: DoctorCheck[]; isRunning: boolean }> {
  const missing = (found: string, fix: string): DoctorCheck => ({ id: 'daemon', title: 'Daemon', state: 'fail', found, fix });
  try {
    const daemon = await findDaemon(root);
    if (!daemon) return { checks: [missing('not running', 'meshd up')], isRunning: false };
    const { checks } = await daemon.client.get<DoctorReport>('/doctor');
    const running: DoctorCheck = { id: 'daemon', title: 'Daemon', state: 'ok', found: `pid ${daemon.file.pid} at ${daemon.file.address}` };
    return { checks: [running, ...checks.filter(({ id }) => id !== 'daemon' && id !== 'node')], isRunning: true };
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error;
    return { checks: [missing(error.message, 'meshd up')], isRunning: false };
  }
}

export function addDoctor(program: Command, terminal: Terminal, entry: string): void {
  program
    .command('doctor')
    .summary('look over the installation and the project, and say what to mend')
    .description(
      'Look over the installation, the project and its daemon, and say what to mend. Exits 1 when something fails, 3 when no daemon runs.',
    )
    .addHelpText('after', examples('meshd doctor', 'meshd doctor --json'))
    .action(
      action<object, []>(terminal, async ({ root, json }) => {
        const asked = await askDaemon(root);
        const checks = [checkNode(process.version), checkProgram(entry), checkFolder(root), ...asked.checks];
        const ok = checks.every(({ state }) => state !== 'fail');
        terminal.exit = ok ? EXIT.ok : asked.isRunning ? EXIT.failed : EXIT.unreachable;
        if (json) return terminal.object({ ok, root, checks });
        const { green, yellow, red } = terminal.colours;
        const marks = { ok: green('✓'), warn: yellow('!'), fail: red('✗') };
        for (const { title, state, found, fix } of checks) {
          terminal.answer(`${marks[state]} ${title}: ${found}`);
          if (fix && state !== 'ok') terminal.answer(`    → ${fix}`);
        }
      }),
    );
}
