import type { CodeBase } from '../code-bases.js';
import { seededRandom } from '../random.js';
import type { At, Call, Definition, Facts } from './facts/facts.js';
import type { StructureQuestion } from './question.js';

/** Tests, examples and what others have written: the truth has it, and no question is drawn from it. */
const ASIDE =
  /(?:^|\/)(?:tests?|testing|__tests__|spec|deps|vendor|third[_-]?party|examples?|fixtures|bench(?:marks?)?|docs|gtest|fuzzing|utils\/lru|src\/test)\/|[._-](?:test|spec|tst|bench|fuzz)\.\w+$|(?:^|\/)(?:test_\w+\.py|conftest\.py|build\.rs)$/;

export const isAside = (path: string) => ASIDE.test(path);
export const formatPlace = ({ path, line }: At) => `${path}:${line}`;
export const unique = <T>(values: Iterable<T>) => [...new Set(values)];
export const sortedPlaces = (values: Iterable<At>) => unique([...values].map(formatPlace)).sort();

export function groupBy<T>(values: readonly T[], keyOf: (value: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const value of values) {
    const list = groups.get(keyOf(value));
    if (list) list.push(value);
    else groups.set(keyOf(value), [value]);
  }
  return groups;
}

/** What the questions about one code base are drawn from, in orders that the seed decides. */
export class DrawContext {
  readonly definitions: Map<string, Definition[]>;
  readonly calls: Map<string, Call[]>;
  private readonly random: () => number;

  constructor(
    readonly base: CodeBase,
    readonly facts: Facts,
    /** Text of each file that the tools read, by path. */
    readonly texts: ReadonlyMap<string, string>,
    /** Text of the code that they do not read. */
    readonly foreign: string,
    readonly paths: readonly string[],
    seed: number,
  ) {
    this.definitions = groupBy(facts.definitions, ({ name }) => name);
    this.calls = groupBy(facts.calls, ({ name }) => name);
    this.random = seededRandom(seed);
  }

  pick<T>(values: readonly T[]): T {
    return values[Math.floor(this.random() * values.length)] as T;
  }

  chance(share: number): boolean {
    return this.random() < share;
  }

  shuffle<T>(values: readonly T[]): T[] {
    return [...values]
      .map((value) => ({ value, key: this.random() }))
      .sort((a, b) => a.key - b.key)
      .map(({ value }) => value);
  }

  strong(name: string): Definition[] {
    return (this.definitions.get(name) ?? []).filter(({ isWeak }) => !isWeak);
  }

  weak(name: string): Definition[] {
    return (this.definitions.get(name) ?? []).filter(({ isWeak }) => isWeak);
  }

  /** The name, with its class where only one has it, as its language writes it. */
  qualified(name: string): string {
    const containers = unique(this.strong(name).map(({ container }) => container ?? ''));
    const [only] = containers;
    if (containers.length !== 1 || !only || !this.chance(0.5)) return name;
    return `${only}${/^(?:Rust|C\+\+)$/.test(this.base.language) ? '::' : '.'}${name}`;
  }

  /** The path, or only its last part where no other file has it. */
  writtenPath(path: string): string {
    const last = path.slice(path.lastIndexOf('/') + 1);
    const isAlone = this.paths.filter((one) => one === last || one.endsWith(`/${last}`)).length === 1;
    return isAlone && !/^(?:index|__init__|mod|main)\./.test(last) && this.chance(0.4) ? last : path;
  }

  /** The word for what a name is, in its language. */
  nounOf({ kind }: Definition): string {
    const { language } = this.base;
    if (kind === 'class') return /^(?:C|Rust|Go)$/.test(language) ? 'struct' : 'class';
    if (kind === 'interface') return language === 'Rust' ? 'trait' : 'interface';
    return kind;
  }

  /** Whether the line of each place has the name: a tool that is mistaken about a line is not believed. */
  containsName(name: string, places: readonly At[]): boolean {
    return places.every(({ path, line }) => this.texts.get(path)?.split('\n')[line - 1]?.includes(name));
  }

  isCalledInForeign(name: string): boolean {
    return new RegExp(`(?<![\\w$])${name.replace(/\$/g, '\\$')}\\s*\\(`).test(this.foreign);
  }
}

/** Draws questions, at most `count`, from candidates in order. */
export function take(
  count: number,
  candidates: Iterable<string>,
  draw: (candidate: string) => StructureQuestion | undefined,
): StructureQuestion[] {
  const drawn: StructureQuestion[] = [];
  for (const candidate of candidates) {
    if (drawn.length >= count) break;
    const question = draw(candidate);
    if (question) drawn.push(question);
  }
  return drawn;
}
