/** Why a command did nothing, found out before the daemon was asked. */
export class SlashProblem extends Error {}
