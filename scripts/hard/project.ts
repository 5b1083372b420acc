import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { DaemonFile } from '../../daemon/contract/daemon-file.js';
import { OPERATOR_HEADER, operatorProof } from '../../daemon/lib/daemon-proof.js';
import { StateOwner } from '../../daemon/private/state-owner.js';
import { DaemonProcess, type Environment, processesOfHome } from '../../daemon/testing/daemon-process.js';

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** The programs that stand in for agents, by the client that runs them. */
export const STAND_INS = {
  'claude-code': at('../../daemon/testing/stand-ins/scripted-claude.mjs'),
  acp: at('../../daemon/testing/stand-ins/scripted-acp-agent.mjs'),
} as const;
export type StandIn = keyof typeof STAND_INS;

/** Daemons that would outlive a drill that is ended from outside. */
const running = new Set<DaemonProcess>();
process.once('exit', () => {
  for (const { child } of running) child.kill('SIGKILL');
});
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => process.exit(1));

/** A project in a folder of its own, whose daemons and their programs have it as their home: what they leave running is found by that. */
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

  /** Makes the state that lies in it its daemons' own, as their first start does: what a drill puts there is then not a stranger's. */
  own(): void {
    this.folder('.mesh/state');
    new StateOwner(join(this.root, '.local/state/meshd')).claim(this.root);
  }

  /** An empty folder in it. */
  folder(name: string): string {
    mkdirSync(join(this.root, name), { recursive: true });
    return join(this.root, name);
  }

  /** The commands of both stand-ins over the scenario at `path`, as the machine's configuration names them. */
  standIns(path: string): Environment {
    const command = (kind: StandIn) => JSON.stringify([process.execPath, STAND_INS[kind], join(this.root, path)]);
    return { MESHD_CLAUDE_COMMAND: command('claude-code'), MESHD_ACP_COMMAND: command('acp') };
  }

  /** Starts a daemon on it, by way of another program when one is given. Throws DaemonRefused when it does not start. */
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

  /** What the operator's command line proves itself with to the daemon that runs. */
  proof(): Record<string, string> {
    const { secret } = JSON.parse(readFileSync(join(this.root, '.mesh/state/daemon.json'), 'utf8')) as DaemonFile;
    return { [OPERATOR_HEADER]: operatorProof(secret) };
  }

  /** What its daemons have started and what still lives, apart from the daemon that runs now. */
  programs(): number[] {
    return processesOfHome(this.root, this.daemon);
  }

  /** Runs that the journal still holds. */
  journalled(): string[] {
    try {
      return readdirSync(join(this.root, '.mesh/state/runs'));
    } catch {
      // The folder is made with the first run.
      return [];
    }
  }

  async endDaemon(): Promise<void> {
    await this.daemon?.stop();
  }

  /** Ends the daemon and all that its programs left, and removes the folder. */
  async remove(): Promise<void> {
    await this.endDaemon();
    for (const pid of this.programs()) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // Gone between looking and signalling.
      }
    }
    rmSync(this.root, { recursive: true, force: true });
  }
}
