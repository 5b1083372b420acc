import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeResults } from '../results-page.js';
import { GOALS, TIERS } from './goals.js';
import { type Measure, type Outcome, withBefore } from './outcome.js';

const REPORT = fileURLToPath(new URL('../../reports/hard.json', import.meta.url));
const RESULTS = fileURLToPath(new URL('./RESULTS.md', import.meta.url));

/** Reads the report: the last outcome of each drill in each tier. */
function readReport(): Outcome[] {
  try {
    return (JSON.parse(readFileSync(REPORT, 'utf8')) as { outcomes: Outcome[] }).outcomes;
  } catch {
    // No drill was run here yet.
    return [];
  }
}

/**
 * Adds outcomes to the report. They replace older ones of the same drill and tier, whose figures stay beside them when
 * they are of another day.
 */
export function writeReport(outcomes: readonly Outcome[]): void {
  const isSameDrill = (one: Outcome) => (other: Outcome) => other.drill === one.drill && other.tier === one.tier;
  const all = readReport();
  const kept = all.filter((old) => !outcomes.some(isSameDrill(old)));
  const added = outcomes.map((one) => withBefore(one, all.find(isSameDrill(one))));
  mkdirSync(dirname(REPORT), { recursive: true });
  writeFileSync(REPORT, `${JSON.stringify({ outcomes: [...kept, ...added] }, null, 2)}\n`);
}

const number = (goal: string) => (/^G\d+$/.test(goal) ? Number(goal.slice(1)) : 1_000);
const cell = (text: string) => text.replaceAll('|', '\\|');
const formatMeasure = ({ value, pass, said }: Measure) =>
  pass === null ? `not run: ${said}` : `${value}${pass ? '' : ' (missed)'}`;
/** The names of some measures hold counts, which differ from run to run: a place in the list is what they share. */
const formatBefore = ({ before, measures }: Outcome, { measure }: Measure, index: number) => {
  const old = before?.measures ?? [];
  const same = old.find((one) => one.measure === measure) ?? (old.length === measures.length ? old[index] : undefined);
  return same === undefined ? '' : formatMeasure(same);
};
const listBounds = ({ bounds }: Outcome) =>
  Object.entries(bounds)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ');

/** Returns the outcomes as a Markdown table, one row per measure, with the days and machines. */
function resultsTable(outcomes: readonly Outcome[]): string {
  const sorted = [...outcomes].sort((a, b) => number(a.goal) - number(b.goal) || a.drill.localeCompare(b.drill));
  const rows = sorted.flatMap((outcome) =>
    outcome.measures.map((measure, index) =>
      [
        index === 0 ? outcome.goal : '',
        index === 0 ? `${GOALS[outcome.drill]?.title ?? outcome.drill} (${listBounds(outcome)})` : '',
        measure.measure,
        formatMeasure(measure),
        formatBefore(outcome, measure, index),
        measure.target,
      ].map(cell),
    ),
  );
  const head = ['goal', 'promise', 'measure', 'value', 'on an earlier day', 'target'];
  const lines = [head, head.map(() => '---'), ...rows];
  const listDays = (ofRuns: (string | undefined)[]) => [...new Set(ofRuns)].filter(Boolean).sort().join(', ');
  const days = listDays(sorted.map(({ day }) => day));
  const earlier = listDays(sorted.map(({ before }) => before?.day));
  const machines = [...new Set(sorted.map((one) => one.machine))];
  return [
    ...lines.map((row) => `| ${row.join(' | ')} |`),
    '',
    `${days}${earlier && ` (before: ${earlier})`}; ${machines.join('; ')}. \`npm run hard:full -- --results\` writes this table.`,
  ].join('\n');
}

/** Returns for each drill the outcome in the largest tier that was run here. */
function largest(outcomes: readonly Outcome[]): Outcome[] {
  const byDrill = new Map<string, Outcome>();
  for (const outcome of outcomes) {
    const other = byDrill.get(outcome.drill);
    if (!other || TIERS.indexOf(outcome.tier) > TIERS.indexOf(other.tier)) byDrill.set(outcome.drill, outcome);
  }
  return [...byDrill.values()];
}

/** Writes the table of all outcomes into `RESULTS.md`. */
export const writeDrillResults = (): void => writeResults(RESULTS, resultsTable(largest(readReport())));
