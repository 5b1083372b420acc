import { statSync } from 'node:fs';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import type { Command } from 'commander';
import { EDITORS, type FileOpened, type OpenFileBody } from '../../contract/code.js';
import { action, examples } from '../action.js';
import { CommandError, EXIT } from '../exit-codes.js';
import { printable, type Terminal } from '../terminal.js';
import { getDaemon } from './project.js';

/**
 * Opens `address` in the operator's browser. Prints a note and returns false when the machine has no display, or no
 * program that opens addresses.
 */
export async function openInBrowser(terminal: Terminal, address: string): Promise<boolean> {
  if (!terminal.environment.hasDisplay) {
    terminal.note('No display here: open the address in a browser of this machine.');
    return false;
  }
  const { default: open } = await import('open');
  try {
    await open(address);
    return true;
  } catch {
    terminal.note('No browser could be started: open the address yourself.');
    return false;
  }
}

/** A typed place: `path`, `path:line`, or as citations and compilers write it, `path:first-last`, `path:line:column`. */
function parsePlace(typed: string, root: string): OpenFileBody {
  const [, name = typed, line] = isFile(typed) ? [] : (/^(.+?):(\d+)(?:[-:]\d+)?$/.exec(typed) ?? []);
  const inProject = relative(root, resolve(name));
  const isHere = isFile(name) && !isAbsolute(inProject) && inProject.split(sep)[0] !== '..';
  // What is not a file here is a path of the project, such as that of a citation.
  const path = isHere || isAbsolute(name) ? inProject.split(sep).join('/') : name;
  if (line === undefined) return { path };
  if (Number(line) < 1)
    throw new CommandError(EXIT.usage, `Lines begin at 1, not at ${line}: "${typed}".`, 'bad_request');
  return { path, line: Number(line) };
}

const isFile = (path: string) => statSync(path, { throwIfNoEntry: false })?.isFile() === true;

export function addOpen(program: Command, terminal: Terminal): void {
  program
    .command('open')
    .summary('open the dashboard in a browser, or a file in your editor')
    .description(
      'Open the running daemon’s dashboard in a browser and print its address, or open a file of the project in your ' +
        'editor. The editor is chosen in Settings, Preferences; until then it is the first of ' +
        `${EDITORS.join(', ')} on the PATH of the daemon.`,
    )
    .argument('[path]', 'a file, also with a line: `path:12` (default: the dashboard)')
    .addHelpText('after', examples('meshd open', 'meshd open src/server.ts:120'))
    .action(
      action<object, [string?]>(terminal, async ({ root, json }, typed) => {
        const { file, client } = await getDaemon(root);
        if (typed !== undefined) {
          const opened = await client.send<FileOpened>('POST', '/project/open', { body: parsePlace(typed, root) });
          if (json) terminal.object({ ...opened });
          else terminal.answer(printable(`Opened ${opened.path}:${opened.line} in ${opened.name}.`));
          return;
        }
        const opened = await openInBrowser(terminal, file.address);
        if (json) terminal.object({ address: file.address, opened });
        else terminal.answer(file.address);
      }),
    );
}
