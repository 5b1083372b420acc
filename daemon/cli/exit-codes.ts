import type { AskErrorCode } from '../contract/asks.js';

/** What the command line's exit status says. Contract: CLI. */
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
 * Ends the command: `message` goes to stderr, `exit` to the shell. `code` is the machine-readable name beside it, the daemon's own when it
 * was the daemon that refused.
 */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';

  constructor(
    readonly exit: number,
    message: string,
    readonly code: string,
    readonly details: Record<string, unknown> = {},
  ) {
    super(message);
  }
}

/** The exit status for a request that the daemon refused with HTTP `status`. */
export function exitOfStatus(status: number): number {
  if (status === 400 || status === 415 || status === 422) return EXIT.usage;
  if (status === 404) return EXIT.notFound;
  if (status === 409 || status === 412) return EXIT.conflict;
  if (status === 504) return EXIT.deadline;
  return status >= 500 ? EXIT.failed : EXIT.refused;
}

/** The exit status for an ask that ended as `error`. */
export function exitOfAskError(code: AskErrorCode | undefined): number {
  if (code === 'needs_permission') return EXIT.needsPerson;
  if (code === 'deadline') return EXIT.deadline;
  return EXIT.memberFailed;
}
