import { type Static, Type } from 'typebox';

/**
 * The newest schema of commands that this version applies. A new kind of command needs a new number, and so does every
 * change of what is accepted: a limit, the form of a body. Commands above 1 count of daemons alone whose key an earlier
 * command has bound, so `daemon.join` keeps schema 1 for ever.
 */
export const COMMAND_SCHEMA = 1;
/** Longest signed command in bytes, and deepest nesting of its JSON. */
export const COMMAND_BYTES_MAX = 256 * 1024;
export const COMMAND_DEPTH_MAX = 32;
/** How far the sender's clock may be from the time at which the server stored the command, in milliseconds. */
export const COMMAND_CLOCK_MS = 120_000;

/** A raw Ed25519 public key. */
export const DaemonKey = Type.String({ pattern: '^[A-Za-z0-9_-]{43}$', description: 'An Ed25519 key, base64url.' });

/** A change of the shared data, as its sender signs it. */
export const SharedCommand = Type.Object(
  {
    schema: Type.Literal(COMMAND_SCHEMA),
    id: Type.String({ pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' }),
    kind: Type.String({ maxLength: 64, pattern: '^[a-z][a-z-]*\\.[a-z][a-z-]*$' }),
    entity: Type.String({ minLength: 1, maxLength: 200 }),
    at: Type.Integer({ minimum: 0 }),
    daemon: DaemonKey,
    body: Type.Record(Type.String(), Type.Unknown()),
  },
  { additionalProperties: false },
);

/**
 * A message of the stream. `command` is the JSON text of the command: the signature is over exactly this text, so that
 * nothing is parsed differently by two daemons.
 */
export const CommandEnvelope = Type.Object(
  {
    command: Type.String({ maxLength: COMMAND_BYTES_MAX }),
    sig: Type.String({ pattern: '^[A-Za-z0-9+/]{86}==$' }),
  },
  { additionalProperties: false },
);
export type CommandEnvelope = Static<typeof CommandEnvelope>;
