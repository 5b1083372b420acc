/**
 * Prints the imports between the folders of the daemon, the client library and the dashboard. Fails on an import cycle
 * or a forbidden import. The layers are contract ← lib ← storage, http ← events ← features ← app ← main; a feature may
 * import only types of another feature.
 */
import { fileURLToPath } from 'node:url';
import { findCycles } from './arrows/cycles.js';
import { type Arrow, readTree } from './arrows/imports.js';
import { findViolations } from './arrows/rules.js';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Returns the node of the printed graph for a file: a folder, or a single feature. */
function getPlace(file: string): string {
  const [top = '', folder = '', feature] = file.split('/');
  if (top !== 'daemon') return top;
  return folder === 'features' ? `features/${feature}` : folder.replace(/\.ts$/, '');
}

function countArrows(arrows: readonly Arrow[]): Map<string, { values: number; types: number }> {
  const counts = new Map<string, { values: number; types: number }>();
  for (const { from, to, isType, isPackage } of arrows) {
    const ends = [getPlace(from), getPlace(to)];
    if (isPackage || ends[0] === ends[1] || /\.test\.tsx?$/.test(from)) continue;
    const key = ends.join(' → ');
    const count = counts.get(key) ?? { values: 0, types: 0 };
    counts.set(key, isType ? { ...count, types: count.types + 1 } : { ...count, values: count.values + 1 });
  }
  return counts;
}

const tree = readTree(root, ['daemon', 'ui']);
const counts = [...countArrows(tree.arrows)].sort(([a], [b]) => (a < b ? -1 : 1));
const width = Math.max(...counts.map(([key]) => key.length));
for (const [key, { values, types }] of counts) {
  const parts = [values > 0 ? `${values}` : '', types > 0 ? `${types} as types` : ''].filter(Boolean);
  console.log(`  ${key.padEnd(width)}  ${parts.join(', ')}`);
}

const cycles = findCycles(tree.arrows);
const breaches = findViolations(tree);
for (const cycle of cycles) console.error(`ring: ${[...cycle, cycle[0]].join(' → ')}`);
for (const { file, said } of breaches) console.error(`${file}: ${said}`);
const inner = tree.arrows.filter(({ isPackage }) => !isPackage).length;
console.log(`${tree.files.size} files, ${inner} arrows, ${cycles.length} rings, ${breaches.length} forbidden.`);
process.exitCode = cycles.length + breaches.length > 0 ? 1 : 0;
