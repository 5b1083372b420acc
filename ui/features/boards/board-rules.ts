import type { Props } from '../../../daemon/contract/clusters.js';

export type RuleKey = keyof Props;
const KEYS = ['where', 'lang', 'entry', 'limits'] as const satisfies readonly RuleKey[];

/** Which level sets a rule that is in force. */
export type RuleLevel = 'board' | 'room';

/** The rules in force on a board, each with the level that sets it. A rule that no level sets is absent. */
export type BoardRules = { [Key in RuleKey]?: { value: NonNullable<Props[Key]>; from: RuleLevel } };

/** Each rule inherits by itself and whole: what the board sets wins over what the room sets. Spec: Props. */
export function rulesOf(board: Props | null, room: Props | null): BoardRules {
  const rules: Record<string, { value: unknown; from: RuleLevel }> = {};
  for (const key of KEYS) {
    const [own, inherited] = [board?.[key], room?.[key]];
    if (own !== undefined) rules[key] = { value: own, from: 'board' };
    else if (inherited !== undefined) rules[key] = { value: inherited, from: 'room' };
  }
  return rules as BoardRules;
}

/** From this age on a board is read and written only by who says to be of age. */
const ADULT_AGE = 18;

/** The age that a board asks its readers to have; undefined where it asks nobody. */
export function askedAge({ entry }: BoardRules): number | undefined {
  const age = entry?.value.age_min ?? 0;
  return age >= ADULT_AGE ? age : undefined;
}
