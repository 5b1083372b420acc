import { PatternRefused, parsePattern } from './linear-pattern-parser.js';
import { type State, statesOf } from './linear-pattern-states.js';

/** States that one pattern may come to; counted repetitions are written out. */
const STATES_MAX = 4_000;

/** Counts the work of one check, over all its patterns. Throws PatternRefused when there is too much of it. */
export class PatternBudget {
  private left = 0;

  constructor(private readonly steps: number) {}

  refill(): void {
    this.left = this.steps;
  }

  spend(steps: number): void {
    this.left -= steps;
    if (this.left < 0) throw new PatternRefused('takes too long on this text');
  }
}

/**
 * A regular expression of a stranger's, in the syntax of ECMAScript with the flag `u`, whose time grows with the length of the text and never beyond:
 * all ways through it are followed side by side, none is ever tried again. Back references and look-around cannot be run that way: the constructor
 * throws PatternRefused for them, for what is no pattern, and for one that is too large.
 *
 * Ours, because JSON Schema means patterns of ECMAScript and re2js reads those of RE2: it refuses `\u0041` and
 * `\p{Script=Greek}`, takes what ECMAScript refuses, and differs in `\s` and `.`. The bindings to RE2 itself are native.
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
    const { states, start } = statesOf(parsePattern(source), STATES_MAX);
    this.states = states;
    this.start = start;
    this.marks = new Int32Array(states.length);
  }

  /** Ajv keeps its patterns by this. */
  toString(): string {
    return this.source;
  }

  /** Whether the pattern is found anywhere in `text`. */
  test(text: string): boolean {
    const characters = [...text];
    let current: number[] = [];
    for (let at = 0; at <= characters.length; at += 1) {
      this.mark += 1;
      const reached: number[] = [];
      // A match may begin at every place.
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

  /** Adds to `reached` the states from `from` on that take a character; true when the end of the pattern is among them. */
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
