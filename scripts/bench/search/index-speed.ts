/**
 * Measures the speed of both passes of the index, text and structure graph, and of whole answers, each beside a search
 * of ripgrep and `git grep` over the same files in the same round. The text is that of `repo-index`, twenty megabytes
 * of it. A question asks for three words that stand in one file, or for three that stand in none. Usage:
 * `npm run bench -- index-speed`, two minutes; with `--rounds 1`, over two megabytes.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mayBeIndexed } from '../../../daemon/features/knowledge/passages/file-worth.js';
import { ProjectIndex } from '../../../daemon/features/knowledge/passages/project-index.js';
import { SyntaxParser } from '../../../daemon/features/knowledge/structure/syntax-parser.js';
import { words } from '../../../daemon/lib/text/words.js';
import { systemClock } from '../../../daemon/lib/time/clock.js';
import { ProjectFiles } from '../../../daemon/storage/project-files.js';
import { createName } from '../large-repository/generate.js';
import { median, quantile, report, rounded } from '../measure.js';
import { copySources } from './package-sources.js';
import { putBeside, type Searched, searchWithAll } from './search-programs.js';

const bench = 'index-speed';
const at = process.argv.indexOf('--rounds');
const ROUNDS = at === -1 ? 3 : Number(process.argv[at + 1]);
const BYTES = ROUNDS > 1 ? 20e6 : 2e6;
const QUESTIONS = 60;
const SEARCHES = 10;
const environment = { PATH: process.env['PATH'], HOME: process.env['HOME'] };

function time(run: () => void): number {
  const startedMs = performance.now();
  run();
  return performance.now() - startedMs;
}

/** Returns three words of each of some files, as far as they have them. */
function listWords(root: string, paths: readonly string[]): string[][] {
  return Array.from({ length: QUESTIONS }, (_, i) => {
    const text = readFileSync(join(root, paths[Math.floor((i * paths.length) / QUESTIONS)] as string), 'utf8');
    return [...new Set(words(text.slice(text.length >> 1)))].filter((word) => word.length > 3).slice(0, 3);
  }).filter((some) => some.length === 3);
}

/** Reports `ours` beside each program, whose value `of` makes from the milliseconds of a search. */
function tell(
  measure: string,
  unit: string,
  ours: readonly number[],
  searched: readonly Searched[],
  of: (ms: number) => number,
) {
  const row = {
    measure,
    unit,
    ours: rounded(median(ours), 2),
    min: rounded(Math.min(...ours), 2),
    max: rounded(Math.max(...ours), 2),
  };
  for (const one of putBeside(row, searched, of)) report({ bench, ...one, rounds: ROUNDS, isListed: true });
}

/** Answers each question once, and reports the times beside searches for the same words. */
function tellAnswers(index: ProjectIndex, root: string, kind: string, asked: readonly (readonly string[])[]): void {
  const times = asked.map((some) => time(() => index.answer({ text: `Where are ${some.join(', ')}?` })));
  const searched = searchWithAll(root, asked.slice(0, SEARCHES));
  for (const [name, share] of [
    ['p50', 0.5],
    ['p95', 0.95],
  ] as const) {
    const row = {
      measure: `a whole answer about ${kind}, ${name} of ${times.length}`,
      unit: 'ms',
      ours: rounded(quantile(times, share), 2),
    };
    const beside = searched.map((one) => ({ ...one, times: one.times.length > 0 ? [quantile(one.times, share)] : [] }));
    for (const one of putBeside(row, beside, (ms) => ms)) report({ bench, ...one, rounds: 1, isListed: true });
  }
}

const folder = mkdtempSync(join(tmpdir(), 'meshd-bench-index-speed-'));
try {
  const root = join(folder, 'repository');
  mkdirSync(root);
  copySources(root, BYTES);
  const paths = new ProjectFiles(root, environment, mayBeIndexed).list().files.map(({ path }) => path);
  const asked = listWords(root, paths);
  const absent = asked.map((_, i) => [0, 1, 2].map((part) => createName((i * 3 + part) % 256)));
  const parser = await SyntaxParser.open(systemClock);
  const [text, graph]: [number[], number[]] = [[], []];
  const searched: Searched[][] = [];
  for (let round = 1; round <= ROUNDS; round += 1) {
    const database = join(folder, `index-${round}.db`);
    const index = new ProjectIndex({ root, database, environment, clock: systemClock });
    const textMs = time(() => {
      for (const _ of index.scan());
    });
    const graphMs = time(() => {
      for (const _ of index.readStructure(parser));
    });
    const megabytes = index.status.bytes / 1e6;
    text.push(megabytes / (textMs / 1_000));
    graph.push(megabytes / (graphMs / 1_000));
    searched.push(searchWithAll(root, absent.slice(0, SEARCHES)));
    if (round === ROUNDS) {
      const together = (searched[0] ?? []).map(({ name }, peer) => ({
        name,
        times: searched.flatMap((one) => one[peer]?.times ?? []),
      }));
      const perSecond = (ms: number) => megabytes / (ms / 1_000);
      tell(`text of ${rounded(megabytes, 0)} MB in ${paths.length} files`, 'MB/s', text, together, perSecond);
      tell('structure graph of the same', 'MB/s', graph, together, perSecond);
      tellAnswers(index, root, 'what is there', asked);
      tellAnswers(index, root, 'what is not there', absent);
    }
    index.close();
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
