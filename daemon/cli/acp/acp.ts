import type { Command } from 'commander';
import { action, examples } from '../action.js';
import { findDaemonProgram } from '../daemon/installation.js';
import { startOrAttach } from '../daemon/up.js';
import type { Terminal } from '../terminal.js';

export function addAcp(program: Command, terminal: Terminal, entry: string): void {
  program
    .command('acp')
    .summary('serve a member to an editor that speaks the Agent Client Protocol on stdio')
    .description(
      'Serve a member as an agent of the Agent Client Protocol on stdin and stdout. Meant to be started by an ' +
        'editor (Zed, JetBrains and others), which is given this command line; ends when its stdin ends.\n' +
        'A session is a conversation with the member in the project of the folder that the editor names: it ' +
        'appears in the dashboard too, and a permission can be given in either place. `meshd team export --as zed` ' +
        'writes the settings of an editor.',
    )
    .argument('<member>')
    .option('--start', 'start the daemon of a project that has none running')
    .addHelpText('after', examples('meshd acp developer', 'meshd acp developer --start --root ~/src/lamp'))
    .action(
      action<{ start?: boolean }, [string]>(terminal, async ({ root, start }, member) => {
        const isNamed = program.opts<{ root?: string }>().root !== undefined;
        const { serveEditor } = await import('./acp-agent.js');
        await serveEditor({
          terminal,
          member,
          root: isNamed ? root : undefined,
          start: start
            ? async (project) => {
                const note = (line: string) => terminal.note(line);
                const launch = { root: project, port: undefined, isStateVouchedFor: false, note };
                await startOrAttach(launch, terminal.environment.variables ?? {}, () => findDaemonProgram(entry));
              }
            : undefined,
        });
      }),
    );
}
