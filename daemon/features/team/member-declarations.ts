import type { MemberWarning } from '../../contract/team.js';
import { findPaymentMistake, findPricingMistake, priceRows } from '../../lib/agents/pricing-rules.js';
import { findExamplesMistake, readSkills } from '../../lib/agents/skill-declaration.js';
import { badRequest } from './member-edits.js';
import type { MemberVersion } from './member-file.js';

type Declared = Pick<MemberVersion, 'pricing' | 'payment' | 'skills' | 'examples'>;

/** Skills that every exposed member has without a declaration. */
const OWN_SKILLS = ['ask'];
const KEYS = ['pricing', 'payment', 'skills', 'examples'] as const;

const known = new WeakMap<Declared, readonly MemberWarning[]>();

/**
 * Returns the mistakes in a file's declarations of pricing, payment, skills and examples, by field. They do not affect
 * the rest of the member. Computed once per version of a file. Spec: Pricing row; Payment declaration; Tier-2 public card.
 */
export function declarationWarnings(member: Declared): readonly MemberWarning[] {
  const { pricing, payment, skills, examples } = member;
  if (KEYS.every((key) => member[key] === undefined)) return [];
  const found =
    known.get(member) ??
    [
      findPricingMistake(pricing),
      findPaymentMistake(payment, priceRows(pricing)),
      findExamplesMistake(examples),
      ...readSkills(skills ?? [], priceRows(pricing), OWN_SKILLS).mistakes,
    ].flatMap((mistake) => (mistake ? [{ path: mistake.path.join('.'), reason: mistake.reason }] : []));
  known.set(member, found);
  return found;
}

/**
 * Throws `bad_request` with `path` when an edit of pricing, payment, skills or examples leaves a mistake in what it
 * changes.
 * Earlier mistakes in the file do not block other edits.
 */
export function refuseNewMistakes(before: Declared | undefined, next: Declared): void {
  const changed = KEYS.filter((key) => JSON.stringify(before?.[key] ?? null) !== JSON.stringify(next[key] ?? null));
  if (changed.length === 0) return;
  // The validity of a payment depends on the prices: a change of either checks both.
  const isAbout = (path: string) =>
    changed.some((key) => path.startsWith(key) || (key === 'pricing' && path.startsWith('payment')));
  const mistake = declarationWarnings(next).find(({ path }) => isAbout(path));
  if (mistake) throw badRequest(mistake.path, mistake.reason);
}
