import { PatternError, parsePattern } from './linear-pattern-parser.js';
import { compileStates, type State } from './linear-pattern-states.js';

/** The maximum number of states of one pattern, with counted repetitions expanded. */
const STATES_MAX = 4_000;

/** Limits the steps of one check across all its patterns. Throws PatternError when they are exhausted. */
export class PatternBudget {
  private left = 0;

  constructor(private readonly steps: number) {}

  refill(): void {
    this.left = this.steps;
  }

  spend(steps: number): void {
    this.left -= steps;
    if (this.left < 0) throw new PatternError('takes too long on this text');
  }
}

/**
 * An untrusted regular expression in ECMAScript syntax with the flag `u`, matched in time linear in the length of the
 * text: all paths are followed in parallel, without backtracking. Back references and look-around cannot be matched
 * that way. The constructor throws PatternError for them, for an invalid pattern and for one that is too large.
 *
 * Implemented here because JSON Schema prescribes ECMAScript patterns and re2js implements RE2 syntax: it rejects
 * `\u0041` and `\p{Script=Greek}`, accepts patterns that ECMAScript rejects, and differs in `\s` and `.`. The bindings
 * to RE2 itself are native modules.
 */
export class LinearPattern {
  private readonly states: readonly State[];
  private readonly start: number;
  private readonly marks: Int32Array;
  private mark = 0;

  constructor(
    readonly source: string,
    private readonly budget: PatternBudget,
  ) {
    const { states, start } = compileStates(parsePattern(source), STATES_MAX);
    this.states = states;
    this.start = start;
    this.marks = new Int32Array(states.length);
  }

  /** Ajv uses this as the cache key of a pattern. */
  toString(): string {
    return this.source;
  }

  /** Whether the pattern matches anywhere in `text`. */
  test(text: string): boolean {
    const characters = [...text];
    let current: number[] = [];
    for (let at = 0; at <= characters.length; at += 1) {
      this.mark += 1;
      const reached: number[] = [];
      // A match may start at every position.
      for (const state of [...current, this.start]) if (this.follow(state, characters, at, reached)) return true;
      this.budget.spend(reached.length + 1);
      const character = characters[at];
      if (character === undefined) return false;
      current = [];
      for (const index of reached) {
        const state = this.states[index] as Extract<State, { kind: 'one' }>;
        if (state.takes(character)) current.push(state.next);
      }
    }
    return false;
  }

  /**
   * Adds the states reachable from `from` that consume a character to `reached`. Returns true when the end of the
   * pattern is reachable.
   */
  private follow(from: number, characters: readonly string[], at: number, reached: number[]): boolean {
    const open = [from];
    for (let index = open.pop(); index !== undefined; index = open.pop()) {
      if (this.marks[index] === this.mark) continue;
      this.marks[index] = this.mark;
      this.budget.spend(1);
      const state = this.states[index] as State;
      if (state.kind === 'end') return true;
      if (state.kind === 'one') reached.push(index);
      else if (state.kind === 'split') open.push(...state.next);
      else if (state.holds(characters[at - 1], characters[at])) open.push(state.next);
    }
    return false;
  }
}
