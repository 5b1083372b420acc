import type { Props, PropsPatch, Where } from '../../contract/clusters.js';
import type { Point } from '../../lib/geo.js';

const KEYS = ['where', 'lang', 'entry', 'limits'] as const satisfies readonly (keyof Props)[];

/** `props` with `key` taken from `source`, which has it. */
function take<Key extends keyof Props>(props: Props, key: Key, source: Props): void {
  props[key] = source[key];
}

/**
 * The rules in force at the lowest of `levels`, which come from the highest down (cluster, board, post). Each key inherits by itself and whole: the lowest
 * level that sets it wins. `where: 'none'` is a value like any other, which is how it stops inheritance. Spec: Props.
 */
export function effectiveProps(...levels: readonly (Props | null)[]): Props {
  const props: Props = {};
  for (const level of levels) {
    for (const key of KEYS) if (level?.[key] !== undefined) take(props, key, level);
  }
  return props;
}

/**
 * A level's own props after `patch`: named keys are set, `null` clears one, and a patch that is `null` clears all. Null when none is left, so that
 * everything inherits. Spec: Props.
 */
export function patchedProps(own: Props | null, patch: PropsPatch | null): Props | null {
  if (patch === null) return null;
  const props: Props = {};
  for (const key of KEYS) {
    const isNamed = patch[key] !== undefined;
    if (isNamed ? patch[key] !== null : own?.[key] !== undefined) take(props, key, (isNamed ? patch : own) as Props);
  }
  return KEYS.some((key) => props[key] !== undefined) ? props : null;
}

/** The point of a place; undefined for `none`, for a label alone and for no place at all: such a post is found by no distance. */
export function pointOf(where: Where | undefined): Point | undefined {
  if (where === undefined || where === 'none' || !('lat' in where)) return undefined;
  return { lat: where.lat, lon: where.lon };
}

/** The primary subtag of a language code in its canonical form: `en` for `en-GB`, `EN` and `eng`. */
export function primaryLanguage(code: string): string {
  return new Intl.Locale(code.split('-', 1)[0] as string).language;
}
