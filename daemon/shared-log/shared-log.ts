/**
 * One change of the shared tables, as plain JSON data. Everything that a replica must not decide anew is in it: ids,
 * times, digests, and who the caller was.
 */
export interface Command {
  schema: 1;
  /** A UUID. */
  id: string;
  /** What is changed and how, such as `registry.register`. */
  kind: string;
  /** The id of what it changes. */
  entity: string;
  /** The sender's clock, in milliseconds since 1970. The only time that a decider may use. */
  at: number;
  /** The public key of the daemon that sent it, in base64url. */
  daemon: string;
  body: Record<string, unknown>;
}

/** What a command led to on a replica: the same on each of them. */
export type Outcome =
  | { ok: true; result: unknown }
  | { ok: false; status: number; code: string; message: string; details?: Record<string, unknown> };

/**
 * Decides about a command and writes inside the caller's transaction. Reads only shared tables and the command: no
 * clock, no randomness, nothing that only this daemon knows. Throws the errors of the feature when it refuses; then
 * none of its writes remain.
 */
export type Decider = (command: Command) => unknown;

/** The one way to change shared tables. */
export interface SharedLog {
  /** Whether other daemons apply the same commands. */
  readonly isShared: boolean;
  /**
   * Makes a command of the kind and resolves with what its decider returned, once it was applied here and is durable.
   * Rejects with the error with which the decider refused. `body` must survive JSON unchanged.
   */
  submit<Result>(kind: string, entity: string, body: Record<string, unknown>): Promise<Result> | Result;
}
