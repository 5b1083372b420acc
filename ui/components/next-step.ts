const STEPS: Readonly<Record<number, string>> = {
  401: 'Use the current token: from the member’s API access, or from whoever invited you.',
  403: 'Only the daemon’s operator or a holder of the admin token can do this.',
  404: 'It may have been removed: check its list.',
  409: 'Check the current state, then try again.',
  422: 'Correct the named field, then try again.',
};

/** One way on from a refusal with this status; undefined where trying again is the only one. */
export const nextStep = (status: number): string | undefined => STEPS[status];
