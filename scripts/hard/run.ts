/**
 * Runs the drills of a tier, or those given by drill or goal, and prints the JSON line of each, then a table. Timed
 * drills run alone, and a second time when they missed nothing but times. The others run three at a time. Outcomes are
 * written to `reports/hard.json`; `--results` writes the table of RESULTS.md from it. `--times none` runs only those
 * that judge no time, `--times only` the others; `--at-once 1` one after the other. The exit code is 1 when a drill
 * fails.
 *
 * `npm run hard -- --tier full`, `npm run hard -- G11 payments --seed 7`
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { openTestFolder } from '../test-folder.js';
import { buildDaemon } from './drill.js';
import { GOALS, TIERS, type Tier } from './goals.js';
import { many } from './many.js';
import { missedTimesAlone, type Outcome, outcomeIn } from './outcome.js';
import { writeDrillResults, writeReport } from './report.js';

/** Time limit per drill. A longer run is treated as hung. */
const LIMIT_MINUTES: Readonly<Record<Tier, number>> = { quick: 4, full: 15, long: 600 };
/** The drills that judge no time wait more than they compute. */
const AT_ONCE = 3;

interface Run {
  name: string;
  outcome: Outcome | undefined;
  seconds: number;
}

async function run(name: string, tier: Tier, more: readonly string[]): Promise<Run> {
  const startedMs = performance.now();
  const program = fileURLToPath(new URL(`./${GOALS[name]?.folder}/${name}.ts`, import.meta.url));
  const child = spawn(process.execPath, ['--import', 'tsx', program, '--built', '--tier', tier, ...more], {
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: LIMIT_MINUTES[tier] * 60_000,
  });
  const exited = once(child, 'exit');
  let outcome: Outcome | undefined;
  for await (const line of createInterface({ input: child.stdout })) {
    console.log(line);
    outcome = outcomeIn(line) ?? outcome;
  }
  const [exit] = await exited;
  const isWhole = exit === 0 || outcome?.pass === false;
  return { name, outcome: isWhole ? outcome : undefined, seconds: (performance.now() - startedMs) / 1_000 };
}

/** Runs a drill, and repeats it once when it missed nothing but times, because the cause of the delay may be over. */
async function runAlone(name: string, tier: Tier, more: readonly string[]): Promise<Run> {
  const first = await run(name, tier, more);
  if (!missedTimesAlone(first.outcome?.measures ?? [])) return first;
  console.error(`AGAIN  ${name}: times were missed`);
  return run(name, tier, more);
}

/** Runs all of `names`. Returns the runs in the given order. */
async function runAll(names: readonly string[], atOnce: number, tier: Tier, more: readonly string[]): Promise<Run[]> {
  const runs: Run[] = [];
  const untimed = names.filter((name) => !GOALS[name]?.isTimed);
  await many(untimed, atOnce, async (name) => void runs.push(await run(name, tier, more)));
  for (const name of names) if (GOALS[name]?.isTimed) runs.push(await runAlone(name, tier, more));
  return runs.sort((a, b) => names.indexOf(a.name) - names.indexOf(b.name));
}

const getWord = ({ outcome }: Run) =>
  outcome === undefined ? 'BROKEN' : outcome.pass === null ? 'NOT RUN' : outcome.pass ? 'PASS' : 'FAIL';

function printTable(runs: readonly Run[]): void {
  const rows = [
    ['goal', 'drill', 'measures', 'hold', 'seconds', ''],
    ...runs.map((one) => [
      GOALS[one.name]?.goal ?? '',
      one.name,
      String(one.outcome?.measures.length ?? 0),
      String(one.outcome?.measures.filter(({ pass }) => pass).length ?? 0),
      one.seconds.toFixed(0),
      getWord(one),
    ]),
  ];
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  console.log('');
  for (const row of rows)
    console.log(`  ${row.map((text, column) => text.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd());
}

/** Returns whether a drill belongs to what `--times` asks for. */
function isAsked(name: string, times: string): boolean {
  return times === 'all' || (times === 'only') === (GOALS[name]?.isTimed ?? false);
}

function getTimes(asked: string | undefined): string {
  if (asked === 'none' || asked === 'only') return asked;
  console.error(`There is no --times "${asked}"; there are none and only.`);
  process.exit(2);
}

function getTier(asked: string | undefined): Tier {
  const found = TIERS.find((one) => one === asked);
  if (found) return found;
  console.error(`There is no tier "${asked}"; there are ${TIERS.join(', ')}.`);
  process.exit(2);
}

const words = process.argv.slice(2);
const named: string[] = [];
/** Bounds and the seed, which are passed to every drill. */
const more: string[] = [];
let tier: Tier = 'quick';
let isForResults = false;
let times = 'all';
let atOnce = AT_ONCE;
for (let word = words.shift(); word !== undefined; word = words.shift()) {
  if (word === '--results') isForResults = true;
  else if (word === '--tier') tier = getTier(words.shift());
  else if (word === '--times') times = getTimes(words.shift());
  else if (word === '--at-once') atOnce = Math.max(1, Number(words.shift()) || 1);
  else if (word.startsWith('--')) more.push(word, words.shift() ?? '');
  else named.push(word);
}
const all = Object.keys(GOALS);
const unknown = named.filter((word) => !all.some((name) => word === name || word === GOALS[name]?.goal));
if (unknown.length > 0) {
  console.error(
    `There is no drill "${unknown.join('", "')}"; there are ` +
      `${all.map((name) => `${GOALS[name]?.goal} ${name}`).join(', ')}.`,
  );
  process.exit(2);
}
const names = all.filter(
  (name) =>
    isAsked(name, times) &&
    (named.length > 0
      ? named.includes(name) || named.includes(GOALS[name]?.goal ?? '')
      : GOALS[name]?.tiers[tier] !== undefined),
);
const startedMs = performance.now();
buildDaemon();
// Drills that judge times wait for the disk as a user's daemon does. The others lose nothing in memory: what a killed
// program has written stays.
const closeTestFolder = times === 'none' ? openTestFolder() : undefined;
const runs = await runAll(names, atOnce, tier, more);
closeTestFolder?.();
const outcomes = runs.flatMap(({ outcome }) => outcome ?? []);
writeReport(outcomes);
printTable(runs);
console.log(
  `\n  ${((performance.now() - startedMs) / 1_000).toFixed(0)} s, tier ${tier}, ${outcomes[0]?.machine ?? ''}`,
);
if (isForResults) writeDrillResults();
if (runs.some(({ outcome }) => outcome === undefined || outcome.pass === false)) process.exitCode = 1;
