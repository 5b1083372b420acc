import type { Outcome } from '../../contract/conversations.js';

/**
 * The reason why a turn is cancelled before its client has answered. Used as the reason of its abort signal and
 * recorded as its ending.
 */
export class TurnCancelledError extends Error {
  constructor(
    readonly outcome: Outcome,
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

export const daemonRestarted = () =>
  new TurnCancelledError('failed', 'daemon_restarted', 'The daemon stopped while this was running: send it again.');
