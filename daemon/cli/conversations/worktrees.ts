import type { Command } from 'commander';
import type { WorktreeList, WorktreeRemoved } from '../../contract/work/worktrees.js';
import { formatBytes } from '../../lib/text/format-bytes.js';
import { action, examples } from '../action.js';
import { getDaemon } from '../daemon/project.js';
import { printable, type Terminal } from '../terminal.js';
import { moment } from './conversation-format.js';
import { conversationPath } from './live-conversation.js';

function printWorktrees(terminal: Terminal, { worktrees, disk_bytes, problem }: WorktreeList): void {
  if (problem !== null) terminal.note(`No worktree can be made at present: ${printable(problem)}`);
  if (worktrees.length === 0) {
    terminal.note('No worktrees.');
    return;
  }
  terminal.table(
    worktrees.map(({ conv, branch, changed_files, disk_bytes: bytes, used_at, running, path }) => [
      conv,
      branch ?? '',
      `${changed_files}`,
      formatBytes(bytes),
      running ? 'running' : moment(used_at),
      path,
    ]),
    ['CONVERSATION', 'BRANCH', 'CHANGED', 'SIZE', 'USED (UTC)', 'FOLDER'],
  );
  terminal.note(`${formatBytes(disk_bytes)} in all.`);
}

function addWorktreesLs(worktrees: Command, terminal: Terminal): void {
  worktrees
    .command('ls')
    .summary('list the worktrees')
    .description(
      'List the git worktrees of conversations, newest first: branch, changed files, size on disk and folder. One ' +
        'without changes is removed a week after its last turn.',
    )
    .addHelpText('after', examples('meshd worktrees ls', "meshd worktrees ls --json | jq -r '.worktrees[].path'"))
    .action(
      action<object, []>(terminal, async ({ root, json }) => {
        const { client } = await getDaemon(root);
        const list = await client.get<WorktreeList>('/worktrees');
        if (json) terminal.object(list);
        else printWorktrees(terminal, list);
      }),
    );
}

function addWorktreesRm(worktrees: Command, terminal: Terminal): void {
  worktrees
    .command('rm')
    .summary('remove the worktree of a conversation')
    .description(
      'Remove the worktree of a conversation and its branch. Its next turn gets a new one. One with changes needs ' +
        '--discard; the changes stay on a git ref.',
    )
    .argument('<conversation>')
    .option('--discard', 'also one with changes')
    .addHelpText(
      'after',
      examples(
        'meshd worktrees rm conv-0123456789abcdef',
        'meshd worktrees rm conv-0123456789abcdef --discard',
        'git log -p <ref>   # what was discarded',
      ),
    )
    .action(
      action<{ discard?: boolean }, [string]>(terminal, async ({ root, json, discard }, id) => {
        const { client } = await getDaemon(root);
        const path = `${conversationPath(id)}/worktree${discard ? '?changes=discard' : ''}`;
        const removed = await client.send<WorktreeRemoved>('DELETE', path);
        if (json) return terminal.object(removed);
        const kept = removed.kept === null ? '' : ` Its changes are kept at ${removed.kept}.`;
        terminal.answer(printable(`Removed the worktree of ${removed.conv}.${kept}`));
      }),
    );
}

export function addWorktrees(program: Command, terminal: Terminal): void {
  const worktrees = program
    .command('worktrees')
    .summary('git worktrees of conversations')
    .description('The git worktrees in which conversations work, outside the project folder.');
  addWorktreesLs(worktrees, terminal);
  addWorktreesRm(worktrees, terminal);
}
