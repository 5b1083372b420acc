import { ProcessError, type ProcessGroup } from '../../../storage/processes/process-group.js';
import {
  type AgentProgramParts,
  type Command,
  ProgramLookup,
  resolveWorkingFolder,
  sanitizeOutput,
} from '../agent-program.js';
import { ANTHROPIC_VARIABLES, agentEnvironment, listSecrets } from '../agent-program-environment.js';
import { createBrief, createMessage } from '../agent-program-prompt.js';
import type { Client, Decide, Turn, TurnEvent } from '../client.js';
import type { RunPlace } from '../permission-detail.js';
import { createFlags, EFFORTS, MODELS, TURN_TOKEN } from './claude-code-flags.js';
import { ClaudeCodeTurn, NOT_LOGGED_IN } from './claude-code-turn.js';

/** A turn never updates the program that runs it, and nothing of it works on after its answer. */
const FIXED = { DISABLE_AUTOUPDATER: '1', CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '1' };
/** Matches login messages of the program, which are worded for its own terminal and not shown to the operator. */
const LOGIN = /^(Not logged in|Invalid API key)|\/login\b/;
/** How long the program may take to exit by itself after its answer. */
const ENDING_MS = 2_000;

const INSTALL = 'install Claude Code (npm install -g @anthropic-ai/claude-code) and log in once by starting it';

/**
 * Runs members on the `claude` program in print mode, over its stream of JSON lines. Prompts go to its standard input,
 * never into its arguments.
 */
export class ClaudeCodeClient implements Client {
  readonly name = 'claude-code';
  private readonly command: Command;
  private readonly lookup: ProgramLookup;

  /** `command` is the machine's own configuration: a program other than `claude` on the PATH. */
  constructor(private readonly parts: AgentProgramParts & { command?: Command | undefined }) {
    this.command = parts.command ?? ['claude'];
    this.lookup = new ProgramLookup(parts.root, parts.environment, parts.clock);
  }

  async probe(): Promise<{ ready: boolean; reason: string | null }> {
    const [name] = this.command;
    if (await this.lookup.find(name)) return { ready: true, reason: null };
    return { ready: false, reason: `The program \`${name}\` is not on this machine's PATH: ${INSTALL}.` };
  }

  models(): readonly string[] {
    return MODELS;
  }

  efforts(): readonly string[] {
    return EFFORTS;
  }

  async *run(turn: Turn, signal: AbortSignal, decide: Decide): AsyncGenerator<TurnEvent, void, void> {
    signal.throwIfAborted();
    const outcome = yield* this.attempt(turn, signal, decide);
    if (outcome === 'answered') return;
    // The program drops sessions after a while. The history is then sent again.
    yield* this.attempt({ ...turn, session: null }, signal, decide);
  }

  /** Runs the program once. Returns `session_gone` when it did not have the session and therefore did nothing. */
  private async *attempt(
    turn: Turn,
    signal: AbortSignal,
    decide: Decide,
  ): AsyncGenerator<TurnEvent, 'answered' | 'session_gone', void> {
    const { group, place } = await this.start(turn);
    const stop = () => void group.stop();
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    const state = new ClaudeCodeTurn(turn, group, this.parts.clock, decide, place);
    try {
      await this.open(group, turn);
      for await (const line of group.lines()) {
        if (state.isFinal) continue;
        yield* state.take(line);
        if (state.isFinal) void group.finish(ENDING_MS);
      }
      const exit = await group.finish(ENDING_MS);
      signal.throwIfAborted();
      if (!state.result)
        throw new Error(`Claude Code ended without an answer${this.why(group, exit.code, exit.signal)}`);
      if (state.isSessionGone) return 'session_gone';
      if (state.result.isError) {
        yield* state.report();
        const { message } = state.result;
        throw new Error(LOGIN.test(message) ? NOT_LOGGED_IN : `Claude Code could not answer: ${this.clean(message)}`);
      }
      yield* state.finish();
      return 'answered';
    } catch (error) {
      await group.stop();
      signal.throwIfAborted();
      throw error instanceof ProcessError ? new Error(`Claude Code was stopped. ${error.message}`) : error;
    } finally {
      signal.removeEventListener('abort', stop);
      state.close();
      // Runs also when the consumer stops reading the events early.
      await group.stop();
    }
  }

  private async start(turn: Turn): Promise<{ group: ProcessGroup; place: RunPlace }> {
    const { root, environment, processes } = this.parts;
    const [name, ...first] = this.command;
    const bin = await this.lookup.find(name);
    if (!bin) throw new Error(`The program \`${name}\` is not on this machine's PATH: ${INSTALL}.`);
    const { cwd, fixed } = await resolveWorkingFolder(this.parts, turn);
    const token = turn.tool_server && { [TURN_TOKEN]: turn.tool_server.token };
    const seen = agentEnvironment(environment, ANTHROPIC_VARIABLES, { ...FIXED, ...fixed, ...token });
    const group = await processes.start({
      bin,
      args: [...first, ...createFlags(turn, root)],
      cwd,
      environment: seen,
      hasLongLines: true,
    });
    return { group, place: { root: cwd, environment: seen } };
  }

  private async open(group: ProcessGroup, turn: Turn): Promise<void> {
    const initialize = { subtype: 'initialize', hooks: null, appendSystemPrompt: createBrief(turn) };
    const content = [{ type: 'text', text: createMessage(turn, { withHistory: turn.session === null }) }];
    const frames = [
      { type: 'control_request', request_id: 'meshd-initialize', request: initialize },
      { type: 'user', message: { role: 'user', content }, parent_tool_use_id: null, session_id: '' },
    ];
    await group.write(frames.map((frame) => `${JSON.stringify(frame)}\n`).join(''));
  }

  private why(group: ProcessGroup, code: number | null, signal: string | null): string {
    const errors = this.clean(group.stderrTail);
    return ` (${signal ?? `exit ${code}`})${errors === '' ? '.' : `: ${errors}`}`;
  }

  private clean(text: string): string {
    return sanitizeOutput(text, listSecrets(this.parts.environment, ANTHROPIC_VARIABLES));
  }
}
