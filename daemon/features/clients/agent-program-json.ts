/** What an agent program writes is a stranger's: every field is looked at before it is used. */
export type JsonObject = Readonly<Record<string, unknown>>;

const NONE: JsonObject = Object.freeze({});

/** `value` when it is an object, else an empty one. */
export const objectOf = (value: unknown): JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : NONE;

/** `value` when it is a text, else an empty one. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** `value` when it is an array, else an empty one. */
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** `value` when it is a whole number that counts something. */
export const countOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;

/** The object that `line` holds, or undefined when it is no JSON object. */
export function parseObject(line: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(line);
    const object = objectOf(value);
    return object === NONE ? undefined : object;
  } catch {
    return undefined;
  }
}
