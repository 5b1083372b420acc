import { type Command, Option } from 'commander';
import { MERGE_METHODS, type Merged, type MergePreview, type NewMerge } from '../../contract/work/reviews.js';
import { action, examples } from '../action.js';
import { getDaemon } from '../daemon/project.js';
import { CommandError, EXIT } from '../exit-codes.js';
import { toQuery } from '../pages.js';
import { printable, type Terminal } from '../terminal.js';
import { isConfirmed } from '../yes-or-no.js';
import { conversationPath } from './live-conversation.js';

const AFTER = 'What takes it back is printed.';

interface MergeOptions {
  into?: string;
  method?: NewMerge['method'];
  message?: string;
  dryRun?: boolean;
  yes?: boolean;
}

function showPreview(terminal: Terminal, preview: MergePreview): void {
  const { into, ahead, behind, files, methods, conflicts, overlaps, checked_out, problem } = preview;
  terminal.table([
    ['Into', into === '' ? 'no branch' : `${into}${checked_out ? ' (checked out: its files change, too)' : ''}`],
    ['Commits', `${ahead} to merge, ${behind} of the branch since`],
    ['Files', String(files)],
    ['Methods', methods.length === 0 ? 'none' : methods.join(', ')],
  ]);
  for (const path of conflicts) terminal.note(printable(`Conflict: ${path}`));
  for (const { conv, title, paths } of overlaps)
    terminal.note(printable(`${conv}, "${title}", changed the same lines of ${paths.join(', ')}.`));
  if (problem !== null) terminal.note(printable(problem));
}

/** The method of the options, else the first that is possible. Throws when none is. */
function chooseMethod({ methods, conflicts, problem, into }: MergePreview, wanted: MergeOptions['method']) {
  const [first] = methods;
  if (first !== undefined) return wanted ?? (methods.includes('squash') ? 'squash' : first);
  if (conflicts.length > 0)
    throw new CommandError(
      EXIT.conflict,
      `There are conflicts with ${into} in ${conflicts.length} file${conflicts.length === 1 ? '' : 's'}: the member can ` +
        'resolve them in its conversation.',
      'file_changed',
      { conflicts },
    );
  throw new CommandError(EXIT.conflict, problem ?? 'It cannot be merged now.', 'file_changed');
}

export function addMerge(program: Command, terminal: Terminal): void {
  program
    .command('merge')
    .summary('merge what a conversation changed in its worktree')
    .description(
      'Merge the files of a conversation’s worktree, as they are now, into a branch. Conflicts are found beforehand; ' +
        'files with changes that are not committed are never overwritten. Prints the command that takes it back.',
    )
    .argument('<conversation>')
    .option('--into <branch>', 'the branch (default: the one at which the worktree began)')
    .addOption(new Option('--method <method>', 'how (default: squash)').choices(MERGE_METHODS))
    .option('--message <text>', 'message of the commit that merge and squash make')
    .option('--dry-run', 'only show what would happen')
    .option('--yes', 'do not ask')
    .addHelpText(
      'after',
      examples('meshd merge conv-0123456789abcdef --dry-run', 'meshd merge conv-0123456789abcdef --into main --yes'),
    )
    .action(
      action<MergeOptions, [string]>(terminal, async (options, conv) => {
        const { root, json, into, message, dryRun, yes } = options;
        const { client } = await getDaemon(root);
        const path = `${conversationPath(conv)}/merge`;
        const preview = await client.get<MergePreview>(`${path}?${toQuery({ into })}`);
        if (dryRun) return json ? terminal.object(preview) : showPreview(terminal, preview);
        const method = chooseMethod(preview, options.method);
        if (!yes) {
          showPreview(terminal, preview);
          if (!(await isConfirmed(terminal, `Merge into ${preview.into} by ${method}?`, AFTER)))
            throw new CommandError(EXIT.failed, 'Nothing was merged.', 'cancelled');
        }
        const body: NewMerge = {
          into: preview.into,
          head: preview.head,
          method,
          ...(message !== undefined && { message }),
        };
        const merged = await client.send<Merged>('POST', path, { body });
        if (json) return terminal.object(merged);
        terminal.answer(printable(`Merged into ${merged.into} as ${merged.commit.slice(0, 12)} by ${method}.`));
        terminal.note(printable(`To take it back: ${merged.undo}`));
      }),
    );
}
