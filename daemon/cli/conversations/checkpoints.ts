import { type Command, Option } from 'commander';
import type { Conversation } from '../../contract/conversations.js';
import {
  CHANGES_BASE,
  type Changes,
  type CheckpointList,
  type FileDiff,
  type Rewound,
  WORKING_FILES,
} from '../../contract/work/changes.js';
import { action, type Common, examples } from '../action.js';
import { getDaemon } from '../daemon/project.js';
import { CommandError, EXIT } from '../exit-codes.js';
import type { HttpClient } from '../http-client.js';
import { toQuery } from '../pages.js';
import { printable, type Terminal } from '../terminal.js';
import { utcTime } from '../utc-time.js';
import { isConfirmed } from '../yes-or-no.js';
import { conversationPath } from './live-conversation.js';

const CONV = 'conv-0123456789abcdef';
const TURN = 'turn-0123456789abcdef';

interface ChangesOptions {
  from: string;
  to: string;
  stat?: boolean;
}

const countFiles = (count: number) => `${count} file${count === 1 ? '' : 's'}`;

/** Prints a patch; added and removed lines are coloured on a terminal. */
function printPatch(terminal: Terminal, patch: string): void {
  const { colours } = terminal;
  for (const line of patch.replace(/\n$/, '').split('\n')) {
    const text = printable(line);
    const colour = { '+': colours.green, '-': colours.red, '@': colours.dim }[line.charAt(0)];
    terminal.answer(colour ? colour(text) : text);
  }
}

async function printDiff(terminal: Terminal, client: HttpClient, path: string, changes: Changes): Promise<void> {
  const { from, to } = changes;
  for (const { path: file, old_path } of changes.files) {
    const {
      patch,
      cut,
      file: facts,
    } = await client.get<FileDiff>(`${path}/changes/file?${toQuery({ path: file, from, to })}`);
    const name = printable(old_path === null ? file : `${old_path} → ${file}`);
    terminal.answer(terminal.colours.bold(`${facts.status} ${name}`));
    if (facts.binary) terminal.answer('A binary file.');
    else if (patch !== '') printPatch(terminal, patch);
    if (cut) terminal.note('The rest of this file is not shown.');
  }
}

async function showChanges(terminal: Terminal, { root, json, from, to, stat }: ChangesOptions & Common, id: string) {
  const { client } = await getDaemon(root);
  const path = conversationPath(id);
  const changes = await client.get<Changes>(`${path}/changes?${toQuery({ from, to })}`);
  if (json) return terminal.object(changes);
  const { files, count, left_out, additions, deletions, problem } = changes;
  if (problem !== null) return terminal.note(printable(problem));
  if (count === 0) return terminal.note('No file changed.');
  if (stat)
    terminal.table(
      files.map((file) => [file.status, `+${file.additions}`, `-${file.deletions}`, file.path]),
      ['CHANGE', 'ADDED', 'REMOVED', 'FILE'],
    );
  else await printDiff(terminal, client, path, changes);
  terminal.note(`${countFiles(count)}, +${additions} -${deletions}.`);
  if (left_out > 0) terminal.note(`${left_out} more are not listed.`);
}

function addChanges(program: Command, terminal: Terminal): void {
  program
    .command('changes')
    .summary('what a conversation changed in files')
    .description('Print what changed in the files of a conversation between two checkpoints, as a diff.')
    .argument('<conversation>')
    .option('--from <checkpoint>', 'the earlier state; `base`: what the changes count from', CHANGES_BASE)
    .option('--to <checkpoint>', 'the later state; `working`: the files as they are now', WORKING_FILES)
    .option('--stat', 'only the files, with their added and removed lines')
    .addHelpText('after', examples(`meshd changes ${CONV}`, `meshd changes ${CONV} --to ${TURN} --stat`))
    .action(action<ChangesOptions, [string]>(terminal, (options, id) => showChanges(terminal, options, id)));
}

function addCheckpointsLs(program: Command, terminal: Terminal): void {
  program
    .command('checkpoints')
    .summary('checkpoints of the files of a conversation')
    .description(
      'List the states of its files that a conversation keeps, oldest first: one after each turn that changed some.',
    )
    .argument('<conversation>')
    .addHelpText('after', examples(`meshd checkpoints ${CONV}`))
    .action(
      action<object, [string]>(terminal, async ({ root, json }, id) => {
        const { client } = await getDaemon(root);
        const list = await client.get<CheckpointList>(`${conversationPath(id)}/checkpoints`);
        if (json) return terminal.object(list);
        if (list.problem !== null) terminal.note(printable(list.problem));
        if (list.count === 0) return terminal.note('No checkpoints: no turn has changed a file.');
        terminal.table(
          list.checkpoints.map((row) => [
            ...[
              row.checkpoint,
              row.kind,
              utcTime(row.created_at),
              `${row.files}`,
              `+${row.additions} -${row.deletions}`,
            ],
            row.commit.slice(0, 12),
          ]),
          ['CHECKPOINT', 'KIND', 'MADE (UTC)', 'FILES', 'LINES', 'COMMIT'],
        );
        const left = [...new Set(list.checkpoints.flatMap(({ left_out }) => left_out))];
        if (left.length > 0) terminal.note(`Not kept: ${printable(left.join(', '))}`);
      }),
    );
}

const AFTER = 'What is there now is kept as a checkpoint.';

interface RewindOptions {
  files?: boolean;
  conversation?: boolean;
  yes?: boolean;
}

async function rewind(terminal: Terminal, options: RewindOptions & Common, id: string, checkpoint: string) {
  const { root, json, files, conversation, yes } = options;
  const { client } = await getDaemon(root);
  const what = files ? 'files' : conversation ? 'conversation' : 'both';
  const named = { files: 'the files', conversation: 'the messages', both: 'the files and the messages' }[what];
  if (!yes && !(await isConfirmed(terminal, `Take ${named} back to ${printable(checkpoint)}?`, AFTER)))
    throw new CommandError(EXIT.failed, 'Nothing was changed.', 'cancelled');
  const body = { checkpoint, what };
  const done = await client.send<Rewound>('POST', `${conversationPath(id)}/rewind`, { body });
  if (json) return terminal.object(done);
  const messages = `${done.messages} message${done.messages === 1 ? '' : 's'}`;
  terminal.answer(`Put back ${countFiles(done.files)} and set aside ${messages}.`);
  if (done.skipped.length > 0) terminal.note(`Left as they are: ${printable(done.skipped.join(', '))}`);
  const part = what === 'both' ? '' : ` --${what}`;
  if (done.kept) terminal.note(`Undo it with \`meshd rewind ${id} ${done.kept.checkpoint}${part}\`.`);
}

function addRewind(program: Command, terminal: Terminal): void {
  program
    .command('rewind')
    .summary('take a conversation back to a checkpoint')
    .description(
      'Take the files and the messages of a conversation back to a checkpoint. What they were is kept as one more ' +
        'checkpoint. Files that git ignores and files of secrets are not touched. Asks first.',
    )
    .argument('<conversation>')
    .argument('<checkpoint>', 'as `meshd checkpoints` lists it')
    .addOption(new Option('--files', 'only the files').conflicts('conversation'))
    .option('--conversation', 'only the messages')
    .option('--yes', 'do not ask')
    .addHelpText('after', examples(`meshd rewind ${CONV} ${TURN}`, `meshd rewind ${CONV} start --files --yes`))
    .action(
      action<RewindOptions, [string, string]>(terminal, (options, id, checkpoint) =>
        rewind(terminal, options, id, checkpoint),
      ),
    );
}

function addFork(program: Command, terminal: Terminal): void {
  program
    .command('fork')
    .summary('continue from a checkpoint in a new conversation')
    .description(
      'Create a conversation with the messages up to a checkpoint. Where the original works in a git worktree, the ' +
        'new one begins with the files of the checkpoint; files of the project folder stay as they are.',
    )
    .argument('<conversation>')
    .argument('<checkpoint>', 'as `meshd checkpoints` lists it')
    .addHelpText('after', examples(`meshd fork ${CONV} ${TURN}`))
    .action(
      action<object, [string, string]>(terminal, async ({ root, json }, id, checkpoint) => {
        const { client } = await getDaemon(root);
        const path = `${conversationPath(id)}/fork`;
        const forked = await client.send<Conversation>('POST', path, { body: { checkpoint } });
        if (json) terminal.object(forked);
        else terminal.answer(printable(`Created ${forked.conv}, "${forked.title}".`));
      }),
    );
}

/** Adds the commands for the files of conversations over time. */
export function addCheckpoints(program: Command, terminal: Terminal): void {
  addChanges(program, terminal);
  addCheckpointsLs(program, terminal);
  addRewind(program, terminal);
  addFork(program, terminal);
}
