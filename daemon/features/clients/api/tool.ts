import { MeshError } from '../../../lib/errors.js';

/** Maximum output of one tool call. */
export const OUTPUT_MAX_BYTES = 32 * 1024;

/** A tool that the model may call. `input` comes from the model and is untrusted. */
export interface ApiTool {
  name: string;
  description: string;
  /** JSON Schema of the input. */
  schema: { type: 'object'; properties: Record<string, object>; required: string[]; additionalProperties: false };
  /** The target of a call, for display to the operator. */
  target: (input: Fields) => string;
  /** Throws `MeshError` with advice for the model, or the signal's reason when it fires. */
  run: (input: Fields, signal: AbortSignal) => Promise<string>;
}

/** Type-checked access to the fields of a tool's input. */
export class Fields {
  readonly values: Readonly<Record<string, unknown>>;

  constructor(input: unknown) {
    this.values = typeof input === 'object' && input !== null ? (input as Record<string, unknown>) : {};
  }

  /** Throws `bad_request` when the field is missing, empty, not a string or too long. */
  text(name: string, maxChars: number): string {
    const value = this.optionalText(name, maxChars);
    if (value === undefined || value === '') throw new MeshError('bad_request', `\`${name}\` is missing: give a text.`);
    return value;
  }

  optionalText(name: string, maxChars: number): string | undefined {
    const value = this.values[name];
    if (value === undefined || value === null) return undefined;
    if (typeof value !== 'string') throw new MeshError('bad_request', `\`${name}\` must be a text.`);
    if (value.length > maxChars)
      throw new MeshError('bad_request', `\`${name}\` is longer than ${maxChars} characters.`);
    return value;
  }

  /**
   * Reads a line number, also from a string, as models sometimes send. Throws `bad_request` unless it is at least 1.
   */
  line(name: string): number | undefined {
    const value = this.values[name];
    if (value === undefined || value === null || value === '') return undefined;
    const line = Number(value);
    if (!Number.isSafeInteger(line) || line < 1)
      throw new MeshError('bad_request', `\`${name}\` must be a whole number from 1.`);
    return line;
  }

  flag(name: string): boolean {
    return this.values[name] === true || this.values[name] === 'true';
  }

  /** Returns a display form of the field, of any type, on one line of at most 300 characters. */
  shown(name: string): string {
    const value = this.values[name];
    return typeof value === 'string' || typeof value === 'number'
      ? String(value).replace(/\s+/g, ' ').slice(0, 300)
      : '';
  }
}

/** Returns the joined lines that fit into `maxBytes`, and their count. */
export function fitting(lines: readonly string[], maxBytes: number): { text: string; count: number } {
  let bytes = 0;
  let count = 0;
  for (const line of lines) {
    bytes += Buffer.byteLength(line) + 1;
    if (bytes > maxBytes) break;
    count += 1;
  }
  return { text: lines.slice(0, count).join('\n'), count };
}
