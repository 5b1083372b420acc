import type { Member } from '../../../../daemon/contract/team.js';
import { toDisplayText } from '../../../lib/format/display-text.js';
import { formatModel } from '../../../lib/format/format-model.js';
import { isOpen } from '../is-open.js';
import type { RosterEntry } from './roster-entry.js';

/** Returns the requested and the resolved model of a member. */
export const describeModel = ({ model, model_resolved }: Pick<Member, 'model' | 'model_resolved'>): string =>
  toDisplayText(formatModel(model, model_resolved));

/** Returns the model of all members that can run; undefined when they differ. */
export function findCommonModel(members: readonly Member[]): string | undefined {
  const [first, ...others] = new Set(members.filter(({ serving }) => serving).map(describeModel));
  return others.length === 0 ? first : undefined;
}

/** The columns by which the roster is sorted. */
export const SORT_KEYS = ['name', 'model', 'state', 'used', 'file'] as const;
export type SortKey = (typeof SORT_KEYS)[number];
/** A column, with `-` in front for the reverse order. */
export type RosterSort = SortKey | `-${SortKey}`;

/** Reads the order from an address; undefined when it names none. */
export const readSort = (text: string | undefined): RosterSort | undefined =>
  SORT_KEYS.flatMap((key) => [key, `-${key}`] as const).find((sort) => sort === text);

type Compare = (a: RosterEntry, b: RosterEntry) => number;

const byText = (text: (entry: RosterEntry) => string): Compare => {
  const { compare } = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });
  return (a, b) => compare(text(a), text(b));
};

/** What needs the operator comes first, then what works, then what programs may ask. */
const rank = ({ member, isWorking }: RosterEntry): number => {
  if (member.state === 'broken') return 0;
  if (member.exposure_hold) return 1;
  if (isWorking) return 2;
  return isOpen(member) ? 3 : 4;
};

const COMPARE: Readonly<Record<SortKey, Compare>> = {
  name: byText(({ member }) => member.name),
  model: byText(({ member }) => describeModel(member)),
  state: (a, b) => rank(a) - rank(b),
  used: (a, b) => (a.usedAt ?? '').localeCompare(b.usedAt ?? '') * -1,
  file: (a, b) => Number(a.file === 'ok') - Number(b.file === 'ok') || a.file.localeCompare(b.file),
};

const isUnused = ({ usedAt }: RosterEntry) => usedAt === undefined;

/**
 * Returns the entries in the order of `sort`; equal ones stay as they are. Without it, in the roster's order after the
 * consultant, whom every project asks first. Members that were never used are last by use, in both directions.
 */
export function sortRoster(entries: readonly RosterEntry[], sort: RosterSort | undefined): RosterEntry[] {
  if (sort === undefined)
    return [...entries].sort((a, b) => Number(b.member.id === 'consultant') - Number(a.member.id === 'consultant'));
  const isReverse = sort.startsWith('-');
  const key = (isReverse ? sort.slice(1) : sort) as SortKey;
  return [...entries].sort((a, b) => {
    if (key === 'used' && isUnused(a) !== isUnused(b)) return Number(isUnused(a)) - Number(isUnused(b));
    return COMPARE[key](a, b) * (isReverse ? -1 : 1);
  });
}

/** Returns the order after `key` was chosen: by it, then in reverse, then the roster's own again. */
export function nextSort(sort: RosterSort | undefined, key: SortKey): RosterSort | undefined {
  if (sort === key) return `-${key}`;
  return sort === `-${key}` ? undefined : key;
}
