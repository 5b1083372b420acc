import { isMeshError, MeshError } from '../../../lib/errors.js';
import type { Clock } from '../../../lib/time/clock.js';
import type { ApiTool, Fields } from './tool.js';

/** Limit of all tool outputs of one turn together. A model that exceeds it is reading in circles. */
const TURN_OUTPUT_MAX_CHARS = 1024 * 1024;

/** Tracks the tool calls of one turn, so that none outlives it. */
export class ToolRuns {
  private readonly running = new Set<Promise<unknown>>();
  private outputChars = 0;

  constructor(private readonly clock: Clock) {}

  /**
   * Runs a tool. Errors it throws are safe to show the model: unexpected errors are replaced by a message without
   * details of this machine.
   */
  run(tool: ApiTool, input: Fields, signal: AbortSignal): Promise<string> {
    const run = this.bounded(tool, input, signal);
    this.running.add(run);
    const forget = () => this.running.delete(run);
    run.then(forget, forget);
    return run;
  }

  /** Resolves when no call is running. */
  async ended(): Promise<void> {
    await Promise.allSettled(this.running);
  }

  elapsed(): number {
    return this.clock.elapsed();
  }

  private async bounded(tool: ApiTool, input: Fields, signal: AbortSignal): Promise<string> {
    if (this.outputChars > TURN_OUTPUT_MAX_CHARS)
      throw new MeshError('too_large', 'There is no room for more in this turn: answer from what you have read.');
    try {
      const output = await tool.run(input, signal);
      this.outputChars += output.length;
      return output;
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      throw isMeshError(error)
        ? error
        : new Error(`\`${tool.name}\` failed for a reason of its own: go on without it.`);
    }
  }
}
