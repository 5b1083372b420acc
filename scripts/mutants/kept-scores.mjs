import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const FILE = 'scripts/mutants/scores.json';
const SOURCE = /(?<!\.test|\.d)\.ts$/;

/** Goals in percent. Faults in these areas lose money, secrets or data. */
const GOAL = 85;
const HIGH_GOAL = 95;
const HIGH = [
  'daemon/http',
  'daemon/storage',
  ...['exposure', 'payments', 'chains'].map((one) => `daemon/features/${one}`),
];

const isWithin = (folder, parent) => folder === parent || folder.startsWith(`${parent}/`);

/** Returns the score that a folder should reach, in percent. */
export const goalOf = (folder) => (HIGH.some((parent) => isWithin(folder, parent)) ? HIGH_GOAL : GOAL);

/** Returns the product sources in a folder and its sub folders, relative to `root`, in order. */
export function listSources(root, folder) {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => SOURCE.test(name))
    .map((name) => join(folder, name).replaceAll('\\', '/'))
    .sort();
}

/** Returns the digest of the names and contents of a folder's sources; undefined when the folder is gone. */
export function digestOf(root, folder) {
  let sources;
  try {
    sources = listSources(root, folder);
  } catch {
    return undefined;
  }
  const hash = createHash('sha256');
  for (const source of sources)
    hash
      .update(`${source}\0`)
      .update(readFileSync(join(root, source)))
      .update('\0');
  return hash.digest('hex').slice(0, 16);
}

/** Returns the kept scores. */
export function readScores(root) {
  return JSON.parse(readFileSync(join(root, FILE), 'utf8'));
}

/** Keeps the score of a folder in place of its earlier one. */
export function keepScore(root, score) {
  const others = readScores(root).filter(({ folder }) => folder !== score.folder);
  const scores = [...others, score].sort((a, b) => (a.folder < b.folder ? -1 : 1));
  // A list of texts on one line, as the formatter has it.
  const text = JSON.stringify(scores, null, 2).replace(
    /\[\s+("[^\]]*")\s+\]/g,
    (_, list) => `[${list.replace(/\s+/g, ' ')}]`,
  );
  writeFileSync(join(root, FILE), `${text}\n`);
}

/** Returns a note for each measured folder whose sources have changed since, and for each that misses its goal. */
export function listNotes(root) {
  return readScores(root).flatMap(({ folder, score, digest }) => {
    const now = digestOf(root, folder);
    if (now === undefined) return [`${folder} is gone: remove its score from ${FILE}.`];
    if (now !== digest)
      return [`${folder} has changed since its mutants were measured (${score} %): npm run mutants -- ${folder}`];
    const goal = goalOf(folder);
    return score < goal ? [`${folder} kills ${score} % of its mutants; the goal is ${goal} %.`] : [];
  });
}
