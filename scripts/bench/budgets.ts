/**
 * The dashboard's budgets, as a check: each figure must be met in one of three tries, for a busy machine makes a page slow and none makes it fast. A try
 * counts as missed only where the machine was at rest; a figure that was met in none and never could be judged is said to be so, and is neither met nor
 * missed. Goals beyond the budgets are told and nothing more. `npm run budgets`.
 */
import { openTestFolder } from '../test-folder.js';
import { type Figure, paints, requests, room } from './dashboard-measures.js';
import { DashboardWorld } from './dashboard-world.js';
import { watched } from './machine-rest.js';
import { rounded } from './measure.js';

const TRIES = 3;
/** After so many of them in which it was not at rest, a machine is taken for a busy one. */
const DISTURBED = 2;

type Verdict = 'met' | 'missed' | 'unjudged';

const isMet = (figure: Figure) => ('atLeast' in figure ? figure.ours >= figure.atLeast : figure.ours <= figure.atMost);

function say(figure: Figure, word: string): void {
  const { measure: what, ours, unit, peer } = figure;
  const goal = 'atMost' in figure ? `at most ${figure.atMost}` : `at least ${figure.atLeast}`;
  const beside = peer ? ` (${peer.name}: ${peer.value})` : '';
  console.log(`  ${word.padEnd(7)}${what}: ${rounded(ours)} ${unit}, ${goal}${beside}`);
}

/** Tries until all figures are met. Gives those that were not, and whether a machine at rest has missed them. */
async function judge(
  measured: (world: DashboardWorld) => Promise<Figure[]>,
): Promise<{ missed: string[]; unjudged: string[] }> {
  const verdicts = new Map<string, Verdict>();
  const those = (verdict: Verdict) => [...verdicts].filter(([, one]) => one === verdict).map(([measure]) => measure);
  const hasOpen = () => [...verdicts.values()].some((verdict) => verdict !== 'met');
  let disturbed = 0;
  for (let attempt = 0; attempt < TRIES && disturbed < DISTURBED && (attempt === 0 || hasOpen()); attempt += 1) {
    const world = await DashboardWorld.start();
    try {
      const { result, disturbance } = await watched(world, () => measured(world));
      for (const figure of result.filter(({ measure }) => verdicts.get(measure) !== 'met')) {
        if (isMet(figure)) {
          say(figure, 'ok');
          verdicts.set(figure.measure, 'met');
        } else if (figure.isGoal) {
          say(figure, 'short');
        } else {
          say(figure, disturbance === undefined ? 'MISSED' : 'busy');
          // What a machine at rest has missed once is not taken back by a busy one.
          if (disturbance === undefined) verdicts.set(figure.measure, 'missed');
          else if (!verdicts.has(figure.measure)) verdicts.set(figure.measure, 'unjudged');
        }
      }
      if (disturbance !== undefined) disturbed += 1;
      if (hasOpen() && disturbance !== undefined) console.log(`         The machine was not at rest: ${disturbance}.`);
    } finally {
      await world.close();
    }
  }
  return { missed: those('missed'), unjudged: those('unjudged') };
}

const missed: string[] = [];
const unjudged: string[] = [];
const close = openTestFolder();
try {
  for (const measured of [paints, requests, room]) {
    const verdict = await judge(measured);
    missed.push(...verdict.missed);
    unjudged.push(...verdict.unjudged);
  }
} finally {
  close();
}
if (unjudged.length > 0) console.log(`Not judged, for this machine had something else to do: ${unjudged.join('; ')}.`);
if (missed.length > 0) {
  console.error(`Missed by a machine at rest: ${missed.join('; ')}.`);
  process.exitCode = 1;
}
