import { readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Changes, FileDiff } from '../../contract/work/changes.js';
import { begin, events, get } from '../../testing/apps/conversing.js';
import { edit, editor, listCheckpoints, sayUntilCheckpoint } from '../../testing/apps/editing.js';
import { testApp } from '../../testing/apps/test-app.js';
import { answers, ScriptedAgent } from '../../testing/processes/scripted-agent.js';
import { git, temporaryFolder, temporaryRepository } from '../../testing/temporary-folder.js';

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
