import { Type } from 'typebox';
import Value from 'typebox/value';
import { NETWORKS } from '../../contract/payments.js';
import { type MemberWarning, PricingRow } from '../../contract/team.js';
import {
  type DeclarationMistake,
  findPaymentMistake,
  findPricingMistake,
  findUnchargeable,
  listLeftOutRows,
  priceRows,
} from '../../lib/agents/pricing-rules.js';
import { findExamplesMistake, readSkills } from '../../lib/agents/skill-declaration.js';
import { badRequest } from './member-edits.js';
import type { MemberVersion } from './member-file.js';

type Declared = Pick<MemberVersion, 'pricing' | 'payment' | 'skills' | 'examples'>;

/** Skills that every exposed member has without a declaration. */
const OWN_SKILLS = ['ask'];
const KEYS = ['pricing', 'payment', 'skills', 'examples'] as const;

const SkillPrice = Type.Union([PricingRow, Type.Array(PricingRow)]);
/** The price of a declared skill; undefined without a valid one of its own. */
const readPricing = ({ pricing }: Record<string, unknown>) => (Value.Check(SkillPrice, pricing) ? pricing : undefined);

const toWarning = ({ path, reason }: DeclarationMistake): MemberWarning => ({ path: path.join('.'), reason });

const known = new WeakMap<Declared, readonly MemberWarning[]>();

/**
 * Returns the mistakes in a file's declarations of pricing, payment, skills and examples, by field. They do not affect
 * the rest of the member. Computed once per version of a file. Spec: Pricing row; Payment declaration; Tier-2 public
 * card.
 */
export function declarationWarnings(
  member: Declared,
  networks: readonly string[] = NETWORKS,
): readonly MemberWarning[] {
  return [...listMistakes(member, networks), ...listLeftOut(member, networks)];
}

/** Rows that are left out do not stop an edit: they may be there for another machine. */
function listLeftOut({ pricing, payment, skills }: Declared, networks: readonly string[]): MemberWarning[] {
  const prices = [
    { pricing, at: ['pricing'] },
    ...(skills ?? []).map((skill, index) => ({
      pricing: readPricing(skill),
      at: ['skills', String(index), 'pricing'],
    })),
  ];
  return prices.flatMap((price) =>
    findUnchargeable(price.pricing, payment, networks, price.at)
      ? []
      : listLeftOutRows(price.pricing, payment, networks, price.at).map(toWarning),
  );
}

function listMistakes(member: Declared, networks: readonly string[]): readonly MemberWarning[] {
  const { pricing, payment, skills, examples } = member;
  if (KEYS.every((key) => member[key] === undefined)) return [];
  const found =
    known.get(member) ??
    [
      findPricingMistake(pricing),
      findUnchargeable(pricing, payment, networks),
      findPaymentMistake(payment, priceRows(pricing)),
      findExamplesMistake(examples),
      ...readSkills(skills ?? [], priceRows(pricing), OWN_SKILLS).mistakes,
      ...(skills ?? []).map((skill, index) =>
        findUnchargeable(readPricing(skill), payment, networks, ['skills', String(index), 'pricing']),
      ),
    ].flatMap((mistake) => (mistake ? [toWarning(mistake)] : []));
  known.set(member, found);
  return found;
}

/**
 * Throws `bad_request` with `path` when an edit of pricing, payment, skills or examples leaves a mistake in what it
 * changes.
 * Earlier mistakes in the file do not block other edits.
 */
export function refuseNewMistakes(
  before: Declared | undefined,
  next: Declared,
  networks: readonly string[] = NETWORKS,
): void {
  const changed = KEYS.filter((key) => JSON.stringify(before?.[key] ?? null) !== JSON.stringify(next[key] ?? null));
  if (changed.length === 0) return;
  // A payment depends on the prices, and whether a price can be charged on the payment: a change of either checks both.
  const isAbout = (path: string) =>
    changed.some((key) => path.startsWith(key) || (key === 'pricing' && path.startsWith('payment')));
  const earlier = new Set(before && listMistakes(before, networks).map(({ path }) => path));
  const isMadeByPayment = (path: string) =>
    changed.includes('payment') && /^(?:skills\.\d+\.)?pricing\b/.test(path) && !earlier.has(path);
  const mistake = listMistakes(next, networks).find(({ path }) => isAbout(path) || isMadeByPayment(path));
  if (mistake) throw badRequest(mistake.path, mistake.reason);
}
