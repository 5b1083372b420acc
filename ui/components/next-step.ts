const STEPS: Readonly<Record<number, string>> = {
  401: 'Use the current token: from the member’s API access, or from whoever invited you.',
  403: 'Only the daemon’s operator or a holder of the admin token can do this.',
  404: 'It may have been removed or renamed.',
  409: 'Check the current state, then try again.',
  422: 'Correct the named field, then try again.',
};

/** Returns a suggestion for an error with this status; undefined when only a retry helps. */
export const nextStep = (status: number): string | undefined => STEPS[status];
