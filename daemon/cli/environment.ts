import { argv, cwd, env, platform } from 'node:process';
import { stateFolder, type Variables } from '../lib/user-folders.js';
import { commandAsTyped } from './installation.js';

/** What the command line takes from its environment; nothing else of it is read. */
export interface Environment {
  /** The operator's editor as a command line, or undefined. */
  readonly editor: string | undefined;
  readonly isColourful: boolean;
  /** Whether a browser window could show up anywhere: false over SSH or in a container. */
  readonly hasDisplay: boolean;
  /** How the person calls this program, for lines to paste. */
  readonly command: string;
  /** `MESHD_CLUSTER_TOKEN`: a token of the cluster that a command is about, in place of those that are kept. */
  readonly clusterToken?: string | undefined;
  /** What other programs that a command starts are given, and where this user's folders are; nothing when absent. */
  readonly variables?: Variables;
  /** `MESHD_COMPLETE_MS`: how long a press of the Tab key waits for the daemon; a second when absent. */
  readonly patienceMs?: number | undefined;
  /** The kind of machine, when it is another than this one. */
  readonly platform?: NodeJS.Platform;
}

/** Where this user keeps what meshd remembers outside every project; undefined without a home. */
export const userStateFolder = (): string | undefined => stateFolder(env, platform);

/** Reads the environment once. `NO_COLOR` (any value but the empty one) wins over a terminal; so does `TERM=dumb`. */
export function readEnvironment(isTerminal: boolean): Environment {
  const isPlain = Boolean(env['NO_COLOR']) || env['TERM'] === 'dumb';
  const isDesktopSystem = platform === 'darwin' || platform === 'win32' || env['WSL_DISTRO_NAME'] !== undefined;
  return {
    variables: env,
    clusterToken: env['MESHD_CLUSTER_TOKEN'] || undefined,
    patienceMs: Number(env['MESHD_COMPLETE_MS']) || undefined,
    editor: env['VISUAL'] || env['EDITOR'] || undefined,
    isColourful: isTerminal && !isPlain,
    command: commandAsTyped(argv[1] ?? 'meshd', cwd()),
    hasDisplay: isDesktopSystem || Boolean(env['DISPLAY'] || env['WAYLAND_DISPLAY']),
  };
}
