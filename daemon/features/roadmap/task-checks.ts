import { getErrorMessage } from '../../lib/errors.js';
import type { Asking } from '../conversations/asked-turns-store.js';
import type { CheckCommands } from './check-commands.js';
import type { TaskLine } from './task-list.js';

/** What a task's check says. `detail` is one paragraph for the operator and for the member that has to try again. */
interface Verdict {
  passed: boolean;
  detail: string;
}

/** A check as the file names it. */
type Check = { kind: 'command'; name: string } | { kind: 'test' | 'review'; member: string };

interface TaskChecksParts {
  commands: Pick<CheckCommands, 'find'>;
  /** Runs a line of the shell in the folder of a conversation. Rejects when `signal` is aborted. */
  runCommand: (command: string, conv: string, signal: AbortSignal) => Promise<{ exit: number | null; output: string }>;
  /** Runs the tests of a member to their end. Rejects when there are none. */
  runTests: (member: string) => Promise<{ passed: number; failed: number; outcome: string }>;
  /** Asks a member in a conversation of its own, and resolves with its answer. Rejects when there is none. */
  ask: (member: string, title: string, text: string, asking: Asking) => Promise<string>;
}

const COMMAND_MS = 10 * 60_000;
const OUTPUT_SHOWN_CHARS = 1_500;
const FORMS = '`command <name>`, `test <member>` or `review @<member>`';
/** A line with the verdict that was asked for, marked up or labelled as models do. */
const VERDICT =
  /^[^\p{L}\p{N}]*(?:(?:VERDICT|[Vv]erdict|[Rr]esult)[^\p{L}\p{N}]*)?(PASSED|FAILED)\b[\s:.,*_`–-]*([\s\S]*)/u;

function readCheck(text: string): Check | undefined {
  const match = /^(command|test|review)\s+@?([a-z][a-z0-9-]{0,31})$/.exec(text);
  if (!match) return undefined;
  const [, kind, name] = match as unknown as [string, Check['kind'], string];
  return kind === 'command' ? { kind, name } : { kind, member: name };
}

const failed = (detail: string): Verdict => ({ passed: false, detail });

/** Finds out whether a task is done, by the check that its line in the roadmap names. */
export class TaskChecks {
  private readonly stopping = new AbortController();

  constructor(private readonly parts: TaskChecksParts) {}

  /** Ends running commands. The checks that run never settle as passed or failed. */
  stop(): void {
    this.stopping.abort(new Error('The daemon is stopping.'));
  }

  /** Returns the sentence about its task's check for the member; undefined without one. */
  describe({ check }: Pick<TaskLine, 'check'>): string | undefined {
    const named = check === null ? undefined : readCheck(check);
    if (named?.kind === 'command') return this.parts.commands.find(named.name);
    return named && (named.kind === 'test' ? `the tests of ${named.member}` : `a review by ${named.member}`);
  }

  /** Judges a task that was answered, for who is `asking`. Rejects only when the daemon stops meanwhile: then nothing is known. */
  async judge(task: TaskLine, answer: string, asking: Asking): Promise<Verdict> {
    const check = readCheck(task.check ?? '');
    if (!check) return failed(`"${task.check}" is no check: write ${FORMS}.`);
    this.stopping.signal.throwIfAborted();
    const verdict = await this.make(check, task, answer, asking).catch((error: unknown) =>
      failed(getErrorMessage(error)),
    );
    // What ends because the daemon stops says nothing of the task.
    this.stopping.signal.throwIfAborted();
    return verdict;
  }

  private make(check: Check, task: TaskLine, answer: string, asking: Asking): Promise<Verdict> {
    if (check.kind === 'command') return this.byCommand(check.name, asking.parent.conv);
    return check.kind === 'test' ? this.byTests(check.member) : this.byReview(check.member, task, answer, asking);
  }

  private async byCommand(name: string, conv: string): Promise<Verdict> {
    const command = this.parts.commands.find(name);
    if (command === undefined)
      return failed(
        `There is no check command "${name}" on this machine: \`meshd roadmap checks set ${name} <command>\`.`,
      );
    const limit = AbortSignal.timeout(COMMAND_MS);
    const signal = AbortSignal.any([this.stopping.signal, limit]);
    const run = await this.parts.runCommand(command, conv, signal).catch((error: unknown) => {
      if (!limit.aborted || this.stopping.signal.aborted) throw error;
    });
    if (!run) return failed(`\`${command}\` did not end within ${COMMAND_MS / 60_000} minutes.`);
    const { exit, output } = run;
    if (exit === 0) return { passed: true, detail: `\`${command}\` passed.` };
    const end = output.trim().slice(-OUTPUT_SHOWN_CHARS);
    return failed(`\`${command}\` ended with ${exit ?? 'a signal'}.${end === '' ? '' : ` Its output ends: ${end}`}`);
  }

  private async byTests(member: string): Promise<Verdict> {
    const { passed, failed: wrong, outcome } = await this.parts.runTests(member);
    if (outcome !== 'finished') return failed(`The tests of ${member} did not end: ${outcome}.`);
    return {
      passed: wrong === 0 && passed > 0,
      detail: `${passed} of ${passed + wrong} tests of ${member} passed.`,
    };
  }

  private async byReview(member: string, task: TaskLine, answer: string, asking: Asking): Promise<Verdict> {
    const text =
      `Review task ${task.id} of the roadmap: ${task.text}\n\nWhat was said of it when it was ` +
      `finished:\n\n${answer}\n\n` +
      'Look at the work itself. End with one line: `PASSED`, or `FAILED:` and what is missing.';
    const said = await this.parts.ask(member, `Review of ${task.id}`, text, asking);
    const verdict = said
      .trim()
      .split('\n')
      .reverse()
      .map((line) => VERDICT.exec(line))
      .find((match) => match !== null);
    if (!verdict) return failed(`${member} gave no verdict: its answer has no line with PASSED or FAILED.`);
    return { passed: verdict[1] === 'PASSED', detail: `${member}: ${verdict[2] || verdict[1]?.toLowerCase()}` };
  }
}
