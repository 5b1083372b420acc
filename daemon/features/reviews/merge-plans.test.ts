import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { MeshError } from '../../lib/errors.js';
import { git, pathWithGit, putFiles, temporaryFolder, temporaryRepository } from '../../testing/temporary-folder.js';
import { Merges } from './merges.js';
import { Work, type Worktree } from './work.js';

const OWN = 'meshd/developer/lamp';
const HERE = 'This conversation works in the project folder itself: its changes are there already.';
const BUSY = 'A turn works in this conversation: wait until it has ended, or stop it.';
const OLD_GIT = 'Merging needs git 2.38 or newer: install a newer git.';

interface Given {
  files?: Record<string, string>;
  /** What the worktree's files are, and whether its agent has committed that. */
  changes?: Record<string, string>;
  isCommitted?: boolean;
  /** What the user commits on `main` meanwhile. */
  meanwhile?: Record<string, string>;
  worktree?: Partial<Worktree>;
}

/** Merges of `conv-1`, which works on a branch of its own in a worktree, and of `conv-here`, which has none. */
function merging({ files = { 'a.txt': 'a\n', 'b.txt': 'b\n' }, ...given }: Given = {}) {
  const root = temporaryRepository(files);
  const base = git(root, 'rev-parse', 'main').trim();
  const place = join(temporaryFolder(), "the agent's place");
  git(root, 'worktree', 'add', '-q', '-b', OWN, place);
  const changes = given.changes ?? { 'a.txt': 'lit\n' };
  putFiles(place, changes);
  const commit = (folder: string, message: string) => {
    git(folder, 'add', '-A');
    git(folder, 'commit', '-qm', message, '--allow-empty');
  };
  if (given.isCommitted) commit(place, 'Light\n\nAll of it.');
  if (given.meanwhile) {
    putFiles(root, given.meanwhile);
    commit(root, 'by the user');
  }
  const state = { isInUse: false, running: null as object | null, commands: ['git push'] as string[] | null };
  const worktree: Worktree = {
    ...{ conv: 'conv-1', path: place, base, base_branch: 'main', branch: OWN, provided: [], ...given.worktree },
  };
  const known = new Map([['conv-1', worktree]]);
  const environment = { PATH: process.env['PATH'], HOME: '/nonexistent' };
  const calls: unknown[] = [];
  const row = (conv: string) => {
    if (conv === 'conv-none') throw new MeshError('not_found', 'There is no such conversation.');
    return { conv, title: conv === 'conv-1' ? ' Light\n it ' : `The ${conv}`, running: state.running };
  };
  const work = new Work({ root, environment, findWorktree: (conv) => known.get(conv) });
  const merges = new Merges({
    conversations: { get: row, row },
    messages: { say: (...said: unknown[]) => ({ said }) },
    ...{ work, listWorktrees: () => [...known.values()] },
    moves: {
      finish: async (conv: string) => void calls.push(['finish', conv]),
      run: async (move: object) => void calls.push(['run', move]),
    },
    exclusively: (owner: string, run: () => Promise<unknown>) => {
      calls.push(['exclusively', owner]);
      return run();
    },
    isInUse: (conv: string) => conv === 'conv-1' && state.isInUse,
    pullRequest: async (_repository: unknown, plan: object) => {
      calls.push(['pullRequest', plan]);
      return state.commands;
    },
    bus: { publish: (...event: unknown[]) => void calls.push(event) },
  } as never);
  const head = () => git(root, 'rev-parse', 'main').trim();
  return { root, place, base, merges, state, calls, known, worktree, environment, head, commit };
}

const preview = (one: ReturnType<typeof merging>, into?: string) => one.merges.preview('conv-1', into);
const merge = (one: ReturnType<typeof merging>, method: string, given: object = {}) =>
  one.merges.merge('conv-1', { into: 'main', head: one.head(), method, ...given } as never);

const NOTHING = {
  ...{ branches: [], head: '', ahead: 0, behind: 0, files: 0, conflicts: [], methods: [], overlaps: [] },
  ...{ checked_out: false, pull_request: null },
};

describe('What a merge would do', () => {
  it('is counted since both began, with the branches and the commands of a pull request', async () => {
    const one = merging({ changes: { 'a.txt': 'lit\n', 'c.txt': 'c\n' }, meanwhile: { 'b.txt': 'user\n' } });
    git(one.root, 'branch', 'release', one.base);
    expect(await preview(one)).toEqual({
      ...{
        conv: 'conv-1',
        into: 'main',
        branches: ['main', 'release'],
        head: one.head(),
        ahead: 1,
        behind: 1,
        files: 2,
      },
      ...{ conflicts: [], methods: ['merge', 'squash', 'rebase'], overlaps: [], checked_out: true, problem: null },
      pull_request: { commands: ['git push'] },
    });
    expect(one.calls).toEqual([['pullRequest', { branch: OWN, into: 'main', title: ' Light\n it ' }]]);
    one.state.commands = null;
    expect(await preview(one, 'release')).toMatchObject({
      ...{ into: 'release', behind: 0, methods: ['fast_forward', 'merge', 'squash', 'rebase'], checked_out: false },
      ...{ head: one.base, pull_request: null },
    });
  });

  it('is nothing without a repository, a worktree or a git that can merge', async () => {
    const one = merging();
    const { known, merges, environment } = one;
    expect(await merges.preview('conv-here', undefined)).toEqual({
      ...{ ...NOTHING, conv: 'conv-here', into: '', problem: HERE },
    });
    known.set('conv-2', { ...one.worktree, conv: 'conv-2', path: temporaryFolder() });
    expect(await merges.preview('conv-2', 'main')).toEqual({
      ...{ ...NOTHING, conv: 'conv-2', into: 'main' },
      problem: 'The project is not in a git repository, or git is not installed.',
    });
    await expect(merges.preview('conv-none', undefined)).rejects.toMatchObject({ code: 'not_found' });
    environment.PATH = pathWithGit('case "$*" in *--version*) echo git version 2.37.9; exit;; esac; real "$@"');
    expect(await preview(one, 'main')).toEqual({ ...NOTHING, conv: 'conv-1', into: 'main', problem: OLD_GIT });
    await expect(merge(one, 'squash')).rejects.toMatchObject({ code: 'bad_request', message: OLD_GIT });
  });

  it('is by default into the branch where it began, else into one that no agent made', async () => {
    const one = merging({ worktree: { base_branch: 'gone' } });
    git(one.root, 'branch', 'meshd/other/x');
    const into = async () => (await preview(one)).into;
    expect(await into()).toBe('main');
    git(one.root, 'branch', 'alpha');
    one.worktree.base_branch = 'meshd/other/x';
    expect(await into()).toBe('meshd/other/x');
    one.worktree.base_branch = null;
    expect(await into()).toBe('alpha');
    git(one.root, 'branch', '-D', 'alpha');
    git(one.root, 'branch', '-m', 'main', 'trunk');
    expect(await into()).toBe('trunk');
    git(one.root, 'checkout', '-q', '--detach');
    git(one.root, 'branch', '-D', 'trunk');
    expect(await into()).toBe('meshd/other/x');
    git(one.root, 'branch', '-D', 'meshd/other/x');
    expect(await preview(one)).toEqual({
      ...{ ...NOTHING, conv: 'conv-1', into: '', problem: 'There is no branch to merge into.' },
    });
  });

  it('names one hundred branches, never its own', async () => {
    const one = merging();
    const names = Array.from({ length: 101 }, (_, at) => `b${String(at).padStart(3, '0')}`);
    putFiles(one.root, Object.fromEntries(names.map((name) => [`.git/refs/heads/${name}`, `${one.base}\n`])));
    expect((await preview(one, 'main')).branches).toEqual(names.slice(0, 100));
    expect((await preview(one, 'b100')).into).toBe('b100');
    await expect(preview(one, 'x'.repeat(81))).rejects.toMatchObject({
      ...{ code: 'bad_request', message: `There is no branch "${'x'.repeat(80)}".`, details: { path: 'into' } },
    });
  });

  it('is nothing where there is no common history', async () => {
    const one = merging();
    const orphan = git(one.root, 'commit-tree', `${one.base}^{tree}`, '-m', 'apart').trim();
    git(one.root, 'branch', 'apart', orphan);
    expect(await preview(one, 'apart')).toEqual({
      ...{ ...NOTHING, conv: 'conv-1', into: 'apart', branches: expect.anything(), head: orphan, ahead: 2, behind: 1 },
      problem: '`apart` and this conversation have no common history.',
    });
  });

  it('is nothing when the branch has all of it', async () => {
    const one = merging({ changes: {} });
    expect(await preview(one)).toMatchObject({
      ...{ ahead: 0, files: 0, methods: [], problem: 'There is nothing to merge: `main` has all of it.' },
      ...{ pull_request: null, checked_out: true },
    });
    await expect(merge(one, 'squash')).rejects.toMatchObject({
      ...{ code: 'bad_request', message: 'There is nothing to merge: `main` has all of it.' },
    });
  });

  it('waits while a turn works there', async () => {
    const one = merging();
    for (const set of [{ isInUse: true }, { isInUse: false, running: {} }]) {
      Object.assign(one.state, set);
      expect(await preview(one)).toMatchObject({ problem: BUSY, methods: [], ahead: 1, files: 1 });
      await expect(merge(one, 'squash')).rejects.toMatchObject({ code: 'in_flight', message: BUSY });
      await expect(one.merges.plan('conv-1', 'main')).rejects.toMatchObject({ code: 'in_flight', message: BUSY });
    }
  });

  it('is refused while the files that would change have changes in the folder of the branch', async () => {
    const one = merging();
    putFiles(one.root, { 'a.txt': 'of the user\n' });
    expect(await preview(one)).toMatchObject({ problem: expect.stringContaining('a.txt'), methods: [] });
    git(one.root, 'checkout', '-q', '--detach');
    expect(await preview(one)).toMatchObject({ problem: null, checked_out: false });
  });

  it('does not look at the folder of a branch that is gone', async () => {
    const one = merging();
    const folder = join(temporaryFolder(), 'place');
    git(one.root, 'worktree', 'add', '-q', '-b', 'release', folder);
    expect((await preview(one, 'release')).checked_out).toBe(true);
    renameSync(folder, `${folder}-gone`);
    expect((await preview(one, 'release')).checked_out).toBe(false);
  });

  it('is refused where the folder of the branch is no working tree any more', async () => {
    const one = merging();
    const folder = join(temporaryFolder(), 'place');
    git(one.root, 'worktree', 'add', '-q', '-b', 'release', folder);
    putFiles(folder, { '.git': 'gitdir: /nowhere\n' });
    expect(await preview(one, 'release')).toMatchObject({
      ...{ checked_out: true, methods: [] },
      problem: `The folder ${folder} cannot be opened as a working tree of git.`,
    });
  });

  it('has no pull request without a branch', async () => {
    const one = merging({ worktree: { branch: null } });
    expect(await preview(one)).toMatchObject({ pull_request: null, branches: ['main', OWN] });
    await expect(one.merges.plan('conv-1', 'main')).rejects.toMatchObject({
      code: 'bad_request',
      message:
        'No pull request can be opened: that needs the program `gh`, a branch with changes, and a remote `origin` on a ' +
        'host that `gh` knows.',
    });
    expect(one.calls).toEqual([]);
  });

  it('is not possible by rebase where the agent has merged', async () => {
    const one = merging({ isCommitted: true, meanwhile: { 'b.txt': 'user\n' } });
    git(one.place, 'merge', '-q', '--no-edit', 'main');
    expect((await preview(one)).methods).toEqual(['fast_forward', 'merge', 'squash', 'rebase']);
    one.commit(one.root, 'more');
    expect((await preview(one)).methods).toEqual(['merge', 'squash']);
    await expect(merge(one, 'rebase')).rejects.toMatchObject({
      code: 'bad_request',
      message: 'The method `rebase` is not possible: There are merges among the commits.',
      details: { path: 'method' },
    });
  });

  it('may be possible by rebase although there are conflicts, and then waits for a turn, too', async () => {
    const one = merging({ isCommitted: true, meanwhile: { 'a.txt': 'lit\n' } });
    putFiles(one.place, { 'a.txt': 'brighter\n' });
    one.commit(one.place, 'Brighter');
    expect(await preview(one)).toMatchObject({ conflicts: ['a.txt'], methods: ['rebase'], problem: null });
    one.state.isInUse = true;
    expect(await preview(one)).toMatchObject({ conflicts: ['a.txt'], methods: [], problem: BUSY });
    one.state.isInUse = false;
    const { commit } = await merge(one, 'rebase');
    expect(git(one.root, 'show', `${commit}:a.txt`)).toBe('brighter\n');
  });

  it('names the work of at most ten other conversations, and passes over what cannot be read', async () => {
    const one = merging();
    one.known.set('conv-gone', { ...one.worktree, conv: 'conv-gone', path: temporaryFolder() });
    const empty = temporaryFolder();
    git(empty, 'init', '-q');
    one.known.set('conv-empty', { ...one.worktree, conv: 'conv-empty', path: empty });
    for (let at = 0; at < 11; at += 1) one.known.set(`conv-o${at}`, { ...one.worktree, conv: `conv-o${at}` });
    const { overlaps } = await preview(one);
    expect(overlaps).toEqual(
      Array.from({ length: 10 }, (_, at) => ({ conv: `conv-o${at}`, title: `The conv-o${at}`, paths: ['a.txt'] })),
    );
  });
});

describe('A merge', () => {
  it.each([
    ['fast_forward', 'is what the files are now', undefined],
    ['rebase', 'is what the files are now', undefined],
    ['rebase', 'is on top', { 'b.txt': 'user\n' }],
    ['merge', 'has two parents', { 'b.txt': 'user\n' }],
    ['squash', 'has one', { 'b.txt': 'user\n' }],
  ])('by %s %s', async (method, _, meanwhile) => {
    const one = merging({ isCommitted: true, ...(meanwhile ? { meanwhile } : {}) });
    const before = one.head();
    const tip = git(one.place, 'rev-parse', 'HEAD').trim();
    const merged = await merge(one, method, method === 'merge' ? { message: '  Now lit.\n' } : {});
    const undo = `git -C ${one.root} reset --keep ${before}`;
    expect(merged).toEqual({ conv: 'conv-1', into: 'main', method, before, commit: merged.commit, undo });
    const parents = { fast_forward: [one.base], rebase: [before], merge: [before, tip], squash: [before] }[method];
    const text = method === 'merge' ? 'Now lit.' : method === 'squash' ? 'Light it\n\n- Light' : 'Light\n\nAll of it.';
    const [found, message] = git(one.root, 'log', '-1', '--format=%P%x00%B', merged.commit).trim().split('\0');
    expect([found?.split(' '), message]).toEqual([parents, text]);
    expect(one.calls).toEqual([
      ['exclusively', 'conv-1'],
      ['finish', 'conv-1'],
      [
        'run',
        {
          ...{ conv: 'conv-1', branch: 'main', before_commit: before, after_commit: merged.commit, place: one.root },
          ...{ worktree: one.place, tip, head: tip, lock_name: expect.stringMatching(/^meshd [0-9a-f]+$/) },
        },
      ],
      ['conversation.updated', { conv: 'conv-1' }],
    ]);
  });

  it('into a branch that is not checked out is taken back by moving that', async () => {
    const one = merging();
    git(one.root, 'branch', 'release');
    const { undo, commit } = await merge(one, 'squash', { into: 'release' });
    expect(undo).toBe(`git update-ref refs/heads/release ${one.base} ${commit}`);
    expect(one.calls[2]).toMatchObject(['run', { branch: 'release', place: null }]);
    expect(git(one.root, 'log', '-1', '--format=%B', commit).trim()).toBe('Light it');
  });

  it('names a folder in its undo as the shell reads it', async () => {
    const one = merging();
    const folder = join(temporaryFolder(), "it's here");
    git(one.root, 'worktree', 'add', '-q', '-b', 'release', folder);
    const { undo } = await merge(one, 'squash', { into: 'release' });
    expect(undo).toBe(`git -C '${folder.replace("'", "'\\''")}' reset --keep ${one.base}`);
  });

  it('by a method that is not possible is refused, with the reason', async () => {
    const both = (text: string) => ({ 'a.txt': `${text}\n`, 'b.txt': `${text}\n` });
    const one = merging({ changes: both('own'), meanwhile: both('user') });
    expect(await preview(one)).toMatchObject({ methods: [], conflicts: ['a.txt', 'b.txt'], problem: null });
    for (const method of ['fast_forward', 'merge', 'squash', 'rebase']) {
      const why =
        method === 'fast_forward'
          ? '`main` has commits that this conversation lacks.'
          : 'there are conflicts in a.txt, b.txt.';
      await expect(merge(one, method)).rejects.toMatchObject({
        ...{ code: 'bad_request', message: `The method \`${method}\` is not possible: ${why}` },
        details: { path: 'method' },
      });
    }
    expect(one.calls.map((call) => (call as string[])[0])).not.toContain('run');
  });

  it('is refused when the branch has moved, in the project folder, and where the worktree is gone', async () => {
    const one = merging();
    await expect(merge(one, 'squash', { head: 'abcd' })).rejects.toMatchObject({
      ...{ code: 'file_changed', message: '`main` has moved since: look at the merge again.' },
    });
    const given = { into: 'main', head: one.head(), method: 'squash' } as const;
    for (const run of [one.merges.merge('conv-here', given), one.merges.plan('conv-here', 'main')])
      await expect(run).rejects.toMatchObject({ code: 'bad_request', message: HERE });
    await expect(one.merges.merge('conv-none', given)).rejects.toMatchObject({ code: 'not_found' });
    one.known.set('conv-2', { ...one.worktree, conv: 'conv-2', path: temporaryFolder() });
    await expect(one.merges.merge('conv-2', given)).rejects.toMatchObject({
      ...{ code: 'bad_request', message: 'Its worktree cannot be opened by git any more.' },
    });
    await expect(merge(one, 'squash', { into: 'nowhere' })).rejects.toMatchObject({ details: { path: 'into' } });
  });

  it('is refused where there is no common history, with what git says', async () => {
    const one = merging();
    const orphan = git(one.root, 'commit-tree', `${one.base}^{tree}`, '-m', 'apart').trim();
    git(one.root, 'branch', 'apart', orphan);
    for (const method of ['merge', 'squash'])
      await expect(merge(one, method, { into: 'apart', head: orphan })).rejects.toMatchObject({
        ...{ code: 'bad_request', details: { path: 'method' } },
        message: expect.stringMatching(
          new RegExp(`^The method \`${method}\` is not possible: git merge-tree failed: .*unrelated histories`),
        ),
      });
  });

  it('names the files whose filter is not run in order, each once, a hundred of them as a list', async () => {
    const one = merging({ files: { '.gitattributes': '*.yml filter=x\n', 'b.yml': 'b\n' }, changes: {} });
    git(one.root, 'config', 'filter.x.clean', 'false');
    putFiles(one.place, { 'b.yml': 'changed\n', 'z.yml': 'z\n' });
    git(one.place, '-c', 'filter.x.clean=', 'add', '-A');
    git(one.place, '-c', 'filter.x.clean=', 'commit', '-qm', 'by the agent');
    putFiles(one.place, { 'a.yml': 'a\n', 'z.yml': 'again\n' });
    const told = (names: string) =>
      `The repository's own configuration has a filter for ${names}, which meshd does not run: merge with git yourself.`;
    expect((await preview(one)).problem).toBe(told('a.yml, b.yml, z.yml'));
    await expect(merge(one, 'squash')).rejects.toMatchObject({
      ...{ code: 'bad_request', message: told('a.yml, b.yml, z.yml'), details: { paths: ['a.yml', 'b.yml', 'z.yml'] } },
    });
    const many = Array.from({ length: 101 }, (_, at) => `f${String(at).padStart(3, '0')}.yml`);
    putFiles(one.place, Object.fromEntries(many.map((path) => [path, 'f\n'])));
    await expect(merge(one, 'squash')).rejects.toMatchObject({
      message: told(`a.yml, b.yml, ${many.slice(0, 8).join(', ')} and 94 more`),
      details: { paths: ['a.yml', 'b.yml', ...many.slice(0, 98)] },
    });
  });

  it('waits for the one before, and stopping waits for both', async () => {
    const one = merging();
    let end: () => void = () => undefined;
    const parts = Reflect.get(one.merges, 'parts') as { moves: { finish: () => Promise<void> } };
    const { finish } = parts.moves;
    parts.moves.finish = () =>
      new Promise((resolve) => {
        end = resolve;
        one.calls.push('begun');
      });
    const both = [merge(one, 'squash'), merge(one, 'squash')];
    while (!one.calls.includes('begun')) await new Promise((resolve) => setImmediate(resolve));
    const order: string[] = [];
    const stopped = one.merges.stop().then(() => order.push('stopped'));
    parts.moves.finish = finish;
    expect(one.calls.filter((call) => call === 'begun' || (call as string[])[0] === 'exclusively')).toHaveLength(2);
    end();
    await Promise.all(both).then(() => order.push('merged'));
    await stopped;
    expect(order.sort()).toEqual(['merged', 'stopped']);
    expect(one.calls.filter((call) => (call as string[])[0] === 'run')).toHaveLength(2);
  });
});

describe('Conflicts', () => {
  const many = (count: number, text: string) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`f${String(at).padStart(2, '0')}.txt`, `${text}\n`]));
  const given = (count: number) => ({
    ...{ files: many(count, 'base'), changes: many(count, 'own'), meanwhile: many(count, 'user') },
  });

  it('are handed to the member with what to do', async () => {
    const one = merging(given(2));
    expect(await one.merges.resolve('conv-1', { into: 'main' })).toEqual({
      said: [
        'conv-1',
        {
          text:
            'Your changes conflict with the branch `main` in these files:\n\n- `f00.txt`\n- `f01.txt`\n\nMerge `main` ' +
            'into your working folder with `git merge main`, after you have committed your own changes there. Resolve ' +
            'each conflict so that both sides keep their meaning, run the checks, and commit the merge. Do not change ' +
            'the branch `main` itself.',
        },
      ],
    });
  });

  it.each([
    [50, '- `f49.txt`'],
    [52, '- `f49.txt`\n- and 2 more'],
  ])('in %i files are named up to the fiftieth', async (count, end) => {
    const { said } = (await merging(given(count)).merges.resolve('conv-1', { into: 'main' })) as unknown as {
      said: [string, { text: string }];
    };
    expect(said[1].text.split('\n\n')[1]?.endsWith(end)).toBe(true);
  });

  it('are not there', async () => {
    const one = merging();
    await expect(one.merges.resolve('conv-1', { into: 'main' })).rejects.toMatchObject({
      ...{ code: 'bad_request', message: 'Merging into `main` has no conflicts.' },
    });
    await expect(one.merges.resolve('conv-here', { into: 'main' })).rejects.toMatchObject({
      ...{ code: 'bad_request', message: HERE },
    });
  });
});

describe('A pull request', () => {
  it('is planned with the commit of the files as they are now', async () => {
    const one = merging();
    const { plan, commands } = await one.merges.plan('conv-1', 'main');
    expect(commands).toEqual(['git push']);
    expect(plan).toMatchObject({ into: 'main', head: one.base, title: ' Light\n it ', worktree: { branch: OWN } });
    expect(git(one.root, 'show', `${plan.tip.commit}:a.txt`)).toBe('lit\n');
    expect(one.calls).toEqual([['pullRequest', { branch: OWN, into: 'main', title: ' Light\n it ' }]]);
    one.state.commands = null;
    await expect(one.merges.plan('conv-1', 'main')).rejects.toThrow('No pull request can be opened');
    await expect(one.merges.plan('conv-1', 'nowhere')).rejects.toMatchObject({ details: { path: 'into' } });
  });
});
