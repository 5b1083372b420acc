import { isAbsolute, join } from 'node:path';

/** The environment variables of a process, as it was started. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** The folder in a variable. A relative path is ignored, as the XDG Base Directory Specification requires. */
function folderIn(variables: Variables, name: string): string | undefined {
  const value = variables[name];
  return value !== undefined && isAbsolute(value) ? value : undefined;
}

/**
 * The state folder of meshd for this user: `$XDG_STATE_HOME/meshd`, else below `~/.local/state`, on macOS below
 * `~/Library/Application Support`. Undefined without a home.
 */
export function stateFolder(variables: Variables, platform: NodeJS.Platform): string | undefined {
  const home = folderIn(variables, 'HOME');
  const usual =
    home && (platform === 'darwin' ? join(home, 'Library', 'Application Support') : join(home, '.local', 'state'));
  const state = folderIn(variables, 'XDG_STATE_HOME') ?? usual;
  return state && join(state, 'meshd');
}

/** The folder with the entries of this user's running daemons. Undefined without a home. */
export function projectsFolder(variables: Variables, platform: NodeJS.Platform): string | undefined {
  const state = stateFolder(variables, platform);
  return state && join(state, 'projects');
}

/** The default folder for backups. Undefined without a home. */
export function backupsFolder(variables: Variables, platform: NodeJS.Platform): string | undefined {
  const state = stateFolder(variables, platform);
  return state && join(state, 'backups');
}

/**
 * The folder in which systemd looks for the units of this user: `$XDG_CONFIG_HOME/systemd/user`, else below
 * `~/.config`. Undefined without a home.
 */
export function unitsFolder(variables: Variables): string | undefined {
  const home = folderIn(variables, 'HOME');
  const config = folderIn(variables, 'XDG_CONFIG_HOME') ?? (home && join(home, '.config'));
  return config && join(config, 'systemd', 'user');
}

/** The home folder of this user, or undefined. */
export const homeFolder = (variables: Variables): string | undefined => folderIn(variables, 'HOME');
