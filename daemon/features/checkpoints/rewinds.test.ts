import { existsSync, lstatSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import type { Conversation } from '../../contract/conversations.js';
import type { FileDiff, Rewound } from '../../contract/work/changes.js';
import { sha256Hex } from '../../lib/crypto/digests.js';
import { openSqlite } from '../../storage/database/sqlite.js';
import { begin, events, held, postMessage, read } from '../../testing/apps/conversing.js';
import { edit, editor, listCheckpoints } from '../../testing/apps/editing.js';
import { testApp } from '../../testing/apps/test-app.js';
import { checkpointParts } from '../../testing/parts/checkpoint-parts.js';
import { git, putFiles, temporaryFolder, temporaryRepository } from '../../testing/temporary-folder.js';

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

/** Conversation `conv-a` with the turns 1 to 3, of which each wrote its number and one message, and `conv-b`. */
async function alone() {
  const parts = await checkpointParts(temporaryRepository({ 'a.txt': '0\n', 'b.txt': 'b\n' }));
  const put = (edits: Record<string, string>) => putFiles(parts.root, edits);
  for (const turn of ['1', '2', '3']) {
    await parts.runTurn(`turn-${turn}`, () => put({ 'a.txt': `${turn}\n` }));
    await parts.addMessage(`turn-${turn}`, turn);
  }
  await parts.addConversation('conv-b');
  const { transactions, conversations, published } = parts;
  await transactions.run((transaction) => conversations.putChange(transaction, 'conv-a', { sessions: '{"a":1}' }));
  published.length = 0;
  return {
    ...{ ...parts, put },
    text: (name: string) => (existsSync(join(parts.root, name)) ? readFileSync(join(parts.root, name), 'utf8') : null),
    texts: () => [...conversations.everyMessage('conv-a')].map(({ text }) => text),
    sessions: () => conversations.find('conv-a')?.sessions,
    treeOf: (name: string) => git(parts.root, 'rev-parse', `refs/meshd/conv-a/${name}^{tree}`).trim(),
    names: () => parts.store.list('conv-a', 99).map(({ checkpoint }) => checkpoint),
  };
}

describe('a rewind', () => {
  it('of files leaves messages and sessions', async () => {
    const { rewinds, text, texts, sessions, published, aside, treeOf } = await alone();
    expect(await rewinds.rewind('conv-a', { checkpoint: 'turn-1', what: 'files' })).toEqual({
      ...{ conv: 'conv-a', files: 1, skipped: [], messages: 0 },
      kept: expect.objectContaining({ checkpoint: 'kept-1', kind: 'rewind', turn: null, files: 0 }),
    });
    expect([text('a.txt'), texts(), sessions()]).toEqual(['1\n', ['1', '2', '3'], '{"a":1}']);
    expect([aside.findHidden('conv-a'), aside.listRewinds(), treeOf('kept-1')]).toEqual([[], [], treeOf('turn-3')]);
    expect(published).toMatchObject([
      { type: 'checkpoint.made', conv: 'conv-a', checkpoint: 'kept-1' },
      { type: 'conversation.updated', conv: 'conv-a' },
    ]);
  });

  it('of messages leaves files, and no session of an agent', async () => {
    const { rewinds, text, texts, sessions, store } = await alone();
    const rewound = await rewinds.rewind('conv-a', { checkpoint: 'turn-1', what: 'conversation' });
    expect(rewound).toMatchObject({ files: 0, messages: 2, kept: { checkpoint: 'kept-1' } });
    expect([text('a.txt'), texts(), sessions()]).toEqual(['3\n', ['1'], '{}']);
    expect(store.findLast('conv-a')).toMatchObject({ checkpoint: 'kept-1', last_seq: 3, hidden: [] });
  });

  it('of both takes files and messages, and what was set aside is part of later checkpoints', async () => {
    const { rewinds, text, texts, aside, store } = await alone();
    expect(await rewinds.rewind('conv-a', { checkpoint: 'turn-2', what: 'both' })).toMatchObject({
      ...{ files: 1, messages: 1 },
    });
    expect([text('a.txt'), texts(), aside.findHidden('conv-a')]).toEqual(['2\n', ['1', '2'], [[3, 3]]]);
    await rewinds.rewind('conv-a', { checkpoint: 'turn-3', what: 'files' });
    expect(store.findLast('conv-a')).toMatchObject({ checkpoint: 'kept-2', hidden: [[3, 3]] });
    expect([text('a.txt'), texts()]).toEqual(['3\n', ['1', '2']]);
    await rewinds.rewind('conv-a', { checkpoint: 'turn-3', what: 'both' });
    expect(texts()).toEqual(['1', '2', '3']);
  });

  it('tells at most 20 files that were left', async () => {
    const { rewinds, root, trees, put } = await alone();
    const names = Array.from({ length: 21 }, (_, at) => `${String(at).padStart(2, '0')}.txt`);
    const edits = Object.fromEntries(names.map((name) => [name, 'x\n']));
    put({ ...edits });
    await rewinds.rewind('conv-a', { checkpoint: 'turn-3', what: 'files' });
    // Otherwise the snapshot would still know the files, although they are ignored now.
    await trees.take(root);
    put({ ...edits, '.gitignore': '*.txt\n' });
    const { files, skipped } = await rewinds.rewind('conv-a', { checkpoint: 'kept-1', what: 'files' });
    expect([files, skipped]).toEqual([1, names.slice(0, 20)]);
  });

  it('is refused for what is not there', async () => {
    const { rewinds, folders, names } = await alone();
    const rewind = (conv: string, checkpoint: string) => rewinds.rewind(conv, { checkpoint, what: 'both' });
    await expect(rewind('conv-z', 'turn-1')).rejects.toThrow('There is no conversation `conv-z`.');
    await expect(rewind('conv-a', 'turn-9')).rejects.toThrow('There is no checkpoint `turn-9` in this conversation.');
    expect(names()).toEqual(['start', 'turn-1', 'turn-2', 'turn-3']);
    folders.set('conv-a', temporaryFolder());
    await expect(rewind('conv-a', 'turn-1')).rejects.toMatchObject({
      ...{ code: 'not_found', message: expect.stringContaining('run `git init` in it') },
    });
  });

  it.each([
    ['conv-a', 'running', 'A turn of this conversation runs or waits: cancel it first, or wait for its end.'],
    ['conv-a', 'queued', 'A turn of this conversation runs or waits: cancel it first, or wait for its end.'],
    ['conv-b', 'running', 'conv-b works in the same folder: cancel its turn, or wait for its end.'],
    ['conv-b', 'queued', null],
    ['conv-b', 'ended', null],
  ] as const)('waits for the turns of the folder: %s, %s', async (conv, state, message) => {
    const { rewinds, addTurn, names } = await alone();
    await addTurn('turn-4', { conv, state });
    const rewound = rewinds.rewind('conv-a', { checkpoint: 'turn-1', what: 'files' });
    if (message === null) await expect(rewound).resolves.toMatchObject({ files: 1 });
    else
      await expect(rewound).rejects.toMatchObject({
        ...{ code: 'in_flight', message, details: conv === 'conv-b' ? { conv } : {} },
      });
    expect(names().includes('kept-1')).toBe(message === null);
  });

  it('does not wait for a turn in another folder', async () => {
    const { rewinds, addTurn, folders } = await alone();
    folders.set('conv-b', temporaryFolder());
    await addTurn('turn-4', { conv: 'conv-b', state: 'running' });
    expect((await rewinds.rewind('conv-a', { checkpoint: 'turn-1', what: 'files' })).files).toBe(1);
  });
});

describe('a file that is taken back', () => {
  it('has its text of the first checkpoint, or of the given one', async () => {
    const { rewinds, text, put, store } = await alone();
    put({ 'b.txt': 'B\n' });
    expect(await rewinds.revert('conv-a', { path: 'a.txt', from: 'turn-2' })).toMatchObject({
      ...{ conv: 'conv-a', files: 1, messages: 0, kept: { checkpoint: 'kept-1', kind: 'revert' } },
    });
    expect([text('a.txt'), text('b.txt')]).toEqual(['2\n', 'B\n']);
    await rewinds.revert('conv-a', { path: 'a.txt' });
    expect([text('a.txt'), text('b.txt'), store.findLast('conv-a')?.last_seq]).toEqual(['0\n', 'B\n', 3]);
  });

  it('is where it was before it was renamed', async () => {
    const { rewinds, root, text, put } = await alone();
    put({ 'c.txt': 'b\n', 'd.txt': 'd\n' });
    rmSync(join(root, 'b.txt'));
    await rewinds.revert('conv-a', { path: 'c.txt' });
    expect([text('b.txt'), text('c.txt'), text('a.txt'), text('d.txt')]).toEqual(['b\n', null, '3\n', 'd\n']);
  });

  it('must have changed since, and be no repository inside this one', async () => {
    const { rewinds, addCheckpoint, repository, root } = await alone();
    const revert = (path: string, from?: string) => rewinds.revert('conv-a', { path, ...(from ? { from } : {}) });
    await expect(revert('b.txt')).rejects.toMatchObject({
      ...{ code: 'not_found', message: '`b.txt` did not change since base.' },
    });
    await expect(revert('x'.repeat(201), 'turn-3')).rejects.toThrow(
      `\`${'x'.repeat(200)}\` did not change since turn-3.`,
    );
    const input = `160000 commit ${git(root, 'rev-parse', 'HEAD').trim()}\tsub\n`;
    const tree = (await (await repository()).output(['mktree'], { input })).trim();
    await addCheckpoint({ checkpoint: 'some', tree });
    await expect(revert('sub', 'some')).rejects.toThrow('`sub` did not change since some.');
  });

  it('returns by one hunk only, which must still be there', async () => {
    const { rewinds, text } = await alone();
    const hunk = '@@ -1 +1 @@\n-0\n+3\n';
    expect((await rewinds.revert('conv-a', { path: 'a.txt', hunk })).files).toBe(1);
    expect(text('a.txt')).toBe('0\n');
    await expect(rewinds.revert('conv-a', { path: 'a.txt', hunk, from: 'turn-1' })).rejects.toMatchObject({
      code: 'file_changed',
    });
  });
});

describe('a rewind that was cut off', () => {
  /** As a daemon leaves it that was killed as it took `target` back, with the files `kept-1` kept. */
  async function cutOff(target: string, hidden: [number, number][] | null = null) {
    const parts = await alone();
    await parts.rewinds.rewind('conv-a', { checkpoint: 'turn-3', what: 'files' });
    const journal = { conv: 'conv-a', kept: 'kept-1', target: parts.treeOf(target), hidden };
    await parts.transactions.run((transaction) => parts.aside.putRewind(transaction, journal));
    parts.published.length = 0;
    return { ...parts, settled: () => parts.checkpoints.inFolder('conv-a', async () => undefined) };
  }

  it('is finished at the start, with its messages', async () => {
    const { rewinds, text, texts, aside, names, settled, errors, published } = await cutOff('turn-1', [[2, 3]]);
    rewinds.start();
    await settled();
    expect([text('a.txt'), texts(), aside.listRewinds(), errors]).toEqual(['1\n', ['1'], [], []]);
    expect(names()).toEqual(['start', 'turn-1', 'turn-2', 'turn-3', 'kept-1']);
    expect(published).toMatchObject([{ type: 'conversation.updated', conv: 'conv-a' }]);
  });

  it('keeps what others wrote since, and only that', async () => {
    const { rewinds, root, text, put, settled, store } = await cutOff('turn-1');
    put({ 'a.txt': 'mine\n' });
    rewinds.start();
    await settled();
    expect(store.findLast('conv-a')).toMatchObject({ checkpoint: 'kept-2', kind: 'rewind', turn: null, last_seq: 3 });
    expect([text('a.txt'), git(root, 'show', 'refs/meshd/conv-a/kept-2:a.txt')]).toEqual(['1\n', 'mine\n']);
  });

  it('keeps nothing where a part is done and the rest is as before', async () => {
    const { rewinds, text, put, settled, names } = await cutOff('turn-1');
    put({ 'a.txt': '1\n' });
    rewinds.start();
    await settled();
    expect([text('a.txt'), names().includes('kept-2')]).toEqual(['1\n', false]);
  });

  it('leaves no file behind that was about to take its place', async () => {
    const { rewinds, root, settled, names } = await cutOff('turn-1');
    const name = `.meshd-${sha256Hex('a.txt').slice(0, 16)}.tmp`;
    putFiles(root, { [name]: 'half' });
    rewinds.start();
    await settled();
    expect([existsSync(join(root, name)), names().includes('kept-2')]).toEqual([false, false]);
  });

  it('is finished before the next rewind', async () => {
    const { rewinds, text, texts, aside } = await cutOff('turn-1', [[2, 3]]);
    expect(await rewinds.rewind('conv-a', { checkpoint: 'turn-2', what: 'files' })).toMatchObject({
      kept: { checkpoint: 'kept-2' },
    });
    expect([text('a.txt'), texts(), aside.listRewinds()]).toEqual(['2\n', ['1'], []]);
  });

  it('is told when it cannot be finished, and stays', async () => {
    const { rewinds, folders, aside, errors, settled } = await cutOff('turn-1');
    folders.set('conv-a', temporaryFolder());
    rewinds.start();
    await settled();
    const message = expect.stringContaining('run `git init` in it');
    await expect.poll(() => errors).toEqual([['a rewind could not be finished', 'conv-a', message]]);
    expect(aside.listRewinds()).toHaveLength(1);
    await expect(rewinds.rewind('conv-a', { checkpoint: 'turn-1', what: 'files' })).rejects.toMatchObject({
      code: 'internal',
    });
  });
});
