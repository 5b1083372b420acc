import type { Command } from 'commander';
import { action, examples } from '../action.js';
import type { Terminal } from '../terminal.js';
import { getDaemon } from './project.js';

export function addSupportBundle(program: Command, terminal: Terminal): void {
  program
    .command('support-bundle')
    .summary('diagnostic data for bug reports, without secrets')
    .description(
      'Print a support bundle: versions, health, the doctor’s report, member ids, registrations and the end of ' +
        'the log, as JSON. It holds no token, prompt, question or answer, and is sent nowhere.',
    )
    .addHelpText('after', examples('meshd support-bundle > meshd-support.json'))
    .action(
      action<object, []>(terminal, async ({ root }) => {
        const { client } = await getDaemon(root);
        terminal.object(await client.get<unknown>('/support-bundle'));
        terminal.note('Read it before you share it.');
      }),
    );
}
