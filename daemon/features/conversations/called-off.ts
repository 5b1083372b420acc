import type { Outcome } from '../../contract/conversations.js';

/** Why a running turn is called off; becomes its recorded ending. Thrown as the reason of its abort signal. */
export class CalledOff extends Error {
  constructor(
    readonly outcome: Outcome,
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

export const restarted = () =>
  new CalledOff('failed', 'daemon_restarted', 'The daemon stopped while this was running: say it again.');
