/**
 * Measures indexing fifty megabytes of source and searching in it, compared to MiniSearch over windows of the same
 * files and to ripgrep over the folder. The text is the content of the packages in this project's lock file, copied
 * into a repository with one commit: the same on every machine. Our index reads the files, splits them by headings and
 * symbols, records every path and identifier and writes it to disk. The peer receives the text and keeps its words in
 * memory. Usage: `npx tsx scripts/bench/search/repo-index.ts [--rounds 5]`, two minutes. ripgrep is Debian's, if
 * installed.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mayBeIndexed } from '../../../daemon/features/knowledge/passages/file-worth.js';
import { ProjectIndex } from '../../../daemon/features/knowledge/passages/project-index.js';
import { telling } from '../../../daemon/features/knowledge/search.js';
import { words } from '../../../daemon/lib/text/words.js';
import { systemClock } from '../../../daemon/lib/time/clock.js';
import { PassageDatabase } from '../../../daemon/storage/database/passage-database.js';
import { ProjectFiles } from '../../../daemon/storage/project-files.js';
import { median, report, rounded } from '../measure.js';
import { copySources } from './package-sources.js';
import { loadMiniSearch } from './search-peer.js';

const at = process.argv.indexOf('--rounds');
const ROUNDS = at === -1 ? 5 : Number(process.argv[at + 1]);
const BYTES = ROUNDS > 1 ? 50e6 : 10e6;
const WINDOW_LINES = 40;
const QUERIES = 40;
const CANDIDATES = 90;
const GOALS = { reading: 4, query: 20 };
const environment = { PATH: process.env['PATH'], HOME: process.env['HOME'] };

function timed<T>(run: () => T): { ms: number; value: T } {
  const startedMs = performance.now();
  const value = run();
  return { ms: performance.now() - startedMs, value };
}

function hasRipgrep(): boolean {
  try {
    execFileSync('rg', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Runs ripgrep as a person would: which files contain any of the words, and how often. */
function ripgrep(root: string, wanted: readonly string[]): void {
  try {
    execFileSync('rg', ['-i', '-F', '--count-matches', ...wanted.flatMap((word) => ['-e', word]), '.'], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'ignore'],
      maxBuffer: 1e8,
    });
  } catch {
    // Nothing matched.
  }
}

const MiniSearch = await loadMiniSearch();
const folder = mkdtempSync(join(tmpdir(), 'meshd-bench-repo-index-'));
try {
  const root = join(folder, 'repository');
  mkdirSync(root);
  const megabytes = copySources(root, BYTES) / 1e6;
  const database = join(folder, 'index.db');
  const paths = new ProjectFiles(root, environment, mayBeIndexed).list().files.map(({ path }) => path);
  const windows = () =>
    paths.flatMap((path) => {
      const lines = readFileSync(join(root, path), 'utf8').split('\n');
      return Array.from({ length: Math.ceil(lines.length / WINDOW_LINES) }, (_, i) => ({
        id: `${path}:${i}`,
        text: lines.slice(i * WINDOW_LINES, (i + 1) * WINDOW_LINES).join('\n'),
      }));
    });

  const read: { ours: number; peer: number }[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    rmSync(database, { force: true });
    const index = new ProjectIndex({ root, database, environment, clock: systemClock });
    const ours = timed(() => {
      for (const _ of index.scan());
    });
    const bytes = index.status.bytes / 1e6;
    index.close();
    const peer = timed(() => new MiniSearch({ fields: ['text'], idField: 'id' }).addAll(windows()));
    read.push({ ours: bytes / (ours.ms / 1_000), peer: bytes / (peer.ms / 1_000) });
  }
  const oursMb = read.map(({ ours }) => ours);
  const readRatio = median(read.map(({ ours, peer }) => ours / peer));
  report({
    bench: 'repo-index',
    measure: `reading ${rounded(megabytes, 0)} MB in ${paths.length} files into the index`,
    unit: 'MB/s',
    ours: rounded(median(oursMb)),
    min: rounded(Math.min(...oursMb)),
    max: rounded(Math.max(...oursMb)),
    peer: { name: 'MiniSearch, windows in memory', value: rounded(median(read.map(({ peer }) => peer))) },
    ratio: rounded(readRatio, 2),
    rounds: ROUNDS,
    goal: `>= ${GOALS.reading}x MiniSearch`,
    pass: readRatio >= GOALS.reading,
  });

  // Three words that occur near one another somewhere.
  const asked = Array.from({ length: QUERIES }, (_, i) => {
    const text = readFileSync(join(root, paths[Math.floor((i * paths.length) / QUERIES)] as string), 'utf8');
    return [...new Set(words(text.slice(text.length >> 1)))].filter((word) => word.length > 3).slice(0, 3);
  }).filter((some) => some.length === 3);
  const passages = PassageDatabase.open(database);
  const { passages: total } = passages.totals();
  const find = (some: readonly string[]) => {
    const terms = some.map((word) => ({ word: `"${word}"`, frequency: passages.frequency(`"${word}"`) }));
    const match = telling(terms, total).map(({ word }) => word);
    return passages.search(match.join(' OR '), CANDIDATES);
  };
  const found = asked.map((some) => median([1, 2, 3].map(() => timed(() => find(some)).ms)));
  passages.close();
  const index = new ProjectIndex({ root, database, environment, clock: systemClock });
  for (const _ of index.scan());
  const answered = asked.map((some) => timed(() => index.answer({ text: `Where are ${some.join(', ')}?` })).ms);
  index.close();
  const searched = hasRipgrep() ? asked.map((some) => timed(() => ripgrep(root, some)).ms) : [];
  const beside = (ours: number) =>
    searched.length === 0
      ? {}
      : { peer: { name: 'ripgrep', value: rounded(median(searched)) }, ratio: rounded(median(searched) / ours, 1) };
  if (searched.length === 0) console.error('ripgrep is not installed: nothing to compare queries with.');
  const p50 = median(found);
  report({
    bench: 'repo-index',
    measure: `passages for three words, p50 of ${asked.length}`,
    unit: 'ms',
    ours: rounded(p50, 2),
    ...beside(p50),
    rounds: 3,
    ...(searched.length > 0 ? { goal: `>= ${GOALS.query}x ripgrep`, pass: median(searched) / p50 >= GOALS.query } : {}),
  });
  report({
    bench: 'repo-index',
    measure: 'a whole cited answer over them, asked once, p50',
    unit: 'ms',
    ours: rounded(median(answered)),
    ...beside(median(answered)),
    rounds: 1,
  });
} finally {
  rmSync(folder, { recursive: true, force: true });
}
