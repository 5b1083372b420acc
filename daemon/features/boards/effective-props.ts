import type { Props, PropsPatch, Where } from '../../contract/clusters.js';
import type { Point } from '../../lib/agents/geo.js';

const KEYS = ['where', 'lang', 'entry', 'limits'] as const satisfies readonly (keyof Props)[];

/** Copies `key`, which must be set in `source`, into `props`. */
function take<Key extends keyof Props>(props: Props, key: Key, source: Props): void {
  props[key] = source[key];
}

/**
 * The effective rules of the last of `levels`, which are ordered from the outermost to the innermost (cluster, board,
 * post). Each key is inherited independently and as a whole: the innermost level that sets it wins. `where: 'none'` is
 * an ordinary value and thereby stops inheritance. Spec: Props.
 */
export function effectiveProps(...levels: readonly (Props | null)[]): Props {
  const props: Props = {};
  for (const level of levels) {
    for (const key of KEYS) if (level?.[key] !== undefined) take(props, key, level);
  }
  return props;
}

/**
 * A level's own props after `patch`: the named keys are set, `null` clears a key, and a `null` patch clears all. Null
 * when no key is left, so that everything is inherited. Spec: Props.
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

/**
 * The coordinates of a place. Undefined for `none`, for a label alone and for no place; such a post matches no
 * distance query.
 */
export function getPoint(where: Where | undefined): Point | undefined {
  if (where === undefined || where === 'none' || !('lat' in where)) return undefined;
  return { lat: where.lat, lon: where.lon };
}

/** The primary subtag of a language code in canonical form: `en` for `en-GB`, `EN` and `eng`. */
export function primaryLanguage(code: string): string {
  return new Intl.Locale(code.split('-', 1)[0] as string).language;
}
