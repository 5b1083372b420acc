import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { begin, ended, events, get, postMessage, read } from '../../testing/apps/conversing.js';
import { type TestApp, testApp } from '../../testing/apps/test-app.js';
import { answers, ScriptedAgent } from '../../testing/processes/scripted-agent.js';
import { git } from '../../testing/temporary-folder.js';
import type { Turn } from '../clients/client.js';

const IDENTITY = ['-c', 'user.name=Agent', '-c', 'user.email=agent@example.invalid'].join(' ');

/** An agent that runs the message as shell commands, as an agent's own shell would. */
const shell = (meanwhile: () => void = () => undefined) =>
  new ScriptedAgent('acp', ({ text, folder, environment }: Turn) => {
    const env = { PATH: process.env['PATH'], HOME: folder, ...environment };
    const { status, stdout, stderr } = spawnSync('sh', ['-c', text], { cwd: folder, env, encoding: 'utf8' });
    meanwhile();
    return answers(`exit ${status}\n${stdout}${stderr}`);
  });

/** Runs shell commands as a turn, and returns what they wrote and what the conversation was told. */
async function run(app: TestApp, conv: string, text: string) {
  const client = await events(app);
  const { turn } = await postMessage(app, conv, text);
  await ended(client, turn);
  const messages = (await read(app, conv)).messages.filter((message) => message.turn === turn);
  const textOf = (role: string) => messages.find((message) => message.role === role)?.text ?? '';
  return { output: textOf('assistant'), notice: textOf('system') };
}

/** All that is the user's: files, index, HEAD, refs, settings and hooks. */
function userState(root: string) {
  const folder = join(root, '.git');
  return {
    head: readFileSync(join(folder, 'HEAD'), 'utf8'),
    index: readFileSync(join(folder, 'index')).toString('base64'),
    config: readFileSync(join(folder, 'config'), 'utf8'),
    hooks: readdirSync(join(folder, 'hooks')),
    refs: git(root, 'for-each-ref', 'refs/heads', 'refs/tags', 'refs/stash', '--format=%(refname) %(objectname)')
      .split('\n')
      .filter((line) => !line.includes('meshd')),
    files: readdirSync(root).sort(),
    readme: readFileSync(join(root, 'README.md'), 'utf8'),
  };
}

async function opened(meanwhile?: (app: TestApp) => void) {
  let made: TestApp | undefined;
  const app = await testApp({ clients: [shell(() => made && meanwhile?.(made))], isolation: 'automatic' });
  made = app;
  git(app.root, 'branch', 'other');
  // The hooks folder that `git init` would have made.
  mkdirSync(join(app.root, '.git/hooks'), { recursive: true });
  return { app, conv: (await begin(app)).conv };
}

describe('the git commands of an agent in its worktree', () => {
  it('commit on its own branch and read the history', async () => {
    const { app, conv } = await opened();
    const { output } = await run(
      app,
      conv,
      `echo a > a && git add a && git ${IDENTITY} commit -qm mine && git log --oneline`,
    );
    expect(output).toMatch(/^exit 0\n[0-9a-f]+ mine/);
    const { isolation, folder } = await get(app, conv);
    expect(isolation.branch).toBe('meshd/developer/echo-a-a-git-add-a-git-c-user-name-agent');
    expect(git(folder, 'log', '-1', '--format=%s').trim()).toBe('mine');
  });

  it.each([
    [
      'move the user’s branch',
      `git update-ref refs/heads/main $(git ${IDENTITY} commit-tree -p HEAD -m x HEAD^{tree})`,
    ],
    ['make a branch outside their own', 'git branch mine'],
    ['delete a branch', 'git branch -D other'],
    ['tag', 'git tag v1'],
    ['stash into the user’s stash', 'echo x > README.md; git stash'],
    ['check out the user’s branch', 'git checkout main'],
    ['check out in the user’s folder', 'git -C "$0" checkout other'],
    ['reset the user’s folder', 'git -C "$0" reset --hard other'],
    ['add and commit in the user’s folder', `git -C "$0" add -A; git -C "$0" ${IDENTITY} commit -qm x --allow-empty`],
    ['clean the user’s folder', 'git -C "$0" clean -fdx'],
  ])('cannot %s', async (_name, command) => {
    const { app, conv } = await opened();
    const before = userState(app.root);
    const { output, notice } = await run(app, conv, command.replaceAll('$0', app.root));
    expect(output).not.toMatch(/^exit 0/);
    expect(userState(app.root)).toEqual(before);
    expect(notice).toBe('');
  });

  it('that write settings or hooks, or turn the check off, are taken back and told, and nothing is lost', async () => {
    const { app, conv } = await opened();
    const before = userState(app.root);
    const { notice } = await run(
      app,
      conv,
      `git config user.name Agent; echo 'curl evil' > ${app.root}/.git/hooks/post-commit; ` +
        `git -c core.hooksPath=/dev/null ${IDENTITY} commit -q --allow-empty -m x; ` +
        'git -c core.hooksPath=/dev/null update-ref refs/heads/other HEAD',
    );
    expect(userState(app.root)).toEqual(before);
    expect(notice).toContain('.git/hooks/post-commit');
    expect(notice).toContain('.git/config');
    expect(notice).toContain('refs/heads/other');
    const kept = /refs\/meshd\/kept\/\S+(?=`)/.exec(notice)?.[0] ?? '';
    expect(git(app.root, 'show', `${kept}:hooks-post-commit`)).toBe('curl evil\n');
    expect(git(app.root, 'show', `${kept}:config`)).toContain('Agent');
    expect(git(app.root, 'log', '-1', '--format=%s', `${kept}^1`).trim()).toBe('x');
  });

  it('that push to a branch of the user through the name of a remote are taken back and told', async () => {
    const { app, conv } = await opened();
    const before = userState(app.root);
    const { output, notice } = await run(
      app,
      conv,
      `git -c remote.self.url=${app.root} push -q self $(git ${IDENTITY} commit-tree -p HEAD -m x HEAD^{tree}):other`,
    );
    expect(output).toMatch(/^exit 0/);
    expect(notice).toContain('refs/heads/other');
    expect(userState(app.root)).toEqual(before);
  });

  it.each([
    'git status',
    'git branch --show-current && git branch --merged main && git remote -v && git checkout -- a && git worktree list',
  ])('leave alone what the user does meanwhile: %s', async (command) => {
    const { app, conv } = await opened(({ root }) => {
      writeFileSync(join(root, 'README.md'), 'mine');
      git(root, 'commit', '-qam', 'of the user');
      git(root, 'config', 'user.signingKey', 'mine');
    });
    const { output, notice } = await run(app, conv, `echo a > a && git add a && ${command}`);
    expect([output, notice]).toEqual([expect.stringMatching(/^exit 0\n/), '']);
    expect(git(app.root, 'log', '-1', '--format=%s').trim()).toBe('of the user');
    expect(git(app.root, 'config', 'user.signingKey').trim()).toBe('mine');
  });

  it('do not see what the worktree was given as new', async () => {
    const { app, conv } = await opened();
    mkdirSync(join(app.root, 'node_modules'));
    await app.call('PATCH', '/preferences', { worktrees: { copy: [], link: ['node_modules'], setup: '' } });
    const { output } = await run(app, conv, 'ls -d node_modules && git status --porcelain');
    expect(output).toBe('exit 0\nnode_modules\n');
  });

  it('leave no file of the turn behind, and the daemon goes by what git knows of the worktree, not by its `.git` file', async () => {
    const { app, conv } = await opened();
    const before = userState(app.root);
    await run(app, conv, `echo a > a; echo 'gitdir: ${app.root}/.git' > .git`);
    expect(userState(app.root)).toEqual(before);
    const { folder, isolation } = await get(app, conv);
    expect(isolation.branch).toContain('meshd/developer/');
    expect(readdirSync(join(folder, '../agents')).sort()).toEqual(['hooks', 'off']);
    expect(existsSync(join(folder, 'a'))).toBe(true);
  });
});
