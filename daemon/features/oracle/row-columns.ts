import type { CatalogRow } from './catalog-source.js';
import { CONSTRAINTS, type ConstraintName, type Constraints, parseMediaType } from './constraints.js';
import { type ComparablePrice, comparablePrice, isWithin, type NoPrice, type PriceLimit, type Rates } from './price.js';

/** A value that a row lacks: the constraint that needs it, and the reason. */
type MissingValue = {
  constraint: ConstraintName;
  reason: 'no_category' | 'no_protocols' | 'no_accepts' | 'no_produces' | 'no_country' | NoPrice;
};

const LACKS: readonly MissingValue[] = [
  { constraint: 'category', reason: 'no_category' },
  { constraint: 'protocols', reason: 'no_protocols' },
  { constraint: 'input_mode', reason: 'no_accepts' },
  { constraint: 'output_mode', reason: 'no_produces' },
  { constraint: 'country', reason: 'no_country' },
];
/** Why a price cannot be compared with a limit. It depends on the limit, so it is found when rows are counted. */
const NO_PRICES: readonly NoPrice[] = ['no_price', 'no_lamports_rate', 'unknown_currency', 'no_rate_of_limit'];
const PRICE_LACKS: readonly MissingValue[] = (['max_price_usd', 'max_price'] as const).flatMap((constraint) =>
  NO_PRICES.map((reason) => ({ constraint, reason })),
);
const getBit = (constraint: ConstraintName) => 1 << CONSTRAINTS.indexOf(constraint);
const GONE = 1 << CONSTRAINTS.length;
const OFFLINE = getBit('online_only');
/** Constraints on values that a row may lack. */
const CAN_LACK = [...LACKS, ...PRICE_LACKS].reduce((bits, { constraint }) => bits | getBit(constraint), 0);
const lackBit = (reason: MissingValue['reason']) => 1 << LACKS.findIndex((lack) => lack.reason === reason);

/**
 * For each slot, a bit for every constraint of one search that refuses it; 0 if none does. Valid until the next search.
 */
export interface Refusals {
  bits: Uint16Array;
  size: number;
  limits: readonly (readonly [ConstraintName, PriceLimit])[];
}

/** How many rows a search left out, and why. */
export interface Counts {
  filtered: ReadonlyMap<ConstraintName, number>;
  lacking: ReadonlyMap<MissingValue, number>;
}

/**
 * The filterable values of the rows by slot: lists as posting lists by word, numbers as columns. A slot is written
 * once; only its online state, last-seen time and standing change.
 */
export class RowColumns {
  readonly agentIds: string[] = [];
  private readonly lastSeenMs: number[] = [];
  /** The standing of the row at its last update. */
  readonly standing: number[] = [];
  /** Bits that do not depend on the search: the row is removed, or its agent is offline. */
  private ownBits: Uint16Array = new Uint16Array(1024);
  private readonly prices: ComparablePrice[] = [];
  private readonly lacks: number[] = [];
  private readonly slotsBy = new Map<string, number[]>();
  private bits: Uint16Array = new Uint16Array(1024);
  private hits: Uint8Array = new Uint8Array(1024);

  constructor(private readonly rates: Rates) {}

  get size(): number {
    return this.agentIds.length;
  }

  add(row: CatalogRow, standing: number): void {
    const slot = this.agentIds.length;
    let lacks = 0;
    const list = (kind: string, words: Iterable<string>, lack?: MissingValue['reason']) => {
      const distinct = new Set(words);
      if (distinct.size === 0 && lack) lacks |= lackBit(lack);
      for (const word of distinct) {
        const slots = this.slotsBy.get(`${kind} ${word}`);
        if (slots) slots.push(slot);
        else this.slotsBy.set(`${kind} ${word}`, [slot]);
      }
    };
    list(
      'capability',
      row.capabilities.map((word) => word.toLowerCase()),
    );
    list(
      'tag',
      row.tags.map((word) => word.toLowerCase()),
    );
    list('category', row.category === null ? [] : categoriesOver(row.category.toLowerCase()), 'no_category');
    list(
      'protocol',
      row.protocols.map((word) => word.toLowerCase()),
      'no_protocols',
    );
    list('accepts', row.accepts.map(parseMediaType).flatMap(withGroup), 'no_accepts');
    list('produces', row.produces.map(parseMediaType).flatMap(withGroup), 'no_produces');
    list('country', listCountries(row), 'no_country');
    this.agentIds.push(row.agentId);
    this.prices.push(comparablePrice(row.pricing, this.rates));
    this.lacks.push(lacks);
    if (slot >= this.ownBits.length) {
      const grown = new Uint16Array(Math.ceil(this.ownBits.length * 1.5));
      grown.set(this.ownBits);
      this.ownBits = grown;
    }
    this.ownBits[slot] = row.isOnline ? 0 : OFFLINE;
    this.lastSeenMs.push(row.lastSeenMs ?? 0);
    this.standing.push(standing);
  }

  remove(slot: number): void {
    this.ownBits[slot] = GONE;
  }

  isLive(slot: number): boolean {
    return slot < this.size && this.ownBits[slot] !== GONE;
  }

  touch(slot: number, row: CatalogRow, standing: number): void {
    this.ownBits[slot] = row.isOnline ? 0 : OFFLINE;
    this.lastSeenMs[slot] = row.lastSeenMs ?? 0;
    this.standing[slot] = standing;
  }

  /** Returns when the slot's agent was last seen; the current time if it is online. */
  seenMs(slot: number, nowMs: number): number {
    return this.ownBits[slot] === 0 ? nowMs : (this.lastSeenMs[slot] as number);
  }

  /** Returns the slots that `constraints` refuse. The online state is that of the last update. */
  refusals(constraints: Constraints): Refusals {
    const { size } = this;
    if (this.bits.length < size) {
      this.bits = new Uint16Array(Math.ceil(size * 1.5));
      this.hits = new Uint8Array(this.bits.length);
    }
    const { bits } = this;
    const { capability, tags, category, protocols, input_mode, output_mode, country } = constraints;
    const listed: [ConstraintName, string[][] | undefined][] = [
      ['capability', capability === undefined ? undefined : [[`capability ${capability}`]]],
      ['tags', tags?.map((tag) => [`tag ${tag}`])],
      ['category', category === undefined ? undefined : [[`category ${category}`]]],
      ['protocols', protocols && [protocols.map((protocol) => `protocol ${protocol}`)]],
      ['input_mode', input_mode === undefined ? undefined : [listMatchingKeys('accepts', input_mode)]],
      ['output_mode', output_mode === undefined ? undefined : [listMatchingKeys('produces', output_mode)]],
      ['country', country === undefined ? undefined : [[`country ${country}`]]],
    ];
    // All slots start as refused by each list constraint; the posting lists then clear the bit.
    let refused = 0;
    for (const [name, groups] of listed) if (groups) refused |= getBit(name);
    bits.set(this.ownBits.subarray(0, size));
    const kept = constraints.online_only ? 0xffff : 0xffff & ~OFFLINE;
    if (refused !== 0 || !constraints.online_only) {
      for (let slot = 0; slot < size; slot += 1) bits[slot] = ((bits[slot] as number) & kept) | refused;
    }
    for (const [name, groups] of listed) if (groups) this.admit(getBit(name), groups);
    const limits = listLimits(constraints);
    for (const [name, limit] of limits) {
      const dear = getBit(name);
      for (let slot = 0; slot < size; slot += 1) {
        if (isWithin(this.prices[slot] as ComparablePrice, limit, this.rates) !== true)
          bits[slot] = (bits[slot] as number) | dear;
      }
    }
    return { bits, size, limits };
  }

  /** Clears `bit` for the slots that are in at least one posting list of every group. */
  private admit(bit: number, groups: readonly (readonly string[])[]): void {
    const { bits, hits } = this;
    hits.fill(0, 0, this.size);
    groups.forEach((keys, group) => {
      for (const key of keys) {
        for (const slot of this.slotsBy.get(key) ?? []) {
          if (hits[slot] === group) hits[slot] = group + 1;
          if (hits[slot] === groups.length) bits[slot] = (bits[slot] as number) & ~bit;
        }
      }
    });
  }

  private priceLack(slot: number, constraint: ConstraintName, limit: PriceLimit): MissingValue | undefined {
    const reason = isWithin(this.prices[slot] as ComparablePrice, limit, this.rates);
    return PRICE_LACKS.find((lack) => lack.constraint === constraint && lack.reason === reason);
  }

  /**
   * Counts why the slots in `lists` are refused: `filtered` by constraint (several constraints may refuse the same
   * slot), and `lacking` those of them that lack the value that the constraint needs.
   */
  countRefusals({ bits, limits }: Refusals, lists: readonly ArrayLike<number>[]): Counts {
    const byBits = new Uint32Array(GONE * 2);
    const lacking = new Map<MissingValue, number>();
    const add = (lack: MissingValue) => lacking.set(lack, (lacking.get(lack) ?? 0) + 1);
    for (const slots of lists) {
      for (let at = 0; at < slots.length; at += 1) {
        const slot = slots[at] as number;
        const refused = bits[slot] as number;
        byBits[refused] = (byBits[refused] as number) + 1;
        if ((refused & CAN_LACK) === 0 || refused >= GONE) continue;
        const lacks = this.lacks[slot] as number;
        for (let index = 0; lacks >> index !== 0; index += 1) {
          const lack = LACKS[index] as MissingValue;
          if ((lacks & (1 << index)) !== 0 && (refused & getBit(lack.constraint)) !== 0) add(lack);
        }
        for (const [name, limit] of limits) {
          const lack = (refused & getBit(name)) === 0 ? undefined : this.priceLack(slot, name, limit);
          if (lack) add(lack);
        }
      }
    }
    const filtered = new Map<ConstraintName, number>();
    for (let refused = 1; refused < GONE; refused += 1) {
      const count = byBits[refused] as number;
      if (count === 0) continue;
      for (const name of CONSTRAINTS)
        if ((refused & getBit(name)) !== 0) filtered.set(name, (filtered.get(name) ?? 0) + count);
    }
    return { filtered, lacking };
  }
}

/** Returns the price limits of a search by the filter that sets them. */
function listLimits({ max_price_usd, max_price }: Constraints): (readonly [ConstraintName, PriceLimit])[] {
  return [
    ...(max_price_usd === undefined ? [] : [['max_price_usd', { amount: max_price_usd, currency: 'usd' }] as const]),
    ...(max_price === undefined ? [] : [['max_price', max_price] as const]),
  ];
}

/** Returns the categories that contain `category`: `a.b.c` is in `a`, in `a.b` and in itself. */
function categoriesOver(category: string): string[] {
  const parts = category.split('.');
  return parts.map((_, index) => parts.slice(0, index + 1).join('.'));
}

/** Returns a media type with its groups: `image/png` is in `image/` and in the group of all types, the empty string. */
const withGroup = (type: string) => [type, `${type.split('/')[0]}/`, ''];

/**
 * Returns the keys of rows that accept or produce `wanted`, which may be a range such as `image/*` or the range of all
 * types.
 */
function listMatchingKeys(kind: string, wanted: string): string[] {
  const group = `${wanted.split('/')[0]}/`;
  const everything = `${kind} */*`;
  if (wanted === '*/*') return [`${kind} `];
  if (wanted.endsWith('/*')) return [`${kind} ${group}`, everything];
  return [`${kind} ${wanted}`, `${kind} ${group}*`, everything];
}

/** Returns the countries of a row: from its `geo:` tags and its catalog entry. */
function listCountries({ tags, country }: CatalogRow): string[] {
  const tagged = tags.flatMap((tag) => /^geo:([a-z]{2})$/i.exec(tag)?.[1]?.toUpperCase() ?? []);
  return country === null ? tagged : [...tagged, country.toUpperCase()];
}
