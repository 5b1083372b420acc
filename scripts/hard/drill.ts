import { type ChildProcess, execFileSync, fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Dice } from '../../daemon/testing/dice.js';
import { machine } from '../bench/measure.js';
import { BusyOthers } from './busy.js';
import { type Bounds, GOALS, type GoalRow, TIERS, type Tier } from './goals.js';
import { type Measure, type Outcome, verdict } from './outcome.js';
import { DrillProject } from './project.js';

/** A measured value and the bound that it must meet. */
interface Measured {
  measure: string;
  value: number;
  unit: string;
  atMost?: number;
  atLeast?: number;
  exactly?: number;
  said?: string;
  /**
   * The value is a time. If it misses its bound while other processes keep the machine busy, it is reported as not run.
   */
  isTime?: true;
}

/** Number of processors used by other processes above which time measurements are not reliable. */
const OTHERS_MAX = 0.3;

/** Returns the next message of a helper. Rejects when the helper ends without one. */
export async function receive<Message>(helper: ChildProcess): Promise<Message> {
  const waiting = new AbortController();
  const { signal } = waiting;
  const ended = once(helper, 'exit', { signal }).then(() => {
    throw new Error(`A helper ended with ${helper.exitCode ?? helper.signalCode}.`);
  });
  ended.catch(() => undefined);
  try {
    const [message] = await Promise.race([once(helper, 'message', { signal }), ended]);
    return message as Message;
  } finally {
    waiting.abort();
  }
}

/** One run of a drill: its bounds, its random numbers, the projects it created and its measures. */
export class Drill {
  readonly dice: Dice;
  readonly measures: Measure[] = [];
  private readonly projects: DrillProject[] = [];
  private readonly undone: (() => unknown)[] = [];
  private readonly others = new BusyOthers();

  constructor(
    private readonly name: string,
    private readonly bounds: Bounds,
    readonly seed: number,
  ) {
    this.dice = new Dice(seed);
  }

  bound(name: string): number {
    const value = this.bounds[name];
    if (value === undefined) throw new Error(`${this.name} has no bound "${name}" in this tier.`);
    return value;
  }

  /** Creates a project. It is removed at the end of the drill together with every process that its daemons started. */
  project(files: Readonly<Record<string, string>> = { 'README.md': '# Lamp\n' }): DrillProject {
    const project = new DrillProject(files);
    this.projects.push(project);
    return project;
  }

  measure({ measure, value, unit, atMost, atLeast, exactly, said: message, isTime }: Measured): void {
    const word = unit === '' ? '' : ` ${unit}`;
    const [target, pass] =
      atMost !== undefined
        ? [`<= ${atMost}${word}`, value <= atMost]
        : atLeast !== undefined
          ? [`>= ${atLeast}${word}`, value >= atLeast]
          : [`${exactly}${word}`, value === exactly];
    this.add({
      measure,
      value: Number(value.toFixed(2)),
      target,
      pass,
      ...(message === undefined ? {} : { said: message }),
      ...(isTime ? { isTime } : {}),
    });
  }

  /** Records the number of faults, which must be zero. The first eight faults are reported. */
  none(measure: string, unit: string, faults: readonly string[], message?: string): void {
    const words = faults.length > 0 ? faults.slice(0, 8).join('; ') : message;
    this.measure({ measure, value: faults.length, unit, exactly: 0, ...(words === undefined ? {} : { said: words }) });
  }

  /** Records a condition that holds or does not. */
  holds(measure: string, message: string, pass: boolean): void {
    this.add({ measure, value: pass ? 'holds' : 'does not hold', target: 'holds', pass, said: message });
  }

  /** Records a measure that cannot be taken on this machine, with the reason. */
  notRun(measure: string, why: string): void {
    this.add({ measure, value: 'not run', target: '', pass: null, said: why });
  }

  /** Registers `undo` to run before the projects are removed. */
  atEnd(undo: () => unknown): void {
    this.undone.push(undo);
  }

  /**
   * Starts a drill program, named by its file, as a child process. Resolves when the child has reported that it is
   * ready. The child is killed at the end of the drill.
   */
  async helper(file: string, args: readonly string[]): Promise<ChildProcess> {
    const child = fork(fileURLToPath(new URL(`./${file}`, import.meta.url)), args, { execArgv: ['--import', 'tsx'] });
    const exited = once(child, 'exit');
    this.atEnd(() => {
      child.kill('SIGKILL');
      // The child's processor time is attributed to the drill only after the child has exited.
      return exited;
    });
    await receive(child);
    return child;
  }

  /**
   * Stops all daemons, runs the registered clean-up and removes the projects. Marks missed times as not run when other
   * processes kept the machine busy.
   */
  async end(): Promise<void> {
    for (const project of this.projects) await project.endDaemon();
    for (const undo of this.undone) await undo();
    for (const project of this.projects) await project.remove();
    const processors = this.others.processors();
    if (processors <= OTHERS_MAX) return;
    for (const measure of this.measures) {
      if (!measure.isTime || measure.pass !== false) continue;
      measure.pass = null;
      measure.said = `${measure.value}, but others kept ${processors.toFixed(1)} processors busy`;
      console.error(`NOT RUN  ${this.name}: ${measure.measure}: ${measure.said}`);
    }
  }

  private add(measure: Measure): void {
    this.measures.push(measure);
    const word = measure.pass === null ? 'NOT RUN' : measure.pass ? 'PASS' : 'FAIL';
    const is = measure.pass === null ? '' : `: ${measure.value} (${measure.target})`;
    console.error(
      `${word}  ${this.name}: ${measure.measure}${is}${measure.said === undefined ? '' : `: ${measure.said}`}`,
    );
  }
}

/** Returns the number given as `--name`, or undefined. */
function argument(name: string): number | undefined {
  const at = process.argv.indexOf(`--${name}`);
  return at === -1 ? undefined : Number(process.argv[at + 1]);
}

function listBounds({ tiers }: GoalRow, tier: Tier): Bounds {
  // A drill without bounds for this tier uses those of the next smaller tier, or of the smallest tier that it has.
  const order = [...TIERS.slice(0, TIERS.indexOf(tier) + 1).reverse(), ...TIERS];
  const bounds = order.map((one) => tiers[one]).find((found) => found !== undefined) ?? {};
  return Object.fromEntries(Object.entries(bounds).map(([name, value]) => [name, argument(name) ?? value]));
}

/**
 * Runs a drill as the main program: builds the daemon unless it is built, runs `work` with the bounds of the tier,
 * stops everything that it started, and prints the outcome as one JSON line. Measures are written to standard error as
 * they are taken. The exit code is 1 when one of them fails.
 *
 * `--tier quick|full|long`, `--seed N` and any bound of the drill by its name are read from the command line.
 */
export async function runDrill(name: string, work: (drill: Drill) => Promise<void>): Promise<void> {
  const row = GOALS[name];
  if (!row) throw new Error(`${name} is not among the goals.`);
  const tierAt = process.argv.indexOf('--tier');
  const tier = TIERS.find((one) => one === process.argv[tierAt + 1]) ?? 'quick';
  const bounds = listBounds(row, tier);
  const seed = argument('seed') ?? 1;
  if (!process.argv.includes('--built')) buildDaemon();
  const drill = new Drill(name, bounds, seed);
  const startedMs = performance.now();
  try {
    await work(drill);
  } catch (error) {
    drill.holds('ran to its end', error instanceof Error ? (error.stack ?? error.message) : String(error), false);
  } finally {
    await drill.end();
  }
  const verdictOfAll = verdict(drill.measures) ?? {
    measure: 'nothing was measured',
    value: 0,
    target: 'a measure',
    pass: false,
  };
  const outcome: Outcome = {
    ...verdictOfAll,
    goal: row.goal,
    drill: name,
    tier,
    seed,
    bounds,
    seconds: Number(((performance.now() - startedMs) / 1_000).toFixed(1)),
    measures: drill.measures,
    day: new Date().toISOString().slice(0, 10),
    machine: machine(),
  };
  console.log(JSON.stringify(outcome));
  if (outcome.pass === false) process.exitCode = 1;
}

/** Builds the daemon unless the build in `dist/` is up to date. */
export function buildDaemon(): void {
  const program = fileURLToPath(new URL('../build.mjs', import.meta.url));
  execFileSync(process.execPath, [program, '--only', 'daemon'], { stdio: ['ignore', 'ignore', 'inherit'] });
}

/**
 * Returns whether a process may hold `count` sockets in addition to 300 other files. Records the drill as not run when
 * it may not, or when the limit cannot be read.
 */
export function mayHold(drill: Drill, count: number): boolean {
  if (process.platform !== 'linux') {
    drill.notRun(`${count} sockets`, 'how many files a program may open is told in /proc, which is on Linux only');
    return false;
  }
  const limit = /^Max open files\s+(\d+|unlimited)/m.exec(readFileSync('/proc/self/limits', 'latin1'))?.[1];
  if (limit === 'unlimited' || Number(limit) >= count + 300) return true;
  drill.notRun(`${count} sockets`, `this machine lets a program open ${limit} files: raise it with ulimit -n`);
  return false;
}

/**
 * Returns whether this is Linux. Otherwise records the drill as not run. `what` states what the drill needs Linux for.
 */
export function isLinux(drill: Drill, what: string): boolean {
  if (process.platform === 'linux') return true;
  drill.notRun('everything', `${what}, which is on Linux only`);
  return false;
}

/**
 * Returns whether strace is installed and permitted to trace. Otherwise records the drill as not run. `what` states
 * what the drill needs it for.
 */
export function mayTrace(drill: Drill, what: string): boolean {
  if (!isLinux(drill, what)) return false;
  if (spawnSync('strace', ['-f', '-e', 'trace=none', 'true'], { stdio: 'ignore' }).status === 0) return true;
  drill.notRun('everything', 'strace is not installed, or may not trace here');
  return false;
}

/**
 * Polls `look` every 20 ms until `isIt` accepts its value, and returns that value. Throws an Error that names `what`
 * after `limitMs`.
 */
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
