import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import type { MemberDetail, MemberPatch } from '../../contract/team.js';
import { action, examples } from '../action.js';
import { findDaemon, getDaemon } from '../daemon/project.js';
import { addSetting, type Settings } from '../daemon/settings.js';
import { CommandError, EXIT } from '../exit-codes.js';
import { readText } from '../standard-input.js';
import type { Terminal } from '../terminal.js';
import { memberPath, reportMember } from './member.js';

interface EditOptions {
  set?: Settings;
  bodyFile?: string;
}

const EDITORS_SIGNALS = ['SIGINT', 'SIGQUIT'] as const;
/** The statuses of a shell that could not start the program. */
const NOT_STARTED: ReadonlySet<number | null> = new Set([126, 127]);

/**
 * Runs the operator's editor on `path` and returns when it exits. `$EDITOR` is a line for the shell, as git and crontab
 * take it: it may contain arguments and quotes. Ctrl-C in the editor is the editor's.
 */
async function edit(editor: string, path: string): Promise<void> {
  const ignore = () => undefined;
  for (const signal of EDITORS_SIGNALS) process.on(signal, ignore);
  try {
    const exit = await new Promise<number | null>((resolve, reject) => {
      // The trap keeps the shell itself; in the editor the signals are as they were.
      const line = `trap : INT QUIT; ${editor} "$1"`;
      const child = spawn('/bin/sh', ['-c', line, 'sh', path], { stdio: 'inherit' });
      child.once('error', reject);
      child.once('exit', resolve);
    });
    if (exit === 0) return;
    const said = NOT_STARTED.has(exit)
      ? `The editor ${editor} could not be started.`
      : `The editor ended with ${exit ?? 'a signal'}; the file is as it left it.`;
    throw new CommandError(EXIT.failed, said, 'editor');
  } finally {
    for (const signal of EDITORS_SIGNALS) process.off(signal, ignore);
  }
}

/**
 * The path of the member's file. Throws `not_found` for an unknown id and for one that could point outside the team's
 * folder.
 */
function findMemberFile(root: string, id: string): string {
  const path = join(root, '.mesh', 'team', `${id}.md`);
  if (!/^[\w-]+$/.test(id) || !existsSync(path)) {
    throw new CommandError(
      EXIT.notFound,
      `There is no member "${id}" in .mesh/team; \`meshd team new ${id}\` adds one.`,
      'not_found',
    );
  }
  return path;
}

async function editInEditor(terminal: Terminal, root: string, id: string, json: boolean | undefined): Promise<void> {
  const path = findMemberFile(root, id);
  const { editor } = terminal.environment;
  if (!editor) {
    throw new CommandError(
      EXIT.usage,
      `Set VISUAL or EDITOR to your editor, or change keys with --set, or edit ${path} yourself.`,
      'no_editor',
    );
  }
  await edit(editor, path);
  const daemon = await findDaemon(root);
  if (daemon)
    return reportMember(terminal, await daemon.client.get<MemberDetail>(memberPath(id)), json, `Edited ${id}.`);
  if (json) terminal.object({ id, path, checked: false });
  else terminal.answer(`Edited ${id}; no daemon runs, so the file was not checked.`);
}

export function addTeamEdit(team: Command, terminal: Terminal): void {
  team
    .command('edit')
    .summary('edit a member’s file, or single keys of it')
    .description(
      'Edit a member: its file in $VISUAL or $EDITOR, or single keys with --set, which leaves every other ' +
        'byte as it is.',
    )
    .argument('<member>')
    .option('--set <key=value>', 'change this key only (empty value: back to the default); repeat for more', addSetting)
    .option('--body-file <path>', 'replace the initial prompt; - reads stdin')
    .addHelpText(
      'after',
      examples(
        'meshd team edit developer',
        'meshd team edit developer --set effort=high --set tools=read,search --set limits.minutes=20',
      ),
    )
    .action(
      action<EditOptions, [string]>(terminal, async ({ root, json, set, bodyFile }, id) => {
        if (set === undefined && bodyFile === undefined) return editInEditor(terminal, root, id, json);
        const body = bodyFile === undefined ? undefined : await readText(bodyFile);
        const { client } = await getDaemon(root);
        const change = { ...set, ...(body === undefined ? {} : { body }) } as MemberPatch;
        const member = await client.send<MemberDetail>('PATCH', memberPath(id), { body: change });
        return reportMember(
          terminal,
          member,
          json,
          `Changed ${[...Object.keys(set ?? {}), ...(body === undefined ? [] : ['body'])].join(', ')} of ${id}.`,
        );
      }),
    );
}
