import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { DaemonProcess, type Environment, processesOfHome } from '../../daemon/testing/daemon-process.js';

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** The programs that stand in for agents, by the client that runs them. */
export const STAND_INS = {
  'claude-code': at('../../daemon/testing/stand-ins/scripted-claude.mjs'),
  acp: at('../../daemon/testing/stand-ins/scripted-acp-agent.mjs'),
} as const;
export type StandIn = keyof typeof STAND_INS;

/** What one case of a drill came to. */
export interface Finding {
  drill: string;
  subject: string;
  /** What was measured, in words. */
  said: string;
  /** Null when this machine does not let it be tried. */
  pass: boolean | null;
}

/** A promise with a number: what was measured, and the most that it may be. */
export interface Goal {
  drill: string;
  goal: string;
  value: number;
  unit: string;
  /** What `value` must be: at most so much, or exactly. */
  atMost?: number;
  exactly?: number;
  /** What else there is to say. */
  said?: string;
}

/** Prints a finding in one line and tells it to whoever runs all drills; a bad one makes the drill exit with 1. */
export function report(finding: Finding): void {
  const word = finding.pass === null ? 'NOT RUN' : finding.pass ? 'PASS' : 'FAIL';
  console.log(`${word}  ${finding.drill}: ${finding.subject}: ${finding.said}`);
  process.send?.(finding);
  if (finding.pass === false) process.exitCode = 1;
}

/** Prints a goal as a JSON line `{goal, value, target, pass}` and counts it as a finding. */
export function reportGoal({ drill, goal, value, unit, atMost, exactly, said }: Goal): void {
  const rounded = Number(value.toFixed(2));
  const target = atMost === undefined ? `${exactly} ${unit}` : `<= ${atMost} ${unit}`;
  const pass = atMost === undefined ? value === exactly : value <= atMost;
  console.log(JSON.stringify({ goal: `${drill}: ${goal}`, value: rounded, target, pass, ...(said === undefined ? {} : { said }) }));
  process.send?.({ drill, subject: goal, said: `${rounded} (${target})`, pass } satisfies Finding);
  if (!pass) process.exitCode = 1;
}

/** Whether a program here may hold `count` sockets, and some files; says that the drill is not run where it may not. Linux only. */
export function mayHold(drill: string, count: number): boolean {
  const limit = /^Max open files\s+(\d+|unlimited)/m.exec(readFileSync('/proc/self/limits', 'latin1'))?.[1];
  if (limit === 'unlimited' || Number(limit) >= count + 300) return true;
  report({
    drill,
    subject: `${count} sockets`,
    said: `this machine lets a program open ${limit} files: raise it with ulimit -n`,
    pass: null,
  });
  return false;
}

/** The value below which `share` of the values are. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** Builds the daemon unless `dist/` has it as it stands. */
export function buildIfStale(): void {
  execFileSync(process.execPath, [at('../build.mjs'), '--only', 'daemon'], { stdio: ['ignore', 'ignore', 'inherit'] });
}

/** Looks every few milliseconds until `isIt` holds. Throws an Error that names `what` when it does not within the limit. */
export async function until<Value>(
  what: string,
  limitMs: number,
  look: () => Value | Promise<Value>,
  isIt: (value: Value) => boolean,
): Promise<Value> {
  const endMs = performance.now() + limitMs;
  for (;;) {
    const value = await look();
    if (isIt(value)) return value;
    if (performance.now() > endMs) throw new Error(`${what}: not within ${limitMs / 1_000} s.`);
    await pause(20);
  }
}

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
    execFileSync('git', ['init', '-q'], { cwd: this.root });
  }

  put(path: string, text: string): void {
    mkdirSync(dirname(join(this.root, path)), { recursive: true });
    writeFileSync(join(this.root, path), text);
  }

  /** The commands of both stand-ins over the scenario at `path`, as the machine's configuration names them. */
  standIns(path: string): Environment {
    const command = (kind: StandIn) => JSON.stringify([process.execPath, STAND_INS[kind], join(this.root, path)]);
    return { MESHD_CLAUDE_COMMAND: command('claude-code'), MESHD_ACP_COMMAND: command('acp') };
  }

  async start(environment: Environment): Promise<DaemonProcess> {
    const daemon = await DaemonProcess.start(this.root, { PATH: process.env['PATH'], HOME: this.root, ...environment });
    running.add(daemon);
    daemon.child.once('exit', () => running.delete(daemon));
    this.daemon = daemon;
    return daemon;
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

  /** Ends the daemon and all that its programs left, and removes the folder. */
  async remove(): Promise<void> {
    await this.daemon?.stop();
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
