import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { GitRepository } from '../../storage/git/git-repository.js';
import { git, putFiles, temporaryRepository } from '../../testing/temporary-folder.js';
import { findOverlaps } from './overlaps.js';
import { findTip } from './tips.js';
import { Work, type Worktree } from './work.js';

const environment = { PATH: process.env['PATH'], HOME: '/nonexistent' };
const lines = (count: number, changed: Record<number, string | null> = {}) =>
  Array.from(
    { length: count },
    (_, at) => changed[at + 1] ?? (changed[at + 1] === null ? '' : `line ${at + 1}\n`),
  ).join('');

/** A repository with `files` and a way to make commits with changed files on top of the first. */
async function aRepository(files: Record<string, string>) {
  const root = temporaryRepository(files);
  const first = git(root, 'rev-parse', 'HEAD').trim();
  const repository = await GitRepository.open(root, environment);
  if (!repository) throw new Error('The repository was not opened.');
  const commit = (changed: Record<string, string | null>) => {
    git(root, 'checkout', '-q', '--detach', first);
    for (const [path, text] of Object.entries(changed))
      if (text === null) rmSync(join(root, path));
      else putFiles(root, { [path]: text });
    git(root, 'add', '-A');
    git(root, 'commit', '-qm', 'changed', '--allow-empty');
    return git(root, 'rev-parse', 'HEAD').trim();
  };
  const other = (conv: string, tree: string, head = first) => ({ conv, title: `The ${conv}`, head, tree });
  return { root, first, repository, commit, other };
}

describe('Other work overlaps', () => {
  it('where both changed the same lines of a file, an insertion being the line before it', async () => {
    const cases: [string, Record<number, string | null>, Record<number, string>, boolean][] = [
      ['the same line', { 3: 'own\n' }, { 3: 'other\n' }, true],
      ['neighbouring lines', { 3: 'own\n' }, { 4: 'other\n' }, false],
      ['a range within a range', { 2: 'own\n', 3: 'own\n', 4: 'own\n' }, { 3: 'other\n' }, true],
      ['ranges that share their end', { 3: 'own\n', 4: 'own\n' }, { 4: 'other\n', 5: 'other\n' }, true],
      ['ranges that share their start', { 4: 'own\n', 5: 'own\n' }, { 3: 'other\n', 4: 'other\n' }, true],
      ['ranges side by side', { 3: 'own\n', 4: 'own\n' }, { 5: 'other\n', 6: 'other\n' }, false],
      ['the second of two places', { 1: 'own\n', 8: 'own\n' }, { 4: 'other\n', 8: 'other\n' }, true],
      ['a line that one removes', { 3: null }, { 3: 'other\n' }, true],
      ['insertions behind one line', { 3: 'line 3\nown\n' }, { 3: 'line 3\nother\n' }, true],
      ['an insertion behind a changed line', { 3: 'line 3\nown\n' }, { 3: 'other\n' }, true],
      ['an insertion before a changed line', { 3: 'line 3\nown\n' }, { 4: 'other\n' }, false],
    ];
    const files = (text: (one: (typeof cases)[number]) => string) =>
      Object.fromEntries(cases.map((one) => [`${one[0]}.txt`, text(one)]));
    const { repository, commit, other } = await aRepository(files(() => lines(9)));
    const tip = commit(files(([, own]) => lines(9, own)));
    const tree = commit(files(([, , theirs]) => lines(9, theirs)));
    const shared = cases.filter(([, , , isShared]) => isShared).map(([name]) => `${name}.txt`);
    expect(await findOverlaps(repository, tip, [other('conv-2', tree)])).toEqual([
      { conv: 'conv-2', title: 'The conv-2', paths: shared.sort() },
    ]);
  });

  it('in binary files and in files that one deletes, and not in different files', async () => {
    const { repository, commit, other } = await aRepository({ 'a.bin': 'a\0a', 'b.txt': 'b\n', 'c.txt': 'c\n' });
    const tip = commit({ 'a.bin': 'b\0b', 'b.txt': 'own\n' });
    const others = [
      other('conv-2', commit({ 'a.bin': 'c\0c' })),
      other('conv-3', commit({ 'b.txt': null, 'c.txt': 'x\n' })),
      other('conv-4', commit({ 'c.txt': 'other\n' })),
      other('conv-5', commit({})),
    ];
    expect(await findOverlaps(repository, tip, others)).toEqual([
      { conv: 'conv-2', title: 'The conv-2', paths: ['a.bin'] },
      { conv: 'conv-3', title: 'The conv-3', paths: ['b.txt'] },
    ]);
  });

  it('are looked for in twenty files of ten others at most', async () => {
    const paths = Array.from({ length: 21 }, (_, at) => `f${String(at).padStart(2, '0')}.txt`);
    const all = (text: string) => Object.fromEntries(paths.map((path) => [path, `${text}\n`]));
    const { repository, commit, other } = await aRepository(all('base'));
    const [tip, tree] = [commit(all('own')), commit({ 'f00.txt': 'other\n' })];
    const many = [
      other('conv-all', commit(all('other'))),
      ...Array.from({ length: 10 }, (_, at) => other(`c${at}`, tree)),
    ];
    const found = await findOverlaps(repository, tip, many);
    expect(found.map(({ conv, paths: shared }) => [conv, shared.length])).toEqual([
      ['conv-all', 20],
      ...Array.from({ length: 9 }, (_, at) => [`c${at}`, 1]),
    ]);
  });

  it('are not looked for in work of another history, and counted since the common commit', async () => {
    const { root, repository, commit, other } = await aRepository({ 'a.txt': lines(9) });
    const tip = commit({ 'a.txt': lines(9, { 3: 'own\n' }) });
    const tree = git(root, 'rev-parse', `${tip}^{tree}`).trim();
    const apart = git(root, 'commit-tree', tree, '-m', 'apart').trim();
    expect(await findOverlaps(repository, tip, [other('conv-2', tree, apart)])).toEqual([]);
    // Both hold the change, which was made before they parted.
    expect(await findOverlaps(repository, tip, [other('conv-3', tip, tip)])).toEqual([]);
  });
});

describe('The work of a conversation', () => {
  const aWork = async (worktree: Partial<Worktree> | undefined) => {
    const { root, first, repository, commit } = await aRepository({ 'a.txt': 'a\n' });
    const work = new Work({
      ...{ root, environment },
      findWorktree: () => worktree && ({ conv: 'conv-1', path: root, provided: [], ...worktree } as Worktree),
    });
    return {
      root,
      first,
      repository,
      commit,
      work,
      findTip: (title: string) => findTip(work, 'conv-1', repository, title),
    };
  };

  it('is its HEAD where nothing else changed, with the first lines of its own commits', async () => {
    const one = await aWork({});
    const head = one.commit({ 'a.txt': 'b\n' });
    git(one.root, 'commit', '-q', '--allow-empty', '-m', 'Second\n\nMore of it.');
    const now = git(one.root, 'rev-parse', 'HEAD').trim();
    const found = await findTip(
      { ...one.work, snapshot: one.work.snapshot.bind(one.work), findWorktree: () => ({ base: one.first }) } as never,
      ...(['conv-1', one.repository, 'Light it'] as const),
    );
    expect(found).toEqual({ commit: now, head: now, subjects: ['- Second', '- changed'], unfiltered: [] });
    expect(now).not.toBe(head);
  });

  it('names the newest twenty of its commits', async () => {
    const one = await aWork({ base: 'HEAD~21' });
    for (let at = 0; at < 21; at += 1) git(one.root, 'commit', '-q', '--allow-empty', '-m', `c${at}`);
    const { subjects } = await one.findTip('x');
    expect([subjects.length, subjects[0], subjects[19]]).toEqual([20, '- c20', '- c1']);
  });

  it.each([[{ base: '0'.repeat(40) }], [undefined]])(
    'names no commits where it is unknown with what it began (%#)',
    async (worktree) => {
      const { findTip: tip } = await aWork(worktree);
      expect((await tip('x')).subjects).toEqual([]);
    },
  );

  it('is else a commit with its files on top, without those that are never committed or were provided', async () => {
    const { root, first, findTip: tip } = await aWork({ base: 'HEAD', provided: ['lent'] });
    putFiles(root, { 'b.txt': 'b\n', '.env': 'KEY=1\n', 'lent/x.txt': 'x\n', 'lent.txt': 'l\n' });
    const { commit, head, subjects } = await tip(' Light\n it \t now ');
    expect([head, subjects]).toEqual([first, []]);
    expect(git(root, 'log', '-1', '--format=%P|%B', commit).trim()).toBe(`${first}|Light it now`);
    expect(git(root, 'ls-tree', '-r', '--name-only', commit).trim().split('\n')).toEqual([
      'a.txt',
      'b.txt',
      'lent.txt',
    ]);
    expect(git(root, 'for-each-ref', '--contains', commit)).toBe('');
  });

  it('is opened in its worktree, and without one in the project folder', async () => {
    const [project, place] = [temporaryRepository({ 'a.txt': 'a\n' }), temporaryRepository({ 'b.txt': 'b\n' })];
    let worktree: Worktree | undefined;
    const work = new Work({ root: project, environment, findWorktree: () => worktree });
    const top = async () => (await (await work.open('conv-1'))?.output(['rev-parse', '--show-toplevel']))?.trim();
    expect(await top()).toBe(project);
    worktree = { path: place } as Worktree;
    expect([await top(), work.findWorktree('conv-1')]).toEqual([place, worktree]);
    expect((await (await work.openAt(project))?.output(['rev-parse', '--show-toplevel']))?.trim()).toBe(project);
    expect(await work.openAt('/nonexistent')).toBeUndefined();
  });
});
