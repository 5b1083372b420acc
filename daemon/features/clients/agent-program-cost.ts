/** A program's version: major, minor, patch. */
export type Version = readonly [number, number, number];

/** Whether `version` is `least` or newer. False for a text that is no version. */
export function isSince(version: string, least: Version): boolean {
  const parts = /^(\d{1,9})\.(\d{1,9})\.(\d{1,9})/.exec(version)?.slice(1).map(Number);
  if (!parts) return false;
  const differing = least.findIndex((part, index) => parts[index] !== part);
  return differing === -1 || Number(parts[differing]) > Number(least[differing]);
}

/**
 * Returns what a turn has cost in US dollars: what its session has cost without what it had cost before. A counter that
 * shows less than before has begun anew.
 */
export const turnCost = (total: number, before: number): number =>
  total < before ? total : Number((total - before).toFixed(9));
