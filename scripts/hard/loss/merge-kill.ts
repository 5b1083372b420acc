/**
 * Kills the daemon with SIGKILL at a random moment of a merge of a conversation's worktree into the branch that is
 * checked out in the project folder. After each kill and the next start the branch is at the old commit or at the merged
 * one, files and index of the project folder match it, what the user had staged is still staged, no lock is left, and
 * `git fsck` passes. On 127.0.0.1 only; no time is judged.
 *
 * `npx tsx scripts/hard/loss/merge-kill.ts`
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Conversation } from '../../../daemon/contract/conversations.js';
import type { MergePreview } from '../../../daemon/contract/work/reviews.js';
import type { DaemonProcess } from '../../../daemon/testing/processes/daemon-process.js';
import { type Drill, runDrill, until } from '../drill.js';
import type { DrillProject } from '../project.js';

const SCENARIO = JSON.stringify({ steps: [{ text: 'Done.' }] });
const METHODS = ['squash', 'merge', 'rebase', 'fast_forward'] as const;
/** A merge takes about as long on an idle machine. Longer or shorter ones move the window within which is killed. */
const MERGE_MS = 900;
const WINDOW_MAX_MS = 30_000;
const JUDGED_KILLS = 50;
const FILES = 40;
const LIMIT_MS = 60_000;

const git = (folder: string, ...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=n', '-c', 'user.email=e@localhost', ...args], {
    cwd: folder,
    encoding: 'utf8',
    stdio: 'pipe',
  }).trim();

/** Changes, adds and removes files in the worktree. */
function work(folder: string, round: number): void {
  for (let file = 0; file < FILES; file += 1)
    writeFileSync(join(folder, `file-${file}.txt`), `${round}\n`.repeat(500 + file));
  writeFileSync(join(folder, `round-${round}.txt`), `${round}\n`);
  rmSync(join(folder, `round-${round - 1}.txt`), { force: true });
}

async function begin(project: DrillProject, daemon: DaemonProcess): Promise<{ conv: string; folder: string }> {
  git(project.root, 'commit', '-qm', 'first');
  const body = { member: 'developer', isolation: 'worktree' };
  const { conv } = await daemon.call<Conversation>('POST', '/conversations', body);
  const turn = await daemon.post(conv, 'Begin.');
  const ended = await until(
    'the first turn has ended',
    LIMIT_MS,
    () => daemon.turn(conv, turn),
    ({ state }) => state === 'ended',
  );
  if (ended.outcome !== 'answered') throw new Error(`The first turn ended as ${ended.outcome}: ${ended.reason}`);
  const { folder } = await daemon.call<Conversation>('GET', `/conversations/${conv}`);
  if (folder === project.root) throw new Error('The conversation has no worktree.');
  return { conv, folder };
}

/** What does not match after a kill during a merge of `tree` onto `before`, and the next start. */
function getFaults({ root }: DrillProject, folder: string, before: string): string[] {
  const faults: string[] = [];
  const now = git(root, 'rev-parse', 'HEAD');
  const shown = git(root, 'diff', '--name-only', 'HEAD', '--', ':!own.txt');
  if (shown !== '') faults.push(`files differ from the branch: ${shown.split('\n').join()}`);
  const staged = git(root, 'diff', '--cached', '--name-only', 'HEAD');
  if (staged !== 'own.txt') faults.push(`staged is ${JSON.stringify(staged)}`);
  if (now !== before) {
    const parents = git(root, 'log', '-1', '--format=%P', 'HEAD').split(' ');
    if (!parents.includes(before)) faults.push(`the branch is at ${now}, not above ${before}`);
    if (git(folder, 'rev-parse', 'HEAD') !== now) faults.push('the worktree did not follow');
    const left = git(folder, 'status', '--porcelain');
    if (left !== '') faults.push(`the worktree differs from the merged commit: ${left.split('\n').slice(0, 3).join()}`);
  }
  for (const at of [git(root, 'rev-parse', '--absolute-git-dir'), git(folder, 'rev-parse', '--absolute-git-dir')]) {
    const left = readdirSync(at).filter((name) => /lock|index\.meshd/.test(name));
    if (left.length > 0) faults.push(`left behind: ${left.join()}`);
  }
  git(root, 'fsck', '--strict', '--no-dangling');
  return faults;
}

async function killOnce(
  drill: Drill,
  daemon: DaemonProcess,
  { conv, folder, round, windowMs }: { conv: string; folder: string; round: number; windowMs: number },
): Promise<string> {
  work(folder, round);
  const path = `/conversations/${conv}/merge`;
  const { into, head } = await daemon.call<MergePreview>('GET', path);
  const method = METHODS[round % METHODS.length];
  const merging = daemon.call('POST', path, { into, head, method }).catch(() => undefined);
  await Promise.race([pause(drill.dice.below(windowMs)), merging]);
  await daemon.kill();
  await merging;
  return head;
}

await runDrill('merge-kill', async (drill) => {
  const project = drill.project({ 'README.md': '# Lamp\n', 'own.txt': 'o\n', '.gitignore': '.local\n.mesh\n*.json\n' });
  project.put('scenario.json', SCENARIO);
  // Worktrees are never below the project.
  const state = mkdtempSync(join(tmpdir(), 'meshd-drill-state-'));
  drill.atEnd(() => rmSync(state, { recursive: true, force: true }));
  const environment = { ...project.standIns('scenario.json'), XDG_STATE_HOME: state };
  let daemon = await project.start(environment);
  const place = await begin(project, daemon);
  project.put('own.txt', 'staged\n');
  git(project.root, 'add', 'own.txt');
  const faults: string[] = [];
  let moved = 0;
  let windowMs = MERGE_MS;
  const kills = drill.bound('kills');
  for (let round = 1; round <= kills; round += 1) {
    const before = await killOnce(drill, daemon, { ...place, round, windowMs });
    daemon = await project.start(environment);
    await daemon.call('GET', '/health');
    faults.push(...getFaults(project, place.folder, before).map((fault) => `kill ${round}: ${fault}`));
    const isMoved = git(project.root, 'rev-parse', 'HEAD') !== before;
    if (isMoved) moved += 1;
    // About half of the merges are to be through, whatever the machine.
    windowMs = Math.min(WINDOW_MAX_MS, Math.max(100, Math.round(windowMs * (isMoved ? 0.67 : 1.5))));
  }
  if (!existsSync(place.folder)) faults.push('the worktree is gone');
  // Too few kills say nothing about where they fall.
  if (kills >= JUDGED_KILLS)
    drill.holds('both ends', `${moved} of ${kills} merges were through`, moved * 5 >= kills && moved * 5 <= kills * 4);
  drill.none('kills during a merge', 'faults', faults, `${kills} kills, ${moved} merged, ${kills - moved} not`);
});
