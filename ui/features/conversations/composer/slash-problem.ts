/** A command failed before any request to the daemon. The message contains the reason. */
export class SlashCommandError extends Error {}
