import { existsSync, lstatSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Conversation } from '../../contract/conversations.js';
import type { FileDiff, Rewound } from '../../contract/work/changes.js';
import { openSqlite } from '../../storage/database/sqlite.js';
import { begin, events, held, postMessage, read } from '../../testing/apps/conversing.js';
import { edit, editor, listCheckpoints } from '../../testing/apps/editing.js';
import { testApp } from '../../testing/apps/test-app.js';
import { git, temporaryRepository } from '../../testing/temporary-folder.js';

const FILES = { 'a.txt': 'one\n', 'b.txt': 'b\n', 'dir/c.txt': 'c\n', '.gitignore': 'out\n.mesh\n' };

async function start() {
  const root = temporaryRepository(FILES);
  const agent = editor(() => root);
  const app = await testApp({ root, clients: [agent] });
  const socket = await events(app);
  const { conv } = await begin(app, { member: 'developer', isolation: 'project' });
  const path = `/conversations/${conv}`;
  return {
    ...{ root, app, conv, agent },
    text: (name: string) => (existsSync(join(root, name)) ? readFileSync(join(root, name), 'utf8') : null),
    post: async (what: string, body: object) => app.call('POST', `${path}/${what}`, body),
    rewind: async (checkpoint: string, what = 'files') =>
      (await app.call('POST', `${path}/rewind`, { checkpoint, what })).body as Rewound,
    patch: async (name: string) =>
      ((await app.call('GET', `${path}/changes/file?path=${name}`)).body as FileDiff).patch,
    edit: (edits: object) => edit(app, socket, conv, edits as never),
    said: async () => (await read(app, conv)).messages.filter(({ role }) => role === 'user').map(({ text }) => text),
  };
}

test('files return to a checkpoint, and what they were is kept; ignored files, secrets and links are left', async () => {
  const { root, app, conv, text, rewind, edit } = await start();
  const index = readFileSync(join(root, '.git/index'));
  const first = await edit({ 'a.txt': 'two\n', 'dir/c.txt': null, 'new/n.txt': 'n\n', '.env': 'KEY=1' });
  await edit({ 'a.txt': 'three\n', 'new/n.txt': null, 'b.txt': null });
  writeFileSync(join(root, 'out'), 'ignored');
  expect(await rewind(first)).toMatchObject({ files: 3, skipped: [], messages: 0, kept: { checkpoint: 'kept-1' } });
  expect([text('a.txt'), text('b.txt'), text('new/n.txt'), text('dir/c.txt')]).toEqual(['two\n', 'b\n', 'n\n', null]);
  expect([text('out'), text('.env')]).toEqual(['ignored', 'KEY=1']);
  expect(await rewind('start')).toMatchObject({ files: 3, kept: { checkpoint: 'kept-2', kind: 'rewind' } });
  expect([text('a.txt'), text('dir/c.txt'), existsSync(join(root, 'new'))]).toEqual(['one\n', 'c\n', false]);
  expect(await rewind('kept-1')).toMatchObject({ files: 3 });
  expect([text('a.txt'), text('b.txt'), text('dir/c.txt')]).toEqual(['three\n', null, null]);
  expect(readFileSync(join(root, '.git/index')).equals(index)).toBe(true);
  expect(git(root, 'log', '--oneline').trim().split('\n')).toHaveLength(1);

  const outside = join(root, '..', `outside-${conv}`);
  mkdirSync(outside);
  rmSync(join(root, 'dir'), { recursive: true, force: true });
  symlinkSync(outside, join(root, 'dir'));
  writeFileSync(join(root, '.gitignore'), 'out\n.mesh\ndir\nb.txt\n');
  writeFileSync(join(root, 'b.txt'), 'ignored now');
  expect((await rewind('start')).kept).not.toBeNull();
  expect(existsSync(join(outside, 'c.txt'))).toBe(false);
  expect(lstatSync(join(root, 'dir')).isSymbolicLink()).toBe(true);
  rmSync(outside, { recursive: true });
  expect((await listCheckpoints(app, conv)).problem).toBeNull();
});

test('messages after a checkpoint are set aside, for the agent too, and come back', async () => {
  const { agent, said, rewind, edit, text, app } = await start();
  const [one, two, three, four] = [{ 'a.txt': '1' }, { 'a.txt': '2' }, { 'a.txt': '3' }, { 'a.txt': '4' }];
  const first = await edit(one);
  await edit(two);
  const third = await edit(three);
  expect(await rewind(first, 'both')).toMatchObject({ files: 1, messages: 4, kept: { checkpoint: 'kept-1' } });
  expect([await said(), text('a.txt')]).toEqual([[JSON.stringify(one)], '1']);
  await edit(four);
  expect(agent.turns.at(-1)?.history.map((message) => message.text)).toEqual([JSON.stringify(one), 'Done.']);
  expect(agent.turns.at(-1)?.session).toBeNull();
  expect(await rewind('kept-1', 'conversation')).toMatchObject({ files: 0, messages: 2 });
  expect([await said(), text('a.txt')]).toEqual([[one, two, three].map((edits) => JSON.stringify(edits)), '4']);
  expect((await rewind(third, 'both')).messages).toBe(0);
  expect(text('a.txt')).toBe('3');
  const found = (await app.call('GET', '/conversations?q=4')).body as { count: number };
  expect(found.count).toBe(0);
});

test('a hunk or a file is taken back; a hunk that is no longer there is refused', async () => {
  const { root, text, post, patch, edit } = await start();
  const lines = (first: string, last: string) => [first, ...'23456789'.split(''), last, ''].join('\n');
  writeFileSync(join(root, 'a.txt'), lines('one', 'ten'));
  await edit({
    'a.txt': lines('ONE', 'TEN'),
    'b.txt': null,
    'n.txt': 'n\n',
    'dir/moved.txt': 'c\n',
    'dir/c.txt': null,
  });
  const hunks = (await patch('a.txt')).split(/^(?=@@ )/m);
  expect(hunks).toHaveLength(2);
  const reverted = await post('changes/revert', { path: 'a.txt', hunk: hunks[1] });
  expect(reverted.body).toMatchObject({ files: 1, kept: { kind: 'revert' } });
  expect(text('a.txt')).toBe(lines('ONE', 'ten'));
  const again = await post('changes/revert', { path: 'a.txt', hunk: hunks[1] });
  expect([again.status, again.text]).toEqual([412, expect.stringContaining('file_changed')]);
  expect((await post('changes/revert', { path: 'a.txt', hunk: 'diff --git a/x b/x' })).status).toBe(400);
  for (const path of ['a.txt', 'b.txt', 'n.txt', 'dir/moved.txt'])
    expect((await post('changes/revert', { path })).status, path).toBe(200);
  expect([text('a.txt'), text('b.txt'), text('n.txt'), text('dir/c.txt'), text('dir/moved.txt')]).toEqual([
    ...[lines('one', 'ten'), 'b\n', null],
    ...['c\n', null],
  ]);
  expect((await post('changes/revert', { path: '../x' })).status).toBe(404);
});

test('a fork has the messages up to its checkpoint, and the files of the project stay', async () => {
  const { app, post, text, edit, conv, said } = await start();
  const first = await edit({ 'a.txt': '1' });
  await edit({ 'a.txt': '2' });
  const forked = await post('fork', { checkpoint: first });
  expect(forked.status, forked.text).toBe(201);
  const copy = forked.body as Conversation;
  expect(copy).toMatchObject({ member: 'developer', messages: 3, unread: 0, running: null });
  expect((await read(app, copy.conv)).messages.map(({ role, text: words }) => [role, words])).toEqual([
    ['user', '{"a.txt":"1"}'],
    ['assistant', 'Done.'],
    ['system', expect.stringContaining(`Copied from ${conv}`)],
  ]);
  expect([text('a.txt'), (await said()).length]).toEqual(['2', 2]);
  expect((await post('fork', { checkpoint: 'turn-0' })).status).toBe(404);
});

test('a rewind that was cut off is finished, and what was written since is kept first', async () => {
  const { root, app, agent, conv, rewind, edit, text } = await start();
  const first = await edit({ 'a.txt': 'two\n' });
  const second = await edit({ 'a.txt': 'three\n', 'b.txt': 'new\n' });
  expect(await rewind(first)).toMatchObject({ kept: { checkpoint: 'kept-1' } });
  await app.stop();
  // As a daemon that was killed within this rewind leaves it.
  const store = openSqlite(join(app.root, '.mesh/state/mesh.db'));
  const target = git(root, 'rev-parse', `refs/meshd/${conv}/${first}^{tree}`).trim();
  store.prepare('INSERT INTO rewinds (conv, kept, target) VALUES (?, ?, ?)').run(conv, 'kept-1', target);
  store.close();
  writeFileSync(join(root, 'a.txt'), 'by the user\n');

  const again = await testApp({ root, clock: app.clock, clients: [agent] });
  const body = { checkpoint: second, what: 'files' };
  const reply = await again.call('POST', `/conversations/${conv}/rewind`, body);
  expect(reply.body).toMatchObject({ kept: { checkpoint: 'kept-3' } });
  expect([text('a.txt'), text('b.txt')]).toEqual(['three\n', 'new\n']);
  const kept = (name: string) => git(root, 'show', `refs/meshd/${conv}/${name}:a.txt`);
  expect([kept('kept-2'), kept('kept-3')]).toEqual(['by the user\n', 'two\n']);
});

test('nothing is taken back while a turn runs in the folder', async () => {
  const root = temporaryRepository(FILES);
  const agent = held();
  const app = await testApp({ root, clients: [agent] });
  const { conv } = await begin(app, { member: 'developer', isolation: 'project' });
  const other = await begin(app, { agent_type: 'custom', isolation: 'project' });
  await postMessage(app, conv, 'work');
  await agent.untilHeld(1);
  for (const id of [conv, other.conv]) {
    const refused = await app.call('POST', `/conversations/${id}/rewind`, { checkpoint: 'start', what: 'files' });
    expect([refused.status, refused.text]).toEqual([409, expect.stringContaining('in_flight')]);
  }
  agent.finishAll();
});
