/** A command failed before any request to the daemon. The message tells why. */
export class SlashProblem extends Error {}
