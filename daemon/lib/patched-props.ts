import type { Props, PropsPatch } from '../contract/clusters.js';

const KEYS = ['where', 'lang', 'entry', 'limits'] as const satisfies readonly (keyof Props)[];

/**
 * A level's own props after `patch`: the named keys are set, `null` clears a key, and a `null` patch clears all.
 * `entry` and `limits` are patched by member, so that a tag for information never lifts an age limit. Null when no key
 * is left, so that everything is inherited. Spec: Props.
 */
export function patchedProps(own: Props | null, patch: PropsPatch | null): Props | null {
  if (patch === null) return null;
  const props: Record<string, unknown> = {};
  for (const key of KEYS) {
    const isByMember = key === 'entry' || key === 'limits';
    const value = isByMember
      ? patchedMembers(own?.[key], patch[key])
      : patch[key] === undefined
        ? own?.[key]
        : patch[key];
    if (value !== undefined && value !== null) props[key] = value;
  }
  return Object.keys(props).length === 0 ? null : props;
}

/** The members that are left; undefined when there are none. */
function patchedMembers(own: object | undefined, patch: object | null | undefined): object | undefined {
  if (patch === null) return undefined;
  const left = Object.entries({ ...own, ...patch }).filter(([, value]) => value !== null && value !== undefined);
  return left.length === 0 ? undefined : Object.fromEntries(left);
}
