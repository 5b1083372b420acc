import type { ToolCall } from '../../contract/conversations.js';
import type { Clock } from '../../lib/clock.js';

const TARGET_MAX_CHARS = 400;
const OUTPUT_MAX_CHARS = 2_000;
const NAME_MAX_CHARS = 120;
const ID_MAX_CHARS = 200;
/** Far more than any run of an agent needs. */
const CALLS_MAX = 2_000;
/** Of what all calls of a run gave back, and of what they were about. */
const KEPT_MAX_CHARS = 512 * 1024;

interface Running {
  call: ToolCall;
  startedMs: number;
  release: () => void;
}

/** The uses of tools in one run. While one is going on the program may be silent. */
export class ToolCalls {
  private readonly running = new Map<string, Running>();
  private count = 0;
  private keptChars = 0;

  constructor(
    private readonly clock: Clock,
    private readonly holdQuiet: () => () => void,
  ) {}

  /** A call began, or more is known of it. Gives it as it now stands. Throws an Error when there are more calls than a run can need. */
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

  /** A call ended. Undefined when it never began. */
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

  /** Ends every call whose end was not told. */
  endAll(state: 'done' | 'failed'): ToolCall[] {
    return [...this.running.keys()].flatMap((id) => this.end(id, state, '') ?? []);
  }

  /** The start of `text` that is kept of it; nothing once the run's share is used up. */
  private kept(text: string, maxChars: number): string {
    const start = text.slice(0, Math.min(maxChars, KEPT_MAX_CHARS - this.keptChars));
    this.keptChars += start.length;
    return start;
  }
}
