import { readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { CHECKPOINTS_MAX, type Changes, type FileDiff } from '../../contract/work/changes.js';
import type { WorkingTree } from '../../storage/git/working-trees.js';
import { begin, events, get } from '../../testing/apps/conversing.js';
import { edit, editor, listCheckpoints, sayUntilCheckpoint } from '../../testing/apps/editing.js';
import { testApp } from '../../testing/apps/test-app.js';
import { aCheckpoint, aRunnable, checkpointParts } from '../../testing/parts/checkpoint-parts.js';
import { answers, ScriptedAgent } from '../../testing/processes/scripted-agent.js';
import { git, putFiles, temporaryFolder, temporaryRepository } from '../../testing/temporary-folder.js';
import type { Runnable } from '../conversations/turn-change.js';
import type { TurnRow } from '../conversations/turns-store.js';
import type { CheckpointRow } from './checkpoints-store.js';

const FILES = {
  'a.txt': 'one\ntwo\nthree\n',
  'b.txt': 'b\n',
  'dir/c.txt': 'c\nc\nc\nc\n',
  '.gitignore': 'out\n.mesh\n',
};

async function start(root = temporaryRepository(FILES)) {
  const app = await testApp({ root, clients: [editor(() => root)] });
  const socket = await events(app);
  const { conv } = await begin(app, { member: 'developer', isolation: 'project' });
  const changes = async (query = '') =>
    (await app.call('GET', `/conversations/${conv}/changes${query}`)).body as Changes;
  const file = async (query: string) =>
    (await app.call('GET', `/conversations/${conv}/changes/file?${query}`)).body as FileDiff;
  return { root, app, conv, changes, file, edit: (edits: object) => edit(app, socket, conv, edits as never) };
}

test('a start removes what a killed daemon left of its snapshots', async () => {
  const root = temporaryRepository({ ...FILES, '.mesh/state/checkpoints/0123456789ab-1.index': 'half' });
  await testApp({ root });
  expect(readdirSync(join(root, '.mesh/state/checkpoints'))).toEqual([]);
});

test('each turn that changes files is kept, with untracked files and without ignored ones and secrets', async () => {
  const { root, app, conv, changes, edit } = await start();
  writeFileSync(join(root, '.env'), 'KEY=1\n');
  const index = readFileSync(join(root, '.git/index'));
  const head = git(root, 'rev-parse', 'HEAD');
  const first = await edit({ 'a.txt': 'one\nTWO\nthree\n', 'new.txt': 'n\n', out: 'ignored', 'key.pem': 'secret' });
  const second = await edit({ 'dir/c.txt': null, 'dir/moved.txt': 'c\nc\nc\nc\n' });
  const { checkpoints, count, problem } = await listCheckpoints(app, conv);
  expect({ count, problem }).toEqual({ count: 3, problem: null });
  expect(checkpoints).toMatchObject([
    { checkpoint: 'start', kind: 'start', turn: null, files: 0, left_out: ['.env'], others: [] },
    { checkpoint: first, kind: 'turn', turn: first, files: 2, additions: 2, deletions: 1, left_out: ['key.pem'] },
    { checkpoint: second, kind: 'turn', turn: second, files: 1, additions: 0, deletions: 0, left_out: [] },
  ]);
  const listed = git(root, 'ls-tree', '-r', '--name-only', checkpoints[1]?.commit ?? '')
    .trim()
    .split('\n');
  expect(listed).toEqual(['.gitignore', 'a.txt', 'b.txt', 'dir/c.txt', 'new.txt']);
  expect(git(root, 'rev-parse', `refs/meshd/${conv}/${first}`).trim()).toBe(checkpoints[1]?.commit);
  expect((await changes()).files.map(({ path, status, old_path }) => [path, status, old_path])).toEqual([
    ['a.txt', 'modified', null],
    ['dir/moved.txt', 'renamed', 'dir/c.txt'],
    ['new.txt', 'added', null],
  ]);
  expect(await changes(`?from=start&to=${first}`)).toMatchObject({ count: 2, additions: 2, deletions: 1 });
  expect(readFileSync(join(root, '.git/index')).equals(index)).toBe(true);
  expect(git(root, 'rev-parse', 'HEAD')).toBe(head);
  expect(git(root, 'branch', '--list').trim()).toBe('* main');
});

test('what others change between two turns is a checkpoint of its own', async () => {
  const { root, app, conv, changes, edit } = await start();
  const first = await edit({ 'a.txt': '1\n' });
  writeFileSync(join(root, 'b.txt'), 'mine\n');
  const second = await edit({ 'a.txt': '2\n' });
  const { checkpoints } = await listCheckpoints(app, conv);
  expect(checkpoints.map(({ checkpoint, kind }) => [checkpoint, kind])).toEqual([
    ['start', 'start'],
    [first, 'turn'],
    ['kept-1', 'outside'],
    [second, 'turn'],
  ]);
  expect((await changes(`?from=kept-1&to=${second}`)).files.map(({ path }) => path)).toEqual(['a.txt']);
});

test('a checkpoint names the conversations that worked in the folder meanwhile, without those of callers', async () => {
  const root = temporaryRepository(FILES);
  const meanwhile = new Map<string, () => Promise<unknown>>();
  const agent = new ScriptedAgent('acp', async function* ({ text, profile }) {
    await meanwhile.get(text)?.();
    if (profile === 'operator') writeFileSync(join(root, 'a.txt'), text);
    yield* answers('Done.');
  });
  const app = await testApp({ root, clients: [agent] });
  const say = async (conv: string, text: string) => sayUntilCheckpoint(app, await events(app), conv, text);
  await app.call('PATCH', '/team/architect-master', { exposure: 'external' });
  const { conv } = await begin(app, { member: 'developer', isolation: 'project' });
  const { conv: other } = await begin(app, { member: 'architect-master', isolation: 'project' });
  await say(other, 'first');
  meanwhile.set('while asked', async () => {
    const asked = await app.ask('architect-master', { text: 'What is where?' });
    expect(asked.conv).toBe(other);
    expect((await app.poll('architect-master', asked.request_id, 60)).status).toBe('done');
  });
  meanwhile.set('while working', () => say(other, 'second'));
  app.clock.step(1_000);
  await say(conv, 'while asked');
  app.clock.step(1_000);
  await say(conv, 'while working');
  const { checkpoints } = await listCheckpoints(app, conv);
  expect(checkpoints.filter(({ kind }) => kind === 'turn').map(({ others }) => others)).toEqual([[], [other]]);
});

test('the change of a file is its patch from the first hunk; unknown paths and states are refused', async () => {
  const { root, app, conv, file, changes, edit } = await start();
  const lines = Array.from({ length: 40 }, (_, line) => `line ${line}`);
  const turn = await edit({ 'a.txt': 'one\n  two\nthree\n', 'bin.dat': 'a\0b', 'yarn.lock': lines.join('\n') });
  expect(await file('path=a.txt&context=0')).toMatchObject({
    ...{ from: 'base', to: 'working', cut: false, patch: '@@ -2 +2 @@ one\n-two\n+  two\n' },
    file: { path: 'a.txt', binary: false, generated: false },
  });
  expect((await file('path=a.txt&whitespace=ignore')).patch).toBe('');
  expect(await file(`path=bin.dat&to=${turn}`)).toMatchObject({ patch: '', file: { binary: true } });
  expect((await file('path=yarn.lock')).file.generated).toBe(true);
  writeFileSync(join(root, '.gitattributes'), 'a.txt linguist-generated\nyarn.lock -linguist-generated\n');
  const generated = (await changes()).files.filter((one) => one.generated).map(({ path }) => path);
  expect(generated).toEqual(['a.txt']);
  for (const [query, status] of [
    ['path=b.txt', 404],
    ['path=../../etc/passwd', 404],
    ['path=a.txt&from=turn-0', 404],
    ['path=a.txt&to=--output=x', 404],
    ['path=a.txt&context=101', 400],
  ] as const)
    expect((await app.call('GET', `/conversations/${conv}/changes/file?${query}`)).status, query).toBe(status);
  expect((await app.call('GET', '/conversations/conv-0/checkpoints')).status).toBe(404);
});

test('without a repository the turn runs and the reason is told', async () => {
  const root = temporaryFolder({ 'a.txt': 'a' });
  const app = await testApp({ root, clients: [editor(() => root)] });
  const socket = await events(app);
  const { conv } = await begin(app, { member: 'developer', isolation: 'project' });
  await app.call('POST', `/conversations/${conv}/messages`, { text: '{"a.txt":"b"}' });
  const end = await socket.until((frame) => frame.type === 'turn.ended');
  expect(end).toMatchObject({ outcome: 'answered' });
  expect(await listCheckpoints(app, conv)).toMatchObject({ count: 0, problem: expect.stringContaining('git init') });
  const changes = (await app.call('GET', `/conversations/${conv}/changes`)).body as Changes;
  expect(changes).toMatchObject({ count: 0, problem: expect.stringContaining('git init') });
});

test('a repository without a commit, a link in place of a folder and a subfolder of a repository are kept', async () => {
  const outer = temporaryFolder({ 'sub/a.txt': 'a\n', 'sub/dir/b.txt': 'b\n', 'beside.txt': 'x\n' });
  git(outer, 'init', '-q');
  const { root, app, conv, changes, edit } = await start(join(outer, 'sub'));
  writeFileSync(join(outer, 'beside.txt'), 'y\n');
  const turn = await edit({ 'a.txt': 'A\n', '.gitignore': '.mesh\n' });
  rmSync(join(root, 'dir'), { recursive: true });
  symlinkSync('..', join(root, 'dir'));
  const last = await edit({ 'a.txt': 'AA\n' });
  expect((await changes(`?to=${turn}`)).files.map(({ path }) => path)).toEqual(['.gitignore', 'a.txt']);
  expect((await changes(`?from=${turn}&to=${last}`)).files.map(({ path }) => path)).toEqual([
    'a.txt',
    'dir',
    'dir/b.txt',
  ]);
  expect((await listCheckpoints(app, conv)).problem).toBeNull();
  expect(statSync(join(outer, '.git')).isDirectory()).toBe(true);
});

test('a deleted conversation leaves no reference behind', async () => {
  const { root, app, conv, edit } = await start();
  await edit({ 'a.txt': 'A\n' });
  expect((await get(app, conv)).conv).toBe(conv);
  expect((await app.call('DELETE', `/conversations/${conv}`)).status).toBe(200);
  await app.stop();
  expect(git(root, 'for-each-ref', 'refs/meshd')).toBe('');
});

const STARTED = { 'a.txt': 'a\n' };

/** Checkpoints of a repository, in which `put` writes files. */
async function alone(files: Record<string, string> = STARTED) {
  const parts = await checkpointParts(temporaryRepository(files));
  const names = (conv = 'conv-a') => parts.store.list(conv, 99).map(({ checkpoint }) => checkpoint);
  /** Keeps a reference from being made until the returned function is called. */
  const block = (name: string) => {
    const place = join(parts.root, '.git/refs/meshd', name);
    putFiles(place, { other: git(parts.root, 'rev-parse', 'HEAD') });
    return () => rmSync(place, { recursive: true });
  };
  return { ...parts, names, block, put: (edits: Record<string, string>) => putFiles(parts.root, edits) };
}

describe('before a turn', () => {
  it.each<[title: string, isKept: boolean, runnable: Runnable | undefined]>([
    ['an agent that edits', true, aRunnable()],
    ['an agent that runs commands', true, aRunnable({}, ['read', 'execute'])],
    ['an agent that only reads', false, aRunnable({}, ['read', 'search'])],
    ['an agent without tools', false, aRunnable({}, [])],
    ['the built-in agent', false, aRunnable({ client_resolved: 'builtin' })],
    ['a client that does not exist', false, aRunnable({ client: undefined })],
    ['nothing that runs', false, undefined],
  ])('the files are kept for what can change them: %s', async (_title, isKept, runnable) => {
    const { checkpoints, addTurn, names, errors } = await alone();
    await checkpoints.prepareTurn(await addTurn('turn-1'), runnable);
    expect([names(), errors]).toEqual([isKept ? ['start'] : [], []]);
  });

  it('the files are not kept for a caller’s turn', async () => {
    const { checkpoints, addTurn, names, forkFiles } = await alone();
    await checkpoints.prepareTurn(await addTurn('turn-1', { profile: 'outside' }), aRunnable());
    expect([names(), forkFiles]).toEqual([[], []]);
  });

  it('the first checkpoint is a commit above the last one, and later ones above it', async () => {
    const { root, store, runTurn, put, published, clock, sql } = await alone();
    await runTurn('turn-1', () => put({ 'a.txt': 'b\nc\n', 'd.txt': 'd\n' }));
    const [start, turn] = store.list('conv-a', 9);
    const head = git(root, 'rev-parse', 'HEAD').trim();
    const facts = { conv: 'conv-a', left_out: [], others: [], hidden: [], created_ms: clock.now() };
    const [first, second] = ['start', 'turn-1'].map((name) =>
      git(root, 'rev-parse', `refs/meshd/conv-a/${name}`).trim(),
    );
    expect([start, turn]).toEqual([
      {
        ...{ ...facts, seq: 1, checkpoint: 'start', kind: 'start', turn: null, commit_id: first, last_seq: 0 },
        ...{ tree: git(root, 'rev-parse', 'HEAD^{tree}').trim(), files: 0, additions: 0, deletions: 0 },
      },
      {
        ...{ ...facts, seq: 2, checkpoint: 'turn-1', kind: 'turn', turn: 'turn-1', commit_id: second, last_seq: 1 },
        ...{ tree: git(root, 'rev-parse', `${second}^{tree}`).trim(), files: 2, additions: 3, deletions: 1 },
      },
    ]);
    const shown = (commit = '') => git(root, 'show', '-s', '--format=%P %s', commit).trim();
    expect(shown(first)).toBe(`${head} Checkpoint start of conv-a`);
    expect(shown(second)).toBe(`${first} Checkpoint turn-1 of conv-a`);
    expect(published).toMatchObject([
      { type: 'checkpoint.made', conv: 'conv-a', checkpoint: 'start' },
      { type: 'checkpoint.made', conv: 'conv-a', checkpoint: 'turn-1' },
    ]);
    expect(sql('SELECT count(*) FROM checkpoints_due').pluck().get()).toBe(0);
  });

  it('the first checkpoint of a repository without a commit stands alone', async () => {
    const root = temporaryFolder({ 'a.txt': 'a\n' });
    git(root, 'init', '-q');
    const { runTurn } = await checkpointParts(root);
    await runTurn('turn-1', () => undefined);
    expect(git(root, 'show', '-s', '--format=[%P]', 'refs/meshd/conv-a/start').trim()).toBe('[]');
  });

  it('what others changed since is kept, and counts as before the turn', async () => {
    const { runTurn, put, store, names } = await alone();
    await runTurn('turn-1', () => put({ 'a.txt': 'b\n' }));
    put({ 'a.txt': 'c\n' });
    await runTurn('turn-2', () => undefined);
    expect(names()).toEqual(['start', 'turn-1', 'kept-1']);
    expect(store.findLast('conv-a')).toMatchObject({ kind: 'outside', turn: null, last_seq: 1, files: 1 });
    await runTurn('turn-3', () => undefined);
    expect(names()).toEqual(['start', 'turn-1', 'kept-1']);
  });

  it('the files of a fork are put into its folder, once what was there is kept', async () => {
    const { root, runTurn, forkFiles } = await alone();
    await runTurn('turn-1', () => expect(forkFiles).toEqual([['conv-a', root]]));
  });

  it('nothing is kept without a repository', async () => {
    const { runTurn, names, errors, forkFiles, folders } = await alone();
    folders.set('conv-a', temporaryFolder());
    await runTurn('turn-1', () => undefined);
    expect([names(), errors, forkFiles]).toEqual([[], [], []]);
  });

  it('the turn runs although the files cannot be kept, and the error is told', async () => {
    const { checkpoints, addTurn, errors, block } = await alone();
    block('conv-a/start');
    await checkpoints.prepareTurn(await addTurn('turn-1'), aRunnable());
    expect(errors).toEqual([
      ['the files could not be kept before a turn', 'conv-a', expect.stringContaining('cannot lock ref')],
    ]);
  });
});

describe('after a turn', () => {
  const end = async (
    { transactions, checkpoints }: Awaited<ReturnType<typeof alone>>,
    turn: Partial<TurnRow>,
    kind = 'ended',
  ) => {
    const change = { kind, turn: { conv: 'conv-a', profile: 'operator', ...turn } };
    await transactions.run((transaction) => checkpoints.follow(change as never, transaction));
    await checkpoints.inFolder('conv-a', async () => undefined);
  };

  it.each<[title: string, kind: string, given: Partial<TurnRow>, isKept: boolean]>([
    ['the operator’s turn has its checkpoint', 'ended', {}, true],
    ['not one that started only', 'started', {}, false],
    ['not one of a caller', 'ended', { profile: 'outside' }, false],
    ['not one that never ran', 'ended', { started_ms: null }, false],
  ])('%s', async (_title, kind, given, isKept) => {
    const parts = await alone();
    await parts.runTurn('turn-1', () => undefined);
    const row = await parts.addTurn('turn-2', given);
    parts.put({ 'a.txt': 'b\n' });
    await end(parts, row, kind);
    expect(parts.names()).toEqual(isKept ? ['start', 'turn-2'] : ['start']);
    expect(parts.store.listDue()).toEqual([]);
  });

  it('there is no checkpoint of a conversation in which nothing was kept before', async () => {
    const parts = await alone();
    await end(parts, await parts.addTurn('turn-1'));
    expect([parts.names(), parts.store.listDue(), parts.errors]).toEqual([[], [], []]);
  });

  it('there is no checkpoint when no file changed', async () => {
    const { runTurn, names, store, published } = await alone();
    await runTurn('turn-1', () => undefined);
    expect([names(), store.listDue(), published.length]).toEqual([['start'], [], 1]);
  });

  it('there is no checkpoint when only files outside of the folder changed', async () => {
    const outer = temporaryRepository({ 'sub/a.txt': 'a\n', 'beside.txt': 'b\n' });
    const { runTurn, store } = await checkpointParts(join(outer, 'sub'));
    await runTurn('turn-1', () => {
      putFiles(outer, { 'beside.txt': 'c\n' });
      git(outer, 'commit', '-q', '-a', '-m', 'second');
    });
    expect([store.count('conv-a'), store.listDue()]).toEqual([1, []]);
  });

  it('a turn that is undone as its transaction fails has no checkpoint', async () => {
    const parts = await alone();
    await parts.runTurn('turn-1', () => undefined);
    const turn = await parts.addTurn('turn-2');
    parts.put({ 'a.txt': 'b\n' });
    const failed = parts.transactions.run((transaction) => {
      parts.checkpoints.follow({ kind: 'ended', turn } as never, transaction);
      throw new Error('No space.');
    });
    await expect(failed).rejects.toThrow('No space.');
    await parts.checkpoints.inFolder('conv-a', async () => undefined);
    expect([parts.names(), parts.store.listDue()]).toEqual([['start'], []]);
  });

  it('a checkpoint that could not be made is told until the next start makes it', async () => {
    const { runTurn, put, checkpoints, errors, store, names, block, folderOf } = await alone();
    const unblock = block('conv-a/turn-1');
    await runTurn('turn-1', () => put({ 'a.txt': 'b\n' }));
    const [[what, conv, message] = []] = errors;
    expect([what, conv, message]).toEqual([
      'the checkpoint of a turn could not be made',
      'conv-a',
      expect.stringContaining('cannot lock ref'),
    ]);
    await expect.poll(() => store.listDue()).toEqual([{ turn: 'turn-1', conv: 'conv-a', problem: message }]);
    expect(await checkpoints.list('conv-a')).toMatchObject({
      ...{ conv: 'conv-a', count: 1, problem: `The checkpoint of turn-1 is missing: ${message}` },
      checkpoints: [{ checkpoint: 'start' }],
    });
    unblock();
    checkpoints.start();
    await checkpoints.inFolder('conv-a', async () => undefined);
    expect([names(), store.listDue(), checkpoints.folderOf('conv-a')]).toEqual([
      ...[['start', 'turn-1'], []],
      folderOf('conv-a'),
    ]);
    expect((await checkpoints.list('conv-a')).problem).toBeNull();
  });

  it('a checkpoint is missing when the folder is in no repository any more', async () => {
    const { runTurn, errors, folders, store } = await alone();
    await runTurn('turn-1', () => folders.set('conv-a', temporaryFolder()));
    const problem = 'The folder is not in a working tree of git any more.';
    expect(errors).toEqual([['the checkpoint of a turn could not be made', 'conv-a', problem]]);
    await expect.poll(() => store.listDue()).toEqual([{ turn: 'turn-1', conv: 'conv-a', problem }]);
  });

  it('the next start makes what is missing, even the first checkpoint', async () => {
    const { checkpoints, transactions, store, addTurn, names, errors } = await alone();
    await addTurn('turn-1');
    await transactions.run((transaction) =>
      store.putDue(transaction, { turn: 'turn-1', conv: 'conv-a', problem: null }),
    );
    checkpoints.start();
    await checkpoints.inFolder('conv-a', async () => undefined);
    expect([names(), store.listDue(), errors]).toEqual([['turn-1'], [], []]);
  });

  it('nothing is made after the stop, which waits for what is under way', async () => {
    const { checkpoints, runTurn, put, names, store } = await alone();
    await runTurn('turn-1', () => undefined);
    let release: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const done: string[] = [];
    const held = checkpoints.inFolder('conv-a', async () => {
      await gate;
      done.push('work');
    });
    const stopped = checkpoints.stop().then(() => done.push('stop'));
    release();
    await Promise.all([held, stopped]);
    expect(done).toEqual(['work', 'stop']);
    await runTurn('turn-2', () => put({ 'a.txt': 'b\n' }));
    expect([names(), store.listDue()]).toEqual([['start'], [{ turn: 'turn-2', conv: 'conv-a', problem: null }]]);
  });

  it('nothing of a conversation that is deleted meanwhile stays', async () => {
    const { root, runTurn, transactions, conversations, put, store, errors } = await alone();
    await runTurn('turn-1', () => put({ 'a.txt': 'b\n' }));
    await runTurn('turn-2', () => {
      put({ 'a.txt': 'c\n' });
      void transactions.run((transaction) =>
        transaction.afterCommit(() => void transactions.run((later) => conversations.drop(later, 'conv-a'))),
      );
    });
    await expect.poll(() => store.listGone()).toEqual([]);
    expect([git(root, 'for-each-ref', 'refs/meshd'), errors]).toEqual(['', []]);
  });
});

describe('a checkpoint', () => {
  it.each<[kind: CheckpointRow['kind'], isMade: boolean]>([
    ['rewind', true],
    ['revert', true],
    ['merge', true],
    ['turn', false],
    ['outside', false],
  ])('of the kind %s without a change of files is made: %s', async (kind, isMade) => {
    const { checkpoints, trees, root, runTurn } = await alone();
    await runTurn('turn-1', () => undefined);
    const now = (await trees.take(root)) as WorkingTree;
    const given = { conv: 'conv-a', checkpoint: 'kept-1', kind, turn: null, last_seq: 1 };
    const made = await checkpoints.make(now, given);
    expect(made?.checkpoint).toBe(isMade ? 'kept-1' : undefined);
  });

  it('has the messages that are set aside as it is made', async () => {
    const { runTurn, transactions, aside, put } = await alone();
    await transactions.run((transaction) => aside.putHidden(transaction, 'conv-a', [[1, 2]]));
    expect((await runTurn('turn-1', () => put({ 'a.txt': 'b\n' })))?.hidden).toEqual([[1, 2]]);
  });

  it('is stored together with what belongs to it, or not at all', async () => {
    const { checkpoints, trees, root, names, published } = await alone();
    const now = (await trees.take(root)) as WorkingTree;
    const given = { conv: 'conv-a', checkpoint: 'kept-1', kind: 'rewind', turn: null, last_seq: 1 } as const;
    const record = () => {
      throw new Error('No space.');
    };
    await expect(checkpoints.make(now, { ...given, record })).rejects.toThrow('No space.');
    expect([names(), published]).toEqual([[], []]);
    await expect(checkpoints.make(now, { ...given, conv: 'conv-b' })).rejects.toThrow(
      'There is no conversation `conv-b`.',
    );
  });

  it('names files that are left out when they have changed since the last one, at most 20', async () => {
    const { runTurn, put, store } = await alone();
    put({ '.env': 'KEY=1' });
    const edited = (turn: string, edits: Record<string, string>) =>
      runTurn(turn, () => put({ 'a.txt': `${turn}\n`, ...edits }));
    expect((await edited('turn-1', {}))?.left_out).toEqual([]);
    expect(store.find('conv-a', 'start')?.left_out).toEqual(['.env']);
    expect((await edited('turn-2', { '.env': 'KEY=12' }))?.left_out).toEqual(['.env']);
    const names = Array.from({ length: 21 }, (_, at) => `${String(at).padStart(2, '0')}.pem`);
    const many = await edited('turn-3', Object.fromEntries(names.map((name) => [name, 'x'])));
    expect(many?.left_out).toEqual(names.slice(0, 20));
  });

  it('names the conversations that worked in the same folder, at most 20', async () => {
    const { runTurn, put, addConversation, addCheckpoint, addTurn, folders } = await alone();
    const others = Array.from({ length: 22 }, (_, at) => `conv-${String(at).padStart(2, '0')}`);
    for (const conv of others) {
      await addConversation(conv);
      await addCheckpoint({ conv });
      await addTurn(`turn-of-${conv}`, { conv });
    }
    folders.set('conv-00', temporaryFolder());
    const made = await runTurn('turn-1', () => put({ 'a.txt': 'b\n' }));
    expect(made?.others.toSorted()).toEqual(others.slice(1, 21));
  });

  it('that there is not is told by its name', async () => {
    const { checkpoints, repository } = await alone();
    const message = (name: string) => `There is no checkpoint \`${name}\` in this conversation.`;
    expect(() => checkpoints.find('conv-a', 'turn-9')).toThrow(message('turn-9'));
    const opened = await repository();
    for (const [name, told] of [
      ['base', 'start'],
      ['turn-9', 'turn-9'],
    ] as const)
      await expect(checkpoints.treeOf('conv-a', name, opened)).rejects.toMatchObject({
        ...{ code: 'not_found', message: message(told) },
      });
  });
});

it('the list has the newest checkpoints, the count of all, and why none can be made', async () => {
  const { checkpoints, transactions, store, folders } = await alone();
  await transactions.run((transaction) => {
    for (let at = 0; at <= CHECKPOINTS_MAX; at += 1) store.put(transaction, aCheckpoint({ checkpoint: `kept-${at}` }));
  });
  const list = await checkpoints.list('conv-a');
  expect([list.checkpoints.length, list.count, list.problem]).toEqual([CHECKPOINTS_MAX, CHECKPOINTS_MAX + 1, null]);
  expect(list.checkpoints[0]?.checkpoint).toBe('kept-1');
  folders.set('conv-a', temporaryFolder());
  expect((await checkpoints.list('conv-a')).problem).toBe(
    'The folder is not in a working tree of git: run `git init` in it to keep checkpoints of its files.',
  );
  await expect(checkpoints.list('conv-b')).rejects.toMatchObject({ code: 'not_found' });
});

it('a turn whose checkpoint is not made yet is no problem', async () => {
  const { checkpoints, transactions, store, addTurn } = await alone();
  await addTurn('turn-1');
  await transactions.run((transaction) => store.putDue(transaction, { turn: 'turn-1', conv: 'conv-a', problem: null }));
  expect((await checkpoints.list('conv-a')).problem).toBeNull();
});

it('work on one folder is done one after another, and that on another meanwhile', async () => {
  const { checkpoints, folders, root } = await alone();
  folders.set('conv-c', temporaryFolder());
  const done: string[] = [];
  let release: () => void = () => undefined;
  const first = checkpoints.inFolder('conv-a', async (folder) => {
    await new Promise<void>((resolve) => (release = resolve));
    done.push(folder === root ? 'first' : 'elsewhere');
  });
  const second = checkpoints.inFolder('conv-b', async () => void done.push('second'));
  await checkpoints.inFolder('conv-c', async () => void done.push('apart'));
  release();
  await Promise.all([first, second]);
  expect(done).toEqual(['apart', 'first', 'second']);
});

describe('references of deleted conversations', () => {
  /** Three conversations with checkpoints, of which `conv-a` and `conv-b` are deleted. */
  async function deleted() {
    const parts = await alone();
    for (const conv of ['conv-b', 'conv-ab']) await parts.addConversation(conv);
    for (const [conv, turn] of [
      ['conv-a', '1'],
      ['conv-b', '2'],
      ['conv-ab', '3'],
    ] as const)
      await parts.runTurn(`turn-${turn}`, () => parts.put({ 'a.txt': turn }), { conv });
    await parts.transactions.run((transaction) => {
      for (const conv of ['conv-a', 'conv-b']) parts.conversations.drop(transaction, conv);
    });
    const refs = () => git(parts.root, 'for-each-ref', '--format=%(refname)', 'refs/meshd').trim().split('\n');
    const ofLast = ['refs/meshd/conv-ab/start', 'refs/meshd/conv-ab/turn-3'];
    return { ...parts, refs, ofLast };
  }

  it('are removed, and no others', async () => {
    const { checkpoints, refs, ofLast, store, errors } = await deleted();
    await checkpoints.removeGone();
    expect([refs(), store.listGone(), errors]).toEqual([ofLast, [], []]);
  });

  it('are removed at the start', async () => {
    const { checkpoints, refs, ofLast, store } = await deleted();
    checkpoints.start();
    await expect.poll(() => store.listGone()).toEqual([]);
    expect(refs()).toEqual(ofLast);
  });

  it('stay until they can be removed, without a loss for other conversations', async () => {
    const { root, checkpoints, refs, ofLast, store, errors } = await deleted();
    const lock = join(root, '.git/refs/meshd/conv-a/start.lock');
    writeFileSync(lock, '');
    await checkpoints.removeGone();
    expect(refs()).toEqual(['refs/meshd/conv-a/start', 'refs/meshd/conv-a/turn-1', ...ofLast]);
    expect(store.listGone()).toEqual(['conv-a']);
    expect(errors).toEqual([
      ['the checkpoints of a deleted conversation could not be removed', 'conv-a', expect.any(String)],
    ]);
    rmSync(lock);
    await checkpoints.removeGone();
    expect([refs(), store.listGone()]).toEqual([ofLast, []]);
  });

  it('are looked for again once the folder is in a repository', async () => {
    const { checkpoints, refs, ofLast, store, folders, errors } = await deleted();
    folders.set('conv-a', temporaryFolder());
    await checkpoints.removeGone();
    expect([store.listGone(), errors]).toEqual([['conv-a'], []]);
    folders.delete('conv-a');
    await checkpoints.removeGone();
    await checkpoints.removeGone();
    expect([refs(), store.listGone(), errors]).toEqual([ofLast, [], []]);
  });

  it('need not exist', async () => {
    const { checkpoints, transactions, conversations, addCheckpoint, store, errors } = await alone();
    await addCheckpoint({});
    await transactions.run((transaction) => conversations.drop(transaction, 'conv-a'));
    await checkpoints.removeGone();
    expect([store.listGone(), errors]).toEqual([[], []]);
  });
});
