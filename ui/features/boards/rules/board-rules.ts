import type { Props, Where } from '../../../../daemon/contract/clusters.js';

/** The level that sets a rule: the board, or its cluster (`room`). */
export type RuleLevel = 'board' | 'room';

/** The rules that one level sets, each separate, as they are inherited. */
interface LevelRules {
  where: Where | undefined;
  lang: string | undefined;
  ageMin: number | undefined;
  require: string[] | undefined;
  maxChars: number | undefined;
}

/** The effective rules of a board, each with the level that sets it. A rule that no level sets is absent. */
export type BoardRules = { [Key in keyof LevelRules]?: { value: NonNullable<LevelRules[Key]>; from: RuleLevel } };

const toRules = (props: Props | null): LevelRules => ({
  where: props?.where,
  lang: props?.lang,
  ageMin: props?.entry?.age_min,
  require: props?.entry?.require,
  maxChars: props?.limits?.post_max_chars,
});

/** Computes the effective rules. Each is inherited separately; the board's overrides the cluster's. Spec: Props. */
export function getBoardRules(board: Props | null, savedCluster: Props | null): BoardRules {
  const [own, inherited] = [toRules(board), toRules(savedCluster)];
  const rules: Record<string, { value: unknown; from: RuleLevel }> = {};
  for (const key of Object.keys(own) as (keyof LevelRules)[]) {
    if (own[key] !== undefined) rules[key] = { value: own[key], from: 'board' };
    else if (inherited[key] !== undefined) rules[key] = { value: inherited[key], from: 'room' };
  }
  return rules as BoardRules;
}

/** From this age on, a board requires its readers and authors to declare their age. */
const ADULT_AGE = 18;

/** Returns the age that a board requires; undefined when it requires none. */
export function getRequiredAge({ ageMin }: BoardRules): number | undefined {
  const age = ageMin?.value ?? 0;
  return age >= ADULT_AGE ? age : undefined;
}
