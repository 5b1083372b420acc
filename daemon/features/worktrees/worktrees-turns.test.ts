import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { RepositoryStatus } from '../../storage/worktrees/repository-status.js';
import { aRepository, worktreesAlone } from '../../testing/parts/worktrees-alone.js';

const EDITS = { tools: ['edit'], isolation: undefined };
const READS = { tools: ['read'], isolation: undefined };
const NO_HOME = 'There is no folder for worktrees outside the project.';
const REBASE: RepositoryStatus = { problem: 'A rebase is under way in the project folder.' };
const live = () => new AbortController().signal;

/** The worktrees of a project whose state is `status`, and how often that was read. */
function withStatus(status: RepositoryStatus, more: Parameters<typeof worktreesAlone>[0] = {}) {
  const now = { status, reads: 0 };
  const readStatus = async () => {
    now.reads += 1;
    return now.status;
  };
  return { ...worktreesAlone({ readStatus, ...more }), now };
}

/** Runs a turn of a conversation from its beginning to its end, with `work` in its folder. */
async function takeTurn(made: ReturnType<typeof worktreesAlone>, conv: string, work: () => void = () => undefined) {
  const row = made.conversations.find(conv) ?? expect.fail('no such conversation');
  const place = await made.worktrees.enter(row, EDITS, 'turn-1', live());
  work();
  await place?.leave();
  return place;
}

describe('The folder of a conversation', () => {
  it('is the project, unless it works in a worktree', async () => {
    const { worktrees, converse, folders, root } = worktreesAlone();
    await converse('conv-1', { place: 'project' });
    await converse('conv-2', { place: 'worktree' });
    await converse('conv-3');
    expect(['conv-0', 'conv-1', 'conv-3'].map((conv) => worktrees.folderOf(conv))).toEqual([root, root, root]);
    expect(worktrees.folderOf('conv-2')).toBe(folders.pathOf('conv-2'));
  });

  it('is the place of the project within a worktree that is there, wherever that is', async () => {
    const { worktrees, converse, putWorktree, folders } = worktreesAlone();
    await converse('conv-1', { place: 'worktree' });
    await putWorktree('conv-1', { prefix: 'app', path: join(folders.path, 'elsewhere') });
    expect(worktrees.folderOf('conv-1')).toBe(join(folders.path, 'elsewhere/app'));
  });

  it('is where the worktree will be, once it is known where the project is in its repository', async () => {
    const { worktrees, converse, folders } = worktreesAlone({ readStatus: async () => aRepository({ prefix: 'app' }) });
    await converse('conv-1', { place: 'worktree' });
    await worktrees.problem();
    expect(worktrees.folderOf('conv-1')).toBe(join(folders.pathOf('conv-1'), 'app'));
  });

  it('is the project without a place for worktrees', async () => {
    const { worktrees, converse, root } = worktreesAlone({ hasFolders: false });
    await converse('conv-1', { place: 'worktree' });
    expect(worktrees.folderOf('conv-1')).toBe(root);
  });

  it('is that of the conversation which asked for it, and of the one before, unless another was chosen', async () => {
    const { worktrees, converse, folders, root } = worktreesAlone();
    await converse('conv-1', { place: 'worktree' });
    await converse('conv-2', { place: 'worktree', place_of: 'conv-1' });
    await converse('conv-3', { place: 'worktree', place_of: 'conv-2' });
    await converse('conv-4', { place: 'worktree', place_of: 'conv-1', isolation: 'worktree' });
    await converse('conv-5', { place: 'project' });
    await converse('conv-6', { place: 'worktree', place_of: 'conv-5' });
    const folderOf = (conv: string) => worktrees.folderOf(conv);
    expect([folderOf('conv-2'), folderOf('conv-3')]).toEqual(Array(2).fill(folders.pathOf('conv-1')));
    expect([folderOf('conv-4'), folderOf('conv-6')]).toEqual([folders.pathOf('conv-4'), folders.pathOf('conv-6')]);
    expect(folderOf('conv-5')).toBe(root);
  });
});

describe('The worktree of a conversation', () => {
  it('is found while it is ready, also by a conversation that shares it', async () => {
    const { worktrees, converse, putWorktree } = worktreesAlone();
    await converse('conv-1', { place: 'worktree' });
    await converse('conv-2', { place: 'worktree', place_of: 'conv-1' });
    await converse('conv-3', { place: 'worktree' });
    await converse('conv-4', { place: 'project' });
    const path = await putWorktree('conv-1', { prefix: 'app', provided: ['.env'] });
    await putWorktree('conv-3', { state: 'removing' });
    await putWorktree('conv-4');
    for (const conv of ['conv-1', 'conv-2'])
      expect(worktrees.find(conv)).toMatchObject({
        conv: 'conv-1',
        path,
        provided: ['.env'],
        folder: join(path, 'app'),
      });
    expect(['conv-0', 'conv-3', 'conv-4'].map((conv) => worktrees.find(conv))).toEqual(Array(3).fill(undefined));
  });

  it('is compared with its base, without what was put into it', async () => {
    const { worktrees, converse, putWorktree, git } = worktreesAlone();
    await converse('conv-1', { place: 'worktree' });
    const path = await putWorktree(
      'conv-1',
      { base: 'b7', provided: ['.env'] },
      { files: ['.env', 'a.ts'], head: 'h' },
    );
    expect(await worktrees.changes('conv-1')).toEqual({ files: ['a.ts'], head: 'h', branch: null });
    expect(git.looked).toEqual({ path, base: 'b7', provided: ['.env'] });
    expect(await worktrees.changes('conv-0')).toBeUndefined();
  });

  it('is listed once it is ready, and knows what was put into the folder of the project', async () => {
    const { worktrees, putWorktree, clock } = worktreesAlone();
    const one = await putWorktree('conv-1', { prefix: 'app', provided: ['app/.env', 'app/lib/x'] });
    clock.step(1_000);
    const two = await putWorktree('conv-2', { provided: ['.env'] });
    await putWorktree('conv-3', { state: 'creating' });
    expect(worktrees.list().map(({ conv, folder }) => [conv, folder])).toEqual([
      ['conv-2', two],
      ['conv-1', join(one, 'app')],
    ]);
    expect(worktrees.providedIn(join(one, 'app'))).toEqual(['.env', 'lib/x']);
    expect(worktrees.providedIn(two)).toEqual(['.env']);
    expect(worktrees.providedIn(one)).toEqual([]);
  });

  it('counts its changes from where a merge has put its base', async () => {
    const { worktrees, putWorktree, store, transactions } = worktreesAlone();
    await putWorktree('conv-1');
    await transactions.run((transaction) => worktrees.moveBase(transaction, 'conv-1', 'merged'));
    expect(store.find('conv-1')?.base).toBe('merged');
  });
});

describe('What is told of the place of a conversation', () => {
  it('is fixed by its first turn, with the branch that its worktree has', async () => {
    const { worktrees, converse, putWorktree, root, folders } = worktreesAlone();
    const [first, second, third] = [
      await converse('conv-1', { place: 'project', place_reason: 'So.', isolation: 'project' }),
      await converse('conv-2', { place: 'worktree', place_reason: 'It may edit files.' }),
      await converse('conv-3', { place: 'worktree' }),
    ];
    const path = await putWorktree('conv-2', { branch: 'meshd/lamp/x', prefix: 'app' });
    await putWorktree('conv-1', { branch: 'stale' });
    expect(worktrees.describe(first, EDITS)).toEqual({
      isolation: { chosen: 'project', resolved: 'project', reason: 'So.', fixed: true, branch: null },
      folder: root,
    });
    expect(worktrees.describe(second, EDITS)).toEqual({
      isolation: {
        ...{ chosen: null, resolved: 'worktree', reason: 'It may edit files.', fixed: true, branch: 'meshd/lamp/x' },
      },
      folder: join(path, 'app'),
    });
    expect(worktrees.describe(third, EDITS)).toMatchObject({
      isolation: { branch: null },
      folder: folders.pathOf('conv-3'),
    });
  });

  it('before it is where it would work', async () => {
    const { worktrees, converse, root, folders } = withStatus(aRepository());
    const row = await converse('conv-1', { isolation: 'project' });
    expect(worktrees.describe(row, EDITS)).toEqual({
      isolation: {
        ...{ chosen: 'project', resolved: 'project', reason: 'You chose it for this conversation.' },
        ...{ fixed: false, branch: null },
      },
      folder: root,
    });
    expect(worktrees.describe(await converse('conv-2'), EDITS)).toEqual({
      isolation: { chosen: null, resolved: 'worktree', reason: 'It may edit files.', fixed: false, branch: null },
      folder: folders.pathOf('conv-2'),
    });
  });

  it('follows the preference, then the member’s file', async () => {
    const { worktrees, converse } = worktreesAlone({ getDefault: () => 'project' });
    const row = await converse('conv-1');
    expect(worktrees.describe(row, EDITS).isolation.resolved).toBe('project');
    const automatic = worktreesAlone();
    expect(automatic.worktrees.describe(row, { ...READS, isolation: 'worktree' }).isolation).toMatchObject({
      ...{ resolved: 'worktree', reason: 'It is the default in the member’s file.' },
    });
  });

  it('uses the state of the repository as it is known, and reads it again after ten seconds', async () => {
    const { worktrees, converse, clock, now } = withStatus(REBASE);
    const row = await converse('conv-1');
    const describe = () => worktrees.describe(row, EDITS).isolation.resolved;
    expect([describe(), describe(), now.reads]).toEqual(['worktree', 'worktree', 1]);
    await worktrees.stop();
    expect([describe(), now.reads]).toEqual(['project', 1]);
    now.status = aRepository({ uncommitted: 2 });
    clock.advance(10_000);
    expect([describe(), now.reads]).toEqual(['project', 1]);
    clock.advance(1);
    expect([describe(), now.reads]).toEqual(['project', 2]);
    await worktrees.stop();
    expect(worktrees.describe(row, EDITS).isolation.reason).toBe(
      'It may edit files. 2 uncommitted changes of the project folder are not in it.',
    );
  });

  it('reads no state of the repository for what works in the project anyway', async () => {
    const { worktrees, converse, now } = withStatus(REBASE);
    expect(worktrees.describe(await converse('conv-1'), READS).isolation.resolved).toBe('project');
    expect(now.reads).toBe(0);
  });

  it('is there although the repository cannot be read', async () => {
    const { worktrees, converse } = worktreesAlone({ readStatus: () => Promise.reject(new Error('no git')) });
    expect(worktrees.describe(await converse('conv-1'), EDITS).isolation.resolved).toBe('worktree');
    await worktrees.stop();
  });

  it('is the project, and why, without a place for worktrees', async () => {
    const { worktrees, converse, root } = worktreesAlone({ hasFolders: false });
    const row = await converse('conv-1');
    worktrees.describe(row, EDITS);
    await worktrees.problem();
    expect(worktrees.describe(row, EDITS)).toMatchObject({
      isolation: { resolved: 'project', reason: NO_HOME },
      folder: root,
    });
  });

  it('is the place of the conversation that asked, once that has one', async () => {
    const { worktrees, converse, folders, root } = worktreesAlone();
    await converse('conv-1', { place: 'worktree' });
    await converse('conv-2', { place: 'project' });
    await converse('conv-3');
    const told = async (conv: string, place_of: string) =>
      worktrees.describe(await converse(conv, { place_of }), EDITS);
    const reason = 'It works where the conversation that asked it works.';
    expect(await told('conv-a', 'conv-1')).toMatchObject({
      ...{ isolation: { resolved: 'worktree', reason }, folder: folders.pathOf('conv-1') },
    });
    expect(await told('conv-b', 'conv-2')).toMatchObject({
      ...{ isolation: { resolved: 'project', reason }, folder: root },
    });
    expect(await told('conv-c', 'conv-3')).toMatchObject({
      ...{ isolation: { resolved: 'worktree', reason: 'It may edit files.' }, folder: folders.pathOf('conv-c') },
    });
  });
});

describe('The first turn of a conversation', () => {
  it('in the project fixes that, tells it, and reads no repository', async () => {
    const { worktrees, converse, conversations, events, now } = withStatus(REBASE);
    const row = await converse('conv-1');
    expect(await worktrees.enter(row, READS, 'turn-1', live())).toBeUndefined();
    expect(conversations.find('conv-1')).toMatchObject({ place: 'project', place_reason: 'It does not edit files.' });
    expect(events).toMatchObject([{ type: 'conversation.updated', conv: 'conv-1' }]);
    expect(now.reads).toBe(0);
    const fixed = await converse('conv-2', { place: 'project' });
    expect(await worktrees.enter(fixed, EDITS, 'turn-1', live())).toBeUndefined();
    expect([events.length, now.reads]).toEqual([1, 0]);
  });

  it('makes its worktree with what the operator wants in it, and runs under a guard', async () => {
    const steps: unknown[] = [];
    const made = worktreesAlone({
      readStatus: async () => aRepository({ head: 'c1', branch: 'dev', prefix: 'app', uncommitted: 1 }),
      setUp: async (folder) => {
        steps.push(['set up', folder]);
        return ['.env', 'lib'];
      },
      guard: async (turn, { conv, state }, repository) => {
        steps.push(['guard', turn, conv, state, repository]);
        return { environment: { GIT_X: '1' }, end: async () => void steps.push(['end']) };
      },
    });
    const { worktrees, converse, conversations, store, git, folders, clock } = made;
    const row = await converse('conv-1');
    const place = await worktrees.enter(row, EDITS, 'turn-9', live());
    const path = folders.pathOf('conv-1');
    const folder = join(path, 'app');
    expect([place?.folder, place?.environment]).toEqual([folder, { GIT_X: '1' }]);
    expect(store.find('conv-1')).toEqual({
      ...{ conv: 'conv-1', path, state: 'ready', prefix: 'app', base: 'c1', base_branch: 'dev', branch: null },
      ...{ provided: ['app/.env', 'app/lib'], created_ms: clock.now(), used_ms: clock.now() },
    });
    expect(conversations.find('conv-1')).toMatchObject({
      place: 'worktree',
      place_reason: 'It may edit files. One uncommitted change of the project folder is not in it.',
    });
    expect(git.calls).toEqual([
      ['remove', path],
      ['add', path, 'c1'],
    ]);
    await place?.leave();
    expect(steps).toEqual([
      ['set up', folder],
      ['guard', { conv: 'conv-1', turn: 'turn-9' }, 'conv-1', 'ready', { gitFolder: '/g', commonFolder: '/g' }],
      ['end'],
    ]);
    expect(existsSync(path)).toBe(true);
  });

  it.each([
    ['the repository has a problem', true, REBASE, REBASE.problem],
    ['there is no place for worktrees', false, aRepository(), NO_HOME],
  ])(
    'where %s works in the project, and is refused for a worktree that was chosen',
    async (_name, hasFolders, status, why) => {
      const { worktrees, converse, conversations, events } = withStatus(status, { hasFolders });
      expect(await worktrees.enter(await converse('conv-1'), EDITS, 'turn-1', live())).toBeUndefined();
      expect(conversations.find('conv-1')).toMatchObject({ place: 'project', place_reason: why });
      const chosen = await converse('conv-2', { isolation: 'worktree' });
      await expect(worktrees.enter(chosen, READS, 'turn-2', live())).rejects.toMatchObject({
        ...{ code: 'not_waiting', message: `No worktree can be made. ${why}` },
      });
      expect(conversations.find('conv-2')?.place).toBeNull();
      expect([events.length, worktrees.isInUse('conv-2'), await worktrees.problem()]).toEqual([1, false, why]);
    },
  );

  it('goes where the conversation works that asked, also while no other worktree can be made', async () => {
    const { worktrees, converse, conversations, putWorktree, git, now } = withStatus(REBASE);
    await converse('conv-1', { place: 'worktree' });
    const path = await putWorktree('conv-1');
    const asked = await converse('conv-2', { place_of: 'conv-1' });
    const place = await worktrees.enter(asked, EDITS, 'turn-1', live());
    expect([place?.folder, worktrees.isInUse('conv-1'), worktrees.isInUse('conv-2')]).toEqual([path, true, false]);
    expect(conversations.find('conv-2')).toMatchObject({
      ...{ place: 'worktree', place_reason: 'It works where the conversation that asked it works.' },
    });
    await place?.leave();
    expect([git.calls, now.reads]).toEqual([[], 0]);
  });
});

describe('A worktree that a turn needs', () => {
  it('is used as it is while it is there', async () => {
    const made = withStatus(REBASE);
    const { converse, putWorktree, git, now } = made;
    await converse('conv-1', { place: 'worktree' });
    const path = await putWorktree('conv-1');
    expect((await takeTurn(made, 'conv-1'))?.folder).toBe(path);
    expect([git.calls, now.reads]).toEqual([[], 0]);
  });

  it.each([
    ['it was being made, whatever is in it', 'creating', ['lib'], true],
    ['it was being removed', 'removing', [], true],
    ['its folder is gone', 'ready', [], false],
  ] as const)('is made anew when %s', async (_name, state, repositories, isThere) => {
    const made = worktreesAlone();
    const { converse, putWorktree, store, git } = made;
    await converse('conv-1', { place: 'worktree' });
    const path = await putWorktree('conv-1', { state, base: 'old' }, { repositories: [...repositories] });
    if (!isThere) rmSync(path, { recursive: true });
    expect((await takeTurn(made, 'conv-1'))?.folder).toBe(path);
    expect(store.find('conv-1')).toMatchObject({ path, state: 'ready', base: 'base' });
    expect(git.calls).toEqual([
      ['remove', path],
      ['add', path, 'base'],
    ]);
  });

  it('is made anew among its own when it is elsewhere, also where its own folder is', async () => {
    const made = worktreesAlone();
    const { converse, putWorktree, folders, store } = made;
    await converse('conv-1', { place: 'worktree' });
    const before = await putWorktree('conv-1', { path: join(folders.path, 'conv-0'), base: 'old' });
    const path = folders.pathOf('conv-1');
    mkdirSync(path);
    expect((await takeTurn(made, 'conv-1'))?.folder).toBe(path);
    expect(store.find('conv-1')).toMatchObject({ path, base: 'base' });
    expect(existsSync(before)).toBe(true);
  });

  it('cannot be made while the repository has a problem, nor without a place', async () => {
    for (const [status, hasFolders, why] of [
      [REBASE, true, REBASE.problem],
      [aRepository(), false, NO_HOME],
    ] as const) {
      const made = withStatus(status, { hasFolders });
      await made.converse('conv-1', { place: 'worktree' });
      await expect(takeTurn(made, 'conv-1')).rejects.toThrow(`No worktree can be made. ${why}`);
      expect([made.store.list(), made.worktrees.isInUse('conv-1')]).toEqual([[], false]);
    }
  });

  it('of which the store knows nothing stays for the repositories in it', async () => {
    const made = worktreesAlone();
    await made.converse('conv-1', { place: 'worktree' });
    const path = made.folders.pathOf('conv-1');
    made.git.put(path, { repositories: ['lib', 'more'] });
    await expect(takeTurn(made, 'conv-1')).rejects.toThrow(
      `No worktree can be made. ${path} holds repositories that nothing keeps (lib, more): save what you need of them,` +
        ' then remove the folder.',
    );
    expect([existsSync(path), made.git.calls]).toEqual([true, []]);
    made.git.put(path);
    expect((await takeTurn(made, 'conv-1'))?.folder).toBe(path);
  });

  it('that git alone knows, without its folder, is made anew', async () => {
    const made = worktreesAlone();
    await made.converse('conv-1', { place: 'worktree' });
    const path = made.folders.pathOf('conv-1');
    made.git.put(path, { repositories: ['lib'] });
    rmSync(path, { recursive: true });
    expect((await takeTurn(made, 'conv-1'))?.folder).toBe(path);
  });

  it('is made in the place of a folder of which git knows nothing', async () => {
    const made = worktreesAlone();
    await made.converse('conv-1', { place: 'worktree' });
    const path = made.folders.pathOf('conv-1');
    mkdirSync(path, { recursive: true });
    expect((await takeTurn(made, 'conv-1'))?.folder).toBe(path);
  });

  it('is removed again when it could not be set up', async () => {
    const made = worktreesAlone({ setUp: () => Promise.reject(new Error('no lamps')) });
    const { converse, folders, store, worktrees } = made;
    await converse('conv-1');
    await expect(takeTurn(made, 'conv-1')).rejects.toThrow('no lamps');
    expect([store.list(), existsSync(folders.pathOf('conv-1')), worktrees.isInUse('conv-1')]).toEqual([
      [],
      false,
      false,
    ]);
  });

  it('is not made once the turn was stopped, before it is checked out or while it is set up', async () => {
    for (const isEarly of [true, false]) {
      const controller = new AbortController();
      const { worktrees, converse, git, store } = worktreesAlone({
        setUp: async () => {
          controller.abort(new Error('stopped'));
          return [];
        },
      });
      if (isEarly) controller.abort(new Error('stopped'));
      const row = await converse('conv-1');
      await expect(worktrees.enter(row, EDITS, 'turn-1', controller.signal)).rejects.toThrow('stopped');
      expect(git.calls.map(([command]) => command)).toEqual(
        isEarly ? ['remove', 'remove'] : ['remove', 'add', 'remove'],
      );
      expect(store.list()).toEqual([]);
    }
  });

  it('belongs to nobody when its conversation was deleted meanwhile', async () => {
    const made = worktreesAlone({
      setUp: async () => {
        await made.transactions.run((transaction) => made.store.drop(transaction, 'conv-1'));
        return [];
      },
    });
    await made.converse('conv-1');
    await expect(takeTurn(made, 'conv-1')).rejects.toThrow('The conversation was deleted meanwhile.');
  });

  it('is made once for two turns that begin together', async () => {
    const made = worktreesAlone();
    const rows = [await made.converse('conv-1', { place: 'worktree' })];
    rows.push(await made.converse('conv-2', { place: 'worktree', place_of: 'conv-1' }));
    const [one, two] = await Promise.all(rows.map((row) => made.worktrees.enter(row, EDITS, 'turn', live())));
    expect(made.git.calls.filter(([command]) => command === 'add')).toHaveLength(1);
    await one?.leave();
    expect(made.worktrees.isInUse('conv-1')).toBe(true);
    await two?.leave();
    expect(made.worktrees.isInUse('conv-1')).toBe(false);
  });
});

describe('The end of a turn', () => {
  it('records the use of its worktree, without a branch while nothing changed', async () => {
    const made = worktreesAlone();
    const { converse, putWorktree, clock, store, events } = made;
    await converse('conv-1', { place: 'worktree' });
    await putWorktree('conv-1');
    clock.step(5_000);
    await takeTurn(made, 'conv-1');
    expect(store.find('conv-1')).toMatchObject({ used_ms: clock.now(), branch: null });
    expect(events).toEqual([]);
  });

  it.each([
    ['a file changed', { files: ['a.ts'] }],
    ['something was committed', { head: 'c2' }],
  ])('gives the worktree its branch once %s, and tells it once', async (_name, known) => {
    const made = worktreesAlone();
    const { converse, putWorktree, store, events, git } = made;
    await converse('conv-1', { place: 'worktree', title: 'Light it' });
    const path = await putWorktree('conv-1');
    await takeTurn(made, 'conv-1', () => Object.assign(git.known.get(path) ?? {}, known));
    const branch = 'meshd/developer/light-it';
    expect(store.find('conv-1')?.branch).toBe(branch);
    expect(git.calls).toEqual([['attach', path, branch, 'head' in known ? 'c2' : 'base']]);
    expect(events).toMatchObject([{ type: 'conversation.updated', conv: 'conv-1' }]);
    await takeTurn(made, 'conv-1');
    expect(events).toHaveLength(1);
  });

  it('looks only at what was not put into the worktree', async () => {
    const made = worktreesAlone();
    await made.converse('conv-1', { place: 'worktree' });
    await made.putWorktree('conv-1', { provided: ['.env'] }, { files: ['.env'] });
    await takeTurn(made, 'conv-1');
    expect(made.store.find('conv-1')?.branch).toBeNull();
  });

  it('takes up the branch that the agent checked out', async () => {
    const made = worktreesAlone();
    await made.converse('conv-1', { place: 'worktree' });
    await made.putWorktree('conv-1', {}, { branch: 'mine', files: ['a.ts'] });
    await takeTurn(made, 'conv-1');
    expect([made.store.find('conv-1')?.branch, made.git.calls]).toEqual(['mine', []]);
  });

  it('keeps the known branch while a rebase waits', async () => {
    const made = worktreesAlone();
    await made.converse('conv-1', { place: 'worktree' });
    await made.putWorktree('conv-1', { branch: 'meshd/x' }, { branch: null, files: ['a.ts'], isUnderWay: true });
    await takeTurn(made, 'conv-1');
    expect([made.store.find('conv-1')?.branch, made.git.calls, made.events]).toEqual(['meshd/x', [], []]);
  });

  it('numbers the branch when others have its name, up to twenty', async () => {
    const made = worktreesAlone();
    const { converse, putWorktree, git, store } = made;
    await converse('conv-1', { place: 'worktree', member: null, agent_type: 'code', title: 'x' });
    await putWorktree('conv-1', {}, { files: ['a.ts'] });
    git.branches.set('meshd/code/x', 'c');
    for (let at = 2; at < 20; at += 1) git.branches.set(`meshd/code/x-${at}`, 'c');
    await takeTurn(made, 'conv-1');
    expect(store.find('conv-1')?.branch).toBe('meshd/code/x-20');
    await converse('conv-2', { place: 'worktree', member: null, agent_type: 'code', title: 'x' });
    await putWorktree('conv-2', {}, { files: ['a.ts'] });
    await takeTurn(made, 'conv-2');
    expect(store.find('conv-2')?.branch).toBeNull();
    expect(git.calls).toHaveLength(40);
  });

  it('makes no branch for a conversation that was deleted meanwhile', async () => {
    const made = worktreesAlone();
    await made.converse('conv-1', { place: 'worktree' });
    await made.putWorktree('conv-1', {}, { files: ['a.ts'] });
    await takeTurn(made, 'conv-1', () => void made.database.sql('DELETE FROM conversations').run());
    expect([made.store.find('conv-1')?.branch, made.git.calls]).toEqual([null, []]);
  });

  it('looks at no worktree that is gone', async () => {
    const made = worktreesAlone();
    await made.converse('conv-1', { place: 'worktree' });
    await made.putWorktree('conv-1', {}, { files: ['a.ts'] });
    const removing = () => void made.database.sql("UPDATE worktrees SET state = 'removing'").run();
    await takeTurn(made, 'conv-1', removing);
    expect([made.store.find('conv-1')?.branch, made.git.calls, made.failures]).toEqual([null, [], []]);
  });

  it('frees the worktree although it could not be looked at', async () => {
    const made = worktreesAlone();
    await made.converse('conv-1', { place: 'worktree' });
    await made.putWorktree('conv-1');
    made.git.before = () => {
      throw new Error('no git');
    };
    await takeTurn(made, 'conv-1');
    expect(made.failures).toEqual(['the worktree of a turn could not be looked at: no git']);
    expect(made.worktrees.isInUse('conv-1')).toBe(false);
  });

  it('frees the worktree of a turn that could not begin', async () => {
    const made = worktreesAlone({ guard: () => Promise.reject(new Error('no guard')) });
    await made.converse('conv-1', { place: 'worktree' });
    await made.putWorktree('conv-1');
    await expect(takeTurn(made, 'conv-1')).rejects.toThrow('no guard');
    expect([made.worktrees.isInUse('conv-1'), made.failures]).toEqual([false, []]);
  });
});

describe('The state of the repository', () => {
  it('is read once for those who want it at the same time, and tells why no worktree can be made', async () => {
    const { worktrees, now } = withStatus(REBASE);
    expect(await Promise.all([worktrees.problem(), worktrees.problem()])).toEqual([REBASE.problem, REBASE.problem]);
    expect(now.reads).toBe(1);
    now.status = aRepository();
    expect([await worktrees.problem(), now.reads]).toEqual([null, 2]);
  });

  /** A promise, and what resolves it. */
  function held<Value>() {
    let resolve: (value: Value) => void = () => undefined;
    const promise = new Promise<Value>((settle) => {
      resolve = settle;
    });
    return { promise, resolve };
  }

  it('is waited for at the stop', async () => {
    const status = held<RepositoryStatus>();
    const ended: string[] = [];
    const { worktrees } = worktreesAlone({ readStatus: () => status.promise });
    void worktrees.problem().then(() => ended.push('read'));
    const stopped = worktrees.stop().then(() => ended.push('stopped'));
    setImmediate(() => status.resolve(aRepository()));
    await stopped;
    expect(ended).toEqual(['read', 'stopped']);
  });

  it('may end before what works on a worktree, which is waited for, too', async () => {
    const work = held<void>();
    const ended: string[] = [];
    const { worktrees } = worktreesAlone();
    void worktrees.exclusively('conv-1', () => work.promise).then(() => ended.push('worked'));
    const stopped = worktrees.stop().then(() => ended.push('stopped'));
    setImmediate(() => work.resolve());
    await stopped;
    expect(ended).toEqual(['worked', 'stopped']);
  });
});
