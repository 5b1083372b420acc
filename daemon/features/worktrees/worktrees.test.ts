import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Conversation } from '../../contract/conversations.js';
import type { Changes } from '../../contract/work/changes.js';
import type { WorktreeList, WorktreeRemoved } from '../../contract/work/worktrees.js';
import { openSqlite } from '../../storage/database/sqlite.js';
import { begin, ended, events, get, postMessage, read } from '../../testing/apps/conversing.js';
import { listCheckpoints } from '../../testing/apps/editing.js';
import { type TestApp, testApp } from '../../testing/apps/test-app.js';
import { answers, ScriptedAgent } from '../../testing/processes/scripted-agent.js';
import { git, putFiles, temporaryFolder, temporaryRepository } from '../../testing/temporary-folder.js';
import type { Turn } from '../clients/client.js';

const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;

/** An agent that works in the folder of its turn, else in the project at `root`. */
const doing = (work: (folder: string, turn: Turn) => void, root = 'none') =>
  new ScriptedAgent('acp', (turn: Turn) => {
    work(turn.folder ?? root, turn);
    return answers(`See ${turn.folder}/README.md:1.`);
  });
const writing = (root?: string) => doing((folder, { text }) => writeFileSync(join(folder, 'new.ts'), text), root);

/** Sends a message and returns how its turn ended. */
async function say(app: TestApp, conv: string, text: string) {
  const client = await events(app);
  const { turn } = await postMessage(app, conv, text);
  await ended(client, turn);
  return (await read(app, conv)).turns.find((one) => one.turn === turn);
}

const list = async (app: TestApp) => (await app.call('GET', '/worktrees')).body as WorktreeList;
/** The refs of the repository without the checkpoints of conversations. */
const listRefs = (root: string) =>
  git(root, 'for-each-ref', '--format=%(refname)', 'refs/heads', 'refs/tags', 'refs/meshd/kept').trim().split('\n');
/** The user's branch, index and files. */
const userState = (root: string) => [
  git(root, 'rev-parse', 'HEAD', '--abbrev-ref', 'HEAD'),
  readFileSync(join(root, '.git/index')).toString('base64'),
  git(root, '--no-optional-locks', 'status', '--porcelain', '--', '.', ':!.mesh'),
];

describe('a conversation of a member that edits', () => {
  it('works in a worktree outside the project, on a branch from its first change on', async () => {
    const agent = writing();
    const app = await testApp({ clients: [agent], isolation: 'automatic' });
    const before = userState(app.root);
    const { conv } = await begin(app, { member: 'developer', title: 'Grün wählen!' });
    expect(await say(app, conv, 'one')).toMatchObject({ outcome: 'answered' });

    const { isolation, folder } = await get(app, conv);
    expect(isolation).toEqual({
      ...{ chosen: null, resolved: 'worktree', fixed: true, branch: 'meshd/developer/grun-wahlen' },
      reason: 'It may edit files.',
    });
    expect(agent.turns[0]?.folder).toBe(folder);
    expect(folder.startsWith(app.root)).toBe(false);
    expect(lstatSync(join(folder, '..')).mode & 0o777).toBe(0o700);
    expect(readFileSync(join(folder, 'new.ts'), 'utf8')).toBe('one');
    expect(existsSync(join(folder, '.mesh/state'))).toBe(false);
    expect(userState(app.root)).toEqual(before);
    expect(git(folder, 'symbolic-ref', 'HEAD').trim()).toBe('refs/heads/meshd/developer/grun-wahlen');
    // Places in the worktree are those of the project.
    expect((await read(app, conv)).messages.at(-1)?.citations).toMatchObject([{ path: 'README.md', start_line: 1 }]);

    const { worktrees, disk_bytes, problem } = await list(app);
    expect(worktrees).toMatchObject([{ conv, title: 'Grün wählen!', changed_files: 1, running: false }]);
    expect(disk_bytes).toBeGreaterThan(0);
    expect(problem).toBeNull();
  });

  it('has no branch before a change', async () => {
    const app = await testApp({ clients: [doing(() => undefined)], isolation: 'automatic' });
    const { conv } = await begin(app);
    await say(app, conv, 'look');
    expect((await get(app, conv)).isolation).toMatchObject({ resolved: 'worktree', branch: null });
    expect(listRefs(app.root)).toEqual(['refs/heads/main']);
  });

  it('follows the choice of the operator, the preference, the member’s file, then its tools', async () => {
    const app = await testApp({ clients: [writing()], isolation: 'automatic' });
    const isolation = async (body: object) => (await get(app, (await begin(app, body)).conv)).isolation.resolved;
    const put = async (member: object) => expect((await app.call('POST', '/team', member)).status).toBe(201);
    await put({ id: 'reader', body: 'You read.', tools: ['read'] });
    await put({ id: 'careful', body: 'You read.', tools: ['read'], isolation: 'worktree' });
    await put({ id: 'bold', body: 'You edit.', tools: ['edit'], isolation: 'project' });
    expect(await isolation({ member: 'developer' })).toBe('worktree');
    expect(await isolation({ member: 'reader' })).toBe('project');
    expect(await isolation({ member: 'careful' })).toBe('worktree');
    expect(await isolation({ member: 'bold' })).toBe('project');
    expect(await isolation({ member: 'bold', isolation: 'worktree' })).toBe('worktree');
    await app.call('PATCH', '/preferences', { isolation_default: 'project' });
    expect(await isolation({ member: 'careful' })).toBe('project');
    expect(await isolation({ member: 'careful', isolation: 'worktree' })).toBe('worktree');
    await app.call('PATCH', '/preferences', { isolation_default: 'worktree' });
    expect(await isolation({ member: 'bold' })).toBe('worktree');
  });

  it('may be moved until its first turn', async () => {
    const app = await testApp({ clients: [writing()], isolation: 'automatic' });
    const { conv } = await begin(app);
    const move = (isolation: string | null) => app.call('PATCH', `/conversations/${conv}`, { isolation });
    expect((await move('project')).body).toMatchObject({ folder: app.root, isolation: { resolved: 'project' } });
    expect((await move(null)).body).toMatchObject({ isolation: { chosen: null, resolved: 'worktree' } });
    await say(app, conv, 'one');
    expect((await move('worktree')).status).toBe(200);
    const refused = await move('project');
    expect(refused).toMatchObject({ status: 409, body: { error: 'member_bound' } });
    expect(refused.text).toContain('its worktree');
  });
});

describe('a project in which no worktree can be made', () => {
  it.each([
    ['no repository', (root: string) => rmSync(join(root, '.git'), { recursive: true }), 'not in a git repository'],
    ['a merge under way', (root: string) => writeFileSync(join(root, '.git/MERGE_HEAD'), ''), 'A merge is under way'],
    ['no commit', (root: string) => git(root, 'update-ref', '-d', 'HEAD'), 'no commit'],
  ])('with %s the default is the project folder, and says why', async (_name, spoil, reason) => {
    const root = temporaryRepository({ 'README.md': '# Lamp\n' });
    spoil(root);
    const app = await testApp({ root, clients: [writing(root)] });
    const { conv } = await begin(app);
    await say(app, conv, 'one');
    expect(await get(app, conv)).toMatchObject({
      folder: root,
      isolation: { resolved: 'project', reason: expect.stringContaining(reason) },
    });
    expect(readFileSync(join(root, 'new.ts'), 'utf8')).toBe('one');

    const chosen = await begin(app, { member: 'developer', isolation: 'worktree' });
    rmSync(join(root, 'new.ts'));
    const turn = await say(app, chosen.conv, 'two');
    expect(turn).toMatchObject({ outcome: 'failed', code: 'worktree_failed', reason: expect.stringContaining(reason) });
    expect(existsSync(join(root, 'new.ts'))).toBe(false);
  });

  it('copies no uncommitted change, and says how many there are', async () => {
    const app = await testApp({ clients: [writing()], isolation: 'automatic' });
    writeFileSync(join(app.root, 'README.md'), 'changed');
    const { conv } = await begin(app);
    await say(app, conv, 'one');
    const { isolation, folder } = await get(app, conv);
    expect(isolation.reason).toBe('It may edit files. One uncommitted change of the project folder is not in it.');
    expect(readFileSync(join(folder, 'README.md'), 'utf8')).toContain('# Lamp');
  });

  it('takes a project below the top of its repository', async () => {
    const top = temporaryRepository({ 'app/README.md': '# Lamp\n', 'other.md': 'x' });
    const app = await testApp({ root: join(top, 'app'), clients: [writing()] });
    const { conv } = await begin(app);
    await say(app, conv, 'one');
    const { folder } = await get(app, conv);
    expect(folder.endsWith('/app')).toBe(true);
    expect(existsSync(join(folder, 'new.ts'))).toBe(true);
    expect(existsSync(join(folder, '../other.md'))).toBe(true);
  });
});

it.each([
  ['a bisect', (root: string) => writeFileSync(join(root, '.git/BISECT_LOG'), '')],
  ['a rebase', (root: string) => mkdirSync(join(root, '.git/rebase-merge'))],
])('a conversation with a worktree goes on while %s is under way in the project', async (_name, start) => {
  const app = await testApp({ clients: [writing()], isolation: 'automatic' });
  const { conv } = await begin(app);
  await say(app, conv, 'one');
  start(app.root);
  expect(await say(app, conv, 'two')).toMatchObject({ outcome: 'answered' });
  expect(readFileSync(join((await get(app, conv)).folder, 'new.ts'), 'utf8')).toBe('two');
  // It is no reason to give up the worktree, nor to make one meanwhile.
  const other = await begin(app, { member: 'developer', isolation: 'worktree' });
  expect(await say(app, other.conv, 'three')).toMatchObject({ outcome: 'failed', code: 'worktree_failed' });
});

describe('what a new worktree is given', () => {
  const prefer = (app: TestApp, worktrees: object) =>
    app.call('PATCH', '/preferences', { worktrees: { copy: [], link: [], setup: '', ...worktrees } });

  it('is what the operator names, and nothing from outside the project', async () => {
    const app = await testApp({ clients: [doing(() => undefined)], isolation: 'automatic' });
    const elsewhere = temporaryFolder({ 'secret.txt': 'x' });
    putFiles(app.root, { '.env': 'A=1', '.env.local': 'B=2', 'web/node_modules/a.js': '1', 'README.md': 'mine' });
    symlinkSync(elsewhere, join(app.root, 'out'));
    await prefer(app, { copy: ['.env*', 'out/secret.txt', 'README.md'], link: ['*/node_modules', 'none'] });
    const { conv } = await begin(app);
    await say(app, conv, 'one');
    const { folder, isolation } = await get(app, conv);
    expect(readFileSync(join(folder, '.env.local'), 'utf8')).toBe('B=2');
    expect(lstatSync(join(folder, 'web/node_modules')).isSymbolicLink()).toBe(true);
    expect(existsSync(join(folder, 'out'))).toBe(false);
    expect(readFileSync(join(folder, 'README.md'), 'utf8')).toContain('# Lamp');
    // What it was given is no change of the agent.
    expect(isolation.branch).toBeNull();
    expect((await list(app)).worktrees).toMatchObject([{ changed_files: 0 }]);
  });

  it('is in no checkpoint and is no change, also below the top of a repository', async () => {
    const top = temporaryRepository({ 'app/README.md': '# Lamp\n' });
    const app = await testApp({ root: join(top, 'app'), clients: [writing()] });
    putFiles(app.root, { 'local.json': '{}', 'parts/a.txt': 'a', 'web/node_modules/a.js': '1' });
    await prefer(app, { copy: ['local.json', 'parts'], link: ['web/node_modules'] });
    const { conv } = await begin(app, { member: 'developer', isolation: 'worktree' });
    const client = await events(app);
    const { turn } = await postMessage(app, conv, 'one');
    await client.until((frame) => frame.type === 'checkpoint.made' && frame.checkpoint === turn);
    const { folder } = await get(app, conv);
    // The operator's own version of a file is not what the agent changed.
    writeFileSync(join(folder, 'local.json'), '{"changed":true}');
    const { checkpoints } = await listCheckpoints(app, conv);
    const kept = git(top, 'ls-tree', '-r', '--name-only', checkpoints.at(-1)?.commit ?? '')
      .trim()
      .split('\n');
    expect(kept).toEqual(['app/README.md', 'app/new.ts']);
    const changes = (await app.call('GET', `/conversations/${conv}/changes`)).body as Changes;
    expect(changes.files.map(({ path }) => path)).toEqual(['new.ts']);
    const rewound = await app.call('POST', `/conversations/${conv}/rewind`, { checkpoint: 'start', what: 'files' });
    expect(rewound.body).toMatchObject({ files: 1, skipped: [] });
    expect(readFileSync(join(folder, 'parts/a.txt'), 'utf8')).toBe('a');
    expect(readFileSync(join(folder, 'local.json'), 'utf8')).toBe('{"changed":true}');
    expect((await list(app)).worktrees).toMatchObject([{ changed_files: 0 }]);
  });

  it.each(['/etc/passwd', '../x', 'a/../../x', '.git/config', 'a\\b', '**/x', ''])(
    'is refused for the pattern %j, by its name',
    async (pattern) => {
      const app = await testApp();
      const reply = await prefer(app, { copy: [pattern] });
      expect(reply).toMatchObject({ status: 400, body: { error: 'bad_request' } });
      if (pattern !== '') expect(reply.text).toContain(JSON.stringify(JSON.stringify(pattern)).slice(1, -1));
    },
  );

  it('includes the set-up command, whose failure ends the turn with its output', async () => {
    const app = await testApp({ clients: [writing()], isolation: 'automatic' });
    await prefer(app, { setup: 'pwd > where; echo "no lamps"; exit 3' });
    const { conv } = await begin(app);
    const turn = await say(app, conv, 'one');
    expect(turn).toMatchObject({ outcome: 'failed', code: 'worktree_failed' });
    expect(turn?.reason).toContain('no lamps');
    expect((await list(app)).worktrees).toEqual([]);
    await prefer(app, { setup: 'pwd > where' });
    expect(await say(app, conv, 'two')).toMatchObject({ outcome: 'answered' });
    const { folder } = await get(app, conv);
    expect(readFileSync(join(folder, 'where'), 'utf8').trim()).toBe(folder);
  });
});

describe('a worktree', () => {
  it('is removed by the operator, with changes only when they are discarded, and then kept on a ref', async () => {
    const app = await testApp({ clients: [writing()], isolation: 'automatic' });
    const { conv } = await begin(app);
    await say(app, conv, 'one');
    const { folder } = await get(app, conv);
    writeFileSync(join(folder, '.env'), 'SECRET=1');
    const remove = (query = '') => app.call('DELETE', `/conversations/${conv}/worktree${query}`);
    expect(await remove()).toMatchObject({ status: 412, body: { error: 'file_changed' } });
    expect(existsSync(folder)).toBe(true);
    const reply = await remove('?changes=discard');
    const kept = (reply.body as WorktreeRemoved).kept ?? '';
    expect(reply.status).toBe(200);
    expect(existsSync(folder)).toBe(false);
    expect(git(app.root, 'ls-tree', '-r', '--name-only', kept).split('\n')).toContain('new.ts');
    expect(git(app.root, 'ls-tree', '-r', '--name-only', kept)).not.toContain('.env');
    expect(listRefs(app.root)).toEqual(['refs/heads/main', kept]);
    expect(git(app.root, 'worktree', 'list').trim().split('\n')).toHaveLength(1);
    expect(await remove()).toMatchObject({ status: 404 });
    // The next turn gets a new one.
    await say(app, conv, 'two');
    expect(readFileSync(join(folder, 'new.ts'), 'utf8')).toBe('two');
  });

  it('leaves the branch of the user that was checked out in it', async () => {
    const app = await testApp({ clients: [writing()], isolation: 'automatic' });
    const { conv } = await begin(app);
    await say(app, conv, 'one');
    git((await get(app, conv)).folder, 'checkout', '-q', '-b', 'mine');
    await say(app, conv, 'two');
    expect((await app.call('DELETE', `/conversations/${conv}/worktree?changes=discard`)).status).toBe(200);
    expect(listRefs(app.root)).toContain('refs/heads/mine');
  });

  it.each([
    ['HEAD left it', (folder: string) => git(folder, 'checkout', '-q', '--detach', 'main')],
    ['its folder was removed by hand', (folder: string) => rmSync(folder, { recursive: true })],
  ])('leaves its branch, which alone has a commit, when %s', async (_why, change) => {
    const app = await testApp({ clients: [writing()], isolation: 'automatic' });
    const { conv } = await begin(app);
    await say(app, conv, 'one');
    const { folder } = await get(app, conv);
    git(folder, 'add', 'new.ts');
    git(folder, 'commit', '-q', '-m', 'one');
    const branch = `refs/heads/${git(folder, 'branch', '--show-current').trim()}`;
    const commit = git(folder, 'rev-parse', 'HEAD');
    change(folder);
    const { body } = await app.call('DELETE', `/conversations/${conv}/worktree?changes=discard`);
    expect(body).toMatchObject({ kept: branch });
    expect(git(app.root, 'rev-parse', branch)).toBe(commit);
    expect(git(app.root, 'worktree', 'list').trim().split('\n')).toHaveLength(1);
  });

  it('goes with its branch when another one has its commits', async () => {
    const app = await testApp({ clients: [writing()], isolation: 'automatic' });
    const { conv } = await begin(app);
    await say(app, conv, 'one');
    const { folder } = await get(app, conv);
    git(folder, 'add', 'new.ts');
    git(folder, 'commit', '-q', '-m', 'one');
    git(folder, 'branch', 'mine');
    rmSync(folder, { recursive: true });
    const { body } = await app.call('DELETE', `/conversations/${conv}/worktree?changes=discard`);
    expect(body).toMatchObject({ kept: null });
    expect(listRefs(app.root)).toEqual(['refs/heads/main', 'refs/heads/mine']);
  });

  it('goes with its conversation, and its changes stay on a ref', async () => {
    const app = await testApp({ clients: [writing()], isolation: 'automatic' });
    const { conv } = await begin(app);
    await say(app, conv, 'one');
    const { folder } = await get(app, conv);
    const { body } = await app.call('DELETE', `/conversations/${conv}`);
    expect(body).toMatchObject({ ok: true, deleted: conv, kept: expect.stringContaining('refs/meshd/kept/conv-') });
    expect(existsSync(folder)).toBe(false);
    expect((await list(app)).count).toBe(0);
  });

  it('of a fork begins with the files of its checkpoint, also once the original is deleted', async () => {
    const found: string[] = [];
    const agent = doing((folder, { text }) => {
      const path = join(folder, 'new.ts');
      found.push(existsSync(path) ? readFileSync(path, 'utf8') : 'none');
      writeFileSync(path, text);
    });
    const app = await testApp({ clients: [agent], isolation: 'automatic' });
    const { conv } = await begin(app);
    const first = await say(app, conv, 'one');
    await say(app, conv, 'two');
    await expect.poll(async () => (await listCheckpoints(app, conv)).count).toBe(3);
    const forked = await app.call('POST', `/conversations/${conv}/fork`, { checkpoint: first?.turn });
    expect((await app.call('DELETE', `/conversations/${conv}`)).status).toBe(200);
    git(app.root, 'reflog', 'expire', '--all', '--expire=now');
    git(app.root, 'gc', '-q', '--prune=now');
    await say(app, (forked.body as Conversation).conv, 'three');
    expect(found).toEqual(['none', 'one', 'one']);
  });

  it('goes after a week without a turn, unless it has changes', async () => {
    const app = await testApp({
      clients: [doing((folder, { text }) => text === 'write' && writeFileSync(join(folder, 'a'), ''))],
      isolation: 'automatic',
    });
    const [idle, changed] = [await begin(app), await begin(app)];
    await say(app, idle.conv, 'look');
    await say(app, changed.conv, 'write');
    app.clock.step(7 * DAY_MS - 60_000 - HOUR_MS);
    app.clock.advance(HOUR_MS);
    const shown = async () => (await list(app)).worktrees.map(({ conv }) => conv).sort();
    expect(await shown()).toEqual([idle.conv, changed.conv].sort());
    app.clock.advance(HOUR_MS);
    await expect.poll(shown).toEqual([changed.conv]);
  });
});

describe('a worktree with repositories in it', () => {
  const FILES = ['-c', 'protocol.file.allow=always'];

  /** A project with the submodule `lib`, whose agent runs `work` in its worktree when it is told to write. */
  async function aProject(work: (folder: string) => void) {
    const root = temporaryRepository({ 'README.md': '# Lamp\n' });
    git(root, ...FILES, 'submodule', 'add', '-q', temporaryRepository({ 'x.c': 'x' }), 'lib');
    git(root, 'commit', '-q', '-m', 'with a submodule');
    const agent = doing((folder, { text }) => text === 'write' && work(folder));
    return testApp({ root, clients: [agent], isolation: 'automatic' });
  }
  /** Its changes are in no repository that is kept, and git shows none of the worktree's own. */
  const writeInSubmodule = (folder: string) => {
    git(folder, ...FILES, 'submodule', 'update', '-q', '--init');
    writeFileSync(join(folder, 'lib/x.c'), 'edited');
  };
  const makeClone = (folder: string) => {
    cpSync(temporaryRepository({ 'y.c': 'y' }), join(folder, 'clone'), { recursive: true });
  };

  it.each([
    ['a submodule', writeInSubmodule, 'lib', 0],
    ['a repository of the agent', makeClone, 'clone', 1],
  ])('stays with %s until the operator discards it', async (_name, work, name, changed_files) => {
    const app = await aProject(work);
    const idle = await begin(app);
    await say(app, idle.conv, 'look');
    app.clock.step(1000);
    const { conv } = await begin(app);
    await say(app, conv, 'write');
    const { folder } = await get(app, conv);
    app.clock.step(8 * DAY_MS);
    app.clock.advance(HOUR_MS);
    // Newer ones are looked at first.
    const shown = async () => (await list(app)).worktrees.map((worktree) => worktree.conv);
    await expect.poll(shown).toEqual([conv]);
    expect((await list(app)).worktrees).toMatchObject([{ changed_files, repositories: [name] }]);

    const remove = (query = '') => app.call('DELETE', `/conversations/${conv}/worktree${query}`);
    const refused = await remove();
    expect(refused).toMatchObject({ status: 412, body: { error: 'file_changed', repositories: [name] } });
    expect(refused.text).toContain(`Repositories in this worktree are not kept when it is removed (${name})`);
    expect(existsSync(join(folder, name, '.git'))).toBe(true);
    expect((await remove('?changes=discard')).body).toMatchObject({ conv, changed_files });
    expect(existsSync(folder)).toBe(false);
  });

  it('stays when its conversation is deleted, is told, and listed', async () => {
    const app = await aProject(writeInSubmodule);
    const { conv } = await begin(app);
    await say(app, conv, 'write');
    const { folder } = await get(app, conv);
    const { body } = await app.call('DELETE', `/conversations/${conv}`);
    expect(body).toEqual({ ok: true, deleted: conv, kept: null, left: folder });
    expect(app.log.filter((line) => line.includes(`${folder} stays with lib.`))).toHaveLength(1);
    // Neither a sweep nor a start removes it.
    await app.stop();
    const next = await testApp({ root: app.root, clients: [writing()], isolation: 'automatic' });
    expect(readFileSync(join(folder, 'lib/x.c'), 'utf8')).toBe('edited');
    expect((await list(next)).worktrees).toMatchObject([{ conv, title: 'Deleted conversation', member: null }]);
    expect((await next.call('DELETE', `/conversations/${conv}/worktree?changes=discard`)).status).toBe(200);
    expect([existsSync(folder), (await list(next)).count]).toEqual([false, 0]);
  });

  it('stays when the store does not know it', async () => {
    const app = await aProject(writeInSubmodule);
    const { conv } = await begin(app);
    await say(app, conv, 'write');
    const { folder } = await get(app, conv);
    await app.stop();
    const store = openSqlite(join(app.root, '.mesh/state/mesh.db'));
    store.prepare('DELETE FROM worktrees').run();
    store.close();
    const next = await testApp({ root: app.root, clients: [writing()], isolation: 'automatic' });
    expect(readFileSync(join(folder, 'lib/x.c'), 'utf8')).toBe('edited');
    expect(next.log.filter((line) => line.includes(`${folder} stays with lib.`))).toHaveLength(1);
    expect(git(folder, 'status', '--porcelain').trim()).toBe('M lib');
    const turn = await say(next, conv, 'again');
    expect(turn).toMatchObject({
      outcome: 'failed',
      code: 'worktree_failed',
      reason: expect.stringContaining('(lib)'),
    });
    expect(readFileSync(join(folder, 'lib/x.c'), 'utf8')).toBe('edited');
  });
});

describe('what a killed daemon left behind', () => {
  it('is cleaned up by the next one', async () => {
    const app = await testApp({ clients: [writing()], isolation: 'automatic' });
    const { conv } = await begin(app);
    await say(app, conv, 'one');
    const { folder } = await get(app, conv);
    const place = join(folder, '..');
    await app.stop();
    // Made, but not recorded; recorded as being made; its folder removed by hand.
    git(app.root, 'worktree', 'add', '-q', '--detach', join(place, 'conv-unknown'));
    writeFileSync(join(place, 'conv-unknown/mine.ts'), 'kept');
    mkdirSync(join(place, 'conv-empty'));
    git(app.root, 'worktree', 'add', '-q', '--detach', join(place, 'conv-gone'));
    rmSync(join(place, 'conv-gone'), { recursive: true });

    const next = await testApp({ root: app.root, clients: [writing()], isolation: 'automatic' });
    expect(git(app.root, 'worktree', 'list').trim().split('\n')).toHaveLength(2);
    expect(existsSync(join(place, 'conv-unknown'))).toBe(false);
    expect(existsSync(join(place, 'conv-empty'))).toBe(false);
    const kept = listRefs(app.root).find((ref) => ref.includes('conv-unknown'));
    expect(git(app.root, 'show', `${kept}:mine.ts`)).toBe('kept');
    expect((await list(next)).worktrees).toMatchObject([{ conv, changed_files: 1 }]);
    expect(readFileSync(join(folder, 'new.ts'), 'utf8')).toBe('one');
  });

  it('comes along with a project that was moved', async () => {
    const app = await testApp({ clients: [writing()], isolation: 'automatic' });
    const { conv } = await begin(app);
    await say(app, conv, 'one');
    const { folder } = await get(app, conv);
    writeFileSync(join(folder, 'README.md'), 'not committed');
    await app.stop();
    const root = join(temporaryFolder(), 'moved');
    renameSync(app.root, root);

    const next = await testApp({ root, clients: [writing()], isolation: 'automatic' });
    const { folder: moved, isolation } = await get(next, conv);
    expect([moved === folder, existsSync(folder)]).toEqual([false, false]);
    expect(readFileSync(join(moved, 'README.md'), 'utf8')).toBe('not committed');
    expect(git(moved, 'symbolic-ref', '--short', 'HEAD').trim()).toBe(isolation.branch);
    expect((await list(next)).worktrees).toMatchObject([{ conv, path: moved, changed_files: 2 }]);
    expect(await say(next, conv, 'two')).toMatchObject({ outcome: 'answered' });
    expect(readFileSync(join(moved, 'new.ts'), 'utf8')).toBe('two');
    expect((await next.call('DELETE', `/conversations/${conv}/worktree?changes=discard`)).status).toBe(200);
    expect(git(root, 'worktree', 'list').trim().split('\n')).toHaveLength(1);
  });

  it('stays with the project of which another one is a copy', async () => {
    const app = await testApp({ clients: [writing()], isolation: 'automatic' });
    const { conv } = await begin(app);
    await say(app, conv, 'one');
    const { folder } = await get(app, conv);
    await app.stop();
    const root = join(temporaryFolder(), 'copy');
    cpSync(app.root, root, { recursive: true });

    const copy = await testApp({ root, clients: [writing()], isolation: 'automatic' });
    expect(readFileSync(join(folder, 'new.ts'), 'utf8')).toBe('one');
    expect(copy.log.filter((line) => line.includes(`${folder} stays`))).toHaveLength(1);
    expect((await list(copy)).worktrees).toEqual([]);
    await say(copy, conv, 'two');
    expect(readFileSync(join((await get(copy, conv)).folder, 'new.ts'), 'utf8')).toBe('two');
    await copy.stop();

    const next = await testApp({ root: app.root, clients: [writing()], isolation: 'automatic' });
    expect((await list(next)).worktrees).toMatchObject([{ conv, path: folder, changed_files: 1 }]);
    expect(readFileSync(join(folder, 'new.ts'), 'utf8')).toBe('one');
  });

  it.each(['creating', 'ready', 'removing'])('is never removed elsewhere than among its own (%s)', async (state) => {
    const app = await testApp({ clients: [writing()], isolation: 'automatic' });
    const { conv } = await begin(app);
    await say(app, conv, 'one');
    await app.stop();
    const mine = temporaryFolder({ 'mine.txt': 'mine' });
    const store = openSqlite(join(app.root, '.mesh/state/mesh.db'));
    store.prepare('UPDATE worktrees SET path = ?, state = ?').run(mine, state);
    store.close();

    const next = await testApp({ root: app.root, clients: [writing()], isolation: 'automatic' });
    expect(readFileSync(join(mine, 'mine.txt'), 'utf8')).toBe('mine');
    expect((await list(next)).worktrees).toEqual([]);
    const kept = listRefs(app.root).find((ref) => ref.includes(conv));
    expect(git(app.root, 'show', `${kept}:new.ts`)).toBe('one');
  });

  it('is recognised below a link, and when the state folder is named without it', async () => {
    const [real, link] = [temporaryFolder(), join(temporaryFolder(), 'link')];
    symlinkSync(real, link);
    const start = (XDG_STATE_HOME: string, root?: string) =>
      testApp({ ...(root && { root }), clients: [writing()], isolation: 'automatic', env: { XDG_STATE_HOME } });
    const app = await start(link);
    const { conv } = await begin(app);
    expect(await say(app, conv, 'one')).toMatchObject({ outcome: 'answered' });
    const { folder, isolation } = await get(app, conv);
    expect([folder.startsWith(`${link}/`), isolation.branch]).toEqual([true, expect.stringContaining('meshd/')]);
    await app.stop();
    const place = join(folder, '..');
    git(app.root, 'worktree', 'add', '-q', '--detach', join(place, 'conv-unknown'));
    writeFileSync(join(place, 'conv-unknown/mine.ts'), 'kept');
    git(app.root, 'worktree', 'add', '-q', '--detach', join(place, 'conv-gone'));
    rmSync(join(place, 'conv-gone'), { recursive: true });

    const next = await start(link, app.root);
    const kept = listRefs(app.root).find((ref) => ref.includes('conv-unknown'));
    expect(git(app.root, 'show', `${kept}:mine.ts`)).toBe('kept');
    expect(git(app.root, 'worktree', 'list').trim().split('\n')).toHaveLength(2);
    expect((await list(next)).worktrees).toMatchObject([{ conv, path: folder, changed_files: 1 }]);
    await next.stop();

    const other = await start(real, app.root);
    const path = folder.replace(link, real);
    expect((await list(other)).worktrees).toMatchObject([{ conv, path, changed_files: 1 }]);
    expect(readFileSync(join(path, 'new.ts'), 'utf8')).toBe('one');
    expect(await say(other, conv, 'two')).toMatchObject({ outcome: 'answered' });
    expect((await other.call('DELETE', `/conversations/${conv}/worktree?changes=discard`)).status).toBe(200);
    expect(git(app.root, 'worktree', 'list').trim().split('\n')).toHaveLength(1);
  });
});
