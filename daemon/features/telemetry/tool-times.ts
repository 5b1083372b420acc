import type { ToolCall } from '../../contract/conversations.js';
import { TELEMETRY_CONTENT_CHARS_MAX } from '../../contract/telemetry.js';
import { scrubSecrets } from '../../lib/secrets/secrets.js';
import type { ToolRecord } from './turn-record.js';

const TURNS_MAX = 64;
const CALLS_MAX = 256;
/** Characters that are searched for secrets before the text is cut. */
const READ_CHARS = TELEMETRY_CONTENT_CHARS_MAX * 4;

/** Returns the start of a text without secrets. A cut within a character is mended: collectors refuse half of one. */
export const toContent = (text: string): string =>
  scrubSecrets(text.slice(0, READ_CHARS)).slice(0, TELEMETRY_CONTENT_CHARS_MAX).toWellFormed();

/** When the tool calls of running turns began and ended, of at most 256 calls of 64 turns. */
export class ToolTimes {
  private readonly turns = new Map<string, Map<string, ToolRecord>>();

  add(turn: string, call: ToolCall, nowMs: number, isWithContent: boolean): void {
    const calls = this.turns.get(turn) ?? new Map<string, ToolRecord>();
    if (!this.turns.has(turn)) {
      const oldest = this.turns.keys().next().value;
      if (this.turns.size >= TURNS_MAX && oldest !== undefined) this.turns.delete(oldest);
      this.turns.set(turn, calls);
    }
    const known = calls.get(call.id);
    if (known === undefined && calls.size >= CALLS_MAX) return;
    // A call that is reported only at its end carries its duration.
    const startedMs = known?.startedMs ?? nowMs - (call.ms ?? 0);
    calls.set(call.id, {
      id: call.id,
      name: call.name,
      startedMs,
      finishedMs: nowMs,
      isFailed: call.state === 'failed',
      ...(isWithContent ? { input: toContent(call.target), output: toContent(call.output ?? '') } : {}),
    });
  }

  /** Returns the calls of a turn that has ended, and forgets them. */
  take(turn: string): readonly ToolRecord[] {
    const calls = this.turns.get(turn);
    this.turns.delete(turn);
    return [...(calls?.values() ?? [])];
  }

  clear(): void {
    this.turns.clear();
  }
}
