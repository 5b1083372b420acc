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

/** A promise with a number: what was measured, and what it may be. */
interface Measured {
  measure: string;
  value: number;
  unit: string;
  atMost?: number;
  atLeast?: number;
  exactly?: number;
  said?: string;
  /** It is a time: when it is missed while others keep the machine busy, it was not tried. */
  isTime?: true;
}

/** So many processors that others use leave no time to measure. */
const OTHERS_MAX = 0.3;

/** One run of a drill: how long it goes on, what chance it has, the projects it made, and what it measured. */
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

  /** A project of its own, removed at the end with all that its daemons started. */
  project(files: Readonly<Record<string, string>> = { 'README.md': '# Lamp\n' }): DrillProject {
    const project = new DrillProject(files);
    this.projects.push(project);
    return project;
  }

  measure({ measure, value, unit, atMost, atLeast, exactly, said, isTime }: Measured): void {
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
      ...(said === undefined ? {} : { said }),
      ...(isTime ? { isTime } : {}),
    });
  }

  /** A measure that is the number of faults found, which must be none; the first ones are told. */
  none(measure: string, unit: string, faults: readonly string[], said?: string): void {
    const words = faults.length > 0 ? faults.slice(0, 8).join('; ') : said;
    this.measure({ measure, value: faults.length, unit, exactly: 0, ...(words === undefined ? {} : { said: words }) });
  }

  /** A case that holds or does not. */
  holds(measure: string, said: string, pass: boolean): void {
    this.add({ measure, value: pass ? 'holds' : 'does not hold', target: 'holds', pass, said });
  }

  /** What this machine does not let be tried, and why. */
  notRun(measure: string, why: string): void {
    this.add({ measure, value: 'not run', target: '', pass: null, said: why });
  }

  /** Has `undo` done before the projects are removed. */
  atEnd(undo: () => unknown): void {
    this.undone.push(undo);
  }

  /** Starts a program of the drills, by its file, as a process of its own; resolves when it has said that it is ready. It ends with the drill. */
  async helper(file: string, args: readonly string[]): Promise<ChildProcess> {
    const child = fork(fileURLToPath(new URL(`./${file}`, import.meta.url)), args, { execArgv: ['--import', 'tsx'] });
    const exited = once(child, 'exit');
    this.atEnd(() => {
      child.kill('SIGKILL');
      // What it has worked is known as the drill's own work once it has ended.
      return exited;
    });
    await once(child, 'message');
    return child;
  }

  /** Ends whatever was started. */
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

/** A number given as `--name`, or undefined. */
function argument(name: string): number | undefined {
  const at = process.argv.indexOf(`--${name}`);
  return at === -1 ? undefined : Number(process.argv[at + 1]);
}

function boundsOf({ tiers }: GoalRow, tier: Tier): Bounds {
  // A drill that is not of this tier does as much as in the next smaller one, or in the smallest it has.
  const order = [...TIERS.slice(0, TIERS.indexOf(tier) + 1).reverse(), ...TIERS];
  const bounds = order.map((one) => tiers[one]).find((found) => found !== undefined) ?? {};
  return Object.fromEntries(Object.entries(bounds).map(([name, value]) => [name, argument(name) ?? value]));
}

/**
 * Runs a drill as the program it is: builds the daemon unless it is built, does the work within the bounds of its tier, ends whatever it started, and
 * prints the outcome as one JSON line. Measures go to standard error as they come. Exits 1 when one does not hold.
 *
 * `--tier quick|full|long`, `--seed N` and any bound of it by name are read from the command line.
 */
export async function runDrill(name: string, work: (drill: Drill) => Promise<void>): Promise<void> {
  const row = GOALS[name];
  if (!row) throw new Error(`${name} is not among the goals.`);
  const tierAt = process.argv.indexOf('--tier');
  const tier = TIERS.find((one) => one === process.argv[tierAt + 1]) ?? 'quick';
  const bounds = boundsOf(row, tier);
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

/** Builds the daemon unless `dist/` has it as it stands. */
export function buildDaemon(): void {
  const program = fileURLToPath(new URL('../build.mjs', import.meta.url));
  execFileSync(process.execPath, [program, '--only', 'daemon'], { stdio: ['ignore', 'ignore', 'inherit'] });
}

/** Whether a program here may hold `count` sockets, and some files; says that it is not run where it may not, or where that cannot be told. */
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

/** Whether this is Linux, which the drill needs for what it says; says that it is not run where it is not. */
export function isLinux(drill: Drill, what: string): boolean {
  if (process.platform === 'linux') return true;
  drill.notRun('everything', `${what}, which is on Linux only`);
  return false;
}

/** Whether strace is here and may trace, which the drill needs for what it says; says that it is not run where it may not. */
export function mayTrace(drill: Drill, what: string): boolean {
  if (!isLinux(drill, what)) return false;
  if (spawnSync('strace', ['-f', '-e', 'trace=none', 'true'], { stdio: 'ignore' }).status === 0) return true;
  drill.notRun('everything', 'strace is not installed, or may not trace here');
  return false;
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
