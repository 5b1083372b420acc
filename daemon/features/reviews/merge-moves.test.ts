import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { Database } from '../../storage/database/database.js';
import { Transactions } from '../../storage/database/transaction.js';
import { GitRepository } from '../../storage/git/git-repository.js';
import { snapshotTree } from '../../storage/git/snapshot.js';
import { putTemplateDatabase } from '../../testing/template-database.js';
import { git, putFiles, temporaryFolder, temporaryRepository } from '../../testing/temporary-folder.js';
import { MERGE_STEPS, MergeMoves, type MergeStep } from './merge-moves.js';
import { MergeMovesStore } from './merge-moves-store.js';

const LONG = 'a line of a file that is written\n'.repeat(200);
const environment = { PATH: process.env['PATH'], HOME: '/nonexistent' };

/** A project on `main` with a worktree whose HEAD is `tip`, and what its squashed merge into `main` is. */
function mergeable() {
  const root = temporaryRepository({ 'a.txt': 'a\n', 'b.txt': 'b\n', 'old/gone.txt': 'g\n', 'own.txt': 'o\n' });
  const worktree = join(temporaryFolder(), 'place');
  git(root, 'worktree', 'add', '-q', '--detach', worktree);
  putFiles(worktree, { 'a.txt': LONG, 'new/b.txt': 'n\n' });
  rmSync(join(worktree, 'old/gone.txt'));
  git(worktree, 'add', '-A');
  git(worktree, 'commit', '-qm', 'work');
  const tip = git(worktree, 'rev-parse', 'HEAD').trim();
  putFiles(root, { 'b.txt': 'user\n' });
  git(root, 'commit', '-qam', 'user');
  const before = git(root, 'rev-parse', 'HEAD').trim();
  const tree = git(root, 'merge-tree', '--write-tree', before, tip).trim();
  const after = git(root, 'commit-tree', tree, '-p', before, '-m', 'merged').trim();
  // What the user has staged and changed elsewhere stays.
  putFiles(root, { 'own.txt': 'staged\n' });
  git(root, 'add', 'own.txt');
  putFiles(root, { 'own.txt': 'staged and changed\n' });
  const database = new Database(putTemplateDatabase(join(temporaryFolder(), 'mesh.db')));
  onTestFinished(() => database.close());
  const store = new MergeMovesStore(database);
  const bases: string[] = [];
  const failed: unknown[] = [];
  const reported: string[] = [];
  /** A process that stops for ever after `last`. Resolves then, or when it has ended. */
  const moves = (last?: MergeStep, reached?: () => void) =>
    new MergeMoves({
      ...{ transactions: new Transactions(database), store },
      openAt: (folder) => GitRepository.open(folder, environment),
      moveBase: (_transaction, _conv, commit) => void bases.push(commit),
      onFailed(error, message) {
        failed.push(error);
        reported.push(message);
      },
      async after(step) {
        if (step !== last) return;
        reached?.();
        await new Promise(() => undefined);
      },
    });
  const given = {
    ...{ conv: 'conv-1', branch: 'main', before_commit: before, after_commit: after, place: root, worktree },
    ...{ tip, head: tip, lock_name: 'meshd test' },
  };
  const killAfter = (step: MergeStep) =>
    new Promise<void>((resolve, reject) => void moves(step, resolve).run(given).then(resolve, reject));
  return { root, worktree, before, after, tip, store, bases, failed, reported, moves, given, killAfter };
}
type Mergeable = ReturnType<typeof mergeable>;

const at = ({ root }: Mergeable) => git(root, 'rev-parse', 'main').trim();
const text = (folder: string, path: string) => readFileSync(join(folder, path), 'utf8');

/** Checks that branch, files and indexes are those of the old or of the new commit, and nothing is left over. */
function expectWhole(one: Mergeable, commit: string): void {
  const { root, worktree, before, tip, store, failed } = one;
  expect([at(one), failed, store.list()]).toEqual([commit, [], []]);
  const status = (folder: string) => git(folder, 'status', '--porcelain');
  expect([status(root), status(worktree)]).toEqual(['MM own.txt\n', '']);
  expect([text(root, 'own.txt'), git(root, 'show', ':own.txt')]).toEqual(['staged and changed\n', 'staged\n']);
  expect(git(worktree, 'rev-parse', 'HEAD').trim()).toBe(commit === before ? tip : commit);
  expect(existsSync(join(root, 'old'))).toBe(commit === before);
  expect(text(worktree, 'b.txt')).toBe(commit === before ? 'b\n' : 'user\n');
  git(root, 'fsck', '--strict');
  expect(readdirSync(join(root, '.git')).filter((name) => /lock|meshd/.test(name))).toEqual([]);
}

it.each(MERGE_STEPS)(
  'a process that was killed after the step %s leaves what the next one finishes or drops',
  async (step) => {
    const one = mergeable();
    await one.killAfter(step);
    await one.moves().start();
    expectWhole(one, step === 'locked' ? one.before : one.after);
    expect(one.bases).toEqual(step === 'locked' ? [] : [one.after]);
    await one.moves().start();
    expectWhole(one, step === 'locked' ? one.before : one.after);
  },
);

it('a file that was being written is written whole; one that the user changed since stays', async () => {
  const one = mergeable();
  await one.killAfter('moving');
  writeFileSync(join(one.root, 'a.txt'), LONG.slice(0, 1000));
  putFiles(one.root, { 'new/b.txt': 'of the user, since\n' });
  await one.moves().start();
  expect([text(one.root, 'a.txt'), text(one.root, 'new/b.txt')]).toEqual([LONG, 'of the user, since\n']);
  expect(git(one.root, 'status', '--porcelain')).toBe(' M new/b.txt\nMM own.txt\n');
  expect([at(one), one.store.list()]).toEqual([one.after, []]);
});

it('a branch that moved meanwhile is left alone, and the lock is given back', async () => {
  const one = mergeable();
  await one.killAfter('moving');
  rmSync(join(one.root, '.git/index.lock'));
  git(one.root, 'commit', '-q', '--allow-empty', '-m', 'meanwhile');
  const now = at(one);
  await one.moves().start();
  expect([at(one), one.store.list(), existsSync(join(one.root, '.git/index.lock'))]).toEqual([now, [], false]);
});

it('a lock of another git is not taken away, and the merge is finished later', async () => {
  const one = mergeable();
  await one.killAfter('files');
  writeFileSync(join(one.root, '.git/index.lock'), 'of another');
  await one.moves().start();
  expect([one.failed.length, text(join(one.root, '.git'), 'index.lock')]).toEqual([1, 'of another']);
  rmSync(join(one.root, '.git/index.lock'));
  one.failed.length = 0;
  await one.moves().finish('conv-1');
  expectWhole(one, one.after);
});

it('what failed because the branch moved is taken back', async () => {
  const one = mergeable();
  const index = readFileSync(join(one.root, '.git/index'));
  const other = git(one.root, 'commit-tree', `${one.before}^{tree}`, '-p', one.before, '-m', 'other').trim();
  const moves = new MergeMoves({
    ...Reflect.get(one.moves(), 'parts'),
    async after(step: MergeStep) {
      if (step === 'files') git(one.root, 'update-ref', 'refs/heads/main', other);
    },
  });
  await expect(moves.run(one.given)).rejects.toMatchObject({ code: 'file_changed' });
  expect([at(one), text(one.root, 'a.txt'), existsSync(join(one.root, 'new'))]).toEqual([other, 'a\n', false]);
  expect(readFileSync(join(one.root, '.git/index')).equals(index)).toBe(true);
  expect([one.store.list(), existsSync(join(one.root, '.git/index.lock'))]).toEqual([[], false]);
});

it('files that changed in the worktree since the merge stay changed there', async () => {
  const one = mergeable();
  await one.killAfter('unlocked');
  putFiles(one.worktree, { 'b.txt': 'of the agent, since\n', 'more.txt': 'm\n' });
  await one.moves().start();
  expect(git(one.worktree, 'status', '--porcelain')).toBe(' M b.txt\n?? more.txt\n');
  expect(text(one.worktree, 'b.txt')).toBe('of the agent, since\n');
});

it('a sparse worktree stays sparse, and nothing that it leaves out counts as deleted', async () => {
  const one = mergeable();
  const { worktree, after, moves, given, failed } = one;
  git(worktree, 'sparse-checkout', 'set', '--no-cone', '/*', '!/b.txt', '!/own.txt');
  await moves().run(given);
  const isThere = ['a.txt', 'b.txt', 'own.txt'].map((path) => existsSync(join(worktree, path)));
  expect([at(one), failed, isThere]).toEqual([after, [], [true, false, false]]);
  expect(git(worktree, 'ls-files', '-v')).toBe('H a.txt\nS b.txt\nH new/b.txt\nS own.txt\n');
  expect([git(worktree, 'status', '--porcelain'), git(worktree, 'show', ':b.txt')]).toEqual(['', 'user\n']);
  const repository = await GitRepository.open(worktree, environment);
  const options = { index: join(temporaryFolder(), 'index'), leaveOut: () => false };
  const { tree } = await snapshotTree(repository as GitRepository, options);
  expect(tree).toBe(git(worktree, 'rev-parse', `${after}^{tree}`).trim());
});

it('records what was begun with all that the next process needs, and keeps what was merged', async () => {
  const one = mergeable();
  await one.killAfter('locked');
  const [begun] = one.store.list();
  expect(begun).toEqual({ ...one.given, seq: begun?.seq, state: 'begun' });
  await one.moves().start();
  await one.killAfter('moving');
  expect(one.store.list()).toMatchObject([{ ...one.given, state: 'moving' }]);
  await one.moves().finish('conv-2');
  expect([one.store.list().length, at(one)]).toEqual([1, one.before]);
  await one.moves().finish('conv-1');
  expectWhole(one, one.after);
  expect(git(one.root, 'rev-parse', `refs/meshd/conv-1/merged-${one.tip.slice(0, 12)}`).trim()).toBe(one.tip);
  expect(git(one.root, 'reflog', '-1', '--format=%gs', 'main').trim()).toBe('meshd: merge of conv-1');
  expect(git(one.worktree, 'reflog', '-1', '--format=%gs').trim()).toBe('meshd: merged');
});

it.each([
  ['is at another commit', (one: Mergeable) => git(one.root, 'commit', '-q', '--allow-empty', '-m', 'meanwhile')],
  ['is not checked out any more', (one: Mergeable) => git(one.root, 'checkout', '-q', '--detach')],
])('nothing is begun when the branch %s', async (_, change) => {
  const one = mergeable();
  change(one);
  await expect(one.moves().run(one.given)).rejects.toMatchObject({
    ...{ code: 'file_changed', message: '`main` has moved since, or is no longer checked out: look again.' },
  });
  expect([one.store.list(), one.bases, existsSync(join(one.root, '.git/index.lock'))]).toEqual([[], [], false]);
});

it('nothing is begun when files that would change have changes, or another git works there', async () => {
  const one = mergeable();
  putFiles(one.root, { 'a.txt': 'of the user\n' });
  await expect(one.moves().run(one.given)).rejects.toMatchObject({ code: 'file_changed' });
  expect(existsSync(join(one.root, '.git/index.lock'))).toBe(false);
  putFiles(one.root, { 'a.txt': 'a\n' });
  writeFileSync(join(one.root, '.git/index.lock'), 'of another');
  await expect(one.moves().run(one.given)).rejects.toMatchObject({ code: 'in_flight' });
  expect([one.store.list(), at(one), text(join(one.root, '.git'), 'index.lock')]).toEqual([
    [],
    one.before,
    'of another',
  ]);
});

it('a branch that is checked out nowhere is moved alone; one that cannot be moved stays', async () => {
  const one = mergeable();
  git(one.root, 'branch', 'release', one.before);
  const given = { ...one.given, branch: 'release', place: null };
  writeFileSync(join(one.root, '.git/refs/heads/release.lock'), '');
  await expect(one.moves().run(given)).rejects.toMatchObject({
    ...{
      code: 'in_flight',
      message: expect.stringMatching(/^`release` could not be moved: fatal: .*release\.lock': File exists\.$/),
    },
  });
  expect([one.store.list(), git(one.root, 'rev-parse', 'release').trim()]).toEqual([[], one.before]);
  rmSync(join(one.root, '.git/refs/heads/release.lock'));
  await one.moves().run(given);
  expect([git(one.root, 'rev-parse', 'release').trim(), at(one)]).toEqual([one.after, one.before]);
  expect([text(one.root, 'a.txt'), text(one.worktree, 'b.txt'), one.bases]).toEqual(['a\n', 'user\n', [one.after]]);
  const moved = { ...given, before_commit: one.before, after_commit: one.tip };
  await expect(one.moves().run(moved)).rejects.toMatchObject({
    ...{ code: 'file_changed', message: '`release` has moved since: look again.' },
  });
});

it('a folder that is no repository any more is named', async () => {
  const one = mergeable();
  const gone = temporaryFolder();
  await expect(one.moves().run({ ...one.given, worktree: gone })).rejects.toMatchObject({
    ...{ code: 'internal', message: `${gone} is not in a git repository any more.` },
  });
  // What was recorded of it is dropped by the next process, which finds nothing to finish.
  await one.moves().start();
  expect([one.store.list(), at(one), one.failed]).toEqual([[], one.before, []]);
});

it('what was begun in folders that are all gone is dropped', async () => {
  const one = mergeable();
  await one.killAfter('moving');
  const moves = new MergeMoves({ ...Reflect.get(one.moves(), 'parts'), openAt: async () => undefined });
  await moves.start();
  expect([one.store.list(), one.failed]).toEqual([[], []]);
});

it('files of the folder are finished also when the worktree is gone', async () => {
  const one = mergeable();
  await one.killAfter('files');
  const parts = Reflect.get(one.moves(), 'parts');
  const openAt = (folder: string) => (folder === one.worktree ? undefined : parts.openAt(folder));
  await new MergeMoves({ ...parts, openAt: async (folder: string) => openAt(folder) }).start();
  expect([at(one), text(one.root, 'a.txt'), one.store.list(), one.bases]).toEqual([one.after, LONG, [], []]);
  expect(git(one.root, 'status', '--porcelain')).toBe('MM own.txt\n');
});

it('a worktree that has other commits since stays where it is', async () => {
  const one = mergeable();
  await one.killAfter('unlocked');
  git(one.worktree, 'commit', '-q', '--allow-empty', '-m', 'since');
  const head = git(one.worktree, 'rev-parse', 'HEAD').trim();
  await one.moves().start();
  expect([git(one.worktree, 'rev-parse', 'HEAD').trim(), one.bases, one.store.list(), at(one)]).toEqual([
    ...[head, [], [], one.after],
  ]);
});

it('a worktree that cannot follow now is told and follows later', async () => {
  const one = mergeable();
  const lock = git(one.worktree, 'rev-parse', '--path-format=absolute', '--git-path', 'index.lock').trim();
  writeFileSync(lock, 'of another');
  await one.moves().run(one.given);
  expect([at(one), one.bases, one.reported]).toEqual([
    ...[one.after, []],
    [expect.stringMatching(/^the worktree of conv-1 could not follow its merge yet: Another git command works in /)],
  ]);
  rmSync(lock);
  one.failed.length = 0;
  await one.moves().finish('conv-1');
  expectWhole(one, one.after);
  expect(one.bases).toEqual([one.after]);
});

it('a merge that cannot be finished now is told, and the next one is finished', async () => {
  const one = mergeable();
  await one.killAfter('moving');
  writeFileSync(join(one.root, '.git/index.lock'), 'of another');
  await one.moves().start();
  expect(one.reported).toEqual(['a merge that was cut off could not be finished; it is tried again']);
  expect(one.store.list()).toHaveLength(1);
});
