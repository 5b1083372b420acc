import type { BoardBody, BoardKind } from '../../../daemon/contract/boards.js';
import { folded } from '../places/fold.js';
import { charterLeft } from './rules/charter-field.js';
import { NO_RULES, type RulesDraft, type RulesProblems, rulesProblems, toProps } from './rules/rules-draft.js';

const SLUG = /^[a-z0-9][a-z0-9-]{0,39}$/;
const NAME_MAX_CHARS = 80;

export interface NewBoardValues {
  name: string;
  /** Empty means that it is derived from the name. */
  slug: string;
  kind: BoardKind;
  about: string;
  rules: RulesDraft;
}

export const EMPTY_BOARD: NewBoardValues = { name: '', slug: '', kind: 'generic', about: '', rules: NO_RULES };

/** Derives a hashtag from a name; empty when the name has no usable character. */
export const slugFromName = (name: string): string =>
  folded(name)
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+/, '')
    .slice(0, 40)
    .replace(/(?<!-)-+$/, '');

interface NewBoardProblems extends RulesProblems {
  name?: string;
  slug?: string;
  about?: string;
}

export function newBoardProblems({ name, slug, about, rules }: NewBoardValues): NewBoardProblems {
  const problems: NewBoardProblems = rulesProblems(rules);
  const length = [...name.trim()].length;
  if (length === 0 || length > NAME_MAX_CHARS) problems.name = `A name of 1 to ${NAME_MAX_CHARS} characters.`;
  if (!SLUG.test(slug || slugFromName(name)))
    problems.slug = 'Small letters a to z, digits and hyphens, at most 40, the first one no hyphen.';
  if (charterLeft(about) < 0) problems.about = 'The charter is too long.';
  return problems;
}

/** Converts the values to the API's form. Requires values without problems. */
export function toNewBoard({ name, slug, kind, about, rules }: NewBoardValues): BoardBody {
  const props = toProps(rules);
  return {
    slug: slug || slugFromName(name),
    name: name.trim(),
    kind,
    about: about.trim(),
    ...(Object.keys(props).length > 0 && { props }),
  };
}
