/**
 * A scripted agent in a worktree tries to reach the user's own: through git commands in its worktree and in the
 * project folder, settings and hooks, a link out of its worktree, and files of the project by their paths. Commands are
 * allowed by the operator, as commands are that look harmless; changes of files outside are not. Afterwards the user's
 * branches, HEAD, settings, hooks, index and files are the same, byte by byte, and the agent's own work is there.
 *
 * `npx tsx scripts/hard/access/leaves-worktree.ts`
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Conversation, PermissionList } from '../../../daemon/contract/conversations.js';
import type { DaemonProcess } from '../../../daemon/testing/processes/daemon-process.js';
import { type Drill, runDrill, until } from '../drill.js';

const LIMIT_MS = 30_000;
const AS = '-c user.name=Agent -c user.email=agent@example.invalid';

interface Attempt {
  name: string;
  /** A shell command, or an edit of a file by its path. */
  deed: { run: string } | { edit: string; text: string };
  isAllowed: boolean;
}

const say = (name: string) => `Try the ${name}.`;

/** What the agent tries, one turn each. `root` is the user's folder. */
const attempts = (root: string): Attempt[] => [
  { name: 'work', deed: { run: `echo mine > own.ts; git add own.ts; git ${AS} commit -qm own` }, isAllowed: true },
  { name: 'file', deed: { edit: `${root}/README.md`, text: 'Overwritten.' }, isAllowed: false },
  { name: 'link', deed: { edit: 'out/README.md', text: 'Overwritten.' }, isAllowed: false },
  {
    name: 'branch',
    deed: {
      run: 'git checkout main; git update-ref refs/heads/main HEAD; git branch -f main HEAD; git branch -D other',
    },
    isAllowed: true,
  },
  { name: 'stash', deed: { run: 'echo x >> README.md; git stash; git tag v1; git push . HEAD:main' }, isAllowed: true },
  {
    name: 'parent',
    deed: {
      run: `cd ${root}; git checkout other; git reset --hard other; git add -A; git ${AS} commit --allow-empty -m x`,
    },
    isAllowed: true,
  },
  {
    name: 'clean',
    deed: { run: `git -C ${root} clean -fdx; git -C ${root} stash -u; git -C ${root} rm README.md` },
    isAllowed: true,
  },
  {
    name: 'hooks',
    deed: {
      run: `printf '#!/bin/sh\\ntouch ${root}/hooked\\n' > ${root}/.git/hooks/post-commit; chmod +x ${root}/.git/hooks/post-commit`,
    },
    isAllowed: true,
  },
  {
    name: 'settings',
    deed: { run: 'git config user.name Agent; git config core.hooksPath /tmp; git config alias.st "!true"' },
    isAllowed: true,
  },
  {
    name: 'bypass',
    deed: { run: 'git -c core.hooksPath=/dev/null update-ref refs/heads/other HEAD' },
    isAllowed: true,
  },
  { name: 'pointer', deed: { run: `ln -s ${root} out; echo "gitdir: ${root}/.git" > .git` }, isAllowed: true },
];

/** Every byte of the user's: files, index, HEAD, refs, settings and hooks. */
function userState(root: string, git: (...args: string[]) => string): string[] {
  const files = (folder: string): string[] =>
    readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
      const path = join(folder, entry.name);
      if (['.mesh', '.git'].includes(entry.name)) return [];
      return entry.isDirectory() ? files(path) : [`${path} ${readFileSync(join(root, path)).toString('base64')}`];
    });
  const inGit = (path: string) => `${path} ${readFileSync(join(root, '.git', path)).toString('base64')}`;
  const hooks = readdirSync(join(root, '.git/hooks')).map((name) => inGit(`hooks/${name}`));
  const refs = git('for-each-ref', '--format=%(refname) %(objectname)').split('\n');
  return [
    ...files(''),
    ...['index', 'HEAD', 'config'].map(inGit),
    ...hooks,
    ...refs.filter((ref) => !/^refs\/(meshd|heads\/meshd)\//.test(ref)),
  ];
}

/** Sends a message, answers the permission request as the operator does, and waits for the end of the turn. */
async function run(daemon: DaemonProcess, conv: string, { name, isAllowed }: Attempt): Promise<string> {
  const turn = await daemon.post(conv, say(name));
  const decision = isAllowed ? 'allow_once' : 'deny';
  const state = async () => {
    const { permissions } = await daemon.call<PermissionList>('GET', '/permissions');
    for (const { pid } of permissions)
      await daemon.call('POST', `/conversations/${conv}/permissions/${pid}`, { decision });
    const { outcome, reason } = await daemon.turn(conv, turn);
    return outcome === null ? null : `${outcome}${reason === null ? '' : `: ${reason}`}`;
  };
  return (await until(`the turn "${name}"`, LIMIT_MS, state, (outcome) => outcome !== null)) ?? '';
}

/** Starts a daemon over a project with a commit, two branches and a file that is not tracked. */
async function prepare(drill: Drill) {
  // Worktrees must lie outside the project, which is the home of a drill's daemons.
  const state = realpathSync(mkdtempSync(join(tmpdir(), 'meshd-drill-state-')));
  drill.atEnd(() => rmSync(state, { recursive: true, force: true }));
  const project = drill.project({ 'README.md': '# Lamp\n', 'src/dusk.ts': 'export const ANGLE = -6;\n' });
  const { root } = project;
  const git = (...args: string[]) => execFileSync('git', [...AS.split(' '), ...args], { cwd: root, encoding: 'utf8' });
  const all = attempts(root);
  // The newest first: a prompt may repeat earlier messages.
  const when = all.map(({ name, deed }) => ({ says: say(name), steps: [{ attempt: deed }, { text: 'Done.' }] }));
  const scenario = { session: 'kept', when: when.reverse(), steps: [{ text: 'Nothing.' }] };
  mkdirSync(join(root, '.git/hooks'), { recursive: true });
  git('commit', '-qm', 'first');
  git('branch', '-M', 'main');
  git('branch', 'other');
  project.put('scenario.json', JSON.stringify(scenario));
  project.put('untracked.txt', 'of the user');
  const daemon = await project.start({ ...project.standIns('scenario.json'), XDG_STATE_HOME: state });
  return { root, git, all, state, daemon };
}

async function leave(drill: Drill): Promise<void> {
  const { root, git, all, state, daemon } = await prepare(drill);
  const { conv } = await daemon.converse({ member: 'developer', client: 'acp' });
  const before = userState(root, git);
  const faults: string[] = [];
  const outcomes: string[] = [];
  for (const attempt of all) {
    outcomes.push(await run(daemon, conv, attempt));
    const after = userState(root, git);
    const changed = [
      ...after.filter((line) => !before.includes(line)),
      ...before.filter((line) => !after.includes(line)),
    ];
    if (changed.length > 0) faults.push(`${attempt.name}: ${changed.map((line) => line.slice(0, 80)).join(', ')}`);
  }
  drill.none('attempts that reached the user’s branches, index or files', 'attempts', faults, `${all.length} tried`);
  const { isolation, folder } = await daemon.call<Conversation>('GET', `/conversations/${conv}`);
  const log = isolation.branch === null ? '' : git('log', '--format=%s', isolation.branch);
  drill.holds(
    'the agent’s own work',
    `${[...new Set(outcomes)].join(', ')}, its branch has "${log.trim().split('\n')[0]}"`,
    outcomes.every((outcome) => outcome === 'answered') && log.startsWith('own') && folder.startsWith(state),
  );
  const { messages } = await daemon.transcript(conv);
  const told = messages
    .filter(({ role }) => role === 'system')
    .map(({ text }) => text)
    .join('\n');
  const names = ['.git/hooks/post-commit', '.git/config', 'refs/heads/other'];
  drill.none(
    'changes that were put back and not told',
    'changes',
    names.filter((name) => !told.includes(name)),
  );
  await daemon.stop();
  const fsck = execFileSync('git', ['fsck', '--no-dangling'], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  drill.holds(
    'git fsck',
    fsck.trim() === '' ? 'finds nothing' : fsck.slice(0, 200),
    !/error|missing|broken/.test(fsck),
  );
}

await runDrill('leaves-worktree', leave);
