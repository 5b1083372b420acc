import type { ErrorCode } from '../../contract/errors.js';
import {
  COMMAND_BYTES_MAX,
  COMMAND_CLOCK_MS,
  COMMAND_DEPTH_MAX,
  COMMAND_SCHEMA,
  CommandEnvelope,
  SharedCommand,
} from '../../contract/shared/commands.js';
import { parseUntrustedJson } from '../../http/untrusted-json.js';
import { isSignedBy, type SigningKey } from '../../lib/crypto/ed25519.js';
import { MeshError } from '../../lib/errors.js';
import { hasForm } from '../../shared-log/has-form.js';
import type { Command } from '../../shared-log/shared-log.js';
import { toSignedText } from './signed-text.js';

/** Why a command of the stream was refused before its decider ran. */
type RefusalReason = 'form' | 'signature' | 'schema' | 'subject' | 'clock' | 'replay' | 'key' | 'owner' | 'kind';

const CODES: Readonly<Record<RefusalReason, ErrorCode>> = {
  form: 'bad_request',
  signature: 'bad_signature',
  schema: 'bad_request',
  subject: 'bad_request',
  clock: 'bad_signature',
  replay: 'bad_signature',
  key: 'forbidden',
  owner: 'forbidden',
  kind: 'bad_request',
};

/** A command that every daemon of the network refuses, whatever its decider would say. */
export class RefusedCommandError extends MeshError {
  constructor(
    readonly reason: RefusalReason,
    message: string,
  ) {
    super(CODES[reason], message);
  }
}

/** A well-signed command of a newer meshd. Skipping it would make this daemon's data differ from that of the others. */
export class UnknownSchemaError extends Error {
  override readonly name = 'UnknownSchemaError';

  constructor(
    readonly schema: number,
    readonly daemon: string,
  ) {
    super(`It has schema ${schema}, and this meshd knows ${COMMAND_SCHEMA}.`);
  }
}

/** A message of the stream, with the time at which the server stored it. */
export interface StreamMessage {
  sequence: number;
  subject: string;
  data: Uint8Array;
  timeMs: number;
}

/** The key in the encoding that `isSignedBy` expects, or in that of commands. */
export const toBase64 = (key: string) => Buffer.from(key, 'base64url').toString('base64');
export const toBase64Url = (key: string) => Buffer.from(key, 'base64').toString('base64url');

/** Returns `text` as one token of a subject: letters, digits, `-` and `_` are kept, other bytes become `=xx`. */
function toSubjectToken(text: string): string {
  return [...Buffer.from(text)]
    .map((byte) => {
      const letter = String.fromCharCode(byte);
      return /[A-Za-z0-9_-]/.test(letter) ? letter : `=${byte.toString(16).padStart(2, '0')}`;
    })
    .join('');
}

export const commandSubject = (network: string, { kind, entity }: Pick<Command, 'kind' | 'entity'>) =>
  `m.${network}.cmd.${kind}.${toSubjectToken(entity)}`;

/** Returns the message for the stream. Throws `too_large` for a command beyond the limit. */
export function signCommand(key: SigningKey, network: string, command: Command): string {
  const text = JSON.stringify(command);
  if (Buffer.byteLength(text) > COMMAND_BYTES_MAX)
    throw new MeshError('too_large', `The change is larger than ${COMMAND_BYTES_MAX} bytes, which the network takes.`);
  const envelope: CommandEnvelope = { command: text, sig: key.sign(toSignedText('command', network, text)) };
  return JSON.stringify(envelope);
}

function parseJson(bytes: Uint8Array): unknown {
  const value = parseUntrustedJson(bytes, { depth: COMMAND_DEPTH_MAX });
  if (value !== undefined) return value;
  throw new RefusedCommandError('form', `The message is not JSON in UTF-8 of at most ${COMMAND_DEPTH_MAX} levels.`);
}

function readSigned(network: string, data: Uint8Array): Record<string, unknown> & { daemon: string } {
  if (data.length > 2 * COMMAND_BYTES_MAX) throw new RefusedCommandError('form', 'The message is too large.');
  const envelope = parseJson(data);
  if (!hasForm(CommandEnvelope, envelope)) throw new RefusedCommandError('form', 'The message is no signed command.');
  const { command: text, sig } = envelope as CommandEnvelope;
  const command = parseJson(Buffer.from(text)) as { daemon?: unknown } | null;
  const daemon = command?.daemon;
  if (typeof daemon !== 'string' || !isSignedBy(toBase64(daemon), toSignedText('command', network, text), sig))
    throw new RefusedCommandError('signature', 'The command is not signed by the daemon that it names.');
  return command as Record<string, unknown> & { daemon: string };
}

/**
 * Returns the command of a message whose signature, form, subject and time are right. The result depends on nothing but
 * the message. Throws `RefusedCommandError`, and `UnknownSchemaError` for a signed command of a newer schema.
 */
export function readCommand(network: string, message: StreamMessage): Command {
  const signed = readSigned(network, message.data);
  const { schema, daemon } = signed;
  if (typeof schema === 'number' && schema > COMMAND_SCHEMA) throw new UnknownSchemaError(schema, daemon);
  if (!hasForm(SharedCommand, signed)) throw new RefusedCommandError('schema', 'The command lacks what it must have.');
  const command = signed as unknown as Command;
  if (message.subject !== commandSubject(network, command))
    throw new RefusedCommandError('subject', `The command came on the subject ${message.subject} of another one.`);
  const offMs = command.at - message.timeMs;
  if (Math.abs(offMs) > COMMAND_CLOCK_MS) {
    const seconds = Math.round(Math.abs(offMs) / 1000);
    throw new RefusedCommandError(
      'clock',
      `The sender’s clock is ${seconds} seconds ${offMs > 0 ? 'ahead of' : 'behind'} the server’s: set it right.`,
    );
  }
  return command;
}
