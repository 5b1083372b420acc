import type { Props } from '../../../../daemon/contract/clusters.js';

type RuleKey = keyof Props;
const KEYS = ['where', 'lang', 'entry', 'limits'] as const satisfies readonly RuleKey[];

/** The level that sets a rule: the board, or its cluster (`room`). */
export type RuleLevel = 'board' | 'room';

/** The effective rules of a board, each with the level that sets it. A rule that no level sets is absent. */
export type BoardRules = { [Key in RuleKey]?: { value: NonNullable<Props[Key]>; from: RuleLevel } };

/**
 * Computes the effective rules. Each key is inherited separately and as a whole; the board's value overrides the
 * cluster's. Spec: Props.
 */
export function getBoardRules(board: Props | null, savedCluster: Props | null): BoardRules {
  const rules: Record<string, { value: unknown; from: RuleLevel }> = {};
  for (const key of KEYS) {
    const [own, inherited] = [board?.[key], savedCluster?.[key]];
    if (own !== undefined) rules[key] = { value: own, from: 'board' };
    else if (inherited !== undefined) rules[key] = { value: inherited, from: 'room' };
  }
  return rules as BoardRules;
}

/** From this age on, a board requires its readers and authors to declare their age. */
const ADULT_AGE = 18;

/** Returns the age that a board requires; undefined when it requires none. */
export function getRequiredAge({ entry }: BoardRules): number | undefined {
  const age = entry?.value.age_min ?? 0;
  return age >= ADULT_AGE ? age : undefined;
}
