import { basename } from 'node:path';
import type { Config } from '../config.js';
import type { LogArea } from '../contract/system.js';
import { Bus } from '../events/bus.js';
import { WrongCredentials } from '../http/callers/bearer.js';
import { SignedCallers } from '../http/callers/signed-caller.js';
import type { App } from '../http/route-types.js';
import type { Clock } from '../lib/time/clock.js';
import type { SharedChanges } from '../shared-log/command-kinds.js';
import { createChanges } from '../shared-log/embedded-log.js';
import type { SelectedLog } from '../shared-log/selected-log.js';
import { UsedNonces } from '../storage/database/used-nonces.js';
import { describeSetAside } from '../storage/foreign-folders.js';
import type { Server } from './compose-server.js';
import type { Project } from './open-project.js';

/** The dependencies that are common to all areas. */
export interface Core extends Project, Pick<Server, 'app' | 'address' | 'peerLimits'> {
  config: Config;
  version: string;
  clock: Clock;
  /** The start of this daemon, in milliseconds of the wall clock and of the monotonic clock. */
  started: { ms: number; elapsedMs: number };
  bus: Bus;
  /** The kinds of commands that change shared tables, and the log that applies them. */
  shared: SharedChanges & { log: SelectedLog };
  /** The project's name: the base name of its root folder. */
  project: string;
  /** Counts wrong credentials of members and clusters. */
  wrong: WrongCredentials;
  signed: SignedCallers;
  warn: (message: string) => void;
  /** Logs an error of background work, which no caller receives. */
  logError: (error: unknown, message: string, details?: Readonly<Record<string, unknown>>) => void;
}

/** Returns the two functions with which an area writes to the log. */
export const loggers = (app: App, area: LogArea): Pick<Core, 'warn' | 'logError'> => ({
  warn: (message) => app.log.warn({ area }, message),
  logError: (error, message, details = {}) => app.log.error({ area, err: error, ...details }, message),
});

/** Returns the dependencies for an area, whose lines in the log are marked as its own. */
export const inArea = (core: Core, area: LogArea): Core => ({ ...core, ...loggers(core.app, area) });

export function composeCore(
  { config, version, clock, started }: Pick<Core, 'config' | 'version' | 'clock' | 'started'>,
  project: Project,
  { app, address, peerLimits }: Server,
): Core {
  const { warn, logError } = loggers(app, 'daemon');
  if (project.setAside) warn(describeSetAside(project.setAside));
  return {
    ...project,
    app,
    address,
    peerLimits,
    config,
    version,
    clock,
    started,
    bus: new Bus(clock),
    shared: createChanges({ database: project.database, clock, pubkey: project.identity.pubkey }),
    project: basename(config.root),
    wrong: new WrongCredentials(clock),
    signed: new SignedCallers(new UsedNonces(project.database), clock),
    warn,
    logError,
  };
}
