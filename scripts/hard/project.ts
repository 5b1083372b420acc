import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { DaemonFile } from '../../daemon/contract/daemon-file.js';
import { OPERATOR_HEADER, operatorProof } from '../../daemon/lib/crypto/daemon-proof.js';
import { StateOwner } from '../../daemon/private/state-owner.js';
import { DaemonProcess, type Environment, processesOfHome } from '../../daemon/testing/processes/daemon-process.js';

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** The scripted agent programs, by the client that runs them. */
export const STAND_INS = {
  'claude-code': at('../../daemon/testing/stand-ins/scripted-claude.mjs'),
  acp: at('../../daemon/testing/stand-ins/scripted-acp-agent.mjs'),
} as const;
export type StandIn = keyof typeof STAND_INS;

/** Daemons that would outlive a drill that a signal ends. */
const running = new Set<DaemonProcess>();
process.once('exit', () => {
  for (const { child } of running) child.kill('SIGKILL');
});
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => process.exit(1));

/**
 * A project in a folder of its own. Its daemons and their programs use the folder as their home, by which remaining
 * processes are found.
 */
export class DrillProject {
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), 'meshd-drill-')));
  private daemon: DaemonProcess | undefined;

  constructor(files: Readonly<Record<string, string>>) {
    for (const [path, text] of Object.entries(files)) this.put(path, text);
    for (const words of [
      ['init', '-q'],
      ['add', '.'],
    ])
      execFileSync('git', words, { cwd: this.root });
  }

  put(path: string, text: string): void {
    mkdirSync(dirname(join(this.root, path)), { recursive: true });
    writeFileSync(join(this.root, path), text);
  }

  /**
   * Claims the state in the project for this machine, as the first start of a daemon does. State that a drill puts
   * there is then not treated as foreign.
   */
  own(): void {
    this.folder('.mesh/state');
    new StateOwner(join(this.root, '.local/state/meshd')).claim(this.root);
  }

  /** Creates the folder `name` in the project and returns its path. */
  folder(name: string): string {
    mkdirSync(join(this.root, name), { recursive: true });
    return join(this.root, name);
  }

  /** Returns the environment that makes the daemon run both scripted agents with the scenario at `path`. */
  standIns(path: string): Environment {
    const command = (kind: StandIn) => JSON.stringify([process.execPath, STAND_INS[kind], join(this.root, path)]);
    return { MESHD_CLAUDE_COMMAND: command('claude-code'), MESHD_ACP_COMMAND: command('acp') };
  }

  /**
   * Starts a daemon in the project, through another program if one is given. Throws DaemonRefusedError when it does not
   * start.
   */
  async start(environment: Environment = {}, through?: readonly string[]): Promise<DaemonProcess> {
    const daemon = await DaemonProcess.start(
      this.root,
      { PATH: process.env['PATH'], HOME: this.root, ...environment },
      through,
    );
    running.add(daemon);
    daemon.child.once('exit', () => running.delete(daemon));
    this.daemon = daemon;
    return daemon;
  }

  /** Returns the header by which the operator's command line authenticates to the running daemon. */
  proof(): Record<string, string> {
    const { secret } = JSON.parse(readFileSync(join(this.root, '.mesh/state/daemon.json'), 'utf8')) as DaemonFile;
    return { [OPERATOR_HEADER]: operatorProof(secret) };
  }

  /**
   * Returns the ids of living processes that the project's daemons have started, except the daemon that runs at
   * present.
   */
  programs(): number[] {
    return processesOfHome(this.root, this.daemon);
  }

  /** Returns those of `programs()` that are agent programs, without the commands of git that the daemon runs. */
  agents(): number[] {
    const paths = Object.values(STAND_INS);
    return this.programs().filter((pid) => {
      try {
        const commandLine = readFileSync(`/proc/${pid}/cmdline`, 'latin1');
        return paths.some((path) => commandLine.includes(path));
      } catch {
        // The process has ended since the folder was listed.
        return false;
      }
    });
  }

  /** Returns the names of the runs in the journal. */
  journalled(): string[] {
    try {
      return readdirSync(join(this.root, '.mesh/state/runs'));
    } catch {
      // The folder is created with the first run.
      return [];
    }
  }

  async endDaemon(): Promise<void> {
    await this.daemon?.stop();
  }

  /** Stops the daemon, kills all remaining processes of its programs and removes the folder. */
  async remove(): Promise<void> {
    await this.endDaemon();
    for (const pid of this.programs()) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // The process exited between the listing and the signal.
      }
    }
    rmSync(this.root, { recursive: true, force: true });
  }
}
