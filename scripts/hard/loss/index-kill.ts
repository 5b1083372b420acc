/**
 * A daemon is killed again and again while it reads a project for the first time: in the text index and in the
 * structure graph. After each kill the next life must answer every question right: where a function is defined, who
 * calls it, that nobody calls the last one, and a sentence of a document. At least one kill must have hit the graph
 * half built.
 *
 * `npx tsx scripts/hard/loss/index-kill.ts [--kills 6] [--files 1500] [--seed 1]`
 */
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { AskRecord } from '../../../daemon/contract/asks.js';
import type { Health } from '../../../daemon/contract/system.js';
import { openSqlite } from '../../../daemon/storage/database/sqlite.js';
import type { DaemonProcess } from '../../../daemon/testing/processes/daemon-process.js';
import { type Drill, runDrill, until } from '../drill.js';
import type { DrillProject } from '../project.js';

const LIMIT_MS = 60_000;
/** A first text index of this size takes longer. */
const FIRST_MS = 600;
/** Kills at most, as a multiple of those asked for, until one hits the graph. */
const TRIES = 3;
const LONGER = 1.5;
const SHORTER = 0.4;
const PENDING = /still being built/;
const getName = (file: number) => `step${String(file).padStart(5, '0')}`;
const getPath = (file: number) => `src/part${file % 20}/${getName(file)}.ts`;

/** A chain of functions, one in each file, each of which calls the one before. */
function createFiles(count: number): Record<string, string> {
  const files: Record<string, string> = {
    'docs/anchors.md': '# Anchors\n\nAnchor chains are inspected every spring by the harbour office.\n',
  };
  for (let file = 0; file < count; file += 1) {
    const [own, before] = [getName(file), getName(file - 1)];
    const call = file === 0 ? 'value' : `${before}(value + ${file})`;
    const load = file === 0 ? '' : `import { ${before} } from '../part${(file - 1) % 20}/${before}.js';\n\n`;
    files[getPath(file)] =
      `${load}/** Moves the crate by ${file} places. */\n` +
      `export function ${own}(value: number): number {\n  return ${call};\n}\n`;
  }
  return files;
}

/** Asks until the answer rests on everything. */
async function ask(daemon: DaemonProcess, token: string, text: string): Promise<AskRecord> {
  return until(
    `a complete answer to "${text}"`,
    LIMIT_MS,
    () => daemon.ask('consultant', token, { text }),
    ({ result_text }) => !PENDING.test(result_text ?? ''),
  );
}

/** Asks about two functions and the document. Returns what is wrong. */
async function findWrong(daemon: DaemonProcess, drill: Drill, files: number): Promise<string[]> {
  const token = await daemon.getToken('consultant');
  const file = drill.dice.below(files - 1);
  const wanted: [question: string, path: string | undefined, said: RegExp][] = [
    [`Who calls ${getName(file)}?`, getPath(file + 1), /./],
    [`Where is ${getName(file)} defined?`, getPath(file), /./],
    [`Who calls ${getName(files - 1)}?`, undefined, /nobody|no(?:thing| place| call)/i],
    ['When are anchor chains inspected?', 'docs/anchors.md', /./],
  ];
  const wrong: string[] = [];
  for (const [question, path, said] of wanted) {
    const { result_text: text = '', citations = [] } = await ask(daemon, token, question);
    const isRight = path === undefined || citations[0]?.path === path;
    if (!isRight || !said.test(text ?? '')) wrong.push(`${question} ${(text ?? '').slice(0, 80)}`);
  }
  return wrong;
}

/** Returns the share of files that each pass had stored when the daemon was killed. */
function readShares(project: DrillProject, files: number): { text: number; graph: number } {
  const database = openSqlite(join(project.root, '.mesh/state/knowledge.db'));
  try {
    const count = (table: string) =>
      (database.prepare(`SELECT count(*) AS n FROM ${table}`).get() as { n: number }).n / files;
    return { text: count('files'), graph: count('structure_files') };
  } catch {
    // Killed before the tables were there.
    return { text: 0, graph: 0 };
  } finally {
    database.close();
  }
}

const isRead = async (daemon: DaemonProcess) => {
  const { knowledge } = await daemon.call<Health>('GET', '/health');
  return knowledge.state === 'ready';
};

const waitUntilRead = (daemon: DaemonProcess) =>
  until(
    'the text index',
    LIMIT_MS,
    () => isRead(daemon),
    (isIt) => isIt,
  );

/** Starts from nothing, kills at once or in the middle of the graph, and starts again. */
async function killIn(drill: Drill, files: number, graphMs: number | undefined) {
  const project = drill.project(createFiles(files));
  const daemon = await project.start();
  if (graphMs !== undefined) await waitUntilRead(daemon);
  await pause(graphMs === undefined ? drill.dice.below(FIRST_MS) : (0.1 + drill.dice.random() / 2) * graphMs);
  await daemon.kill();
  const shares = readShares(project, files);
  const next = await project.start();
  const wrong = await findWrong(next, drill, files);
  await next.stop();
  return { shares, wrong };
}

/** Returns how long the graph takes after the text index. */
async function measureGraph(drill: Drill, files: number): Promise<number> {
  const daemon = await drill.project(createFiles(files)).start();
  await waitUntilRead(daemon);
  const startedMs = performance.now();
  await ask(daemon, await daemon.getToken('consultant'), `Who calls ${getName(1)}?`);
  const tookMs = performance.now() - startedMs;
  await daemon.stop();
  return tookMs;
}

await runDrill('index-kill', async (drill) => {
  const [kills, files] = [drill.bound('kills'), drill.bound('files')];
  // The store is locked while the daemon lives, so the moment is guessed, and corrected after each kill that missed it.
  let graphMs = await measureGraph(drill, files);
  const wrong: string[] = [];
  const hits = { text: 0, graph: 0 };
  let kill = 0;
  for (; kill < kills || (hits.graph === 0 && kill < kills * TRIES); kill += 1) {
    const isInGraph = kill % 2 === 1 || kill >= kills;
    const { shares, wrong: found } = await killIn(drill, files, isInGraph ? graphMs : undefined);
    if (shares.text > 0 && shares.text < 1) hits.text += 1;
    if (shares.graph > 0 && shares.graph < 1) hits.graph += 1;
    else if (isInGraph) graphMs *= shares.graph === 0 ? LONGER : SHORTER;
    wrong.push(...found.map((text) => `after kill ${kill + 1}: ${text}`));
  }
  drill.none('wrong answers after a kill', 'answers', wrong, `${kill * 4} questions after ${kill} kills`);
  drill.measure({
    measure: 'kills while the graph was being built',
    value: hits.graph,
    unit: 'kills',
    atLeast: 1,
    said: `${hits.text} while the text was being read`,
  });
});
