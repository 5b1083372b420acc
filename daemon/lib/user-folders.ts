import { isAbsolute, join } from 'node:path';

/** The names of a process's environment, as it was started. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** A variable that names a folder; a relative one counts as none, as the XDG base directories have it. */
function folderIn(variables: Variables, name: string): string | undefined {
  const value = variables[name];
  return value !== undefined && isAbsolute(value) ? value : undefined;
}

/** What meshd keeps for this user: `$XDG_STATE_HOME/meshd`, else below `~/.local/state`, on macOS below `~/Library/Application Support`. */
export function stateFolder(variables: Variables, platform: NodeJS.Platform): string | undefined {
  const home = folderIn(variables, 'HOME');
  const usual =
    home && (platform === 'darwin' ? join(home, 'Library', 'Application Support') : join(home, '.local', 'state'));
  const state = folderIn(variables, 'XDG_STATE_HOME') ?? usual;
  return state && join(state, 'meshd');
}

/** Where the entries of this user's running daemons lie. Undefined for a user without a home. */
export function projectsFolder(variables: Variables, platform: NodeJS.Platform): string | undefined {
  const state = stateFolder(variables, platform);
  return state && join(state, 'projects');
}

/** Where backups go that are given no file. Undefined for a user without a home. */
export function backupsFolder(variables: Variables, platform: NodeJS.Platform): string | undefined {
  const state = stateFolder(variables, platform);
  return state && join(state, 'backups');
}

/** Where systemd looks for the units of this user: `$XDG_CONFIG_HOME/systemd/user`, else below `~/.config`. Undefined without a home. */
export function unitsFolder(variables: Variables): string | undefined {
  const home = folderIn(variables, 'HOME');
  const config = folderIn(variables, 'XDG_CONFIG_HOME') ?? (home && join(home, '.config'));
  return config && join(config, 'systemd', 'user');
}

/** The home of this user, or undefined. */
export const homeFolder = (variables: Variables): string | undefined => folderIn(variables, 'HOME');
