import type { Arrow } from './imports.js';

/**
 * Returns every import cycle of files, including type imports, each as its files in order. The list is empty when there
 * is none.
 */
export function findCycles(arrows: readonly Arrow[]): string[][] {
  const targets = new Map<string, string[]>();
  for (const { from, to, isPackage } of arrows) {
    if (isPackage) continue;
    targets.set(from, [...(targets.get(from) ?? []), to]);
  }
  const cycles: string[][] = [];
  const done = new Set<string>();
  const walk = (file: string, path: string[]) => {
    const start = path.indexOf(file);
    if (start !== -1) {
      cycles.push(path.slice(start));
      return;
    }
    if (done.has(file)) return;
    for (const next of targets.get(file) ?? []) walk(next, [...path, file]);
    done.add(file);
  };
  for (const file of targets.keys()) walk(file, []);
  return cycles;
}
