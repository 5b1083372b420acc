const STEPS: Readonly<Record<number, string>> = {
  401: 'Take the token that is valid now, from the front door of the member or from whoever invited you.',
  403: 'Whoever runs the daemon, or holds the admin token, may do it.',
  404: 'It may have been removed meanwhile: look for it in its list.',
  409: 'Look at how it stands now, then do it again.',
  422: 'Correct what is named, then send it again.',
};

/** One way on from a refusal with this status; undefined where trying again is the only one. */
export const nextStep = (status: number): string | undefined => STEPS[status];
