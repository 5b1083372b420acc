import type { AskErrorCode } from '../contract/asks.js';

/** The exit statuses of the command line. Contract: CLI. */
export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  unreachable: 3,
  notFound: 4,
  refused: 5,
  conflict: 6,
  memberFailed: 7,
  deadline: 8,
  needsPerson: 9,
  interrupted: 130,
} as const;

/**
 * Ends the command: `message` is written to stderr and `exit` is the exit status. `code` is the machine-readable error
 * code, that of the daemon when the daemon rejected the request.
 */
export class CommandError extends Error {
  override readonly name = 'CommandError';

  constructor(
    readonly exit: number,
    message: string,
    readonly code: string,
    readonly details: Record<string, unknown> = {},
  ) {
    super(message);
  }
}

/** The exit status for a request that the daemon rejected with HTTP `status`. */
export function exitOfStatus(status: number): number {
  if (status === 400 || status === 415 || status === 422) return EXIT.usage;
  if (status === 404) return EXIT.notFound;
  if (status === 409 || status === 412) return EXIT.conflict;
  if (status === 504) return EXIT.deadline;
  return status >= 500 ? EXIT.failed : EXIT.refused;
}

/** The exit status for an ask that ended with the error `code`. */
export function exitOfAskError(code: AskErrorCode | undefined): number {
  if (code === 'needs_permission') return EXIT.needsPerson;
  if (code === 'deadline') return EXIT.deadline;
  return EXIT.memberFailed;
}
