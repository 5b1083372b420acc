/**
 * Measures the built daemon, with the limits that it ships with, on generated repositories of 10,000 and 100,000 files
 * in which facts are planted: the first answer after the start, whether every fact is found and everything left out is
 * told, memory, the speed of both passes of the index and whole answers, beside a search of ripgrep and `git grep` over
 * the same files. Then the index is made anew and the daemon killed while the graph is being built: the next one must
 * go on where it ended and give the same answers. Usage: `npm run bench -- large-repository`, of one size with
 * `--files 2000`.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { KnowledgeStatus } from '../../../daemon/contract/system.js';
import { median, quantile, report, rounded } from '../measure.js';
import { putBeside, searchWithAll } from '../search/search-programs.js';
import { DaemonLife, isGraphRead, isTextRead } from './daemon-life.js';
import { type Asked, countRight, findFault, toPlaces } from './evaluation.js';
import { type Fact, type Repository, TOO_LARGE, writeRepository } from './generate.js';

const bench = 'large-repository';
const SIZES = [10_000, 100_000];
const FACTS = 120;
const FIRST_GOAL_S = 10;
const FIRST_QUESTION = 'What does this project do?';
/** The daemon is killed when the graph has about this share of its files. */
const KILLED_AT = 0.3;
const PEER_SEARCHES = 20;
/** The pause between two questions while the graph is being built, so that they hardly slow it. */
const ASKED_EVERY_MS = 5_000;

const { values: options } = parseArgs({
  options: { files: { type: 'string' }, rounds: { type: 'string' } },
  strict: false,
});
const sizes = options.files !== undefined ? [Number(options.files)] : options.rounds === '1' ? [2_000] : SIZES;

interface Reported {
  measure: string;
  unit: string;
  ours: number;
  max?: number;
  goal?: string;
  pass?: boolean;
  peer?: { name: string; value: number };
  ratio?: number;
}

const tell = (files: number, { measure, ours, ...rest }: Reported) =>
  report({
    bench,
    measure: `${files.toLocaleString('en')} files: ${measure}`,
    ours: rounded(ours, 2),
    ...rest,
    rounds: 1,
    isListed: true,
  });

/** What one life has shown until both passes had ended. */
interface FirstLife {
  firstMs: number;
  isFirstRight: boolean;
  text: KnowledgeStatus;
  textMs: number;
  graphMs: number;
  /** Times of the first question, asked again and again while the graph was being built. */
  whileGraphMs: number[];
  megabytes: { text: number; graph: number; peak: number };
}

async function readAll(life: DaemonLife): Promise<FirstLife> {
  const first = await life.ask(FIRST_QUESTION);
  const firstMs = life.ageMs;
  const isFirstRight = first.record.citations?.[0]?.path === 'README.md';
  const text = await life.until('the text index', isTextRead);
  const textMs = life.ageMs;
  const afterText = life.megabytes;
  const whileGraphMs: number[] = [];
  await life.until('the structure graph', isGraphRead, async () => {
    whileGraphMs.push((await life.ask(FIRST_QUESTION)).ms);
    await pause(ASKED_EVERY_MS);
  });
  const graphMs = life.ageMs - textMs;
  const megabytes = { text: afterText, graph: life.megabytes, peak: life.peakMegabytes };
  return { firstMs, isFirstRight, text, textMs, graphMs, whileGraphMs, megabytes };
}

async function askAll(life: DaemonLife, facts: readonly Fact[]): Promise<Asked[]> {
  const asked: Asked[] = [];
  for (const fact of facts) {
    const { record, ms } = await life.ask(fact.question);
    asked.push({ fact, fault: findFault(fact, record), places: toPlaces(record), ms });
  }
  return asked;
}

function printRight(files: number, when: string, asked: readonly Asked[]): void {
  const { planted, absent } = countRight(asked);
  for (const { fact, fault } of asked)
    if (fault !== undefined)
      console.error(`${files} files, ${when}: ${fact.kind}, ${fact.language}: ${fact.question} ${fault}`);
  for (const [what, { right, all }] of [
    ['planted facts that are found', planted],
    ['questions about what is not there that are answered so', absent],
  ] as const)
    tell(files, { measure: `${what}, ${when}`, unit: `of ${all}`, ours: right, goal: `${all}`, pass: right === all });
}

function printSpeeds(
  files: number,
  repository: Repository,
  life: FirstLife,
  asked: readonly Asked[],
  root: string,
): void {
  const megabytes = repository.bytes / 1e6;
  const searched = searchWithAll(
    root,
    repository.facts.slice(0, PEER_SEARCHES).map(({ word }) => [word]),
  );
  const answers = asked.map(({ ms }) => ms);
  const perSecond = (ms: number) => megabytes / (ms / 1_000);
  const rows = [
    { measure: 'text index', unit: 'MB/s', ours: perSecond(life.textMs), of: perSecond },
    { measure: 'structure graph', unit: 'MB/s', ours: perSecond(life.graphMs), of: perSecond },
    { measure: 'a whole answer, p50', unit: 'ms', ours: median(answers), of: (ms: number) => ms },
  ];
  for (const { of, ...row } of rows) for (const one of putBeside(row, searched, of)) tell(files, one);
  tell(files, { measure: 'a whole answer, p95', unit: 'ms', ours: quantile(answers, 0.95) });
  tell(files, {
    measure: 'an answer while the graph is being built, p95',
    unit: 'ms',
    ours: quantile(life.whileGraphMs, 0.95),
    max: rounded(Math.max(...life.whileGraphMs)),
  });
  tell(files, { measure: 'memory after the text index', unit: 'MB', ours: life.megabytes.text });
  tell(files, {
    measure: 'memory after the graph',
    unit: 'MB',
    ours: life.megabytes.graph,
    max: rounded(life.megabytes.peak, 0),
  });
}

function tellComplete(files: number, repository: Repository, { firstMs, isFirstRight, text }: FirstLife): void {
  tell(files, {
    measure: 'first answer after the start',
    unit: 's',
    ours: firstMs / 1_000,
    goal: `<= ${FIRST_GOAL_S} s, and right`,
    pass: firstMs <= FIRST_GOAL_S * 1_000 && isFirstRight,
  });
  const wanted = repository.files + TOO_LARGE;
  tell(files, {
    measure: 'files that are indexed or told as left out',
    unit: `of ${wanted}`,
    ours: text.files_total + text.left_out,
    goal: `${wanted}, ${TOO_LARGE} of them left out`,
    pass: text.files_total === repository.files && text.left_out === TOO_LARGE,
  });
}

/** Starts from no index, kills in the graph, starts again. Returns what the answers were then. */
async function killInGraph(root: string, home: string, facts: readonly Fact[]) {
  const first = await DaemonLife.start(root, home);
  const atKill = await first
    .until(
      'the middle of the graph',
      ({ structure }) => structure.files_total > 0 && structure.files_done >= structure.files_total * KILLED_AT,
    )
    .finally(() => first.daemon.kill());
  const second = await DaemonLife.start(root, home);
  try {
    const answer = await second.ask(FIRST_QUESTION);
    const firstMs = second.ageMs;
    let resumedAt: number | undefined;
    await second.until('the structure graph', (status) => {
      if (status.structure.files_total > 0) resumedAt ??= status.structure.files_done;
      return isGraphRead(status);
    });
    const isFirstRight = answer.record.citations?.[0]?.path === 'README.md';
    return { atKill, firstMs, isFirstRight, resumedAt: resumedAt ?? 0, asked: await askAll(second, facts) };
  } finally {
    await second.daemon.stop();
  }
}

async function measure(files: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'meshd-bench-large-'));
  try {
    const [root, home] = [join(folder, 'repository'), join(folder, 'home')];
    mkdirSync(root);
    mkdirSync(home);
    const repository = writeRepository(root, files, FACTS);
    const life = await DaemonLife.start(root, home);
    let whole: FirstLife;
    let asked: Asked[];
    try {
      whole = await readAll(life);
      asked = await askAll(life, repository.facts);
    } finally {
      await life.daemon.stop();
    }
    tellComplete(files, repository, whole);
    printRight(files, 'after the first start', asked);
    printSpeeds(files, repository, whole, asked, root);
    for (const ending of ['', '-wal', '-shm']) rmSync(join(root, `.mesh/state/knowledge.db${ending}`), { force: true });
    printKill(files, asked, await killInGraph(root, home, repository.facts));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function printKill(files: number, before: readonly Asked[], kill: Awaited<ReturnType<typeof killInGraph>>): void {
  const { files_done: done, files_total: total } = kill.atKill.structure;
  printRight(files, 'after kill -9 in the graph', kill.asked);
  const same = kill.asked.filter(({ places }, index) => places === before[index]?.places).length;
  tell(files, {
    measure: 'answers after the kill as without it',
    unit: `of ${before.length}`,
    ours: same,
    goal: `${before.length}`,
    pass: same === before.length,
  });
  tell(files, {
    measure: `files of the graph that the next start has, of ${done} told at the kill (${total} in all)`,
    unit: 'files',
    ours: kill.resumedAt,
    goal: `${done}`,
    pass: kill.resumedAt >= done && done < total,
  });
  tell(files, {
    measure: 'first answer after the kill',
    unit: 's',
    ours: kill.firstMs / 1_000,
    goal: `<= ${FIRST_GOAL_S} s, and right`,
    pass: kill.firstMs <= FIRST_GOAL_S * 1_000 && kill.isFirstRight,
  });
}

for (const files of sizes) await measure(files);
