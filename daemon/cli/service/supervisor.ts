import type { Standing } from './sealed-file.js';

/** How a project's service stands. */
export interface ServiceState {
  manager: 'systemd' | 'launchd';
  name: string;
  /** The file that describes it to its manager. */
  path: string;
  installed: boolean;
  /** A person has changed the file, or wrote it. */
  edited: boolean;
  /** It starts at login. */
  enabled: boolean;
  active: boolean;
  /** The manager's own word for it. */
  state: string;
  pid: number | null;
  /** What it last ended with, when that was no success. */
  last_exit: number | null;
}

export interface Installed {
  /** Whether the file is other than it was. */
  changed: boolean;
  started: boolean;
}

/** What keeps a user's services on a machine: systemd, or launchd. */
export interface Supervisor {
  readonly manager: ServiceState['manager'];
  readonly name: string;
  readonly path: string;
  /** What would be written there. */
  readonly text: string;
  /** What would be run, as one would type it. */
  readonly commands: readonly string[];
  /** Refuses with `no_service_manager`, exit 5, when the manager is not here or does not answer. */
  require(): Promise<void>;
  /** Writes the file, has it started at login, and starts it now unless told otherwise. Repeating it is safe. Throws `conflict`. */
  install(options: { isForced: boolean; startsNow: boolean }): Promise<Installed>;
  /** Stops the service and removes what `install` wrote; whether there was anything. Throws `conflict`. */
  uninstall(options: { isForced: boolean }): Promise<boolean>;
  status(): Promise<ServiceState>;
  /** The command that prints what the service said. */
  logs(options: { lines: number; follows: boolean }): readonly [string, ...string[]];
  /** What a person types to start the service after a daemon that they run by hand has ended. */
  readonly startCommand: string;
  /** Whether it also runs while its user is not logged in; undefined when that is no question here. */
  lingers(): Promise<boolean | undefined>;
}

export const isEdited = (standing: Standing) => standing === 'edited' || standing === 'foreign';
