import { getErrorMessage } from '../../../lib/errors.js';
import { gitEnvironment } from '../../../storage/git/git-command.js';
import { isUntracked } from '../../../storage/git/tracked-files.js';
import { ProcessError, type ProcessGroup } from '../../../storage/processes/process-group.js';
import { findUpwards } from '../../../storage/processes/process-group-path.js';
import {
  type AgentProgramParts,
  type Command,
  ProgramLookup,
  resolveWorkingFolder,
  sanitizeOutput,
} from '../agent-program.js';
import { agentEnvironment, listSecrets } from '../agent-program-environment.js';
import { EventQueue } from '../agent-program-queue.js';
import type { Client, Decide, Turn, TurnEvent } from '../client.js';
import { ACP_PROGRAMS, type AcpProgram, configuredProgram } from './acp-programs.js';
import { AcpTurn } from './acp-turn.js';

/** How long the agent may take to exit by itself after its answer. */
const ENDING_MS = 1_000;
const OWN_CHOICE = 'default';

/**
 * Runs members on any agent that speaks the Agent Client Protocol: the first program of the built-in table that is on
 * the PATH, or the command of the machine's own configuration. The agent reads files and runs programs by itself; its
 * permission requests go to `decide`.
 *
 * @NOTE The protocol cannot restrain an agent that neither requests permission nor respects its read-only mode. A run
 * for another program is therefore refused when the agent has no such mode, uses a working folder that holds only what
 * may be read, and is stopped as soon as the agent reports an action other than reading, or a read outside that folder.
 */
export class AcpClient implements Client {
  readonly name = 'acp';
  private readonly programs: readonly AcpProgram[];
  private readonly lookup: ProgramLookup;
  private offered: { models: readonly string[]; efforts: readonly string[] } = { models: [], efforts: [] };

  /**
   * `command` and `keys` (names of environment variables that the program may see) are the machine's own configuration.
   */
  constructor(
    private readonly parts: AgentProgramParts & { command?: Command | undefined; keys?: readonly string[] | undefined },
  ) {
    this.programs = parts.command ? [configuredProgram(parts.command, parts.keys ?? [])] : ACP_PROGRAMS;
    this.lookup = new ProgramLookup(parts.root, parts.environment, parts.clock);
  }

  async probe(): Promise<{ ready: boolean; reason: string | null }> {
    const { program, problem } = await this.find();
    return program ? { ready: true, reason: null } : { ready: false, reason: problem };
  }

  /** The agent's default choice first. The other models are known once a session has reported them. */
  models(): readonly string[] {
    return [OWN_CHOICE, ...this.offered.models.filter((model) => model !== OWN_CHOICE)];
  }

  efforts(): readonly string[] {
    return this.offered.efforts;
  }

  async *run(turn: Turn, signal: AbortSignal, decide: Decide): AsyncGenerator<TurnEvent, void, void> {
    signal.throwIfAborted();
    const place = await resolveWorkingFolder(this.parts, turn);
    const { program, bin, problem } = await this.find(place.cwd);
    if (!program) throw new Error(problem);
    const { clock, environment, processes } = this.parts;
    const outside = turn.profile === 'outside' ? program.outside : {};
    const fixed = { ...program.fixed, ...outside, ...program.restrains?.(turn), ...place.fixed };
    const [name, ...args] = program.command;
    const seen = agentEnvironment(environment, program.keys, fixed);
    const group = await processes.start({ bin, args, cwd: place.cwd, environment: seen, hasLongLines: true });
    const queue = new EventQueue<TurnEvent>();
    const acpTurn = new AcpTurn({
      turn,
      program: name,
      login: program.login,
      canResume: program.resumes !== false,
      countsTurnSince: program.countsTurnSince,
      obeysNoProxySince: program.obeysNoProxySince,
      root: place.cwd,
      environment: seen,
      group,
      clock,
      queue,
      decide,
      signal,
      onOffered: (offered) => {
        this.offered = offered;
      },
    });
    let isAnswered = false;
    const ended = acpTurn.converse().then(
      async () => {
        isAnswered = true;
        await acpTurn.report();
        await queue.push({ type: 'end', citations: [] });
        queue.end();
      },
      async (error: unknown) => {
        await group.stop();
        const failure = signal.aborted ? signal.reason : await this.explain(error, program, group);
        await acpTurn.report();
        queue.end({ error: failure });
      },
    );
    try {
      yield* queue.read();
    } finally {
      // Runs also when the consumer stops reading the events early.
      queue.end();
      if (isAnswered && !signal.aborted) await group.finish(ENDING_MS);
      await group.stop();
      await ended;
    }
  }

  /** Returns the first installed program that may be run in the folder, or the reason why there is none. */
  private async find(
    folder = this.parts.root,
  ): Promise<
    | { program: AcpProgram; bin: string; problem?: undefined }
    | { program?: undefined; bin?: undefined; problem: string }
  > {
    let problem: string | undefined;
    for (const program of this.programs) {
      const [name] = program.command;
      const bin = await this.lookup.find(name);
      if (bin === undefined) continue;
      const runs = await this.findRunning(program, folder);
      if (runs === undefined) return { program, bin };
      problem ??=
        `\`${name}\` would run what ${runs} says without asking, so it is not run in this project: choose ` +
        'another client, or remove the file.';
    }
    const names = this.programs.map(({ command }) => `\`${command.join(' ')}\``).join(', ');
    const which = this.programs.length === 1 ? 'The program' : 'None of the programs';
    return {
      problem:
        problem ?? `${which} ${names} is not on this machine's PATH: install one, and log in once by starting it.`,
    };
  }

  /** Returns the file that makes the program run code without asking, of the folder or of the project. */
  private async findRunning(program: AcpProgram, folder: string): Promise<string | undefined> {
    const { root, environment } = this.parts;
    const home = environment['HOME'];
    // In a worktree, hooks of the repository itself count too.
    for (const place of new Set([folder, root])) {
      const found =
        (await findUpwards(place, program.runs, { home })) ??
        (await findUpwards(place, program.runsAbove ?? [], { home, isBeyond: true }));
      if (found !== undefined) return found;
      for (const name of program.variables ?? []) {
        const file = await findUpwards(place, [name], { home, isBeyond: true });
        if (file !== undefined && !(await isUntracked(file, gitEnvironment(environment)))) return file;
      }
    }
    return undefined;
  }

  private async explain(error: unknown, program: AcpProgram, group: ProcessGroup): Promise<Error> {
    const secrets = listSecrets(this.parts.environment, program.keys);
    const [name] = program.command;
    const failure = group.reportedFailure ?? error;
    if (failure instanceof ProcessError) return new Error(`${name} was stopped. ${failure.message}`);
    const { code, signal } = await group.ended;
    const text = getErrorMessage(failure);
    const errors = sanitizeOutput(group.stderrTail, secrets);
    if (!/connection closed/i.test(text)) return new Error(sanitizeOutput(text, secrets));
    return new Error(
      `${name} ended without an answer (${signal ?? `exit ${code}`})${errors === '' ? '.' : `: ${errors}`}`,
    );
  }
}
