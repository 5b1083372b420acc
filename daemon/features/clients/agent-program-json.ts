/** Output of an agent program is untrusted: every field is validated before use. */
export type JsonObject = Readonly<Record<string, unknown>>;

const NONE: JsonObject = Object.freeze({});

/** Returns `value` if it is an object, else an empty object. */
export const toObject = (value: unknown): JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : NONE;

/** Returns `value` if it is a string, else an empty string. */
export const toText = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Returns `value` if it is an array, else an empty array. */
export const toList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Returns `value` if it is a non-negative safe integer, else undefined. */
export const toCount = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;

/** Parses `line` as a JSON object. Returns undefined if it is not one. */
export function parseObject(line: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(line);
    const object = toObject(value);
    return object === NONE ? undefined : object;
  } catch {
    return undefined;
  }
}
