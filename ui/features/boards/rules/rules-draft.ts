import type { Props, PropsPatch } from '../../../../daemon/contract/clusters.js';
import { toWhere, toWhereChoice, type WhereChoice, whereProblem } from '../../places/where-choice.js';

/** The rules of a board as typed. Empty fields inherit. */
export interface RulesDraft {
  where: WhereChoice;
  lang: string;
  age: string;
  /** Comma-separated words. */
  require: string;
  mostChars: string;
}

export const NO_RULES: RulesDraft = { where: { kind: 'inherit' }, lang: '', age: '', require: '', mostChars: '' };
const AGE_MAX = 120;
const CHARS_MAX = 65_536;
const REQUIRE_MAX = 16;
const REQUIRE_CHARS_MAX = 64;

const wordsIn = (text: string) => [
  ...new Set(
    text
      .split(',')
      .map((word) => word.trim())
      .filter(Boolean),
  ),
];
const whole = (text: string) => (/^\d{1,6}$/.test(text.trim()) ? Number(text) : undefined);

export function toDraft(props: Props | null): RulesDraft {
  return {
    where: toWhereChoice(props?.where),
    lang: props?.lang ?? '',
    age: props?.entry?.age_min === undefined ? '' : String(props.entry.age_min),
    require: (props?.entry?.require ?? []).join(', '),
    mostChars: props?.limits?.post_max_chars === undefined ? '' : String(props.limits.post_max_chars),
  };
}

export interface RulesProblems {
  where?: string;
  age?: string;
  require?: string;
  mostChars?: string;
}

/** Returns the problems of a draft, keyed by field. */
export function rulesProblems({ where, age, require, mostChars }: RulesDraft): RulesProblems {
  const problems: RulesProblems = {};
  const place = whereProblem(where);
  if (place) problems.where = place;
  if (age.trim() !== '' && !((whole(age) ?? AGE_MAX + 1) <= AGE_MAX))
    problems.age = `A whole number of years, 0 to ${AGE_MAX}.`;
  const words = wordsIn(require);
  if (words.length > REQUIRE_MAX) problems.require = `At most ${REQUIRE_MAX}: these are ${words.length}.`;
  else if (words.some((word) => [...word].length > REQUIRE_CHARS_MAX))
    problems.require = `At most ${REQUIRE_CHARS_MAX} characters each.`;
  const most = whole(mostChars);
  if (mostChars.trim() !== '' && !(most !== undefined && most >= 1 && most <= CHARS_MAX))
    problems.mostChars = `A whole number, 1 to ${CHARS_MAX.toLocaleString('en')}.`;
  return problems;
}

/** Converts the draft to the API's form; empty fields are absent. Requires a draft without problems. */
export function toProps({ where, lang, age, require, mostChars }: RulesDraft): Props {
  const place = toWhere(where);
  const ageMin = whole(age);
  const words = wordsIn(require);
  const most = whole(mostChars);
  return {
    ...(place !== undefined && { where: place }),
    ...(lang !== '' && { lang }),
    ...((ageMin !== undefined || words.length > 0) && {
      entry: { ...(ageMin !== undefined && { age_min: ageMin }), ...(words.length > 0 && { require: words }) },
    }),
    ...(most !== undefined && { limits: { post_max_chars: most } }),
  };
}

/** The changed members of an object, `null` for one that is gone; undefined without a change. */
function changesOf(now: object = {}, was: object = {}): object | undefined {
  const [after, before] = [now, was] as Record<string, unknown>[];
  const changed = Object.keys({ ...was, ...now }).filter(
    (key) => JSON.stringify(after?.[key]) !== JSON.stringify(before?.[key]),
  );
  return changed.length === 0 ? undefined : Object.fromEntries(changed.map((key) => [key, after?.[key] ?? null]));
}

/**
 * Returns the patch from `was` to the draft: changed rules only, `null` for a cleared one, which inherits again;
 * undefined without a change.
 */
export function propsPatch(draft: RulesDraft, was: Props | null): PropsPatch | undefined {
  const { entry, limits, ...others } = toProps(draft);
  const { entry: wasEntry, limits: wasLimits, ...wereOthers } = was ?? {};
  // Unchanged objects are undefined and thereby left out.
  return changesOf({
    ...changesOf(others, wereOthers),
    entry: changesOf(entry, wasEntry),
    limits: changesOf(limits, wasLimits),
  });
}
