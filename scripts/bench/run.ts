/**
 * Runs the benches named on the command line, or all: prints their JSON lines as they arrive, then a table of them.
 * Exits with 1 when a goal is missed or a bench fails. Usage: `npm run bench -- start`. `--results` also writes the
 * rows of the benches that ran into RESULTS.md, `--rounds 1` is for a quick look, `--chart` draws the chart of
 * `growth`,
 * `--turns` is how many `checkpoints` makes, `--files` the size of `large-repository`, and `--open` and `--only` are
 * those of the benches of answers.
 */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { Measure } from './measure.js';
import { writeBenchResults } from './results-table.js';

/** Program of each bench that runs by default, without its extension. */
const BENCHES: Readonly<Record<string, string>> = {
  start: 'start',
  'first-pixel': 'dashboard/first-pixel',
  answers: 'answers/answers',
  structure: 'answers/structure',
  newcomers: 'answers/newcomers',
  durable: 'durable',
  'shared-log': 'shared-log',
  signatures: 'signatures',
  search: 'search/search',
  strangers: 'search/strangers',
  near: 'search/near',
  'repo-index': 'search/repo-index',
  'index-speed': 'search/index-speed',
  fanout: 'fanout/fanout',
  http: 'http',
  sockets: 'growth/sockets',
  payments: 'payments',
  dashboard: 'dashboard/dashboard',
  checkpoints: 'checkpoints',
};
/** Run only when named: with them a full run would take longer than a quarter of an hour, and a profile has no goal. */
const LONG: Readonly<Record<string, string>> = {
  growth: 'growth',
  'large-repository': 'large-repository/large-repository',
  'hot-paths': 'hot-paths',
};
const getProgram = (name: string) => fileURLToPath(new URL(`./${BENCHES[name] ?? LONG[name]}.ts`, import.meta.url));

function parse(line: string): Measure | undefined {
  try {
    const value = JSON.parse(line) as Partial<Measure> | null;
    return value?.bench === undefined ? undefined : (value as Measure);
  } catch {
    return undefined;
  }
}

/** Runs one bench in a separate process, so that none affects the next. */
async function runBench(name: string): Promise<{ measures: Measure[]; exit: number }> {
  const measures: Measure[] = [];
  const child = spawn(process.execPath, ['--import', 'tsx', getProgram(name), ...flags], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<number>((resolve) => child.once('exit', (exit) => resolve(exit ?? 1)));
  for await (const line of createInterface({ input: child.stdout })) {
    console.log(line);
    const measure = parse(line);
    if (measure) measures.push(measure);
  }
  return { measures, exit: await ended };
}

function printTable(measures: readonly Measure[]): void {
  const rows = measures.map(({ bench, measure, ours, unit, peer, ratio, goal, pass }) => [
    bench,
    measure ?? '',
    `${ours} ${unit ?? ''}`.trim(),
    peer ? `${peer.name}: ${peer.value}` : '',
    ratio === undefined ? '' : `${ratio}×`,
    goal ?? '',
    pass === undefined ? '' : pass ? 'yes' : 'NO',
  ]);
  const all = [['bench', 'measure', 'ours', 'peer', 'ratio', 'goal', 'met'], ...rows];
  const widths = all[0]?.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0))) ?? [];
  for (const row of all)
    console.log(`  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd());
}

const { values: options, positionals: asked } = parseArgs({
  allowPositionals: true,
  options: {
    results: { type: 'boolean' },
    rounds: { type: 'string' },
    turns: { type: 'string' },
    files: { type: 'string' },
    chart: { type: 'boolean' },
    open: { type: 'boolean' },
    only: { type: 'string', multiple: true },
  },
});
/** Passed to the benches. One without rounds or chart ignores them; `--open` and `--only` are for those of answers. */
const flags = [
  ...(options.rounds === undefined ? [] : ['--rounds', options.rounds]),
  ...(options.turns === undefined ? [] : ['--turns', options.turns]),
  ...(options.files === undefined ? [] : ['--files', options.files]),
  ...(options.chart ? ['--chart'] : []),
  ...(options.open ? ['--open'] : []),
  ...(options.only ?? []).flatMap((name) => ['--only', name]),
];
const unknown = asked.filter((name) => !(name in BENCHES || name in LONG));
if (unknown.length > 0) {
  console.error(
    `There is no bench "${unknown.join('", "')}"; there are ` +
      `${[...Object.keys(BENCHES), ...Object.keys(LONG)].join(', ')}.`,
  );
  process.exit(2);
}
const names = asked.length > 0 ? asked : Object.keys(BENCHES);
const measures: Measure[] = [];
for (const name of names) {
  const outcome = await runBench(name);
  measures.push(...outcome.measures);
  if (outcome.exit !== 0 || outcome.measures.some(({ pass }) => pass === false)) process.exitCode = 1;
}
console.log('');
printTable(measures);
if (options.results) writeBenchResults(measures);
