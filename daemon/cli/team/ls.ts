import type { Command } from 'commander';
import type { ProjectList, RunningProject } from '../../contract/projects.js';
import { action, examples } from '../action.js';
import { listRunningProjects } from '../daemon/running-projects.js';
import { duration } from '../daemon/status.js';
import type { Terminal } from '../terminal.js';

const HEAD = ['PROJECT', 'ADDRESS', 'PID', 'UP', 'VERSION', 'ROOT'];

function formatRow({ name, address, pid, started_at, version, root, current }: RunningProject): string[] {
  const seconds = Math.max(0, (Date.now() - Date.parse(started_at)) / 1_000);
  return [current ? `${name} *` : name, address, String(pid), duration(seconds), version, root];
}

export function addLs(program: Command, terminal: Terminal): void {
  program
    .command('ls')
    .summary('list the running daemons of this user')
    .description(
      'List the daemons of this user that run on this machine, each of which has proven that it is the one. ' +
        'Needs no daemon; an empty list is fine. The current project has a star.',
    )
    .addHelpText('after', examples('meshd ls', 'meshd ls --json'))
    .action(
      action<object, []>(terminal, async ({ root, json }) => {
        const projects = await listRunningProjects(terminal.environment.variables ?? {}, root);
        if (json) {
          terminal.object({ projects, count: projects.length } satisfies ProjectList);
          return;
        }
        if (projects.length === 0) terminal.note('No daemon of yours runs: start one in its project with `meshd up`.');
        terminal.table(projects.map(formatRow), HEAD);
      }),
    );
}
