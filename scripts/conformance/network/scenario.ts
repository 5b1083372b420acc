import { isDeepStrictEqual } from 'node:util';

/** What a scenario talks to. */
export interface Place {
  /** Address of the daemon, without a slash at its end. */
  url: string;
  /** Runs a command of the operator (`meshd ...`) in the daemon's project and returns its standard output. */
  operate(...words: string[]): Promise<string>;
}

/** One sentence of the specification and the check that it holds. */
export interface Scenario {
  title: string;
  check(place: Place): Promise<void>;
}

/** A value that is described instead of written down. */
class Described {
  constructor(
    readonly words: string,
    readonly holds: (value: unknown) => boolean,
  ) {}
}

export const text = new Described('a text', (value) => typeof value === 'string' && value !== '');
export const integer = new Described('an integer', (value) => Number.isInteger(value));
export const list = new Described('a list', Array.isArray);
export const fraction = new Described('a number from 0 to 1', (value) => Number(value) >= 0 && Number(value) <= 1);
export const absent = new Described('nothing', (value) => value === undefined);

/** Times on the wire are epoch seconds: neither milliseconds nor the far past. */
export const epochSeconds = new Described(
  'epoch seconds of the last minute',
  (value) => Number.isInteger(value) && Math.abs(Number(value) - Date.now() / 1_000) < 60,
);

/** A text of the form `pattern`. */
export const matching = (pattern: RegExp) =>
  new Described(`a text like ${pattern}`, (value) => typeof value === 'string' && pattern.test(value));

/** A list that holds an entry for each of `expected`. */
export const holding = (...expected: unknown[]) =>
  new Described(
    `a list with ${render(expected)}`,
    (value) => Array.isArray(value) && expected.every((one) => value.some((entry) => isLike(entry, one))),
  );

/** A list without an entry like `unexpected`. */
export const without = (unexpected: unknown) =>
  new Described(
    `a list without ${render(unexpected)}`,
    (value) => Array.isArray(value) && !value.some((entry) => isLike(entry, unexpected)),
  );

/** An object that has these keys and no others. */
export const onlyKeys = (...keys: string[]) =>
  new Described(
    `an object of only ${keys.join(', ')}`,
    (value) =>
      typeof value === 'object' && value !== null && isDeepStrictEqual(Object.keys(value).sort(), [...keys].sort()),
  );

/** The body of every refusal. */
export const refusal = (code: string, more: Readonly<Record<string, unknown>> = {}) => ({
  error: code,
  message: text,
  ...more,
});

/** A scenario that does not hold. */
export class MismatchError extends Error {
  constructor(what: string, expected: unknown, received: unknown) {
    super(`${what}\n    expected: ${render(expected)}\n    received: ${render(received)}`);
  }
}

/**
 * Throws MismatchError unless `received` is like `expected`: an object may have more members than expected, a list has
 * exactly the entries expected. Strangers' clients read only the members that they know.
 */
export function expectLike(what: string, received: unknown, expected: unknown): void {
  if (!isLike(received, expected)) throw new MismatchError(what, expected, received);
}

/** Returns whether `value` is like `expected`, as in `expectLike`. */
export function isLike(value: unknown, expected: unknown): boolean {
  if (expected instanceof Described) return expected.holds(value);
  if (Array.isArray(expected))
    return (
      Array.isArray(value) &&
      value.length === expected.length &&
      expected.every((entry, index) => isLike(value[index], entry))
    );
  if (typeof expected !== 'object' || expected === null) return Object.is(value, expected);
  if (typeof value !== 'object' || value === null) return false;
  const members = new Map(Object.entries(value));
  return Object.entries(expected).every(([key, one]) => isLike(members.get(key), one));
}

function render(value: unknown): string {
  if (value instanceof Described) return value.words;
  const words = JSON.stringify(value, (_key, one: unknown) => (one instanceof Described ? `<${one.words}>` : one));
  return words === undefined ? 'nothing' : words.length > 1_000 ? `${words.slice(0, 1_000)}…` : words;
}
