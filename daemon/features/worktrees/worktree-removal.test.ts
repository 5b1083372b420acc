import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { worktreesAlone } from '../../testing/parts/worktrees-alone.js';

const HOUR_MS = 60 * 60_000;
const WEEK_MS = 7 * 24 * HOUR_MS;
const READS = { tools: [], isolation: undefined };
const STAYS = 'a worktree stays, because repositories in it would be lost with it';

const commands = ({ git }: ReturnType<typeof worktreesAlone>) => git.calls.map(([command]) => command);
const kept = ({ clock }: ReturnType<typeof worktreesAlone>, conv = 'conv-1') =>
  `refs/meshd/kept/${conv}-${clock.now()}`;

/** Begins a turn in the worktree of `conv`, which is there. */
async function begin(made: ReturnType<typeof worktreesAlone>, conv: string) {
  const row = made.conversations.find(conv) ?? (await made.converse(conv, { place: 'worktree' }));
  return made.worktrees.enter(row, READS, 'turn-1', new AbortController().signal);
}

describe('The list of worktrees', () => {
  it('has those that are ready, with their sizes and what is in them', async () => {
    const made = worktreesAlone();
    const { converse, putWorktree, removal, clock, folders } = made;
    await converse('conv-1', { place: 'worktree', title: 'Light it', member: 'lamp' });
    const created_ms = clock.now() - 9_000;
    const more = {
      base: 'b1',
      base_branch: 'dev',
      branch: 'meshd/x',
      provided: ['.env'],
      used_ms: clock.now() - 1_000,
    };
    const one = await putWorktree(
      'conv-1',
      { ...more, created_ms },
      { files: ['.env', 'a.ts', 'b.ts'], repositories: ['lib', '.env'] },
    );
    writeFileSync(join(one, 'a.ts'), 'x'.repeat(5_000));
    const two = await putWorktree('conv-2', { created_ms: clock.now() });
    writeFileSync(join(two, 'b.ts'), 'x');
    await putWorktree('conv-3', { state: 'removing' });
    await begin(made, 'conv-1');
    const { worktrees, ...rest } = await removal.list();
    expect(worktrees.map(({ conv }) => conv)).toEqual(['conv-2', 'conv-1']);
    expect(worktrees[1]).toEqual({
      ...{ conv: 'conv-1', path: one, branch: 'meshd/x', base: 'b1', base_branch: 'dev' },
      ...{ disk_bytes: expect.any(Number), title: 'Light it of lamp', member: 'lamp', changed_files: 2 },
      ...{ repositories: ['lib'], running: true },
      ...{ created_at: '2026-11-21T11:59:51.000Z', used_at: '2026-11-21T11:59:59.000Z' },
    });
    expect(worktrees[0]).toMatchObject({
      title: 'Deleted conversation',
      member: null,
      changed_files: 0,
      running: false,
    });
    const [first, second] = worktrees.map(({ disk_bytes }) => disk_bytes) as [number, number];
    expect([first, second].every((bytes) => bytes > 0)).toBe(true);
    expect(rest).toEqual({ count: 2, disk_bytes: first + second, folder: folders.path, problem: null });
  });

  it('has one whose folder was removed by hand, without changes and repositories', async () => {
    const made = worktreesAlone();
    made.git.known.delete(await made.putWorktree('conv-1'));
    expect((await made.removal.list()).worktrees).toMatchObject([
      { conv: 'conv-1', changed_files: 0, repositories: [] },
    ]);
  });

  it('is empty without a place for them, and tells why none can be made', async () => {
    const made = worktreesAlone({ hasFolders: false });
    await made.putWorktree('conv-1');
    expect(await made.removal.list()).toEqual({
      ...{ worktrees: [], count: 0, disk_bytes: 0, folder: null },
      problem: 'There is no folder for worktrees outside the project.',
    });
  });
});

describe('Removing a worktree', () => {
  it('needs one that is ready and in which no turn works', async () => {
    const made = worktreesAlone();
    const { removal, putWorktree } = made;
    const missing = { code: 'not_found', message: 'This conversation has no worktree of its own.' };
    await expect(removal.remove('conv-0', true)).rejects.toMatchObject(missing);
    await putWorktree('conv-2', { state: 'removing' });
    await expect(removal.remove('conv-2', true)).rejects.toMatchObject(missing);
    await putWorktree('conv-1');
    const place = await begin(made, 'conv-1');
    await expect(removal.remove('conv-1', true)).rejects.toMatchObject({
      ...{ code: 'in_flight', message: 'A turn works in this worktree: stop it first.' },
    });
    await place?.leave();
    made.events.length = 0;
    expect(await removal.remove('conv-1', false)).toEqual({ conv: 'conv-1', changed_files: 0, kept: null });
    expect(made.events).toMatchObject([{ type: 'conversation.updated', conv: 'conv-1' }]);
  });

  it('leaves the branch that alone has a commit, and says so', async () => {
    const { removal, putWorktree, git } = worktreesAlone();
    const path = await putWorktree('conv-1', { branch: 'meshd/x' });
    git.branches.set('meshd/x', 'c1');
    git.alone.add('c1');
    const kept = 'refs/heads/meshd/x';
    expect(await removal.remove('conv-1', false)).toEqual({ conv: 'conv-1', changed_files: 0, kept });
    expect(git.calls).toEqual([['remove', path]]);
  });

  it('of one without changes keeps nothing, and takes its folder and its branch', async () => {
    const made = worktreesAlone();
    const { removal, putWorktree, git, store } = made;
    const path = await putWorktree('conv-1', { branch: 'meshd/x', provided: ['.env'] }, { files: ['.env'] });
    git.branches.set('meshd/x', 'c1');
    expect(await removal.remove('conv-1', false)).toEqual({ conv: 'conv-1', changed_files: 0, kept: null });
    expect(git.calls).toEqual([
      ['dropBranch', 'meshd/x', 'c1'],
      ['remove', path],
    ]);
    expect([existsSync(path), store.list()]).toEqual([false, []]);
  });

  it.each([
    ['the user’s branch', 'mine', true],
    ['a branch that is gone', 'meshd/x', false],
    ['no branch', null, false],
  ])('leaves branches alone with %s', async (_name, branch, isThere) => {
    const made = worktreesAlone();
    await made.putWorktree('conv-1', { branch });
    if (isThere && branch !== null) made.git.branches.set(branch, 'c1');
    await made.removal.remove('conv-1', false);
    expect(commands(made)).toEqual(['remove']);
  });

  const DISCARD = 'remove it with `changes=discard` (`--discard`).';
  it.each([
    [{ files: ['a'] }, 1, `One file of this worktree differs from where it began: ${DISCARD}`],
    [{ files: ['a', 'b'] }, 2, `2 files of this worktree differ from where it began: ${DISCARD}`],
    [{ head: 'c2' }, 0, `0 files of this worktree differ from where it began: ${DISCARD}`],
    [
      { repositories: ['lib', 'sub'] },
      0,
      `Repositories in this worktree are not kept when it is removed (lib, sub): ${DISCARD}`,
    ],
    [
      { head: 'c2', repositories: ['lib'] },
      0,
      `Repositories in this worktree are not kept when it is removed (lib): ${DISCARD}`,
    ],
    [
      { files: ['a'], repositories: ['lib'] },
      1,
      'One file of this worktree differs from where it began. Repositories in this worktree are not kept when it is ' +
        `removed (lib): ${DISCARD}`,
    ],
  ])('with %j needs to be told to discard', async (known, changed_files, message) => {
    const made = worktreesAlone();
    const path = await made.putWorktree('conv-1', {}, known);
    await expect(made.removal.remove('conv-1', false)).rejects.toMatchObject({
      ...{ code: 'file_changed', message },
      details: { changed_files, repositories: 'repositories' in known ? known.repositories : [] },
    });
    expect([existsSync(path), made.git.calls, made.events]).toEqual([true, [], []]);
    const ref = 'files' in known || 'head' in known ? kept(made) : null;
    expect(await made.removal.remove('conv-1', true)).toEqual({ conv: 'conv-1', changed_files, kept: ref });
    expect(existsSync(path)).toBe(false);
  });

  it('keeps the changes on a ref of its conversation and time, without what was put into it', async () => {
    const made = worktreesAlone();
    const path = await made.putWorktree('conv-1', { base: 'b7', provided: ['.env'] }, { files: ['a'], head: 'b7' });
    made.clock.step(5_000);
    await made.removal.remove('conv-1', true);
    expect(made.git.looked).toEqual({ path, base: 'b7', provided: ['.env'] });
    expect(made.git.calls[0]).toEqual(['keep', path, kept(made), ['.env'], 'Worktree of conv-1, when it was removed']);
  });

  it('of one whose folder is gone looks at nothing in it', async () => {
    const made = worktreesAlone();
    const path = await made.putWorktree('conv-1', {}, { files: ['a'] });
    rmSync(path, { recursive: true });
    expect(await made.removal.remove('conv-1', false)).toMatchObject({ kept: null });
    expect(commands(made)).toEqual(['remove']);
  });

  it('of one that is elsewhere forgets it, tells where it is, and leaves it alone', async () => {
    const made = worktreesAlone();
    const path = join(made.folders.path, 'conv-0');
    await made.putWorktree('conv-1', { path }, { files: ['a'] });
    await made.removal.remove('conv-1', false);
    expect(made.failures).toEqual([
      `the worktree of a conversation is elsewhere and was left alone: ${path} stays as it is: it is not in ` +
        `${made.folders.path}, where the worktrees of this project are.`,
    ]);
    expect([existsSync(path), made.git.calls, made.store.list()]).toEqual([true, [], []]);
  });

  it('of one that is elsewhere looks at no folder of its own either', async () => {
    const made = worktreesAlone();
    const path = join(made.folders.path, 'conv-0');
    await made.putWorktree('conv-1', { path }, { files: ['a'] });
    made.git.put(made.folders.pathOf('conv-1'));
    expect(await made.removal.remove('conv-1', false)).toMatchObject({ kept: null });
    expect([existsSync(path), made.git.calls]).toEqual([true, []]);
  });

  it('of one that is elsewhere and gone forgets it without a word', async () => {
    const made = worktreesAlone();
    const path = join(made.folders.path, 'conv-0');
    await made.putWorktree('conv-1', { path });
    rmSync(path, { recursive: true });
    await made.removal.remove('conv-1', false);
    expect([made.failures, made.store.list(), made.git.calls]).toEqual([[], [], []]);
  });

  it('without a place for worktrees forgets it without a word', async () => {
    const made = worktreesAlone({ hasFolders: false });
    const path = await made.putWorktree('conv-1', {}, { files: ['a'] });
    expect(await made.removal.remove('conv-1', false)).toMatchObject({ changed_files: 0, kept: null });
    expect([existsSync(path), made.failures, made.store.list()]).toEqual([true, [], []]);
  });

  it('that is cut off is known as begun, and goes on at the next start', async () => {
    const made = worktreesAlone();
    const path = await made.putWorktree('conv-1');
    made.git.before = (command) => {
      if (command === 'remove') throw new Error('busy');
    };
    await expect(made.removal.remove('conv-1', false)).rejects.toThrow('busy');
    expect(made.store.find('conv-1')?.state).toBe('removing');
    made.git.before = () => undefined;
    await made.removal.start();
    expect([existsSync(path), made.store.list(), made.failures]).toEqual([false, [], []]);
  });
});

describe('The worktree of a deleted conversation', () => {
  it('goes, and its changes stay on a ref', async () => {
    const made = worktreesAlone();
    const path = await made.putWorktree('conv-1', {}, { files: ['a'] });
    const same = await made.putWorktree('conv-2');
    expect(await made.removal.forget('conv-1')).toEqual({ kept: kept(made) });
    expect(await made.removal.forget('conv-2')).toEqual({ kept: null });
    expect(await made.removal.forget('conv-3')).toEqual({ kept: null });
    expect([existsSync(path), existsSync(same), made.store.list(), made.failures]).toEqual([false, false, [], []]);
  });

  it('stays while another conversation works in it', async () => {
    const made = worktreesAlone();
    const path = await made.putWorktree('conv-1', {}, { files: ['a'] });
    await begin(made, 'conv-1');
    expect(await made.removal.forget('conv-1')).toEqual({ kept: null });
    expect([existsSync(path), made.git.calls]).toEqual([true, []]);
  });

  it('stays with the repositories in it, which is told', async () => {
    const made = worktreesAlone();
    const path = await made.putWorktree('conv-1', {}, { files: ['a'], repositories: ['lib'] });
    expect(await made.removal.forget('conv-1')).toEqual({ kept: null, left: path });
    expect(made.failures).toEqual([`${STAYS}: ${path} stays with lib.`]);
    expect([existsSync(path), made.git.calls]).toEqual([true, []]);
  });

  it('that cannot be looked at stays, which is told', async () => {
    const made = worktreesAlone();
    await made.putWorktree('conv-1');
    made.git.before = () => {
      throw new Error('no git');
    };
    expect(await made.removal.forget('conv-1')).toEqual({ kept: null });
    expect(made.failures).toEqual(['the worktree of a deleted conversation could not be removed: no git']);
    expect(made.store.list()).toHaveLength(1);
  });
});

describe('The hourly look for idle worktrees', () => {
  it('removes those without changes a week after their last turn', async () => {
    const made = worktreesAlone();
    const { converse, putWorktree, removal, clock, store } = made;
    await converse('conv-1', { place: 'worktree' });
    await converse('conv-2', { place: 'worktree' });
    await putWorktree('conv-1', { used_ms: clock.now() - WEEK_MS + 1 });
    const path = await putWorktree('conv-2', { used_ms: clock.now() - WEEK_MS });
    await removal.sweep();
    expect(store.list().map(({ conv }) => conv)).toEqual(['conv-1']);
    expect([existsSync(path), commands(made)]).toEqual([false, ['remove']]);
  });

  it.each([
    ['with changes', {}, { files: ['a'] }],
    ['with commits', {}, { head: 'c2' }],
    ['with repositories', {}, { repositories: ['lib'] }],
    ['that is being made', { state: 'creating' as const }, {}],
  ])('leaves one %s', async (_name, more, known) => {
    const made = worktreesAlone();
    await made.converse('conv-1', { place: 'worktree' });
    await made.putWorktree('conv-1', { ...more, used_ms: made.clock.now() - 2 * WEEK_MS }, known);
    await made.removal.sweep();
    expect([made.store.list().length, made.git.calls, made.failures]).toEqual([1, [], []]);
  });

  it('leaves one whose folder is not there, and one in which a turn works', async () => {
    const made = worktreesAlone();
    const used_ms = made.clock.now() - 2 * WEEK_MS;
    await made.converse('conv-1', { place: 'worktree' });
    await made.converse('conv-2', { place: 'worktree' });
    rmSync(await made.putWorktree('conv-1', { used_ms }), { recursive: true });
    await made.putWorktree('conv-2', { used_ms });
    await begin(made, 'conv-2');
    await made.removal.sweep();
    expect([made.store.list().length, made.git.calls]).toEqual([2, []]);
  });

  it('removes those of deleted conversations at once, and keeps their changes', async () => {
    const made = worktreesAlone();
    await made.putWorktree('conv-1', {}, { files: ['a'] });
    await made.putWorktree('conv-2', {}, { repositories: ['lib'] });
    await made.removal.sweep();
    expect(made.store.list().map(({ conv }) => conv)).toEqual(['conv-2']);
    expect(commands(made)).toEqual(['keep', 'remove']);
  });

  it('goes on after one that cannot be looked at, which is told', async () => {
    const made = worktreesAlone();
    const path = await made.putWorktree('conv-1', { created_ms: made.clock.now() + 1 });
    await made.putWorktree('conv-2');
    made.git.before = (_command, at) => {
      if (at === path) throw new Error('no git');
    };
    await made.removal.sweep();
    expect(made.failures).toEqual(['an idle worktree could not be removed: no git']);
    expect(made.store.list().map(({ conv }) => conv)).toEqual(['conv-1']);
  });

  it('comes every hour until the stop, once however often it was begun', async () => {
    const made = worktreesAlone();
    const { removal, clock, putWorktree, store } = made;
    await removal.start();
    await removal.sweep();
    expect(clock.pending).toBe(1);
    await putWorktree('conv-1');
    clock.advance(HOUR_MS - 1);
    expect(store.list()).toHaveLength(1);
    clock.advance(1);
    await expect.poll(() => [store.list().length, clock.pending], { interval: 1 }).toEqual([0, 1]);
    removal.stop();
    expect(clock.pending).toBe(0);
  });
});

describe('What a killed daemon left', () => {
  it('is nothing to open git for when there is nothing', async () => {
    const made = worktreesAlone();
    await made.removal.start();
    expect(made.opened()).toBe(0);
    await made.converse('conv-1', { place: 'worktree' });
    await made.putWorktree('conv-1');
    await made.removal.start();
    expect([made.opened(), made.git.calls, made.failures]).toEqual([1, [], []]);
  });

  it('without a place for worktrees is left alone', async () => {
    const made = worktreesAlone({ hasFolders: false });
    await made.converse('conv-1', { place: 'worktree' });
    await made.putWorktree('conv-1', { state: 'creating' });
    await made.removal.start();
    expect([made.opened(), made.store.list().length]).toEqual([0, 1]);
  });

  it.each(['creating', 'removing'] as const)('half done (%s) is removed', async (state) => {
    const made = worktreesAlone();
    await made.converse('conv-1', { place: 'worktree' });
    const path = await made.putWorktree('conv-1', { state });
    await made.removal.start();
    expect([existsSync(path), made.store.list(), commands(made)]).toEqual([false, [], ['remove']]);
  });

  it('without its folder is forgotten, also by git, and its branch stays', async () => {
    const made = worktreesAlone();
    await made.converse('conv-1', { place: 'worktree' });
    const path = await made.putWorktree('conv-1', { branch: 'meshd/x' });
    made.git.branches.set('meshd/x', 'c1');
    rmSync(path, { recursive: true });
    await made.removal.start();
    expect([made.git.calls, made.store.list()]).toEqual([[['remove', path]], []]);
  });

  it('unknown to the store is kept on a ref and removed; of what git does not know, the folder alone', async () => {
    const made = worktreesAlone();
    const { folders, git, removal } = made;
    const [known, unknown] = [folders.pathOf('conv-1'), folders.pathOf('conv-2')];
    git.put(known, { files: ['a'] });
    mkdirSync(unknown, { recursive: true });
    await removal.start();
    const callsAt = (path: string) => git.calls.filter((call) => call[1] === path);
    expect(callsAt(known)).toEqual([
      ['keep', known, kept(made), [], 'Worktree of conv-1, which was not known'],
      ['remove', known],
    ]);
    expect(callsAt(unknown)).toEqual([['remove', unknown]]);
    expect([existsSync(known), existsSync(unknown)]).toEqual([false, false]);
  });

  it('unknown to the store stays with the repositories in it, which is told', async () => {
    const made = worktreesAlone();
    const path = made.folders.pathOf('conv-1');
    made.git.put(path, { repositories: ['lib'] });
    await made.removal.start();
    expect(made.failures).toEqual([`${STAYS}: ${path} stays with lib.`]);
    expect([existsSync(path), made.git.calls]).toEqual([true, []]);
  });

  it('in git alone is removed there, and what the store knows is not', async () => {
    const made = worktreesAlone();
    await made.converse('conv-1', { place: 'worktree' });
    const path = await made.putWorktree('conv-1', {}, { files: ['a'] });
    const gone = made.folders.pathOf('conv-2');
    made.git.put(gone);
    rmSync(gone, { recursive: true });
    const others = join(made.folders.path, '../others/conv-3');
    made.git.put(others);
    await made.removal.start();
    expect(made.git.calls).toEqual([['remove', gone]]);
    expect([existsSync(path), existsSync(others)]).toEqual([true, true]);
  });

  it('is told when it cannot be cleaned up, and the look for idle ones begins', async () => {
    const made = worktreesAlone();
    await made.putWorktree('conv-1', { state: 'creating' });
    made.git.before = () => {
      throw new Error('no git');
    };
    await made.removal.start();
    expect(made.failures).toEqual(['worktrees of the last start could not be cleaned up: no git']);
    expect(made.clock.pending).toBe(1);
  });
});

describe('A worktree at the place of a project that was moved', () => {
  const formerPath = (made: ReturnType<typeof worktreesAlone>, conv = 'conv-1') =>
    join(made.folders.path, '../lamp-before', conv);

  it('is moved along', async () => {
    const made = worktreesAlone();
    await made.converse('conv-1', { place: 'worktree' });
    const from = formerPath(made);
    await made.putWorktree('conv-1', { path: from }, { files: ['a'] });
    await made.removal.start();
    const to = made.folders.pathOf('conv-1');
    expect(made.git.calls[0]).toEqual(['moveAlong', from, to]);
    expect([existsSync(from), existsSync(to), made.store.find('conv-1')?.path]).toEqual([false, true, to]);
    expect(made.failures).toEqual([]);
  });

  it('stays where it is when git does not move it, and is forgotten', async () => {
    const made = worktreesAlone();
    const from = formerPath(made);
    await made.putWorktree('conv-1', { path: from });
    made.git.known.clear();
    await made.removal.start();
    expect([existsSync(from), made.store.list()]).toEqual([true, []]);
    expect(made.failures).toEqual([
      `the worktree of a conversation is elsewhere and was left alone: ${from} stays as it is: it is not in ` +
        `${made.folders.path}, where the worktrees of this project are.`,
    ]);
  });

  it('stays where it is when that fails, which is told too', async () => {
    const made = worktreesAlone();
    await made.putWorktree('conv-1', { path: formerPath(made) });
    made.git.before = (command) => {
      if (command === 'moveAlong') throw new Error('busy');
    };
    await made.removal.start();
    expect(made.failures[0]).toBe('a worktree could not be moved along with its project: busy');
    expect([made.failures.length, made.store.list()]).toEqual([2, []]);
  });

  it('is not moved from elsewhere than among the worktrees of this user, or under another name', async () => {
    for (const path of ['../../elsewhere/conv-1', '../lamp-before/conv-9']) {
      const made = worktreesAlone();
      await made.putWorktree('conv-1', { path: join(made.folders.path, path) });
      await made.removal.start();
      expect([made.git.calls, made.store.list()]).toEqual([[], []]);
    }
  });
});
