import type { ErrorCode } from '../../contract/errors.js';
import { isMeshError } from '../../lib/errors.js';
import { CommandError, EXIT } from '../exit-codes.js';

const EXITS: Partial<Record<ErrorCode, number>> = {
  bad_request: EXIT.usage,
  not_found: EXIT.notFound,
  forbidden: EXIT.refused,
  in_flight: EXIT.conflict,
  file_changed: EXIT.conflict,
};

/** Converts a MeshError of backup work to a CommandError with the exit status of its code. */
export async function convertFailure<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw isMeshError(error) ? new CommandError(EXITS[error.code] ?? EXIT.failed, error.message, error.code) : error;
  }
}
