import type { Command } from 'commander';
import { action, examples } from '../action.js';
import type { Terminal } from '../terminal.js';
import { getDaemon } from './project.js';

/** Opens `address` in the operator's browser. Prints a note instead on a machine without a display. */
export async function openInBrowser(terminal: Terminal, address: string): Promise<boolean> {
  if (!terminal.environment.hasDisplay) {
    terminal.note('No display here: open the address in a browser of this machine.');
    return false;
  }
  const { default: open } = await import('open');
  const child = await open(address);
  child.on('error', () => terminal.note('No browser could be started: open the address yourself.'));
  return true;
}

export function addOpen(program: Command, terminal: Terminal): void {
  program
    .command('open')
    .summary('open the dashboard in a browser')
    .description('Open the running daemon’s dashboard in a browser and print its address.')
    .addHelpText('after', examples('meshd open'))
    .action(
      action<object, []>(terminal, async ({ root, json }) => {
        const { file } = await getDaemon(root);
        const opened = await openInBrowser(terminal, file.address);
        if (json) terminal.object({ address: file.address, opened });
        else terminal.answer(file.address);
      }),
    );
}
