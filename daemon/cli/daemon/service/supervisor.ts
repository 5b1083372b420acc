import type { SealedFileState } from './sealed-file.js';

/** The state of a project's service. */
export interface ServiceState {
  manager: 'systemd' | 'launchd';
  name: string;
  /** The file that defines the service. */
  path: string;
  installed: boolean;
  /** Whether the user wrote or changed the file. */
  edited: boolean;
  /** Whether it starts at login. */
  enabled: boolean;
  active: boolean;
  /** The state in the service manager's own words. */
  state: string;
  pid: number | null;
  /** The last exit status, unless it was 0. */
  last_exit: number | null;
  /** The Node.js or program that the file names, when it does not exist. */
  missing: string | null;
  /** Whether an installation by this meshd on this Node.js would write another file. */
  outdated: boolean;
}

export interface Installed {
  /** Whether the file changed. */
  changed: boolean;
  started: boolean;
  /** Whether it was stopped and started again, because the file changed. */
  restarted: boolean;
}

/** The service manager of a user: systemd or launchd. */
export interface Supervisor {
  readonly manager: ServiceState['manager'];
  readonly name: string;
  readonly path: string;
  /** The file content that `install` writes. */
  readonly text: string;
  /** The commands that `install` runs, as a user would type them. */
  readonly commands: readonly string[];
  /** Throws `no_service_manager`, exit 5, when the service manager is missing or does not respond. */
  require(): Promise<void>;
  /**
   * Writes the file, enables the service at login, and starts it unless `startsNow` is false. Idempotent. launchd
   * also stops a service whose file changed. Throws `conflict`, and `service_failed`.
   */
  install(options: { isForced: boolean; startsNow: boolean }): Promise<Installed>;
  /**
   * Stops the service and removes what `install` wrote. Returns whether there was anything to remove. Throws
   * `conflict`, and `service_failed`.
   */
  uninstall(options: { isForced: boolean }): Promise<boolean>;
  status(): Promise<ServiceState>;
  /** `ServiceState.outdated`, without asking the service manager. */
  isOutdated(): boolean;
  /** The command that prints the log of the service. */
  logs(options: { lines: number; follows: boolean }): readonly [string, ...string[]];
  /** The command that starts the service after a manually started daemon has ended. */
  readonly startCommand: string;
  /** Whether the service also runs while its user is logged out; undefined where this is unknown or does not apply. */
  lingers(): Promise<boolean | undefined>;
}

export const isEdited = (state: SealedFileState) => state === 'edited' || state === 'foreign';
