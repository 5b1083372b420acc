import { expect, it, vi } from 'vitest';
import { git, putFiles, temporaryFolder, temporaryRepository } from '../../testing/temporary-folder.js';
import { GitRepository } from './git-repository.js';
import * as merge from './merge-commits.js';

const open = async (root: string) => {
  const repository = await GitRepository.open(root, { PATH: process.env['PATH'], HOME: '/nonexistent' });
  if (!repository) throw new Error('The repository was not opened.');
  return repository;
};

const ANNA = { name: 'Anna', email: 'anna@example.invalid' };
const BO = { name: 'Bo', email: 'bo@example.invalid' };

function commit(root: string, files: Record<string, string>, message: string): string {
  putFiles(root, files);
  git(root, 'add', '-A');
  git(root, 'commit', '-qm', message);
  return git(root, 'rev-parse', 'HEAD').trim();
}

/** Two branches of one commit, each with the files of its own commits. */
function twoSides(ours: Record<string, string>, ...theirs: Record<string, string>[]) {
  const root = temporaryRepository({ 'a.txt': 'a\n', 'b.txt': 'b\n', 'c.txt': 'c\n' });
  git(root, 'switch', '-qc', 'theirs');
  const tips = theirs.map((files, at) => commit(root, files, `theirs ${at}`));
  git(root, 'switch', '-q', 'main');
  return { root, ours: commit(root, ours, 'ours'), tips, theirs: tips.at(-1) ?? '' };
}

const list = (root: string, from: string, format: string) =>
  git(root, 'log', '--reverse', `--format=${format}`, from).trim().split('\n');
const text = (root: string, commitOrTree: string, path: string) => git(root, 'show', `${commitOrTree}:${path}`);

/** A repository whose git answers each command with this. */
const answering = (stdout: string, code: number | null = 0) =>
  ({ run: async () => ({ code, stdout, stderr: '' }) }) as unknown as GitRepository;

it.each([
  ['git version 2.37.7', false],
  ['git version 2.38.0', true],
  ['git version 2.100.0.windows.1', true],
  ['git version 1.99.0', false],
  ['git version 3.0.0', true],
  ['git version 12.3.0', true],
  ['', false],
  ['no git at all', false],
])('merges without files need git 2.38 or later: %j', async (version, isEnough) => {
  expect(await merge.canMergeTrees(answering(version))).toBe(isEnough);
});

it('asks the installed git for its version', async () => {
  expect(await merge.canMergeTrees(await open(temporaryRepository({ a: 'a' })))).toBe(true);
});

it('the identity is the user’s, and each missing part meshd’s own', async () => {
  const root = temporaryRepository({ a: 'a' });
  expect(merge.getIdentity(await open(root))).toEqual({ name: 'meshd', email: 'meshd@localhost' });
  git(root, 'config', 'user.name', 'Anna');
  expect(merge.getIdentity(await open(root))).toEqual({ name: 'Anna', email: 'meshd@localhost' });
  git(root, 'config', 'user.email', 'anna@example.invalid');
  expect(merge.getIdentity(await open(root))).toEqual(ANNA);
});

it('makes a commit of a tree with its parents, its author, its date and its message', async () => {
  const { root, ours, theirs } = twoSides({ 'a.txt': 'A\n' }, { 'b.txt': 'B\n' });
  const repository = await open(root);
  const tree = await merge.treeOf(repository, ours);
  expect(text(root, tree, 'a.txt')).toBe('A\n');
  const message = 'A subject\n\n# a line of the body\n';
  const author = { ...ANNA, date: '2001-02-03T04:05:06+02:00' };
  const made = await merge.commitTree(repository, tree, [ours, theirs], message, author, BO);
  const format = '--format=%T %P%n%an %ae %aI%n%cn %ce%n%B';
  expect(git(root, 'show', '-s', format, made)).toBe(
    `${tree} ${ours} ${theirs}\nAnna anna@example.invalid ${author.date}\nBo bo@example.invalid\n${message}\n`,
  );
  const first = await merge.commitTree(repository, tree, [], 'first', ANNA);
  expect(git(root, 'show', '-s', '--format=%P%an %ae %cn %ce', first).trim()).toBe(
    'Anna anna@example.invalid Anna anna@example.invalid',
  );
  expect(Math.abs(Date.now() - Number(git(root, 'show', '-s', '--format=%at', first)) * 1000)).toBeLessThan(600_000);
});

it('tells a commit’s ancestors from others', async () => {
  const { root, ours, tips } = twoSides({ 'a.txt': 'A\n' }, { 'b.txt': 'B\n' }, { 'c.txt': 'C\n' });
  const repository = await open(root);
  const [older, newer] = tips as [string, string];
  expect(await merge.isAncestor(repository, older, newer)).toBe(true);
  expect(await merge.isAncestor(repository, newer, older)).toBe(false);
  expect(await merge.isAncestor(repository, ours, newer)).toBe(false);
});

it('merges two commits to a tree and touches neither files nor references', async () => {
  const { root, ours, theirs } = twoSides({ 'a.txt': 'A\n' }, { 'b.txt': 'B\n' });
  const before = git(root, 'for-each-ref');
  const merged = await merge.mergeTrees(await open(root), ours, theirs);
  if (!('tree' in merged)) throw new Error('There are conflicts.');
  expect([text(root, merged.tree, 'a.txt'), text(root, merged.tree, 'b.txt')]).toEqual(['A\n', 'B\n']);
  expect([git(root, 'status', '--porcelain'), git(root, 'for-each-ref')]).toEqual(['', before]);
});

it('names each file in which both sides changed the same place once, in order', async () => {
  const ours = { 'c.txt': 'C\n', 'a.txt': 'A\n', 'b.txt': 'same\n' };
  const { root, ours: ourTip, theirs } = twoSides(ours, { 'c.txt': 'X\n', 'a.txt': 'X\n', 'b.txt': 'same\n' });
  expect(await merge.mergeTrees(await open(root), ourTip, theirs)).toEqual({ conflicts: ['a.txt', 'c.txt'] });
  const listed = answering('tree\0z.txt\0y.txt\0z.txt\0\0', 1);
  expect(await merge.mergeTrees(listed, ourTip, theirs)).toEqual({ conflicts: ['y.txt', 'z.txt'] });
});

it('does not merge commits without common history, and says what git says', async () => {
  const { root, ours } = twoSides({ 'a.txt': 'A\n' });
  const repository = await open(root);
  const other = await merge.commitTree(repository, await merge.treeOf(repository, ours), [], 'other', ANNA);
  await expect(merge.mergeTrees(repository, ours, other)).rejects.toThrow(
    /^git merge-tree failed: .*unrelated histories$/,
  );
  await expect(merge.mergeTrees(answering('', null), ours, other)).rejects.toThrow(
    'git merge-tree failed: it was stopped',
  );
});

it('applies the commits of one side onto the other in order, with their authors, dates and messages', async () => {
  const { root, ours, tips, theirs } = twoSides({ 'a.txt': 'A\n' }, { 'b.txt': 'B\n' }, { 'c.txt': 'C\n' });
  const body = 'A subject\n\nFirst line\n\nLast line';
  const repository = await open(root);
  const author = { ...ANNA, date: '2001-02-03T04:05:06+02:00' };
  const tip = await merge.commitTree(repository, await merge.treeOf(repository, theirs), [tips[0] ?? ''], body, author);
  const rebased = await merge.rebaseCommits(repository, ours, tip, BO);
  if (!('commit' in rebased)) throw new Error('It was not rebased.');
  expect(list(root, `${ours}..${rebased.commit}`, '%s %an %cn')).toEqual(['theirs 0 Test Bo', 'A subject Anna Bo']);
  expect(git(root, 'show', '-s', '--format=%ae %aI%n%B', rebased.commit).trim()).toBe(
    `${ANNA.email} ${author.date}\n${body}`,
  );
  const held = ['a.txt', 'b.txt', 'c.txt'].map((path) => text(root, rebased.commit, path));
  expect(held).toEqual(['A\n', 'B\n', 'C\n']);
  expect(git(root, 'rev-parse', 'main').trim()).toBe(ours);
});

it('leaves out what the other side already has, and ends at the commit that does not apply', async () => {
  const { root, ours, tips, theirs } = twoSides(
    { 'a.txt': 'A\n', 'c.txt': 'ours\n' },
    { 'a.txt': 'A\n' },
    { 'b.txt': 'B\n' },
    { 'c.txt': 'theirs\n' },
  );
  const repository = await open(root);
  const clean = await merge.rebaseCommits(repository, ours, tips[1] ?? '', BO);
  if (!('commit' in clean)) throw new Error('It was not rebased.');
  expect(list(root, `${ours}..${clean.commit}`, '%s')).toEqual(['theirs 1']);
  expect(await merge.rebaseCommits(repository, ours, theirs, BO)).toEqual({ conflicts: ['c.txt'] });
  expect(await merge.rebaseCommits(repository, ours, ours, BO)).toEqual({ commit: ours });
});

it('does not apply merges', async () => {
  const { root, ours } = twoSides({ 'a.txt': 'A\n' }, { 'b.txt': 'B\n' });
  git(root, 'switch', '-q', 'theirs');
  git(root, 'merge', '-q', '-m', 'merge', 'main');
  commit(root, { 'd.txt': 'd\n' }, 'after the merge');
  const repository = await open(root);
  expect(await merge.rebaseCommits(repository, ours, 'theirs', BO)).toEqual({
    problem: 'There are merges among the commits.',
  });
});

it('applies at most 50 commits', async () => {
  const root = temporaryFolder();
  git(root, 'init', '-q', '-b', 'main');
  const repository = await open(root);
  const who = 'committer T <t@example.invalid> 1000000000 +0000';
  const line = (at: number) => `M 100644 inline a.txt\ndata 3\n${String(at).padStart(3, '0')}\n`;
  const chain = Array.from({ length: 52 }, (_, at) => `commit refs/heads/main\n${who}\ndata 1\nx\n${line(at)}`);
  const own = `reset refs/heads/own\nfrom refs/heads/main~51\n\ncommit refs/heads/own\n${who}\ndata 1\no\n${line(900)}`;
  await repository.output(['fast-import', '--quiet'], { input: `${chain.join('\n')}\n` });
  await repository.output(['fast-import', '--quiet'], { input: `${own}\n` });
  // All of them conflict, so that the first one that is applied ends it.
  expect(await merge.rebaseCommits(repository, 'own', 'main~1', BO)).toEqual({ conflicts: ['a.txt'] });
  expect(await merge.rebaseCommits(repository, 'own', 'main', BO)).toEqual({
    problem: 'There are more than 50 commits.',
  });
});

it('makes commits of its own for each step, which are meshd’s and named after what they are for', async () => {
  const { root, ours, theirs } = twoSides({ 'a.txt': 'A\n' }, { 'b.txt': 'B\n' });
  const before = new Set(git(root, 'cat-file', '--batch-all-objects', '--batch-check').split('\n'));
  await merge.rebaseCommits(await open(root), ours, theirs, BO);
  const made = git(root, 'cat-file', '--batch-all-objects', '--batch-check').split('\n');
  const hashes = made
    .filter((line) => !before.has(line) && line.includes(' commit '))
    .map((line) => line.split(' ')[0]);
  const shown = hashes.map((hash) => git(root, 'show', '-s', '--format=%s: %an %ae, %cn %ce', String(hash)).trim());
  const own = (name: string) => `${name}: meshd meshd@localhost, meshd meshd@localhost`;
  const result = 'theirs 0: Test test@example.invalid, Bo bo@example.invalid';
  expect(shown.sort()).toEqual([own('base'), own('ours'), result, own('theirs')]);
});

it('gives git two minutes for a merge, because repositories can be large', async () => {
  const { root, ours, theirs } = twoSides({ 'a.txt': 'A\n' }, { 'b.txt': 'B\n' });
  const repository = await open(root);
  const run = vi.spyOn(repository, 'run');
  await merge.mergeTrees(repository, ours, theirs);
  expect(run.mock.calls.map(([, options]) => options?.timeoutMs)).toEqual([120_000]);
});
