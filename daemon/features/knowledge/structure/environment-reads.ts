import { patternWith } from '../../../lib/text/pattern.js';
import type { FoundFact } from '../../../storage/database/structure-reader.js';

/**
 * How the graph keeps a read of the environment whose variable is not written at the place itself. Before the name of
 * what tells it stands one sign; what it is can be said only once every file is read.
 */
export const SIGN = {
  /** `$LIMIT`: the constant `LIMIT` holds the name. */
  constant: '$',
  /** `*KNOWN`: the names are the strings of the constant `KNOWN`. */
  each: '*',
  /** `%lookUp`: the function `lookUp` reads what it is given. */
  wrapper: '%',
  /** `@lookUp:HOME` and `@lookUp:$LIMIT`: `lookUp` is given a name. It counts where `lookUp` is a wrapper. */
  given: '@',
} as const;

/** A name by which an environment variable may go. */
export const isVariableName = (text: string): boolean => /^[A-Za-z_]\w{0,100}$/.test(text);
/** A name that hardly is anything else: only capitals. */
export const isCapital = (text: string): boolean => /^[A-Z][A-Z0-9_]{1,100}$/.test(text);

/** Methods of so many things that only what stands beside them tells whether the environment is meant. */
const COMMON = /^(?:get|fetch|read|find|has|value|values|lookup|load|contains|is|or|of|var)$/i;
const SAYS_ENVIRONMENT = patternWith('i')`
  (?:^|[^a-z])(?:env(?:iron(?:ment)?)?s?|vars?)(?:[^a-z]|$)
`;

/** Whether a call of `name` may hand on the name of a variable; `around` is its receiver and first argument. */
export const mayPassVariable = (name: string, around: string): boolean =>
  !COMMON.test(name) || SAYS_ENVIRONMENT.test(around);

type FindConstants = (name: string) => FoundFact[];

const unquote = (value: string) => /^[\w@$]{0,2}["'`]([A-Za-z_]\w*)["'`]/.exec(value)?.[1];

/** The string of the constant `name`, seen from `path`; undefined where constants of this name hold different ones. */
function findString(name: string, path: string, findConstants: FindConstants): string | undefined {
  // What is no string names no variable.
  const values = findConstants(name).flatMap((one) => {
    const text = unquote(one.value);
    return text === undefined ? [] : [{ path: one.path, text }];
  });
  const own = values.filter((one) => one.path === path);
  const texts = new Set((own.length > 0 ? own : values).map(({ text }) => text));
  return texts.size === 1 ? [...texts][0] : undefined;
}

/**
 * Returns the reads under the names of their variables, each place once, and whether some read could not be resolved.
 */
export function resolveReads(
  rows: readonly FoundFact[],
  findConstants: FindConstants,
): { reads: FoundFact[]; isUnknown: boolean } {
  const wrappers = new Set(rows.filter(({ name }) => name.startsWith(SIGN.wrapper)).map(({ name }) => name.slice(1)));
  const used = new Set<string>();
  let isUnknown = false;
  const found = rows.flatMap((read): FoundFact[] => {
    const [, sign, rest = ''] = /^([$*%@]?)(.*)$/.exec(read.name) as RegExpExecArray;
    const under = (name: string | undefined) => (name === undefined ? [] : [{ ...read, name }]);
    if (sign === '') return [read];
    if (sign === SIGN.wrapper) return [];
    if (sign === SIGN.each) {
      const names = findConstants(`${rest}[]`).flatMap(({ value }) => under(unquote(value)));
      isUnknown ||= names.length === 0;
      return names;
    }
    if (sign === SIGN.constant) {
      const name = findString(rest, read.path, findConstants);
      isUnknown ||= name === undefined;
      return under(name);
    }
    const [wrapper = '', given = ''] = rest.split(':');
    if (!wrappers.has(wrapper)) return [];
    const name = given.startsWith(SIGN.constant) ? findString(given.slice(1), read.path, findConstants) : given;
    if (name !== undefined) used.add(wrapper);
    return under(name);
  });
  const seen = new Set<string>();
  const once = found.filter((one) => {
    const key = `${one.path}:${one.line} ${one.name}`;
    return !seen.has(key) && seen.add(key);
  });
  return { reads: once, isUnknown: isUnknown || [...wrappers].some((name) => !used.has(name)) };
}
