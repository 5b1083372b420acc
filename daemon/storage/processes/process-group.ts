import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { StringDecoder } from 'node:string_decoder';
import { getErrorMessage, systemCode } from '../../lib/errors.js';
import type { Clock } from '../../lib/time/clock.js';
import { ProcessGroupJournal } from './process-group-journal.js';
import { LineCutter, type LineLimits, USUAL_LINE_LIMITS } from './process-group-lines.js';
import { bootId, getStartTime, listProcesses, RUN_VARIABLE, signalAll } from './process-group-table.js';

const STDERR_KEPT_CHARS = 8_192;
/** How long a pipe that another process still holds is read after the group has ended. */
const DRAIN_MS = 500;
/** Silence is counted in parts: on a Mac a timer goes on while the machine sleeps, and a sleep is one part at most. */
const IDLE_SLICE_MS = 10_000;
const FIRST_LOOK_MS = 10;
const LOOK_MAX_MS = 200;

export interface ProcessLimits extends LineLimits {
  /** The longest silence that is accepted while no caller holds the group quiet. */
  idleMs: number;
  /** Time between SIGTERM and SIGKILL. */
  graceMs: number;
}

/** The usual time between SIGTERM and SIGKILL. The stop of the daemon lasts longer. */
export const GRACE_MS = 3_000;
const USUAL: ProcessLimits = { ...USUAL_LINE_LIMITS, idleMs: 120_000, graceMs: GRACE_MS };

/**
 * A program to run. `bin` is a path and `args` an array: there is no shell. `args` must not contain private data,
 * because every user of the machine can see it.
 */
export interface Program {
  bin: string;
  args: readonly string[];
  cwd: string;
  /** The whole environment of the child, except the variable that holds the run id. */
  environment: Readonly<Record<string, string>>;
  /** Reads lines up to the length that ends a run: each is a message of a protocol, which must not be dropped. */
  hasLongLines?: boolean;
}

interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** Why the daemon ended a run. The message can be shown to the operator. */
export class ProcessError extends Error {
  override readonly name = 'ProcessError';
  constructor(
    readonly kind: 'not_started' | 'idle' | 'output_limit',
    message: string,
  ) {
    super(message);
  }
}

/**
 * A running program with all the processes it starts. It has a process group of its own and is recorded in the journal
 * until none of its processes is left. Its output is read no faster than it is consumed.
 *
 * Implemented here because the knowledge that execa and tree-kill have of a run is lost with the daemon: they
 * keep no journal with which the next daemon can end what a killed one left running, and they do not find a
 * process whose parent has ended.
 */
export class ProcessGroup {
  readonly pgid: number;
  /** Resolves, when no process of the run is left, with the exit of its first process. Never rejects. */
  readonly ended: Promise<Exit>;
  private readonly cutter: LineCutter;
  private failure: Error | undefined;
  private stderr = '';
  private stderrBytes = 0;
  private isStopping = false;
  private isGone = false;
  private isReading = false;
  private quietHolds = 0;
  private calmTimer: () => void = () => undefined;

  constructor(
    private readonly child: ChildProcessWithoutNullStreams,
    pid: number,
    private readonly run: string,
    private readonly clock: Clock,
    private readonly limits: ProcessLimits,
    onGone: () => Promise<void>,
  ) {
    this.pgid = pid;
    this.cutter = new LineCutter(limits);
    // A child that closes its input or dies breaks this pipe; the exit status reports the cause.
    child.stdin.on('error', () => undefined);
    child.stdout.on('error', () => undefined);
    // Node discards the output of a process that has ended when no reader is attached. This
    // listener counts as a reader.
    child.stdout.on('readable', () => undefined);
    this.readStderr();
    const exited = new Promise<Exit>((resolve) => child.once('exit', (code, signal) => resolve({ code, signal })));
    this.ended = exited.then(async (exit) => {
      await this.clear();
      this.isGone = true;
      this.watch();
      await onGone();
      return exit;
    });
  }

  /** The last 8,192 characters that the program wrote to stderr. */
  get stderrTail(): string {
    return this.stderr;
  }

  /** Why the daemon ended the run, if it did. */
  get reportedFailure(): Error | undefined {
    return this.failure;
  }

  /** The number of lines that were dropped because they were too long. */
  get droppedLines(): number {
    return this.cutter.droppedLines;
  }

  /**
   * Yields the lines of the program's output until it closes it. Must be called at most once. Throws `ProcessError`
   * when the program was silent for too long or wrote too much, after no process of the run is left.
   */
  async *lines(): AsyncGenerator<string, void, void> {
    const chunks = this.child.stdout[Symbol.asyncIterator]() as AsyncIterator<Buffer, undefined>;
    try {
      for (;;) {
        const chunk = await this.next(chunks);
        if (!chunk || this.isStopping) break;
        const { lines, isOverLimit } = this.cutter.push(chunk);
        yield* lines;
        if (isOverLimit)
          this.fail(
            new ProcessError(
              'output_limit',
              'The program wrote far more than an answer can be (output_limit), so it was stopped.',
            ),
          );
      }
      const rest = this.isStopping ? undefined : this.cutter.rest();
      if (rest !== undefined) yield rest;
      if (this.failure) await this.ended;
    } finally {
      this.child.stdout.destroy();
    }
    if (this.failure) throw this.failure;
  }

  /**
   * Writes to the program's input and waits while the pipe is full. Data that cannot be delivered any more is dropped.
   */
  async write(text: string): Promise<void> {
    const { stdin } = this.child;
    if (stdin.destroyed || stdin.writableEnded || stdin.write(text)) return;
    await new Promise<void>((resolve) => {
      const go = () => {
        for (const event of ['drain', 'close', 'error']) stdin.off(event, go);
        resolve();
      };
      for (const event of ['drain', 'close', 'error']) stdin.once(event, go);
    });
  }

  closeInput(): void {
    this.child.stdin.end();
  }

  /**
   * Suspends the idle timeout until the returned function is called, for example while the operator is being asked
   * or a tool of the agent works.
   */
  holdQuiet(): () => void {
    this.quietHolds += 1;
    this.watch();
    let isHeld = true;
    return () => {
      if (isHeld) this.quietHolds -= 1;
      isHeld = false;
      this.watch();
    };
  }

  /**
   * Ends all processes of the run: sends SIGTERM, resumes stopped processes, and sends SIGKILL after the grace period.
   * Resolves when none is left. Calling it again is safe.
   */
  async stop(graceMs = this.limits.graceMs): Promise<void> {
    if (!this.isStopping && !this.isGone) {
      this.isStopping = true;
      // From now on its silence is no failure.
      this.watch();
      this.child.stdin.destroy();
      void this.clear(graceMs);
    }
    await this.ended;
  }

  /** Like `stop`, but first closes the input and waits `ms` for the program to end by itself. */
  async finish(ms: number): Promise<Exit> {
    this.closeInput();
    const cancel = this.clock.after(ms, () => void this.stop());
    return this.ended.finally(cancel);
  }

  private fail(failure: Error): void {
    this.failure ??= failure;
    void this.stop();
  }

  private async next(chunks: AsyncIterator<Buffer, undefined>): Promise<Buffer | undefined> {
    this.isReading = true;
    this.watch();
    try {
      return (await chunks.next()).value;
    } catch {
      // The pipe was closed by the daemon or broke; in both cases no more data follows.
      return undefined;
    } finally {
      this.isReading = false;
      this.calmTimer();
    }
  }

  /** Sets the timer for the present state. Silence counts only while a reader is waiting. */
  private watch(): void {
    this.calmTimer();
    if (!this.isReading) return;
    if (this.isGone) this.calmTimer = this.clock.after(DRAIN_MS, () => this.child.stdout.destroy());
    else if (this.quietHolds === 0 && !this.isStopping) this.endWhenIdle(this.limits.idleMs);
  }

  private endWhenIdle(leftMs: number): void {
    const sliceMs = Math.min(leftMs, IDLE_SLICE_MS);
    this.calmTimer = this.clock.after(sliceMs, () => {
      if (leftMs > sliceMs) return this.endWhenIdle(leftMs - sliceMs);
      const seconds = Math.round(this.limits.idleMs / 1_000);
      this.fail(new ProcessError('idle', `The program has said nothing for ${seconds} s, so it was stopped.`));
    });
  }

  private readStderr(): void {
    const decoder = new StringDecoder('utf8');
    this.child.stderr.on('error', () => undefined);
    this.child.stderr.on('data', (chunk: Buffer) => {
      this.stderr = (this.stderr + decoder.write(chunk)).slice(-STDERR_KEPT_CHARS);
      this.stderrBytes += chunk.length;
      if (this.stderrBytes > this.limits.totalMaxBytes && !this.isStopping) {
        this.fail(
          new ProcessError(
            'output_limit',
            'The program wrote far more errors than anyone can read (output_limit), so it was stopped.',
          ),
        );
      }
    });
  }

  /**
   * Ends the remaining processes: SIGTERM and SIGCONT at once, SIGKILL after the grace period,
   * repeated until none is left.
   */
  private async clear(graceMs = this.limits.graceMs): Promise<void> {
    const killAt = this.clock.elapsed() + graceMs;
    let hasAsked = false;
    for (let lookMs = FIRST_LOOK_MS; ; lookMs = Math.min(lookMs * 2, LOOK_MAX_MS)) {
      const { inGroup, strayed } = listProcesses(this.pgid, this.run);
      if (inGroup.length + strayed.length === 0) break;
      // The id of a group whose processes have ended can be reused by another group. The group is signalled
      // only while it was found alive.
      const signal = (name: NodeJS.Signals) => signalAll(inGroup.length > 0 ? this.pgid : undefined, strayed, name);
      if (this.clock.elapsed() >= killAt) signal('SIGKILL');
      else if (!hasAsked) {
        signal('SIGTERM');
        // A stopped process cannot act on SIGTERM.
        signal('SIGCONT');
        hasAsked = true;
      }
      await new Promise<void>((resolve) => this.clock.after(lookMs, resolve));
    }
    this.child.stderr.destroy();
  }
}

/** Starts programs and tracks all running ones. */
export class ProcessGroups {
  private readonly journal: ProcessGroupJournal;
  private readonly limits: ProcessLimits;
  private readonly live = new Set<ProcessGroup>();

  constructor(
    stateFolder: string,
    private readonly clock: Clock,
    limits: Partial<ProcessLimits> = {},
  ) {
    this.journal = new ProcessGroupJournal(stateFolder);
    this.limits = { ...USUAL, ...limits };
  }

  /**
   * Kills the processes that an earlier daemon of this project left running. Returns the number of runs. Must be
   * called before the first `start`.
   */
  reapOrphans(): Promise<number> {
    return this.journal.reap();
  }

  /**
   * Starts `program` in a process group of its own. Resolves once the journal holds the run durably. Throws
   * `ProcessError` when the program cannot be started, and the errors of the journal.
   */
  async start(program: Program): Promise<ProcessGroup> {
    const run = randomBytes(12).toString('hex');
    const child = spawn(program.bin, [...program.args], {
      shell: false,
      detached: true,
      cwd: program.cwd,
      env: { ...program.environment, [RUN_VARIABLE]: run },
      stdio: ['pipe', 'pipe', 'pipe'],
      windowsHide: true,
    });
    const { pid } = child;
    if (pid === undefined) throw notStarted(program, await new Promise((resolve) => child.once('error', resolve)));
    child.on('error', () => undefined);
    const { limits } = this;
    const lineMaxBytes = program.hasLongLines ? limits.runawayLineBytes : limits.lineMaxBytes;
    const group = new ProcessGroup(child, pid, run, this.clock, { ...limits, lineMaxBytes }, async () => {
      this.live.delete(group);
      // A stale record of a finished run costs the next daemon only one check.
      await this.journal.remove(pid).catch(() => undefined);
    });
    this.live.add(group);
    try {
      await this.journal.write({ run, pid, pgid: pid, start_time: getStartTime(pid), boot_id: bootId() });
    } catch (error) {
      await group.stop();
      throw error;
    }
    return group;
  }

  /** Ends all running programs. */
  async stopAll(): Promise<void> {
    await Promise.all([...this.live].map((group) => group.stop()));
  }
}

export function notStarted({ bin }: Program, error: unknown): ProcessError {
  const why = systemCode(error) === 'EACCES' ? 'it may not be run (check its permissions)' : getErrorMessage(error);
  return new ProcessError('not_started', `${bin} could not be started: ${why}.`);
}
