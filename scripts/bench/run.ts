/**
 * Runs the benches named on the command line, or all: prints their JSON lines as they arrive, then a table of them.
 * Exits with 1 when a goal is missed or a bench fails, with 2 for a name or option that does not exist. `--help` lists
 * the benches and options.
 */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { getErrorMessage } from '../../daemon/lib/errors.js';
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

const OPTIONS = {
  results: { type: 'boolean', help: 'write the rows of the benches that ran into RESULTS.md' },
  rounds: { type: 'string', help: 'rounds of each comparison; 1 for a quick look' },
  turns: { type: 'string', help: 'turns that checkpoints makes' },
  files: { type: 'string', help: 'size of the repository of large-repository' },
  chart: { type: 'boolean', help: 'draw the chart of growth' },
  open: { type: 'boolean', help: 'of the benches of answers: only the open half, with each question' },
  only: { type: 'string', multiple: true, help: 'of the benches of answers: only this repository' },
  help: { type: 'boolean', help: 'print this' },
} as const;

function printHelp(): void {
  console.log('Usage: npm run bench -- [bench ...] [options]\n\nBenches, all of the first line without a name:');
  for (const names of [BENCHES, LONG]) console.log(`  ${Object.keys(names).join(', ')}`);
  console.log('\nOptions:');
  for (const [name, { help }] of Object.entries(OPTIONS)) console.log(`  --${name.padEnd(9)} ${help}`);
}

function parseOptions() {
  try {
    return parseArgs({ allowPositionals: true, options: OPTIONS });
  } catch (error) {
    console.error(getErrorMessage(error));
    process.exit(2);
  }
}

const { values: options, positionals: asked } = parseOptions();
if (options.help) {
  printHelp();
  process.exit();
}
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
