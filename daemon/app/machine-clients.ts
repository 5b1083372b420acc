import type { Config } from '../config.js';
import { AcpClient } from '../features/clients/acp/acp-client.js';
import { programEnvironment } from '../features/clients/agent-program-environment.js';
import { ApiClient } from '../features/clients/api/api-client.js';
import { apiSettings } from '../features/clients/api/api-settings.js';
import { commandRuns } from '../features/clients/api/command-runs.js';
import { ClaudeCodeClient } from '../features/clients/claude-code/claude-code-client.js';
import type { Client } from '../features/clients/client.js';
import { mayBeIndexed, readableText } from '../features/knowledge/passages/file-worth.js';
import type { Clock } from '../lib/time/clock.js';
import { readPrivate } from '../private/private-file.js';
import { inCredentials, inState } from '../private/private-names.js';
import { OutsideTree } from '../storage/files/outside-tree.js';
import { ProjectTools } from '../storage/members/project-tools.js';
import type { MeshFolder } from '../storage/mesh-folder.js';
import { ProcessGroups } from '../storage/processes/process-group.js';

export interface MachineClients {
  clients: readonly Client[];
  /** The process groups of the clients' programs; absent when no client runs programs. */
  processes?: ProcessGroups;
}

/**
 * Creates the clients beside `builtin` from this machine's own configuration. The started program, its arguments and
 * its environment never depend on a file of the project.
 */
export async function openMachineClients(config: Config, folder: MeshFolder, clock: Clock): Promise<MachineClients> {
  const { environment, root } = config;
  const processes = new ProcessGroups(folder.state, clock);
  const project = new ProjectTools({ root, environment, clock, mayRead: mayBeIndexed, toText: readableText });
  const outside = new OutsideTree({ root, folder: inState(folder.state, 'outside'), project: project.forOutside() });
  const program = { root, outside, environment, clock, processes };
  const configuration = apiSettings(environment, await readPrivate(inCredentials(folder.credentials, 'api-key')));
  return {
    clients: [
      new ClaudeCodeClient({ ...program, command: config.claudeCommand }),
      new AcpClient({ ...program, ...config.acp }),
      new ApiClient({
        ...{ configuration, project, clock },
        place: { root, environment: programEnvironment(environment, []) },
        runCommand: commandRuns({ processes, root, environment }),
      }),
    ],
    processes,
  };
}
