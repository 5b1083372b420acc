import { programEnvironment } from '../../features/clients/agent-program-environment.js';
import type { Knowledge } from '../../features/knowledge/knowledge.js';
import { ProjectEditors } from '../../features/system/editors.js';
import type { OperatorPreferences } from '../../features/system/preferences.js';
import { projectAround } from '../../private/program-path.js';
import { inScope, isInService, startDetached } from '../../storage/processes/detached-program.js';
import { findProgram } from '../../storage/processes/process-group-path.js';
import type { Core } from '../core.js';

/** What an editor with a window needs besides what every program gets. */
const FOR_WINDOWS = [
  ...['DISPLAY', 'WAYLAND_DISPLAY', 'XAUTHORITY', 'DBUS_SESSION_BUS_ADDRESS', 'SSH_AUTH_SOCK', 'VSCODE_IPC_HOOK_CLI'],
  ...['XDG_RUNTIME_DIR', 'XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'XDG_CACHE_HOME', 'XDG_CURRENT_DESKTOP'],
];

/** Creates the opening of project files in the operator's editors, which are looked for on the daemon's `PATH`. */
export function createEditors(
  { config: { root, environment } }: Core,
  knowledge: Pick<Knowledge, 'readLines'>,
  preferences: Pick<OperatorPreferences, 'get'>,
): ProjectEditors {
  const find = (name: string) => findProgram(name, environment['PATH'], projectAround(root, environment['HOME']));
  return new ProjectEditors({
    root,
    getChoice: () => preferences.get().editor,
    findProgram: find,
    start: async (bin, args) => {
      const program = { bin, args, cwd: root, environment: programEnvironment(environment, FOR_WINDOWS) };
      const systemdRun = isInService() ? await find('systemd-run') : undefined;
      await startDetached(systemdRun === undefined ? program : inScope(systemdRun, program));
    },
    readLines: (path, start, end) => knowledge.readLines(path, start, end),
  });
}
