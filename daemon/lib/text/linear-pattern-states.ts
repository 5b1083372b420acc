import { PatternError, type PatternNode } from './linear-pattern-parser.js';

/** A state of the automaton: consumes one character, splits, requires an assertion, or is the end. */
export type State =
  | { kind: 'one'; takes: (character: string) => boolean; next: number }
  | { kind: 'split'; next: number[] }
  | { kind: 'assert'; holds: (before: string | undefined, after: string | undefined) => boolean; next: number }
  | { kind: 'end' };

/** Builds the states of a pattern, with counted repetitions expanded. Throws PatternError above `max` states. */
export function compileStates(node: PatternNode, max: number): { states: State[]; start: number } {
  const states: State[] = [{ kind: 'end' }];
  let work = 0;

  const add = (state: State): number => states.push(state) - 1;
  /** Adds the states of `part` that continue at `next`. Returns the first of them. */
  const build = (part: PatternNode, next: number): number => {
    // Nodes without a state count too: an empty group can be repeated as well.
    work += 1;
    if (work > max || states.length > max)
      throw new PatternError('is too large: its repetitions come to too many steps');
    switch (part.kind) {
      case 'one':
        return add({ kind: 'one', takes: part.takes, next });
      case 'assert':
        return add({ kind: 'assert', holds: part.holds, next });
      case 'sequence':
        return part.parts.reduceRight((after, one) => build(one, after), next);
      case 'choice':
        return add({ kind: 'split', next: part.options.map((option) => build(option, next)) });
      case 'repeat':
        return repeated(part, next);
    }
  };
  const repeated = ({ part, min, max: most }: Extract<PatternNode, { kind: 'repeat' }>, next: number): number => {
    let after = next;
    if (most === Number.POSITIVE_INFINITY) {
      const loop: number[] = [];
      after = add({ kind: 'split', next: loop });
      loop.push(build(part, after), next);
    } else {
      for (let count = min; count < most; count += 1) after = add({ kind: 'split', next: [build(part, after), next] });
    }
    for (let count = 0; count < min; count += 1) after = build(part, after);
    return after;
  };

  return { start: build(node, 0), states };
}
