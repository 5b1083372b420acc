import type { ToolCall } from '../../contract/conversations.js';
import type { Clock } from '../../lib/time/clock.js';

const TARGET_MAX_CHARS = 400;
const OUTPUT_MAX_CHARS = 2_000;
const NAME_MAX_CHARS = 120;
const ID_MAX_CHARS = 200;
/** Far more than any agent run needs. */
const CALLS_MAX = 2_000;
/** Limit of all targets and outputs of one run together. */
const STORED_MAX_CHARS = 512 * 1024;

interface Running {
  call: ToolCall;
  startedMs: number;
  release: () => void;
}

/** The tool uses of one run. While one is running, the program may be silent without being stopped. */
export class ToolCalls {
  private readonly running = new Map<string, Running>();
  private count = 0;
  private storedChars = 0;

  constructor(
    private readonly clock: Clock,
    private readonly holdQuiet: () => () => void,
  ) {}

  /**
   * Records that a call began, or that more is known about it, and returns its current state. Throws an Error when the
   * run has more calls than `CALLS_MAX`.
   */
  begin(longId: string, name: string, target: string): ToolCall {
    const id = longId.slice(0, ID_MAX_CHARS);
    const known = this.running.get(id);
    if (!known) this.count += 1;
    if (this.count > CALLS_MAX)
      throw new Error(`More than ${CALLS_MAX} uses of tools in one run (output_limit), so it was stopped.`);
    const call: ToolCall = {
      id,
      name: (name || known?.call.name || 'tool').slice(0, NAME_MAX_CHARS),
      target: this.kept(target, TARGET_MAX_CHARS) || known?.call.target || '',
      state: 'running',
    };
    this.running.set(id, {
      call,
      startedMs: known?.startedMs ?? this.clock.elapsed(),
      release: known?.release ?? this.holdQuiet(),
    });
    return call;
  }

  /** Records that a call ended. Returns undefined when it never began. */
  end(longId: string, state: 'done' | 'failed', output: string): ToolCall | undefined {
    const id = longId.slice(0, ID_MAX_CHARS);
    const found = this.running.get(id);
    if (!found) return undefined;
    this.running.delete(id);
    found.release();
    const ms = Math.max(0, Math.round(this.clock.elapsed() - found.startedMs));
    const start = this.kept(output, OUTPUT_MAX_CHARS);
    return { ...found.call, state, ms, ...(start === '' ? {} : { output: start }) };
  }

  /** Ends every call that is still running. */
  endAll(state: 'done' | 'failed'): ToolCall[] {
    return [...this.running.keys()].flatMap((id) => this.end(id, state, '') ?? []);
  }

  /** Returns the prefix of `text` that is kept: at most `maxChars`, and nothing once the run's budget is used up. */
  private kept(text: string, maxChars: number): string {
    const start = text.slice(0, Math.min(maxChars, STORED_MAX_CHARS - this.storedChars));
    this.storedChars += start.length;
    return start;
  }
}
