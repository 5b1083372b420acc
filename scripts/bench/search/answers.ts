/**
 * Measures quality and speed of the built-in client's answers: two published packages of different kinds, unpacked from
 * the registry, and questions written from reading them. `dev` questions were seen while the search was tuned,
 * `held-out` ones were written afterwards. A question counts as a hit when one of the first three files cited by its
 * answer is one that answers it. A question that the package does not answer counts as right when it is refused. The
 * peer is a search without an index: it searches for the words of the question and opens the files that contain most of
 * them.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { STOPWORDS } from '../../../daemon/features/knowledge/english.js';
import { mayBeIndexed } from '../../../daemon/features/knowledge/passages/file-worth.js';
import { ProjectIndex } from '../../../daemon/features/knowledge/passages/project-index.js';
import { words } from '../../../daemon/lib/text/words.js';
import { systemClock } from '../../../daemon/lib/time/clock.js';
import { ProjectFiles } from '../../../daemon/storage/project-files.js';
import { median, quantile, report, rounded } from '../measure.js';

const ROUNDS = 5;
const SETS = ['fastify', 'node-gyp'];
const SPLITS = ['dev', 'held-out'] as const;
const environment = { PATH: process.env['PATH'], HOME: process.env['HOME'] };

interface Asked {
  split: (typeof SPLITS)[number];
  text: string;
  /** Files that answer the question; none when the package does not answer it. */
  files: string[];
}

interface Outcome {
  asked: Asked;
  isRight: boolean;
  peerIsRight: boolean;
  citations: number;
  citationsValid: number;
  ms: number;
  peerMs: number;
}

function unpack(name: string, folder: string): string {
  const npm = (args: string[]) =>
    execFileSync('npm', args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  const tarball = (JSON.parse(npm(['pack', name, '--json', '--ignore-scripts'])) as { filename: string }[])[0]
    ?.filename;
  if (tarball === undefined) throw new Error(`npm could not pack ${name}.`);
  const root = join(folder, tarball.replace(/\.tgz$/, ''));
  mkdirSync(root);
  execFileSync('tar', ['xzf', join(folder, tarball), '-C', root, '--strip-components=1']);
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=bench', '-c', 'user.email=bench@example.invalid', ...args], {
      cwd: root,
      stdio: 'ignore',
    });
  git('init', '-q');
  git('add', '-A', '-f');
  git('commit', '-q', '-m', name);
  return root;
}

function freshIndex(root: string, database: string): { index: ProjectIndex; megabytesPerSecond: number } {
  rmSync(database, { force: true });
  const index = new ProjectIndex({ root, database, environment, clock: systemClock });
  const started = performance.now();
  for (const _ of index.scan());
  return { index, megabytesPerSecond: index.status.bytes / 1_000 / (performance.now() - started) };
}

const hasRipgrep = (() => {
  try {
    execFileSync('rg', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

/** Returns the files ordered by how many of the question's words they contain, then by how often. */
function searchByWords(root: string, paths: readonly string[], question: string): string[] {
  const wanted = [...new Set(words(question))].filter((word) => !STOPWORDS.has(word) && word.length > 2);
  const scores = new Map<string, { distinct: number; hits: number }>();
  const add = (path: string, hits: number) => {
    const before = scores.get(path) ?? { distinct: 0, hits: 0 };
    if (hits > 0) scores.set(path, { distinct: before.distinct + 1, hits: before.hits + hits });
  };
  for (const word of hasRipgrep ? wanted : []) {
    let found = '';
    try {
      found = execFileSync('rg', ['-i', '-F', '--count-matches', '--', word, '.'], {
        cwd: root,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      });
    } catch {
      // The word does not occur.
    }
    for (const line of found.split('\n').filter(Boolean))
      add(line.slice(0, line.lastIndexOf(':')).replace(/^\.\//, ''), Number(line.slice(line.lastIndexOf(':') + 1)));
  }
  for (const path of hasRipgrep ? [] : paths) {
    const text = readFileSync(join(root, path), 'utf8').toLowerCase();
    for (const word of wanted) add(path, text.split(word).length - 1);
  }
  return [...scores]
    .sort(([a, x], [b, y]) => y.distinct - x.distinct || y.hits - x.hits || (a < b ? -1 : 1))
    .map(([path]) => path);
}

function ask(index: ProjectIndex, root: string, paths: readonly string[], asked: Asked): Outcome {
  // Asked only once: a second time would be answered from data that the first has read.
  const started = performance.now();
  const answer = index.answer({ text: asked.text });
  const ms = performance.now() - started;
  const peerStarted = performance.now();
  const peer = searchByWords(root, paths, asked.text).slice(0, 3);
  const peerMs = performance.now() - peerStarted;
  const cited = [...new Set(answer.citations.map((citation) => citation.path))].slice(0, 3);
  const answers = (files: readonly string[]) =>
    asked.files.length === 0 ? files.length === 0 : files.some((path) => asked.files.includes(path));
  return {
    asked,
    isRight: answers(cited),
    peerIsRight: answers(peer),
    citations: answer.citations.length,
    citationsValid: index.check(answer.citations).filter((citation) => citation.status === 'checked').length,
    ms,
    peerMs,
  };
}

const folder = mkdtempSync(join(tmpdir(), 'meshd-bench-'));
const outcomes: Outcome[] = [];
const speeds: number[] = [];
try {
  for (const set of SETS) {
    const { package: name, questions } = JSON.parse(
      readFileSync(new URL(`./questions/${set}.json`, import.meta.url), 'utf8'),
    ) as {
      package: string;
      questions: Asked[];
    };
    const root = unpack(name, folder);
    const database = join(folder, `${set}.db`);
    // The first round warms up the file cache and the code; it is not counted.
    for (let round = 0; round <= ROUNDS; round += 1) {
      const { index, megabytesPerSecond } = freshIndex(root, database);
      if (round > 0) speeds.push(megabytesPerSecond);
      index.close();
    }
    const { index } = freshIndex(root, database);
    const paths = new ProjectFiles(root, environment, mayBeIndexed).list().files.map((file) => file.path);
    for (const asked of questions) {
      for (const file of asked.files)
        if (!paths.includes(file)) throw new Error(`${name} has no ${file}: "${asked.text}"`);
      const outcome = ask(index, root, paths, asked);
      outcomes.push(outcome);
      if (!outcome.isRight)
        console.error(`${set} (${asked.split}) ${asked.files.length > 0 ? 'not hit' : 'not refused'}: ${asked.text}`);
    }
    index.close();
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

const share = (all: readonly Outcome[], isRight: (outcome: Outcome) => boolean) =>
  rounded(all.filter(isRight).length / all.length, 3);
const peerName = hasRipgrep ? 'ripgrep by words' : 'plain search by words';
const bench = 'answers';
const GOALS = { hit: 0.8, refused: 0.85 };

for (const [kind, goal, isOf] of [
  ['hit in the first three files', GOALS.hit, (outcome: Outcome) => outcome.asked.files.length > 0],
  ['refused when not answerable', GOALS.refused, (outcome: Outcome) => outcome.asked.files.length === 0],
] as const) {
  const all = outcomes.filter(isOf);
  for (const [label, some] of [
    ['all', all] as const,
    ...SPLITS.map((split) => [split, all.filter((one) => one.asked.split === split)] as const),
  ]) {
    const ours = share(some, (outcome) => outcome.isRight);
    const peer = share(some, (outcome) => outcome.peerIsRight);
    report({
      bench,
      measure: `${kind}, ${label} (${some.length})`,
      unit: '',
      ours,
      peer: { name: peerName, value: peer },
      ...(peer > 0 ? { ratio: rounded(ours / peer, 2) } : {}),
      rounds: 1,
      ...(label === 'all' ? { goal: `>= ${goal}, and above the peer`, pass: ours >= goal && ours > peer } : {}),
    });
  }
}
const total = outcomes.reduce((sum, outcome) => sum + outcome.citations, 0);
const valid = outcomes.reduce((sum, outcome) => sum + outcome.citationsValid, 0);
report({
  bench,
  measure: `citations that stand (${total})`,
  unit: '',
  ours: rounded(valid / total, 4),
  rounds: 1,
  goal: '1',
  pass: valid === total && total > 0,
});
const times = outcomes.map((outcome) => outcome.ms);
const p50 = median(times);
report({
  bench,
  measure: 'time of an answer, p50',
  unit: 'ms',
  ours: rounded(p50),
  peer: { name: peerName, value: rounded(median(outcomes.map((outcome) => outcome.peerMs))) },
  rounds: 1,
  goal: '< 60 ms',
  pass: p50 < 60,
});
report({
  bench,
  measure: 'time of an answer, p95',
  unit: 'ms',
  ours: rounded(quantile(times, 0.95)),
  rounds: 1,
});
const speed = median(speeds);
report({
  bench,
  measure: 'reading into the index',
  unit: 'MB/s',
  ours: rounded(speed),
  min: rounded(Math.min(...speeds)),
  max: rounded(Math.max(...speeds)),
  rounds: speeds.length,
  goal: '>= 10 MB/s',
  pass: speed >= 10,
});
