import type { ToolCall } from '../../contract/conversations.js';
import type { Clock } from '../../lib/clock.js';

const TARGET_MAX_CHARS = 400;
const OUTPUT_MAX_CHARS = 2_000;
const NAME_MAX_CHARS = 120;

interface Running {
  call: ToolCall;
  startedMs: number;
  release: () => void;
}

/** The uses of tools in one run. While one is going on the program may be silent. */
export class ToolCalls {
  private readonly running = new Map<string, Running>();

  constructor(
    private readonly clock: Clock,
    private readonly holdQuiet: () => () => void,
  ) {}

  /** A call began, or more is known of it. Gives it as it now stands. */
  begin(id: string, name: string, target: string): ToolCall {
    const known = this.running.get(id);
    const call: ToolCall = {
      id,
      name: (name || known?.call.name || 'tool').slice(0, NAME_MAX_CHARS),
      target: (target || known?.call.target || '').slice(0, TARGET_MAX_CHARS),
      state: 'running',
    };
    this.running.set(id, { call, startedMs: known?.startedMs ?? this.clock.elapsed(), release: known?.release ?? this.holdQuiet() });
    return call;
  }

  /** A call ended. Undefined when it never began. */
  end(id: string, state: 'done' | 'failed', output: string): ToolCall | undefined {
    const found = this.running.get(id);
    if (!found) return undefined;
    this.running.delete(id);
    found.release();
    const ms = Math.max(0, Math.round(this.clock.elapsed() - found.startedMs));
    return { ...found.call, state, ms, ...(output === '' ? {} : { output: output.slice(0, OUTPUT_MAX_CHARS) }) };
  }

  /** Ends every call whose end was not told. */
  endAll(state: 'done' | 'failed'): ToolCall[] {
    return [...this.running.keys()].flatMap((id) => this.end(id, state, '') ?? []);
  }
}
