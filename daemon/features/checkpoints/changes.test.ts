import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CHANGED_FILES_MAX, PATCH_MAX_CHARS } from '../../contract/work/changes.js';
import { checkpointParts } from '../../testing/parts/checkpoint-parts.js';
import { git, putFiles, temporaryFolder, temporaryRepository } from '../../testing/temporary-folder.js';

const NONE = { files: [], count: 0, left_out: 0, additions: 0, deletions: 0 };
const NO_REPOSITORY =
  'The folder is not in a working tree of git: run `git init` in it to keep checkpoints of its files.';

/** Conversation `conv-a` with a first checkpoint above the commit of `files`. */
async function started(files: Record<string, string> = { 'a.txt': 'a\n' }) {
  const parts = await checkpointParts(temporaryRepository(files));
  const tree = git(parts.root, 'rev-parse', 'HEAD^{tree}').trim();
  const commit_id = git(parts.root, 'commit-tree', tree, '-p', 'HEAD', '-m', 'Checkpoint').trim();
  await parts.addCheckpoint({ commit_id, tree });
  return { ...parts, put: (edits: Record<string, string>) => putFiles(parts.root, edits) };
}

/** Adds a checkpoint whose files are, by path, the objects of the repository with those modes. */
async function addTree(parts: Awaited<ReturnType<typeof started>>, checkpoint: string, entries: readonly string[]) {
  const input = entries.map((entry) => `${entry}\n`).join('');
  const tree = (await (await parts.repository()).output(['mktree'], { input })).trim();
  await parts.addCheckpoint({ checkpoint, tree });
}

const blob = async (parts: Awaited<ReturnType<typeof started>>, text: string) =>
  (await (await parts.repository()).output(['hash-object', '-w', '--stdin'], { input: text })).trim();

describe('the list of changes', () => {
  it('tells each file with its lines, and the sums of all', async () => {
    const { changes, put, root } = await started({ 'a.txt': 'a\nb\n', 'old.txt': 'one\ntwo\nthree\n', 'd.txt': 'd\n' });
    put({ 'a.txt': 'a\nB\nC\n', 'yarn.lock': 'x\n', 'new.txt': 'one\ntwo\nthree\n', 'bin.dat': 'a\0b' });
    for (const name of ['old.txt', 'd.txt']) rmSync(join(root, name));
    const facts = { old_path: null, binary: false, generated: false };
    expect(await changes.list('conv-a', {})).toEqual({
      ...{ conv: 'conv-a', from: 'base', to: 'working', count: 5, left_out: 0, problem: null },
      ...{ additions: 3, deletions: 2 },
      files: [
        { ...facts, path: 'a.txt', status: 'modified', additions: 2, deletions: 1 },
        { ...facts, path: 'bin.dat', status: 'added', additions: 0, deletions: 0, binary: true },
        { ...facts, path: 'd.txt', status: 'deleted', additions: 0, deletions: 1 },
        { ...facts, path: 'new.txt', status: 'renamed', additions: 0, deletions: 0, old_path: 'old.txt' },
        { ...facts, path: 'yarn.lock', status: 'added', additions: 1, deletions: 0, generated: true },
      ],
    });
  });

  it('has no more files than its limit, and counts all of them', async () => {
    const parts = await started();
    const id = await blob(parts, 'x\n');
    const name = (at: number) => `${String(at).padStart(5, '0')}.txt`;
    const entries = Array.from({ length: CHANGED_FILES_MAX + 1 }, (_, at) => `100644 blob ${id}\t${name(at)}`);
    await addTree(parts, 'none', []);
    await addTree(parts, 'many', entries);
    const { files, ...facts } = await parts.changes.list('conv-a', { from: 'none', to: 'many' });
    expect(facts).toEqual({
      ...{ conv: 'conv-a', from: 'none', to: 'many', problem: null, deletions: 0 },
      ...{ count: CHANGED_FILES_MAX + 1, left_out: 1, additions: CHANGED_FILES_MAX + 1 },
    });
    expect([files.length, files.at(-1)?.path]).toEqual([CHANGED_FILES_MAX, name(CHANGED_FILES_MAX - 1)]);
  });

  it('counts from where the worktree was last merged', async () => {
    const { changes, put, root, worktrees } = await started();
    put({ 'b.txt': 'b\n' });
    git(root, 'add', '.');
    git(root, 'commit', '-q', '-m', 'second');
    put({ 'c.txt': 'c\n' });
    const list = async () => (await changes.list('conv-a', {})).files.map(({ path }) => path);
    expect(await list()).toEqual(['b.txt', 'c.txt']);
    worktrees.set('conv-a', { base: git(root, 'rev-parse', 'HEAD').trim(), base_branch: 'main' });
    expect(await list()).toEqual(['c.txt']);
  });

  it('is empty while nothing is kept, unless a checkpoint is named', async () => {
    const { changes } = await checkpointParts(temporaryRepository({ 'a.txt': 'a\n' }));
    for (const from of ['base', 'start', 'working'])
      for (const to of ['base', 'start', 'working'])
        expect(await changes.list('conv-a', { from, to })).toEqual({
          conv: 'conv-a',
          from,
          to,
          ...NONE,
          problem: null,
        });
    const message = (name: string) => `There is no checkpoint \`${name}\` in this conversation.`;
    for (const query of [{ from: 'turn-1' }, { to: 'turn-1' }])
      await expect(changes.list('conv-a', { from: 'working', ...query })).rejects.toThrow(message('turn-1'));
    await expect(changes.list('conv-a', { from: 'start', to: 'turn-1' })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('tells why nothing can be compared, also of conversations with checkpoints', async () => {
    const { changes, addCheckpoint } = await checkpointParts(temporaryFolder());
    const facts = { conv: 'conv-a', from: 'base', to: 'working', ...NONE, problem: NO_REPOSITORY };
    expect(await changes.list('conv-a', {})).toEqual(facts);
    await addCheckpoint({});
    expect(await changes.list('conv-a', {})).toEqual(facts);
    await expect(changes.list('conv-b', {})).rejects.toThrow('There is no conversation `conv-b`.');
  });

  it('waits for the work in the folder only when it reads the files as they are now', async () => {
    const { checkpoints, changes } = await started();
    const done: string[] = [];
    let release: () => void = () => undefined;
    const held = checkpoints.inFolder('conv-a', () => new Promise<void>((resolve) => (release = resolve)));
    const pairs = [
      ['start', 'working'],
      ['working', 'start'],
      ['start', 'base'],
    ] as const;
    const lists = pairs.map(async ([from, to]) => {
      await changes.list('conv-a', { from, to });
      done.push(from === 'start' && to === 'base' ? 'checkpoints' : 'files');
    });
    await lists[2];
    for (let at = 0; at < 5; at += 1) await changes.list('conv-a', { from: 'start', to: 'base' });
    expect(done).toEqual(['checkpoints']);
    release();
    await Promise.all([held, ...lists]);
    expect(done).toEqual(['checkpoints', 'files', 'files']);
  });
});

describe('the change of one file', () => {
  it('has three lines of context, or as many as are asked for', async () => {
    const lines = '123456789'.split('');
    const { changes, put } = await started({ 'a.txt': `${lines.join('\n')}\n`, 'b.txt': 'b\n' });
    put({ 'a.txt': `${lines.with(4, 'five').join('\n')}\n`, 'b.txt': 'B\n' });
    const patch = async (query: object) => (await changes.file('conv-a', { path: 'a.txt', ...query })).patch;
    expect(await patch({})).toBe('@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n');
    expect(await patch({ context: 1 })).toBe('@@ -4,3 +4,3 @@\n 4\n-5\n+five\n 6\n');
    expect(await patch({ path: 'b.txt' })).toBe('@@ -1 +1 @@\n-b\n+B\n');
  });

  it('shows whitespace unless it is to be ignored', async () => {
    const { changes, put } = await started();
    put({ 'a.txt': '  a\n' });
    const patch = async (query: object) => (await changes.file('conv-a', { path: 'a.txt', ...query })).patch;
    expect(await patch({ whitespace: 'show' })).toBe(await patch({}));
    expect(await patch({})).toContain('+  a\n');
    expect(await patch({ whitespace: 'ignore' })).toBe('');
  });

  it('of a renamed file tells where it was, with the lines that differ', async () => {
    const { changes, put, root } = await started({ 'a.txt': 'one\ntwo\nthree\nfour\n' });
    rmSync(join(root, 'a.txt'));
    put({ 'b.txt': 'one\ntwo\nthree\nFOUR\n' });
    expect(await changes.file('conv-a', { path: 'b.txt' })).toMatchObject({
      ...{ from: 'base', to: 'working', cut: false, patch: '@@ -1,4 +1,4 @@\n one\n two\n three\n-four\n+FOUR\n' },
      file: { path: 'b.txt', old_path: 'a.txt', status: 'renamed', generated: false },
    });
    await expect(changes.file('conv-a', { path: 'a.txt' })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('of a binary file or a repository inside this one has no patch', async () => {
    const parts = await started({ 'a.txt': 'a\n', '.gitattributes': '*.lock linguist-generated\n' });
    const [first, second] = [await blob(parts, 'a\0b'), git(parts.root, 'rev-parse', 'HEAD').trim()];
    await addTree(parts, 'some', [`100644 blob ${first}\tbin.dat`, `160000 commit ${second}\tsub.lock`]);
    const file = (path: string) => parts.changes.file('conv-a', { path, to: 'some' });
    expect(await file('bin.dat')).toMatchObject({ patch: '', file: { binary: true, generated: false } });
    expect(await file('sub.lock')).toMatchObject({ patch: '', file: { binary: true, generated: true } });
  });

  it('is cut after the last whole line that fits', async () => {
    const parts = await started();
    await addTree(parts, 'none', []);
    const header = '@@ -0,0 +1,1000 @@\n';
    const lines = `${'x'.repeat(1_998)}\n`.repeat(999);
    const exact = `${lines}${'y'.repeat(PATCH_MAX_CHARS - header.length - 2_000 * 999 - 2)}\n`;
    const longer = exact.replace('y', 'yy');
    const file = async (checkpoint: string, text: string) => {
      await addTree(parts, checkpoint, [`100644 blob ${await blob(parts, text)}\ta.txt`]);
      return parts.changes.file('conv-a', { path: 'a.txt', from: 'none', to: checkpoint });
    };
    const whole = await file('exact', exact);
    expect([whole.cut, whole.patch.length, whole.patch.startsWith(header)]).toEqual([false, PATCH_MAX_CHARS, true]);
    const cut = await file('longer', longer);
    expect([cut.cut, cut.patch === header + lines.replaceAll(/^(?=x)/gm, '+')]).toEqual([true, true]);
  });

  it('that there is not is told with the states, and of the path no more than fits', async () => {
    const { changes } = await started();
    await expect(changes.file('conv-a', { path: 'b.txt' })).rejects.toMatchObject({
      code: 'not_found',
      message: '`b.txt` does not differ between base and working.',
    });
    const path = 'x'.repeat(201);
    await expect(changes.file('conv-a', { path, from: 'start', to: 'start' })).rejects.toThrow(
      `\`${path.slice(1)}\` does not differ between start and start.`,
    );
  });

  it('is refused with the reason when nothing can be compared or nothing is kept', async () => {
    const { changes, folders } = await checkpointParts(temporaryRepository({ 'a.txt': 'a\n' }));
    const file = () => changes.file('conv-a', { path: 'a.txt' });
    await expect(file()).rejects.toThrow('`a.txt` does not differ between base and working.');
    folders.set('conv-a', temporaryFolder());
    await expect(file()).rejects.toMatchObject({ code: 'not_found', message: NO_REPOSITORY });
  });
});

it('compares the base with the files as they are now unless other states are named', async () => {
  const { changes, put, root } = await started();
  const tree = git(root, 'rev-parse', 'HEAD^{tree}').trim();
  expect(await changes.compare('conv-a')).toMatchObject({ from: tree, to: tree });
  put({ 'a.txt': 'b\n' });
  writeFileSync(join(root, 'b.txt'), 'b\n');
  const now = await changes.compare('conv-a', 'working');
  expect(now).toMatchObject({ from: expect.not.stringContaining(tree), to: expect.not.stringContaining(tree) });
  expect(await changes.compare('conv-a')).toMatchObject({ from: tree, to: (now as { to: string }).to });
});
