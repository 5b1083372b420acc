import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { git, pathWithGit, putFiles, temporaryFolder, temporaryRepository } from '../../testing/temporary-folder.js';
import { type Blame, blameFile } from './git-blame.js';

const environment = { PATH: process.env['PATH'] };

/** One, two and four are of the first commit, three of the second. */
function aRepository(): string {
  const root = temporaryRepository({ 'src/lamp.ts': 'one\ntwo\nfour\n' });
  putFiles(root, { 'src/lamp.ts': 'one\ntwo\nthree\nfour\n' });
  git(root, 'commit', '-qam', 'author of three');
  return root;
}

const blame = (root: string, path = 'src/lamp.ts', to = 4) => blameFile(root, environment, { path, from: 1, to });

function bySubject(found: Blame): string[] {
  if (found.state !== 'blamed') return [found.state];
  return found.lines.map(({ start, end, commit }) => {
    const known = found.commits.find(({ hash }) => hash === commit);
    return `${start}-${end} ${known === undefined ? 'not committed' : `${known.author}: ${known.subject}`}`;
  });
}

it('names the commit of each run of lines', async () => {
  const found = await blame(aRepository());
  expect(bySubject(found)).toEqual(['1-2 Test: first', '3-3 Test: author of three', '4-4 Test: first']);
  expect(found.state === 'blamed' && found.commits.every(({ at }) => at > Date.UTC(2000, 0))).toBe(true);
});

it('follows lines over insertions, changes and removals that are not committed', async () => {
  const root = aRepository();
  putFiles(root, { 'src/lamp.ts': 'zero\none\nthree\nFOUR\n' });
  expect(bySubject(await blame(root))).toEqual([
    '1-1 not committed',
    '2-2 Test: first',
    '3-3 Test: author of three',
    '4-4 not committed',
  ]);
  putFiles(root, { 'src/lamp.ts': 'new\n' });
  expect(bySubject(await blame(root, 'src/lamp.ts', 1))).toEqual(['1-1 not committed']);
});

it('does not know who changed the lines that are older than a shallow clone', async () => {
  const origin = aRepository();
  const root = join(temporaryFolder(), 'clone');
  git(origin, 'clone', '-q', '--depth', '1', `file://${origin}`, root);
  const unknown = { start: 1, end: 4, commit: null, isUnknown: true };
  expect(await blame(root)).toEqual({ state: 'blamed', commits: [], lines: [unknown] });
  putFiles(root, { 'src/lamp.ts': 'one\ntwo\nTHREE\nfour\n' });
  git(root, 'commit', '-qam', 'THREE');
  putFiles(root, { 'src/lamp.ts': 'ONE\ntwo\nTHREE\nfour\n' });
  const found = await blame(root);
  expect(bySubject(found)).toEqual(['1-1 not committed', '2-2 not committed', '3-3 Test: THREE', '4-4 not committed']);
  expect(found.state === 'blamed' && found.lines.map(({ isUnknown }) => isUnknown)).toEqual([
    undefined,
    true,
    undefined,
    true,
  ]);
  expect(found.state === 'blamed' && found.commits.map(({ subject }) => subject)).toEqual(['THREE']);
});

it('says when there is no commit of the file, or no repository', async () => {
  const root = aRepository();
  putFiles(root, { 'new.ts': 'a\n' });
  expect(bySubject(await blame(root, 'new.ts', 1))).toEqual(['not_in_head']);
  expect(bySubject(await blame(root, 'src/*.ts', 1))).toEqual(['not_in_head']);
  expect(bySubject(await blame(temporaryFolder({ 'src/lamp.ts': 'one\n' })))).toEqual(['no_repository']);
});

it('runs no program of the repository', async () => {
  const root = aRepository();
  git(root, 'config', 'diff.evil.textconv', 'touch ran; cat');
  git(root, 'config', 'filter.evil.clean', 'touch ran; cat');
  putFiles(root, { '.gitattributes': '* diff=evil filter=evil\n', 'src/lamp.ts': 'one\ntwo\nthree\nfive\n' });
  expect(bySubject(await blame(root))).toEqual(['1-2 Test: first', '3-3 Test: author of three', '4-4 not committed']);
  expect(existsSync(join(root, 'ran'))).toBe(false);
});

it('follows every line over many changes, in the lines that are asked for', async () => {
  const old = Array.from({ length: 20 }, (_, at) => `line ${at + 1}`);
  const root = temporaryRepository({ 'a.txt': `${old.join('\n')}\n` });
  putFiles(root, { 'a.txt': `${old.map((line, at) => (at % 2 ? `${line} of two` : line)).join('\n')}\n` });
  git(root, 'commit', '-qam', 'two');
  // Two removed at the beginning, two for three, one inserted, one changed, one removed, two added.
  const now = [...[3, 4, 0, 0, 8, 9, 10, 0, 11, 12, 0, 14, 15, 16, 18, 19, 20, 0, 0]];
  const text = now.map((line) => (line === 0 ? 'new' : `line ${line}${line % 2 ? '' : ' of two'}`));
  putFiles(root, { 'a.txt': `${text.join('\n')}\n` });
  const expected = (from: number, to: number) =>
    now.slice(from - 1, to).map((line) => (line === 0 ? null : line % 2 ? 'first' : 'two'));
  for (const [from, to] of [
    [1, 19],
    [3, 4],
    [4, 9],
    [9, 13],
    [13, 16],
    [17, 19],
  ] as const) {
    const found = await blameFile(root, environment, { path: 'a.txt', from, to });
    if (found.state !== 'blamed') throw new Error(found.state);
    const subjects = new Map(found.commits.map(({ hash, subject }) => [hash, subject]));
    const lines = found.lines.flatMap(({ start, end, commit }) =>
      Array.from({ length: end - start + 1 }, (_, at) => [start + at, subjects.get(commit ?? '') ?? null] as const),
    );
    expect(lines).toEqual(expected(from, to).map((subject, at) => [from + at, subject]));
  }
});

it('says of a commit who made it, when and what for, whatever its text is', async () => {
  const root = temporaryRepository({ 'a.txt': '\tauthor Nobody\nsummary none\n' });
  const [hash = '', seconds] = git(root, 'log', '-1', '--format=%H %ct').trim().split(' ');
  const found = await blameFile(root, environment, { path: 'a.txt', from: 1, to: 2 });
  const commits = [{ hash, at: Number(seconds) * 1000, author: 'Test', subject: 'first' }];
  expect(found).toEqual({ state: 'blamed', commits, lines: [{ start: 1, end: 2, commit: hash }] });
});

it('follows the list of commits to ignore, and has no answer where git has none', async () => {
  const root = aRepository();
  git(root, 'config', 'blame.ignoreRevsFile', join(root, 'ignored'));
  expect(await blame(root)).toEqual({ state: 'unavailable' });
  putFiles(root, { ignored: '', 'src/lamp.ts': 'other\n' });
  expect(bySubject(await blame(root, 'src/lamp.ts', 1))).toEqual(['1-1 not committed']);
  putFiles(root, { '.git/index': 'damaged' });
  expect(await blame(root)).toEqual({ state: 'unavailable' });
});

it.each([
  ['looks for the file', 'cat-file', 'kill -9 $$', 'unavailable'],
  ['looks for the file, with an answer', 'cat-file', 'exit 1', 'not_in_head'],
  ['compares it', 'diff', 'exit 1', 'unavailable'],
  ['looks for its lines', 'blame', 'exit 1', 'unavailable'],
])('tells a git that ends when it %s from a file that is not committed', async (_, command, end, state) => {
  const root = aRepository();
  const PATH = pathWithGit(`case " $* " in *" ${command} "*) ${end};; esac\nreal "$@"`);
  expect(await blameFile(root, { PATH }, { path: 'src/lamp.ts', from: 1, to: 4 })).toEqual({ state });
});

it('follows lines over long changes, and takes no text of a file for a change', async () => {
  const old = Array.from({ length: 30 }, (_, at) => `line ${at + 1}`);
  const root = temporaryRepository({ 'a.txt': `${old.join('\n')}\n` });
  const added = Array.from({ length: 11 }, (_, at) => `x @@ -1,9 +${at + 1} @@`);
  putFiles(root, { 'a.txt': `${['line 1', ...added, ...old.slice(13)].join('\n')}\n` });
  const found = await blameFile(root, environment, { path: 'a.txt', from: 1, to: 29 });
  expect(bySubject(found)).toEqual(['1-1 Test: first', '2-12 not committed', '13-29 Test: first']);
});

it('names commits of repositories with longer hashes', async () => {
  const root = temporaryFolder({ 'a.txt': 'a\n\n' });
  git(root, 'init', '-q', '--object-format=sha256');
  git(root, 'add', '-A');
  git(root, 'commit', '-qm', 'first');
  const found = await blame(root, 'a.txt', 2);
  expect(bySubject(found)).toEqual(['1-2 Test: first']);
  expect(found.state === 'blamed' && found.commits.map(({ hash }) => hash)).toEqual([
    git(root, 'rev-parse', 'HEAD').trim(),
  ]);
});
