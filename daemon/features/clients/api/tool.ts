import { MeshError } from '../../../lib/errors.js';

/** The most that one call of a tool gives back. */
export const OUTPUT_MAX_BYTES = 32 * 1024;

/** Something that the model may do. What it is called with is the model's own: nothing in `input` is trusted. */
export interface ApiTool {
  name: string;
  description: string;
  /** JSON Schema of the input. */
  schema: { type: 'object'; properties: Record<string, object>; required: string[]; additionalProperties: false };
  /** What a call is about, for the operator. */
  target: (input: Fields) => string;
  /** Throws `MeshError` with what the model should do instead, and the signal's reason when it fires. */
  run: (input: Fields, signal: AbortSignal) => Promise<string>;
}

/** The fields of a tool's input, read with their kinds checked. */
export class Fields {
  private readonly values: Readonly<Record<string, unknown>>;

  constructor(input: unknown) {
    this.values = typeof input === 'object' && input !== null ? (input as Record<string, unknown>) : {};
  }

  /** Throws `bad_request` when it is missing, empty, no text or too long. */
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

  /** A line number; models write them as text now and then. */
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

  /** What of a field can be shown, whatever it is. */
  shown(name: string): string {
    const value = this.values[name];
    return typeof value === 'string' || typeof value === 'number'
      ? String(value).replace(/\s+/g, ' ').slice(0, 300)
      : '';
  }
}

/** Lines up to a number of bytes: what fits, and how many did. */
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
