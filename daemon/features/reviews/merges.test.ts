import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ErrorBody } from '../../contract/errors.js';
import type { Changes, FileDiff } from '../../contract/work/changes.js';
import type { Merged, MergePreview, NewMerge } from '../../contract/work/reviews.js';
import { begin, ended, events, get, postMessage, read } from '../../testing/apps/conversing.js';
import { type TestApp, testApp } from '../../testing/apps/test-app.js';
import { answers, ScriptedAgent } from '../../testing/processes/scripted-agent.js';
import { git, putFiles, temporaryFolder } from '../../testing/temporary-folder.js';

const FILES = {
  'a.txt': 'one\ntwo\nthree\nfour\nfive\nsix\nseven\n',
  'b.txt': 'b\n',
  'gone/deep.txt': 'd\n',
  'c.txt': 'c\n',
};
type Files = Record<string, string | null>;

function putAll(folder: string, files: Files): void {
  for (const [path, text] of Object.entries(files))
    if (text === null) rmSync(join(folder, path));
    else putFiles(folder, { [path]: text });
}

/** An app whose developer works in worktrees and writes the files that the message names. */
async function mergingApp(env: Record<string, string> = {}) {
  const agent = new ScriptedAgent('acp', (turn) => {
    if (turn.text.startsWith('{')) putAll(turn.folder ?? '', JSON.parse(turn.text) as Files);
    return answers('Done.');
  });
  const app = await testApp({ clients: [agent], isolation: 'automatic', files: FILES, env });
  const line = await events(app);
  const say = async (conv: string, text: string) => {
    const { turn } = await postMessage(app, conv, text);
    await ended(line, turn);
  };
  const work = async (files: Files, title = 'Count further') => {
    const { conv } = await begin(app, { member: 'developer', title });
    await say(conv, JSON.stringify(files));
    return { conv, folder: (await get(app, conv)).folder };
  };
  return { app, work, say, agent };
}

const preview = async (app: TestApp, conv: string, into = '') =>
  (await app.call('GET', `/conversations/${conv}/merge${into}`)).body as MergePreview;

async function merge(app: TestApp, conv: string, method: NewMerge['method'], body: Partial<NewMerge> = {}) {
  const { into, head } = await preview(app, conv);
  const reply = await app.call('POST', `/conversations/${conv}/merge`, { into, head, method, ...body });
  return { status: reply.status, body: reply.body as Merged & ErrorBody };
}

const text = (app: TestApp, path: string) => readFileSync(join(app.root, path), 'utf8');
const status = (root: string) => git(root, 'status', '--porcelain', '--', '.', ':!.mesh').trim();
const commitIn = (root: string, files: Record<string, string>) => {
  putFiles(root, files);
  git(root, 'add', ...Object.keys(files));
  git(root, 'commit', '-qm', 'by the user');
};
const CHANGE: Files = {
  'a.txt': 'ONE\ntwo\nthree\nfour\nfive\nsix\nseven\n',
  'gone/deep.txt': null,
  'new/file.txt': 'n\n',
  '.env': 'KEY=1\n',
};

describe('A merge', () => {
  it.each(['fast_forward', 'merge', 'squash', 'rebase'] as const)(
    'by %s takes the files as they are now to the branch, its folder and its index, and keeps what else is changed there',
    async (method) => {
      const { app, work } = await mergingApp();
      const { conv, folder } = await work(CHANGE);
      if (method !== 'fast_forward') commitIn(app.root, { 'b.txt': 'user\n' });
      putFiles(app.root, { 'c.txt': 'not committed\n', 'own.txt': 'untracked\n' });
      const shown = await preview(app, conv);
      expect(shown).toMatchObject({
        into: 'main',
        files: 3,
        conflicts: [],
        problem: null,
        checked_out: true,
        ahead: 1,
      });
      expect(shown.behind).toBe(method === 'fast_forward' ? 0 : 1);
      expect(shown.methods).toContain(method);
      const before = git(app.root, 'rev-parse', 'main').trim();
      const { status: code, body } = await merge(app, conv, method, { message: 'Count\n\nfurther' });
      expect([code, body.before]).toEqual([200, before]);
      expect(git(app.root, 'rev-parse', 'main').trim()).toBe(body.commit);
      expect(status(app.root)).toBe('M c.txt\n?? own.txt');
      expect([text(app, 'a.txt').slice(0, 3), existsSync(join(app.root, 'gone')), text(app, 'new/file.txt')]).toEqual([
        ...['ONE', false, 'n\n'],
      ]);
      expect(git(app.root, 'ls-tree', '-r', '--name-only', 'main')).not.toContain('.env');
      const parents = git(app.root, 'log', '-1', '--format=%P', 'main').trim().split(' ');
      expect(parents).toHaveLength(method === 'merge' ? 2 : 1);
      if (method === 'merge' || method === 'squash')
        expect(git(app.root, 'log', '-1', '--format=%B').trim()).toBe('Count\n\nfurther');
      git(app.root, 'fsck', '--strict');
      // The worktree stays and is at the merged commit: only what follows is merged next.
      expect(git(folder, 'rev-parse', 'HEAD').trim()).toBe(body.commit);
      expect(git(folder, 'status', '--porcelain').trim()).toBe('?? .env');
      expect((await preview(app, conv)).problem).toContain('nothing to merge');
      writeFileSync(join(folder, 'later.txt'), 'l\n');
      expect(await preview(app, conv)).toMatchObject({ ahead: 1, files: 1, behind: 0 });
      rmSync(join(folder, 'later.txt'));
      const { execSync } = await import('node:child_process');
      execSync(body.undo, { cwd: app.root });
      expect([git(app.root, 'rev-parse', 'main').trim(), status(app.root)]).toEqual([before, 'M c.txt\n?? own.txt']);
    },
  );

  it('moves a branch that is not checked out without touching any file', async () => {
    const { app, work } = await mergingApp();
    git(app.root, 'branch', 'release');
    const { conv } = await work(CHANGE);
    const into = '?into=release';
    const { head, checked_out } = await preview(app, conv, into);
    expect(checked_out).toBe(false);
    const { body } = await merge(app, conv, 'squash', { into: 'release', head });
    expect(git(app.root, 'rev-parse', 'release').trim()).toBe(body.commit);
    expect([status(app.root), git(app.root, 'log', '-1', '--format=%s', 'release').trim()]).toEqual([
      '',
      'Count further',
    ]);
  });

  it('is refused, with nothing changed, when a file that would change has changes of the user, or another is in the way', async () => {
    const { app, work } = await mergingApp();
    const { conv } = await work(CHANGE);
    const before = git(app.root, 'rev-parse', 'main');
    const refused = async (name: string) => {
      expect((await preview(app, conv)).problem).toContain(name);
      const index = readFileSync(join(app.root, '.git/index'));
      const { status: code, body } = await merge(app, conv, 'squash');
      expect([code, body.error, body.message]).toEqual([412, 'file_changed', expect.stringContaining(name)]);
      expect(readFileSync(join(app.root, '.git/index')).equals(index)).toBe(true);
      expect(existsSync(join(app.root, '.git/index.lock'))).toBe(false);
      expect(git(app.root, 'rev-parse', 'main')).toBe(before);
    };
    putFiles(app.root, { 'a.txt': 'of the user\n' });
    await refused('a.txt');
    git(app.root, 'add', 'a.txt');
    await refused('a.txt');
    git(app.root, 'reset', '-q', '--hard');
    putFiles(app.root, { '.gitignore': 'new\n', 'new/file.txt': 'ignored, and of the user\n' });
    await refused('new/file.txt');
    expect(text(app, 'new/file.txt')).toBe('ignored, and of the user\n');
    rmSync(join(app.root, 'new'), { recursive: true });
    putFiles(app.root, { new: 'a file where a folder comes\n' });
    await refused('new');
    rmSync(join(app.root, 'new'));
    writeFileSync(join(app.root, '.git/index.lock'), '');
    expect((await merge(app, conv, 'squash')).body.error).toBe('in_flight');
    rmSync(join(app.root, '.git/index.lock'));
    expect((await merge(app, conv, 'squash')).status).toBe(200);
  });

  it('is opened as a pull request by the user’s own git and `gh`', async () => {
    const home = temporaryFolder({ 'bin/gh': '#!/bin/sh\necho https://github.com/lamp/house/pull/7\n' });
    chmodSync(join(home, 'bin/gh'), 0o755);
    git(home, 'init', '-q', '--bare', 'remote.git');
    const insteadOf = 'https://github.com/lamp/house.git';
    putFiles(home, { '.gitconfig': `[url "${join(home, 'remote.git')}"]\n\tinsteadOf = ${insteadOf}\n` });
    const { app, work } = await mergingApp({ HOME: home, PATH: `${home}/bin:${process.env['PATH']}` });
    git(app.root, 'remote', 'add', 'origin', insteadOf);
    const { conv, folder } = await work({ 'c.txt': 'new\n' });
    const { into, pull_request: pull } = await preview(app, conv);
    const open = async (commands: readonly string[]) =>
      app.call('POST', `/conversations/${conv}/pull-request`, { into, commands });
    expect((await open(['git push'])).status).toBe(412);
    expect(await open(pull?.commands ?? [])).toMatchObject({
      status: 201,
      body: { url: 'https://github.com/lamp/house/pull/7' },
    });
    const { branch } = (await get(app, conv)).isolation;
    expect(git(join(home, 'remote.git'), 'show', `${branch}:c.txt`)).toBe('new\n');
    expect(git(folder, 'remote').trim()).toBe('origin');
  });

  it('and a pull request are refused for files whose filter is only the repository’s, and named', async () => {
    const { app, work, say } = await mergingApp();
    git(app.root, 'config', 'filter.x.clean', 'false');
    commitIn(app.root, { '.gitattributes': 'conf/*.yml filter=x\n' });
    const { conv, folder } = await work({ 'conf/new.yml': 'plain\n', 'b.txt': 'new\n' });
    const main = git(app.root, 'rev-parse', 'main');
    const refusal = {
      error: 'bad_request',
      message:
        "The repository's own configuration has a filter for conf/new.yml, which meshd does not run: merge with git " +
        'yourself.',
      paths: ['conf/new.yml'],
    };
    const refused = async () => {
      expect(await preview(app, conv)).toMatchObject({ problem: refusal.message, methods: [], pull_request: null });
      expect(await merge(app, conv, 'squash')).toMatchObject({ status: 400, body: refusal });
      expect([git(app.root, 'rev-parse', 'main'), existsSync(join(app.root, 'conf'))]).toEqual([main, false]);
    };
    await refused();
    const pull = { into: 'main', commands: ['git push'] };
    expect((await app.call('POST', `/conversations/${conv}/pull-request`, pull)).body).toMatchObject(refusal);
    git(folder, '-c', 'filter.x.clean=', 'add', 'conf');
    git(folder, '-c', 'filter.x.clean=', 'commit', '-qm', 'by the agent');
    await refused();
    await say(conv, JSON.stringify({ 'conf/new.yml': null }));
    expect((await merge(app, conv, 'squash')).status).toBe(200);
    expect(text(app, 'b.txt')).toBe('new\n');
  });

  it('and a pull request are refused while the member has not ended a rebase, and a turn meanwhile makes no branch', async () => {
    const { app, work, say } = await mergingApp();
    const { conv, folder } = await work({ 'c.txt': 'new\n' });
    commitIn(folder, { 'a.txt': 'ONE\ntwo\n' });
    commitIn(folder, { 'b.txt': 'new\n' });
    commitIn(app.root, { 'a.txt': 'uno\ntwo\n' });
    git(folder, 'commit', '-qam', 'by the agent');
    expect(() => git(folder, 'rebase', 'main')).toThrow();
    const { branch } = (await get(app, conv)).isolation;
    const refs = git(app.root, 'for-each-ref', 'refs/heads');
    await say(conv, 'How far are you?');
    expect((await get(app, conv)).isolation.branch).toBe(branch);
    const problem =
      'A rebase is not finished in the folder of this conversation: let the member end it (`git status` there says ' +
      'how).';
    expect(await preview(app, conv)).toMatchObject({ problem, methods: [], conflicts: [], pull_request: null });
    const refusal = { status: 412, body: { error: 'file_changed', message: problem } };
    expect(await merge(app, conv, 'fast_forward')).toMatchObject(refusal);
    const pull = { into: 'main', commands: ['git push'] };
    expect(await app.call('POST', `/conversations/${conv}/pull-request`, pull)).toMatchObject(refusal);
    expect((await app.call('POST', `/conversations/${conv}/merge/resolve`, { into: 'main' })).status).toBe(400);
    expect([git(app.root, 'for-each-ref', 'refs/heads'), git(folder, 'branch', '--show-current')]).toEqual([refs, '']);
    git(folder, 'rebase', '--abort');
    expect(await preview(app, conv)).toMatchObject({ problem: null, conflicts: ['a.txt'], ahead: 3 });
  });

  it('is refused while the user rebases that very branch, and the rebase ends as it would have', async () => {
    const { app, work } = await mergingApp();
    const { conv } = await work({ 'b.txt': 'new\n' });
    git(app.root, 'switch', '-qc', 'other');
    commitIn(app.root, { 'a.txt': 'other\n' });
    git(app.root, 'switch', '-q', 'main');
    commitIn(app.root, { 'a.txt': 'user\n' });
    expect(() => git(app.root, 'rebase', 'other')).toThrow();
    const before = git(app.root, 'rev-parse', 'main');
    const message = `The branch \`main\` is being rebased in ${app.root}: end that first.`;
    expect(await preview(app, conv)).toMatchObject({ problem: message, methods: [], checked_out: false });
    expect(await merge(app, conv, 'squash')).toMatchObject({ status: 412, body: { error: 'file_changed', message } });
    expect(git(app.root, 'rev-parse', 'main')).toBe(before);
    git(app.root, 'checkout', '-q', '--theirs', 'a.txt');
    git(app.root, 'add', 'a.txt');
    git(app.root, '-c', 'core.editor=true', 'rebase', '--continue');
    expect(git(app.root, 'rev-parse', 'main~1', 'HEAD')).toBe(git(app.root, 'rev-parse', 'other', 'main'));
    expect((await merge(app, conv, 'squash')).status).toBe(200);
  });

  it('is refused when the branch has moved since, for an unknown branch, for a method that is not possible and in the project folder', async () => {
    const { app, work } = await mergingApp();
    const { conv } = await work(CHANGE);
    const { head } = await preview(app, conv);
    commitIn(app.root, { 'b.txt': 'user\n' });
    expect((await merge(app, conv, 'squash', { head })).body.error).toBe('file_changed');
    expect((await merge(app, conv, 'fast_forward')).body).toMatchObject({ error: 'bad_request', path: 'method' });
    for (const into of ['nowhere', 'main^', '-x', 'HEAD'])
      expect((await merge(app, conv, 'squash', { into })).body).toMatchObject({ error: 'bad_request', path: 'into' });
    const other = await begin(app, { member: 'developer', isolation: 'project' });
    expect(await preview(app, other.conv)).toMatchObject({
      problem: expect.stringContaining('project folder'),
      methods: [],
    });
    expect((await app.call('GET', '/conversations/conv-none/merge')).status).toBe(404);
  });

  it('knows conflicts beforehand, and hands them to the member', async () => {
    const { app, work, say } = await mergingApp();
    const { conv } = await work(CHANGE);
    commitIn(app.root, { 'a.txt': 'uno\ntwo\nthree\nfour\nfive\nsix\nseven\n' });
    expect(await preview(app, conv)).toMatchObject({ conflicts: ['a.txt'], methods: [], problem: null });
    expect((await merge(app, conv, 'merge')).body.message).toContain('conflicts in a.txt');
    const line = await events(app);
    const reply = await app.call('POST', `/conversations/${conv}/merge/resolve`, { into: 'main' });
    expect(reply.status).toBe(202);
    await ended(line, (reply.body as { turn: string }).turn);
    const asked = (await read(app, conv)).messages.filter(({ role }) => role === 'user').at(-1);
    expect(asked?.text).toContain('- `a.txt`');
    await say(conv, JSON.stringify({ 'a.txt': 'uno\ntwo\nthree\nfour\nfive\nsix\nseven\n' }));
    expect(await preview(app, conv)).toMatchObject({ conflicts: [] });
    expect((await app.call('POST', `/conversations/${conv}/merge/resolve`, { into: 'main' })).body).toMatchObject({
      error: 'bad_request',
    });
  });

  it('tells of other worktrees that changed the same lines, and only of these', async () => {
    const { app, work } = await mergingApp();
    const { conv } = await work(CHANGE);
    const same = await work({ 'a.txt': 'eins\ntwo\nthree\nfour\nfive\nsix\nseven\n', 'b.txt': 'x\n' }, 'The same line');
    await work({ 'a.txt': 'one\ntwo\nthree\nfour\nfive\nsix\nSEVEN\n' }, 'Another line');
    expect((await preview(app, conv)).overlaps).toEqual([
      { conv: same.conv, title: 'The same line', paths: ['a.txt'] },
    ]);
  });
});

describe('The changes of a conversation', () => {
  it('count from the last merge, for its page, for a revert and for a reviewer', async () => {
    const { app, work, say, agent } = await mergingApp();
    const { conv, folder } = await work({ 'b.txt': 'first\n' });
    const list = async (query = '') => {
      const { files } = (await app.call('GET', `/conversations/${conv}/changes${query}`)).body as Changes;
      return files.map(({ path }) => path);
    };
    expect(await list()).toEqual(['b.txt']);
    expect((await merge(app, conv, 'squash')).status).toBe(200);
    expect(await list()).toEqual([]);
    const line = await events(app);
    const asked = await app.call('POST', `/conversations/${conv}/review/ask`, { member: 'commit-pr-reviewer' });
    expect([asked.status, asked.text]).toEqual([400, expect.stringContaining('has changed no file')]);
    await say(conv, JSON.stringify({ 'b.txt': 'second\n' }));
    // What the member merged into its own branch is no change of it.
    commitIn(app.root, { 'c.txt': 'by the user\n' });
    git(folder, 'merge', '-q', '--no-edit', 'main');
    expect(await list()).toEqual(['b.txt']);
    expect(await list('?from=start')).toEqual(['b.txt', 'c.txt']);
    const { body } = await app.call('GET', `/conversations/${conv}/changes/file?path=b.txt`);
    expect((body as FileDiff).patch).toContain('-first\n+second\n');

    await app.call('POST', `/conversations/${conv}/review/ask`, { member: 'commit-pr-reviewer' });
    await line.until((frame) => frame.type === 'turn.ended' && frame.conv !== conv);
    const shown = agent.turns.at(-1)?.text ?? '';
    expect(shown).toContain('-first\n+second\n');
    expect(shown).not.toContain('c.txt');
    await app.call('POST', `/conversations/${conv}/changes/revert`, { path: 'b.txt' });
    expect(readFileSync(join(folder, 'b.txt'), 'utf8')).toBe('first\n');
  });
});
