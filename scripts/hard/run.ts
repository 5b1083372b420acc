/**
 * Runs the drills named on the command line, or all there are, one after the other, and prints a table of what they came to. Exits 1 when one
 * does not hold. `npx tsx scripts/hard/run.ts output-flood`.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Finding } from './drill.js';

const DRILLS = [
  'output-flood',
  'kill-with-turns',
  'wall-fuzz',
  'stalled-reader',
  'flooders',
  'idle-sockets',
  'shutdown-sockets',
  'cluster-delete',
  'payments',
];
/** One that has not ended by then never will. */
const DRILL_MAX_MS = 10 * 60_000;

interface Run {
  findings: Finding[];
  exit: number;
  seconds: number;
}

/** Runs one drill as a program of its own, so that none disturbs the next. */
async function runDrill(name: string): Promise<Run> {
  const findings: Finding[] = [];
  const startedMs = performance.now();
  const child = spawn(process.execPath, ['--import', 'tsx', fileURLToPath(new URL(`./${name}.ts`, import.meta.url))], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    timeout: DRILL_MAX_MS,
  });
  child.on('message', (finding) => findings.push(finding as Finding));
  const [exit] = await once(child, 'exit');
  return { findings, exit: exit ?? 1, seconds: (performance.now() - startedMs) / 1_000 };
}

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !DRILLS.includes(name));
if (unknown.length > 0) {
  console.error(`There is no drill "${unknown.join('", "')}"; there are ${DRILLS.join(', ')}.`);
  process.exit(2);
}
const rows = [['drill', 'cases', 'hold', 'seconds', '']];
for (const name of asked.length > 0 ? asked : DRILLS) {
  const { findings, exit, seconds } = await runDrill(name);
  const tried = findings.filter(({ pass }) => pass !== null);
  const good = tried.filter(({ pass }) => pass).length;
  const isGood = exit === 0 && findings.length > 0 && good === tried.length;
  rows.push([name, String(tried.length), String(good), seconds.toFixed(0), !isGood ? 'FAIL' : tried.length > 0 ? 'PASS' : 'NOT RUN']);
  if (!isGood) process.exitCode = 1;
}
const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
console.log('');
for (const row of rows) console.log(`  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd());
