import { type Command, Option } from 'commander';
import type { Preferences, PreferencesPatch } from '../../contract/system.js';
import { ISOLATION_DEFAULTS, type WorktreeList, type WorktreeRemoved } from '../../contract/work/worktrees.js';
import { formatBytes } from '../../lib/text/format-bytes.js';
import { action, examples } from '../action.js';
import { getDaemon } from '../daemon/project.js';
import { printable, type Terminal } from '../terminal.js';
import { utcTime } from '../utc-time.js';
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
      running ? 'running' : utcTime(used_at),
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
        'without changes, and without repositories in it, is removed a week after its last turn.',
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
        '--discard; the changes stay on a git ref. One with repositories in it, such as submodules, needs it too: ' +
        'what is in these is lost.',
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

interface SettingsOptions {
  default?: Preferences['isolation_default'];
  /** False: none. */
  copy?: string[] | false;
  link?: string[] | false;
  setup?: string | false;
}

/** The preferences that the options change. */
function toPatch(now: Preferences, { default: place, copy, link, setup }: SettingsOptions): PreferencesPatch {
  const worktrees = {
    copy: copy === undefined ? now.worktrees.copy : copy || [],
    link: link === undefined ? now.worktrees.link : link || [],
    setup: setup === undefined ? now.worktrees.setup : setup || '',
  };
  return {
    ...(place !== undefined && { isolation_default: place }),
    ...((copy ?? link ?? setup) !== undefined && { worktrees }),
  };
}

function addWorktreesSettings(worktrees: Command, terminal: Terminal): void {
  worktrees
    .command('settings')
    .summary('where conversations work, and what a new worktree is given')
    .description(
      'Show or change where conversations work that say nothing else, and what each new worktree is given beside ' +
        'the tracked files: what git does not track, and a shell command that is run in it. No file of a project ' +
        'sets these.',
    )
    .addOption(new Option('--default <place>', 'where conversations work').choices(ISOLATION_DEFAULTS))
    .option('--copy <pattern...>', 'files and folders that are copied into it, instead of those before')
    .option('--no-copy', 'copy nothing')
    .option('--link <pattern...>', 'files and folders that it gets a link to, instead of those before')
    .option('--no-link', 'link nothing')
    .option('--setup <command>', 'shell command that is run in it once, with the environment that agents have')
    .option('--no-setup', 'run no command')
    .addHelpText(
      'after',
      examples(
        'meshd worktrees settings',
        "meshd worktrees settings --default worktree --copy .env 'config/*.local' --link node_modules",
        "meshd worktrees settings --no-link --setup 'npm ci'",
      ),
    )
    .action(
      action<SettingsOptions, []>(terminal, async ({ root, json, ...options }) => {
        const { client } = await getDaemon(root);
        const now = await client.get<Preferences>('/preferences');
        const body = toPatch(now, options);
        const isChange = Object.keys(body).length > 0;
        const kept = isChange ? await client.send<Preferences>('PATCH', '/preferences', { body }) : now;
        const { isolation_default, worktrees: given } = kept;
        if (json) return terminal.object({ isolation_default, worktrees: given });
        const list = (patterns: readonly string[]) =>
          patterns.length === 0 ? 'nothing' : printable(patterns.join(', '));
        terminal.table([
          ['Default', isolation_default],
          ['Copied', list(given.copy)],
          ['Linked', list(given.link)],
          ['Set-up', given.setup === '' ? 'none' : printable(given.setup)],
        ]);
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
  addWorktreesSettings(worktrees, terminal);
}
