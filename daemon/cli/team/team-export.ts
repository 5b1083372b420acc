import { type Command, Option } from 'commander';
import {
  AGENT_FORMATS,
  type AgentFormat,
  type ExportBody,
  type Exported,
  type ExportedList,
} from '../../contract/imports.js';
import { action, type Common, examples } from '../action.js';
import { getDaemon } from '../daemon/project.js';
import { CommandError, EXIT } from '../exit-codes.js';
import { printable, type Terminal } from '../terminal.js';
import { FORMS, type Form } from './form-names.js';

interface ExportOptions {
  to?: AgentFormat;
  all?: boolean;
  write?: boolean;
  replace?: boolean;
  prune?: boolean;
  as?: Form;
  into?: string;
}

function outcome({ state, written }: Exported, isWriting: boolean): string {
  if (written) return state === 'new' ? 'written' : 'replaced';
  if (state === 'same') return 'up to date';
  if (state === 'foreign')
    return isWriting ? 'kept: not written by meshd (--replace)' : 'another file exists (--replace)';
  return state === 'new' ? 'new' : 'changed';
}

function show(terminal: Terminal, { files, leftovers }: ExportedList, isWriting: boolean): void {
  terminal.table(
    files.map((file) => [
      file.id,
      outcome(file, isWriting),
      file.path,
      file.losses.map(({ key }) => key).join(', ') || 'nothing',
    ]),
    ['MEMBER', 'FILE', 'PATH', 'NOT EXPORTED'],
  );
  for (const { id, losses } of files)
    for (const { key, why } of losses) terminal.note(`${id}: ${key}: ${printable(why)}`);
  for (const { id, path, removed } of leftovers)
    terminal.note(
      removed
        ? `${path} is removed: ${id} is gone.`
        : `${path} is left of ${id}, who is gone (--write --prune removes it).`,
    );
}

/** Throws when an option was given that belongs to `--to`. */
function requireFormOptions({ to, write, prune, replace, into }: ExportOptions): void {
  const given = Object.entries({ '--to': to, '--write': write, '--prune': prune }).find(([, value]) => value);
  if (given) throw new CommandError(EXIT.usage, `${given[0]} does not go with --as: leave one of them out.`, 'usage');
  if (replace && into === undefined)
    throw new CommandError(EXIT.usage, '--replace needs --into: nothing is written without it.', 'usage');
}

async function exportMembers(terminal: Terminal, options: ExportOptions & Common, ids: string[]): Promise<void> {
  const { root, json, to, all, write, replace, prune } = options;
  if (ids.length === 0 && !all) throw new CommandError(EXIT.usage, 'Name members, or give --all.', 'usage');
  if (ids.length > 0 && all) throw new CommandError(EXIT.usage, 'Name members or give --all, not both.', 'usage');
  if (options.as !== undefined) {
    requireFormOptions(options);
    const { as: form, into } = options;
    const { exportForm } = await import('./team-export-form.js');
    return exportForm(terminal, { root, form, ids, into, replace: replace === true });
  }
  if (options.into !== undefined) throw new CommandError(EXIT.usage, '--into is for --as: add it.', 'usage');
  if (to === undefined && !all)
    throw new CommandError(EXIT.usage, `Name the tool with --to: one of ${AGENT_FORMATS.join(', ')}.`, 'usage');
  const { client } = await getDaemon(root);
  const body: ExportBody = {
    ...(to !== undefined && { format: to }),
    ...(all ? {} : { ids }),
    ...(write && { write }),
    ...(replace && { replace }),
    ...(prune && { prune }),
  };
  const list = await client.send<ExportedList>('POST', '/exports', { body, timeoutMs: 120_000 });
  if (write && list.files.some(({ state, written }) => state === 'foreign' && !written)) terminal.exit = EXIT.conflict;
  if (json) return terminal.object(list);
  const [only] = list.files;
  if (!write && !all && only && list.count === 1) {
    // One member and nothing to write: print the file itself.
    for (const { key, why } of only.losses) terminal.note(`${key}: ${printable(why)}`);
    terminal.note(`${only.path}: ${outcome(only, false)}. --write writes it.`);
    return terminal.piece(only.content.endsWith('\n') ? printable(only.content) : `${printable(only.content)}\n`);
  }
  if (to === undefined && list.count === 0 && list.leftovers.length === 0)
    return terminal.note('Nothing was exported yet: name a tool with --to.');
  show(terminal, list, write === true);
  if (!write) terminal.note('Nothing was written: --write writes them.');
}

export function addTeamExport(team: Command, terminal: Terminal): void {
  team
    .command('export')
    .summary('export members in another tool’s format')
    .description(
      'Export members in another tool’s format. Writes nothing without --write, and replaces no file that ' +
        'meshd did not write without --replace.\nWith --as, export what another program takes to reach members: ' +
        'agent.json of the ACP registry (acp), settings of an editor (zed), a plugin of Claude Code ' +
        '(claude-plugin) or servers of Codex (codex). Tokens are named by environment variables, never written.',
    )
    .argument('[member...]', 'which members')
    .addOption(
      new Option('--to <tool>', 'the tool (with --all, default: every file written before)').choices([
        ...AGENT_FORMATS,
      ]),
    )
    .addOption(new Option('--as <form>', 'for a program that is to reach members as they are').choices([...FORMS]))
    .option('--into <folder>', 'with --as: write the files there instead of printing them')
    .option('--all', 'every member')
    .option('--write', 'write the files')
    .option('--replace', 'also over files that meshd did not write')
    .option('--prune', 'with --write: remove the files that meshd wrote for members that are gone')
    .addHelpText(
      'after',
      examples(
        'meshd team export consultant --to claude',
        'meshd team export --all --to opencode --write',
        'meshd team export --all --write',
        'meshd team export developer --as zed',
        'meshd team export consultant --as claude-plugin --into ~/plugins/lamp',
      ),
    )
    .action(action<ExportOptions, [string[]]>(terminal, (options, ids) => exportMembers(terminal, options, ids)));
}
