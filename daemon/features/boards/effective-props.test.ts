import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Props, PropsPatch } from '../../contract/clusters.js';
import { patchedProps } from '../../lib/patched-props.js';
import { effectiveProps, getPoint, primaryLanguage } from './effective-props.js';

const where = fc.oneof(
  fc.constant('none' as const),
  fc.record({ label: fc.string({ minLength: 1 }) }),
  fc.record({
    lat: fc.double({ min: -90, max: 90, noNaN: true }),
    lon: fc.double({ min: -180, max: 180, noNaN: true }),
    label: fc.string(),
  }),
);
const lang = fc.constantFrom('en', 'de-AT', 'pt-BR');
const age = fc.nat(120);
const tags = fc.array(fc.string(), { maxLength: 3 });
const chars = fc.integer({ min: 1, max: 65_536 });
const entry = fc
  .record({ age_min: age, require: tags }, { requiredKeys: [] })
  .filter((members) => Object.keys(members).length > 0);
const limits = fc.record({ post_max_chars: chars });
const props: fc.Arbitrary<Props> = fc.record({ where, lang, entry, limits }, { requiredKeys: [] });
const level = fc.option(props);
const patch: fc.Arbitrary<PropsPatch> = fc.record(
  {
    where: fc.option(where),
    lang: fc.option(lang),
    entry: fc.option(fc.record({ age_min: fc.option(age), require: fc.option(tags) }, { requiredKeys: [] })),
    limits: fc.option(fc.record({ post_max_chars: fc.option(chars) }, { requiredKeys: [] })),
  },
  { requiredKeys: [] },
);
/** Each rule that is inherited by itself; null where `level` clears it. */
const listRules = (level: PropsPatch | null) => [
  level?.where,
  level?.lang,
  level?.entry === null ? null : level?.entry?.age_min,
  level?.entry === null ? null : level?.entry?.require,
  level?.limits === null ? null : level?.limits?.post_max_chars,
];

describe('Props on cluster, board and post', () => {
  it('inherit each key and each member independently, and the innermost level that sets it wins', () => {
    fc.assert(
      fc.property(level, level, level, (cluster, board, post) => {
        const [ofCluster, ofBoard, ofPost] = [cluster, board, post].map(listRules);
        const innermost = ofCluster?.map((rule, at) => ofPost?.[at] ?? ofBoard?.[at] ?? rule);
        expect(listRules(effectiveProps(cluster, board, post))).toEqual(innermost);
      }),
    );
    const bar = effectiveProps({ entry: { age_min: 18 } }, { entry: { require: ['id'] } });
    expect(bar).toEqual({ entry: { age_min: 18, require: ['id'] } });
  });

  it('are idempotent, and levels can be combined in any grouping', () => {
    fc.assert(
      fc.property(level, level, level, (cluster, board, post) => {
        const once = effectiveProps(cluster, board, post);
        expect(effectiveProps(once, once)).toEqual(once);
        expect(effectiveProps(cluster, board, once)).toEqual(once);
        expect(effectiveProps(effectiveProps(cluster, board), post)).toEqual(once);
        expect(effectiveProps(cluster, effectiveProps(board, post))).toEqual(once);
      }),
    );
  });

  it('stop the inheritance of the place, and only of the place, with `none`', () => {
    fc.assert(
      fc.property(props, (cluster) => {
        const effective = effectiveProps(cluster, { where: 'none' });
        expect(effective).toEqual({ ...cluster, where: 'none' });
        expect(getPoint(effective.where)).toBeUndefined();
      }),
    );
  });

  it('are patched by key and member: named ones are set, null clears one so that it is inherited, others are kept', () => {
    fc.assert(
      fc.property(level, patch, (own, change) => {
        const after = patchedProps(own, change);
        const before = listRules(own);
        const expected = listRules(change).map((rule, at) => (rule === undefined ? before[at] : (rule ?? undefined)));
        expect(listRules(after)).toEqual(expected);
        expect(patchedProps(after, change)).toEqual(after);
      }),
    );
  });

  it('are cleared and inherited again by a patch of null', () => {
    fc.assert(
      fc.property(props, level, (cluster, own) => {
        expect(patchedProps(own, null)).toBeNull();
        expect(effectiveProps(cluster, patchedProps(own, null))).toEqual(cluster);
      }),
    );
    expect(patchedProps({ lang: 'en' }, { lang: null })).toBeNull();
    expect(patchedProps(null, {})).toBeNull();
    expect(patchedProps({ entry: { age_min: 18 } }, { entry: { age_min: null }, limits: {} })).toBeNull();
  });

  it('contain only the four known keys', () => {
    const odd = { lang: 'en', ['__proto__']: { age: 1 }, constructor: 'x', extra: 1 } as unknown as Props;
    expect(Object.keys(effectiveProps(odd))).toEqual(['lang']);
    expect(Object.keys(patchedProps(null, odd) ?? {})).toEqual(['lang']);
  });

  it.each([
    [
      { lat: 1, lon: 2, label: 'Here' },
      { lat: 1, lon: 2 },
    ],
    [{ label: 'Somewhere' }, undefined],
    ['none', undefined],
    [undefined, undefined],
  ] as const)('have for the place %j the point %j', (place, point) => {
    expect(getPoint(place)).toEqual(point);
  });

  it.each([
    ['en', 'en'],
    ['EN-gb', 'en'],
    ['eng', 'en'],
    ['pt-BR', 'pt'],
    ['zh-Hant-TW', 'zh'],
    ['gsw', 'gsw'],
    ['en-x', 'en'],
  ])('have for the language code %s the primary subtag %s', (code, primary) => {
    expect(primaryLanguage(code)).toBe(primary);
  });
});
