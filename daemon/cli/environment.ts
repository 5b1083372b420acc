import { argv, cwd, env, platform } from 'node:process';
import type { Clock } from '../lib/time/clock.js';
import { homeFolder, stateFolder, type Variables } from '../lib/user-folders.js';
import { commandAsTyped } from './daemon/installation.js';

/** The settings that the command line takes from its environment. */
export interface Environment {
  /** The operator's editor as a command line, or undefined. */
  readonly editor: string | undefined;
  readonly isColourful: boolean;
  /** Whether a browser window can be displayed: false over SSH or in a container. */
  readonly hasDisplay: boolean;
  /** The command by which the user runs this program, for lines to paste. */
  readonly command: string;
  /** `MESHD_CLUSTER_TOKEN`: a token of the cluster that a command is about, used instead of the stored ones. */
  readonly clusterToken?: string | undefined;
  /** The environment for programs that a command starts and for locating the user's folders; empty when absent. */
  readonly variables?: Variables;
  /** `MESHD_COMPLETE_MS`: how long shell completion waits for the daemon; a second when absent. */
  readonly patienceMs?: number | undefined;
  /** Overrides the platform of this machine. */
  readonly platform?: NodeJS.Platform;
  /** Overrides the clock of this machine where a command waits for the service manager. */
  readonly clock?: Clock;
}

/** The folder in which meshd keeps state of this user outside every project; undefined without a home. */
export const userStateFolder = (): string | undefined => stateFolder(env, platform);

/** The home folder of this user; undefined without one. */
export const userHome = (): string | undefined => homeFolder(env);

/** The current folder; undefined when it no longer exists. A command that needs it fails with its own message. */
function currentFolder(): string | undefined {
  try {
    return cwd();
  } catch {
    return undefined;
  }
}

/** Reads the environment once. A non-empty `NO_COLOR` and `TERM=dumb` disable colours even on a terminal. */
export function readEnvironment(isTerminal: boolean): Environment {
  const isPlain = Boolean(env['NO_COLOR']) || env['TERM'] === 'dumb';
  const isDesktopSystem = platform === 'darwin' || platform === 'win32' || env['WSL_DISTRO_NAME'] !== undefined;
  return {
    variables: env,
    clusterToken: env['MESHD_CLUSTER_TOKEN'] || undefined,
    patienceMs: Number(env['MESHD_COMPLETE_MS']) || undefined,
    editor: env['VISUAL'] || env['EDITOR'] || undefined,
    isColourful: isTerminal && !isPlain,
    command: commandAsTyped(argv[1] ?? 'meshd', currentFolder()),
    hasDisplay: isDesktopSystem || Boolean(env['DISPLAY'] || env['WAYLAND_DISPLAY']),
  };
}
