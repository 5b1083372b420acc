import type { Outcome } from '../../contract/conversations.js';

/** Why a turn is cancelled before its client has answered; becomes its recorded ending. Thrown as the reason of its abort signal. */
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
