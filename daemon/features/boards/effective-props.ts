import type { Props, Where } from '../../contract/clusters.js';
import type { Point } from '../../lib/agents/geo.js';
import { patchedProps } from '../../lib/patched-props.js';

/**
 * The effective rules of the last of `levels`, which are ordered from the outermost to the innermost (cluster, board,
 * post). Each key is inherited independently, `entry` and `limits` by member: the innermost level that sets it wins.
 * `where: 'none'` is an ordinary value and thereby stops inheritance. Spec: Props.
 */
export function effectiveProps(...levels: readonly (Props | null)[]): Props {
  return levels.reduce((outer, level) => (level === null ? outer : patchedProps(outer, level)), null) ?? {};
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
