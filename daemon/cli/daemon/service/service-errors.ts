import { CommandError, EXIT } from '../../exit-codes.js';
import type { ProgramOutput } from './programs.js';

/** The error for a user without a working service manager. `why` has no full stop. */
export const noServiceManager = (why: string) =>
  new CommandError(EXIT.refused, `${why}. \`meshd up\` starts the daemon without a service.`, 'no_service_manager');

/** The error for a command of the service manager that failed. */
export const serviceFailed = (command: string, { exit, err }: ProgramOutput) =>
  new CommandError(EXIT.failed, `\`${command}\` failed: ${err.trim() || `exit ${exit}`}`, 'service_failed');
