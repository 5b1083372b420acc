/**
 * Compares this checkout with another one, such as an earlier commit in a worktree of its own with its packages and its
 * build: runs the benches in both in turns, the first one alternating, and prints for each measure the median of both,
 * their ratio and the range of the rounds. A measure with a peer is compared by its ratio to the peer of the same run.
 *
 * `npx tsx scripts/bench/paired.ts <folder of the other checkout> <bench ...> [--pairs 3]`
 */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { type Measure, median, rounded } from './measure.js';

const OUTPUT_MAX_BYTES = 64 * 1024 * 1024;
const run = promisify(execFile);

/** Values of one measure: of this checkout, and of the other one. */
type Pairs = Record<'here' | 'there', number[]>;

/** Returns the measures that one bench prints in a checkout. A missed goal is no failure here. */
async function runBench(folder: string, bench: string): Promise<Measure[]> {
  const { stdout } = await run('npm', ['run', '-s', 'bench', '--', bench], {
    cwd: folder,
    maxBuffer: OUTPUT_MAX_BYTES,
  }).catch((error: { stdout?: string }) => ({ stdout: error.stdout ?? '' }));
  const measures = stdout
    .split('\n')
    .filter((line) => line.startsWith('{"bench"'))
    .map((line) => JSON.parse(line) as Measure);
  if (measures.length === 0) throw new Error(`${bench} in ${folder} printed no measure.`);
  return measures;
}

const range = (values: readonly number[]) => `${Math.min(...values)} to ${Math.max(...values)}`;

function printPairs(all: ReadonlyMap<string, Pairs>): void {
  console.log('measure | here | there | here / there');
  for (const [name, { here, there }] of all) {
    if (here.length === 0 || there.length === 0) continue;
    const [ours, theirs] = [median(here), median(there)];
    console.log(
      `${name} | ${rounded(ours, 3)} (${range(here)}) | ${rounded(theirs, 3)} (${range(there)}) | ` +
        `${rounded(ours / theirs, 3)}`,
    );
  }
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { pairs: { type: 'string', default: '3' } },
});
const [other, ...benches] = positionals;
const pairs = Number(values.pairs);
if (other === undefined || benches.length === 0 || !Number.isInteger(pairs) || pairs < 1) {
  console.error('Usage: npx tsx scripts/bench/paired.ts <folder of the other checkout> <bench ...> [--pairs 3]');
  process.exit(2);
}
const folders = { here: fileURLToPath(new URL('../..', import.meta.url)), there: other };
const all = new Map<string, Pairs>();

/** Runs a bench in one of the checkouts and adds its values. */
async function measureIn(side: keyof Pairs, bench: string): Promise<void> {
  for (const { measure, unit, ours, peer, ratio } of await runBench(folders[side], bench)) {
    const ofPeer = peer !== undefined && ratio !== undefined;
    const name = `${bench}: ${measure}, ${ofPeer ? `to ${peer.name}` : unit}`;
    const measured = all.get(name) ?? { here: [], there: [] };
    measured[side].push(ofPeer ? ratio : ours);
    all.set(name, measured);
  }
}

for (let pair = 0; pair < pairs; pair += 1)
  for (const bench of benches) {
    const [first, second] = pair % 2 === 0 ? (['here', 'there'] as const) : (['there', 'here'] as const);
    await measureIn(first, bench);
    await measureIn(second, bench);
  }
printPairs(all);
