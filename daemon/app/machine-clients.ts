import type { Config } from '../config.js';
import { AcpClient } from '../features/clients/acp/acp-client.js';
import { ACP_PROGRAMS } from '../features/clients/acp/acp-programs.js';
import { programEnvironment } from '../features/clients/agent-program-environment.js';
import { ApiClient } from '../features/clients/api/api-client.js';
import { type ApiConfiguration, apiSettings } from '../features/clients/api/api-settings.js';
import { commandRuns } from '../features/clients/api/command-runs.js';
import { ClaudeCodeClient } from '../features/clients/claude-code/claude-code-client.js';
import type { ClientSettings } from '../features/clients/setup/client-settings.js';
import type { CreateClients, FindProgram } from '../features/clients/setup/client-setup.js';
import { mayBeIndexed, readableText } from '../features/knowledge/passages/file-worth.js';
import type { Clock } from '../lib/time/clock.js';
import { readPrivate } from '../private/private-file.js';
import { inCredentials, inState } from '../private/private-names.js';
import { projectAround } from '../private/program-path.js';
import { OutsideTree } from '../storage/files/outside-tree.js';
import { ProjectTools } from '../storage/members/project-tools.js';
import type { MeshFolder } from '../storage/mesh-folder.js';
import { ProcessGroups } from '../storage/processes/process-group.js';
import { findProgram } from '../storage/processes/process-group-path.js';

export interface MachineClients {
  /** Creates the clients beside `builtin` with the operator's settings; what they leave open the environment decides. */
  create: CreateClients;
  /** Looks for a program that may be chosen by name. */
  findProgram: FindProgram;
  /** The process groups of the clients' programs; absent when no client runs programs. */
  processes?: ProcessGroups;
}

/** The endpoint that the operator entered, else the one of the environment. */
function resolveEndpoint({ endpoint }: ClientSettings, fromEnvironment: ApiConfiguration): ApiConfiguration {
  if (!endpoint) return fromEnvironment;
  const { provider, base_url, model, api_key } = endpoint;
  const key = api_key === undefined ? {} : { apiKey: api_key };
  return { settings: { provider, baseUrl: base_url, models: model === '' ? [] : [model], ...key, isSaved: true } };
}

/**
 * Prepares the clients beside `builtin` from this machine's own configuration: the environment of the daemon, and what
 * the operator chose. The started program, its arguments and its environment never depend on a file of the project.
 */
export async function openMachineClients(config: Config, folder: MeshFolder, clock: Clock): Promise<MachineClients> {
  const { environment, root } = config;
  const processes = new ProcessGroups(folder.state, clock);
  const project = new ProjectTools({ root, environment, clock, mayRead: mayBeIndexed, toText: readableText });
  const outside = new OutsideTree({ root, folder: inState(folder.state, 'outside'), project: project.forOutside() });
  const program = { root, outside, environment, clock, processes };
  const fromEnvironment = apiSettings(environment, await readPrivate(inCredentials(folder.credentials, 'api-key')));
  const openFolder = (path: string, fixed: Readonly<Record<string, string>>) => ({
    project: new ProjectTools({ root: path, environment, clock, mayRead: mayBeIndexed, toText: readableText }),
    runCommand: commandRuns({ processes, root: path, environment, fixed }),
    place: { root: path, environment: programEnvironment(environment, [], fixed) },
  });
  const acp = ({ acp_program }: ClientSettings) => {
    const known = ACP_PROGRAMS.find(({ command }) => command[0] === acp_program);
    return new AcpClient({ ...program, ...(known ? { command: known.command, keys: config.acp.keys } : config.acp) });
  };
  return {
    create: (settings, retries) => [
      new ClaudeCodeClient({ ...program, command: config.claudeCommand }),
      acp(settings),
      new ApiClient({
        ...{ configuration: resolveEndpoint(settings, fromEnvironment), clock, openFolder },
        ...{ ...openFolder(root, {}), project },
        ...(retries === undefined ? {} : { retries }),
      }),
    ],
    async findProgram(name) {
      const [command] = name === 'claude' ? (config.claudeCommand ?? ['claude']) : [name];
      const around = projectAround(root, environment['HOME']);
      const isThere = (await findProgram(command, environment['PATH'], around)) !== undefined;
      if (!isThere || name === 'claude') return { isFound: isThere, problem: null };
      const { ready, reason } = await acp({ named_only: [], acp_program: name }).probe();
      return { isFound: ready, problem: reason };
    },
    processes,
  };
}
