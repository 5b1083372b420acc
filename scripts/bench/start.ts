/**
 * Measures the time from the daemon's start to listening, compared to a bare Node.js and to the same daemon as separate
 * files in the same rounds, and its memory when idle. The small project was started once before: the very first start
 * also writes the roster.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildUnbundled } from './dashboard/unbundled.js';
import { median, report, rounded } from './measure.js';

const ROUNDS = 7;
const IDLE_MS = 10_000;
/** Maximum ratio to the time of a Node.js that does nothing. */
const GOAL_BARE = 3.5;
/** Maximum ratio to the time of the same daemon as separate files. */
const GOAL_UNBUNDLED = 0.8;
const GOAL_MB = 120;

const repository = fileURLToPath(new URL('../..', import.meta.url));
const daemonProgram = join(repository, 'dist/daemon.js');

/** Resolves with the milliseconds until `child` reports that it listens. */
function untilListening(child: ChildProcess, started: number): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('message', (word: { type: string; message?: string }) =>
      word.type === 'listening' ? resolve(performance.now() - started) : reject(new Error(word.message)),
    );
    child.once('exit', (exit) => reject(new Error(`The daemon ended with ${exit} before it listened.`)));
  });
}

async function startDaemon(root: string, program = daemonProgram): Promise<{ child: ChildProcess; ms: number }> {
  const started = performance.now();
  const child = spawn(process.execPath, [program, '--root', root, '--port', '0'], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  return { child, ms: await untilListening(child, started) };
}

async function stopDaemon(child: ChildProcess): Promise<number> {
  const started = performance.now();
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await ended;
  return performance.now() - started;
}

/** Resolves with the milliseconds that a Node.js takes to start, do nothing and end. */
function bareNode(): Promise<number> {
  const started = performance.now();
  return new Promise((resolve) => {
    spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' }).once('exit', () => resolve(performance.now() - started));
  });
}

function residentBytes(pid: number): number {
  if (process.platform === 'linux') {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) * 1024;
  }
  return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) * 1024;
}

const root = mkdtempSync(join(tmpdir(), 'meshd-bench-start-'));
const unbundled = await buildUnbundled();
try {
  for (const folder of ['daemon/contract', 'daemon/lib'])
    cpSync(join(repository, folder), join(root, folder), { recursive: true });
  execFileSync('git', ['init', '-q'], { cwd: root });
  const first = await startDaemon(root);
  await stopDaemon(first.child);

  // The first read of the files from disk is not measured.
  await stopDaemon((await startDaemon(root, unbundled.program)).child);
  const ours: number[] = [];
  const peers = { 'node -e 0': [] as number[], 'the same, unbundled': [] as number[] };
  const stops: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    peers['node -e 0'].push(await bareNode());
    const many = await startDaemon(root, unbundled.program);
    peers['the same, unbundled'].push(many.ms);
    await stopDaemon(many.child);
    const { child, ms } = await startDaemon(root);
    ours.push(ms);
    stops.push(await stopDaemon(child));
  }
  for (const [name, goal] of [
    ['node -e 0', GOAL_BARE],
    ['the same, unbundled', GOAL_UNBUNDLED],
  ] as const) {
    const ratio = median(ours.map((value, round) => value / (peers[name][round] as number)));
    report({
      bench: 'start',
      measure: 'start to listening',
      unit: 'ms',
      ours: rounded(median(ours)),
      min: rounded(Math.min(...ours)),
      max: rounded(Math.max(...ours)),
      peer: { name, value: rounded(median(peers[name])) },
      ratio: rounded(ratio, 2),
      rounds: ROUNDS,
      goal: `<= ${goal}×`,
      pass: ratio <= goal,
    });
  }
  report({ bench: 'start', measure: 'first start of all', unit: 'ms', ours: rounded(first.ms), rounds: 1 });
  report({
    bench: 'start',
    measure: 'SIGTERM to exit',
    unit: 'ms',
    ours: rounded(median(stops)),
    min: rounded(Math.min(...stops)),
    max: rounded(Math.max(...stops)),
    rounds: ROUNDS,
    goal: '< 1000 ms',
    pass: Math.max(...stops) < 1000,
  });

  const idle = await startDaemon(root);
  await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
  const megabytes = residentBytes(idle.child.pid as number) / 1e6;
  await stopDaemon(idle.child);
  report({
    bench: 'start',
    measure: 'resident after 10 s idle',
    unit: 'MB',
    ours: rounded(megabytes),
    rounds: 1,
    goal: `< ${GOAL_MB} MB`,
    pass: megabytes < GOAL_MB,
  });
} finally {
  for (const folder of [root, unbundled.folder]) rmSync(folder, { recursive: true, force: true });
}
