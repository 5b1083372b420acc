import { COMMAND_CLOCK_MS } from '../../contract/shared/commands.js';
import { isMeshError, MeshError, systemCode } from '../../lib/errors.js';
import type { CommandKinds } from '../../shared-log/command-kinds.js';
import { hasForm } from '../../shared-log/has-form.js';
import { toRefusal } from '../../shared-log/outcome.js';
import { belongsElsewhere, findOwner } from '../../shared-log/owners.js';
import type { Command, Outcome } from '../../shared-log/shared-log.js';
import type { Owned } from '../../shared-log/shared-tables.js';
import type { Database } from '../../storage/database/database.js';
import type { Transaction, Transactions } from '../../storage/database/transaction.js';
import { RefusedCommandError, readCommand, type StreamMessage, UnknownSchemaError } from './command-envelope.js';
import { decideMembership, MEMBERSHIP_KINDS } from './membership.js';
import {
  advance,
  bindDaemon,
  findDaemonByKey,
  isOldKey,
  type NetworkDaemon,
  readState,
  removeOwner,
  setOwner,
  takeCommandId,
} from './network-store.js';

/** The result of applying one message. */
export interface Applied {
  sequence: number;
  /** Undefined when the message holds no signed command. */
  id: string | undefined;
  /** The key that signed it; undefined without a signed command. */
  key: string | undefined;
  /** What the decider was asked; undefined when it did not run. */
  command: Command | undefined;
  outcome: Outcome;
  /** The reason of a refusal before the decider ran; undefined when the decider ran. */
  refused: RefusedCommandError | undefined;
}

interface ApplierParts {
  database: Pick<Database, 'sql'>;
  transactions: Transactions;
  network: string;
  kinds: CommandKinds;
}

/** How long the id of a command is kept, in milliseconds of the server: for longer than the command is accepted. */
const IDS_KEPT_MS = 3 * COMMAND_CLOCK_MS;

/** Whether the store failed, as opposed to a decider that refused: then nothing may be skipped. */
function isStoreFailure(error: unknown): boolean {
  if (isMeshError(error)) return error.code === 'store_readonly' || error.code === 'no_space';
  const code = systemCode(error);
  return code?.startsWith('SQLITE_') === true && !code.startsWith('SQLITE_CONSTRAINT');
}

function toOutcome(error: unknown): Outcome {
  return toRefusal(isMeshError(error) ? error : new MeshError('internal', 'The change could not be decided.'));
}

/**
 * Applies the messages of the stream to this store. Each message is applied in one transaction with its sequence, so
 * that it is applied once, whatever is delivered twice. What a message does depends on nothing but the messages before
 * it; that makes the stores of all daemons equal.
 */
export class CommandApplier {
  /** Set by the first failure: everything after it must wait until the failed message is delivered again. */
  private failure: { error: unknown } | undefined;

  constructor(private readonly parts: ApplierParts) {}

  /** Begins again after the last applied message. Returns its sequence. */
  restart(): number {
    this.failure = undefined;
    return this.sequence;
  }

  get sequence(): number {
    return readState(this.parts.database)?.sequence ?? 0;
  }

  /**
   * Must be called in the order of the stream, but need not be awaited in between. Resolves with undefined for a
   * message that was applied before. Rejects with `UnknownSchemaError`, and with the error of a store that failed; then
   * every later message rejects too, until `restart`.
   */
  apply(message: StreamMessage): Promise<Applied | undefined> {
    const checked = this.check(message);
    return this.parts.transactions.run((transaction) => {
      if (this.failure) throw this.failure.error;
      try {
        if (message.sequence <= this.sequence) return undefined;
        const applied = this.applyChecked(transaction, message, checked);
        advance(transaction, message.sequence);
        return applied;
      } catch (error) {
        this.failure = { error };
        throw error;
      }
    });
  }

  /** Resolves once every message that was given to `apply` is applied or has failed. */
  async settled(): Promise<void> {
    await this.parts.transactions.run(() => undefined);
  }

  private check(message: StreamMessage): Command | Error {
    try {
      return readCommand(this.parts.network, message);
    } catch (error) {
      return error as Error;
    }
  }

  private applyChecked(transaction: Transaction, message: StreamMessage, checked: Command | Error): Applied {
    const { sequence, timeMs } = message;
    const refused = checked instanceof UnknownSchemaError ? refuseUnbound(transaction, checked) : checked;
    if (refused instanceof RefusedCommandError)
      return { sequence, id: undefined, key: undefined, command: undefined, outcome: toOutcome(refused), refused };
    if (checked instanceof Error) throw checked;
    const { id, daemon: key } = checked;
    try {
      // Outside the attempt: a command whose decider refused it is not applied later either.
      if (!takeCommandId(transaction, id, timeMs, timeMs - IDS_KEPT_MS))
        throw new RefusedCommandError('replay', `The command ${id} was applied before.`);
      const { command, result } = this.parts.transactions.attempt((attempt) => this.decide(attempt, checked, timeMs));
      return { sequence, id, key, command, outcome: { ok: true, result }, refused: undefined };
    } catch (error) {
      if (isStoreFailure(error)) throw error;
      // The answer to a replay must not reach whoever waits for the original.
      const refused = error instanceof RefusedCommandError ? error : undefined;
      const waiting = refused?.reason === 'replay' ? undefined : id;
      return { sequence, id: waiting, key, command: undefined, outcome: toOutcome(error), refused };
    }
  }

  /** Returns the command, in which the daemon is named by its id, and what its decider returned. */
  private decide(transaction: Transaction, signed: Command, timeMs: number): { command: Command; result: unknown } {
    const daemon = this.requireDaemon(transaction, signed, timeMs);
    const command = { ...signed, daemon: daemon.id };
    if (MEMBERSHIP_KINDS.has(command.kind)) {
      const { network } = this.parts;
      return { command, result: decideMembership(transaction, { network, daemon, command: signed, timeMs }) };
    }
    const kind = this.parts.kinds.find(command.kind);
    if (!kind) throw new RefusedCommandError('kind', `"${command.kind}" is no kind of command.`);
    if (!hasForm(kind.body, command.body))
      throw new RefusedCommandError('form', `The body of "${command.kind}" has not the form of that kind.`);
    const { ownership } = kind;
    requireOwner(transaction, daemon.id, ownership.requires?.(command.body, command) ?? []);
    const freed = ownership.frees?.(command.body, command) ?? [];
    const result = kind.decide(command);
    const taken = ownership.takes?.(command.body, command) ?? [];
    // A decider that repeats an earlier answer agrees without having made the entity.
    requireOwner(transaction, daemon.id, taken);
    for (const { area, id } of taken) setOwner(transaction, area, id, daemon.id);
    for (const { area, id } of freed) removeOwner(transaction, area, id);
    return { command, result };
  }

  /** Returns the daemon of the command's key, which is bound by its first command. */
  private requireDaemon(transaction: Transaction, { daemon: key }: Command, timeMs: number): NetworkDaemon {
    const known = findDaemonByKey(transaction, key);
    if (known) return known;
    if (isOldKey(transaction, key))
      throw new RefusedCommandError('key', 'The key that signed the command was replaced by another one.');
    return bindDaemon(transaction, key, timeMs);
  }
}

/** A newer schema counts only of a daemon of the network: a key that was made for it stops nobody. */
function refuseUnbound(transaction: Transaction, error: UnknownSchemaError): Error {
  if (findDaemonByKey(transaction, error.daemon)) return error;
  return new RefusedCommandError('schema', `${error.message} No daemon of the network has the key that signed it.`);
}

/** Throws unless each of `owned` belongs to the daemon or to nobody. */
function requireOwner(transaction: Transaction, daemon: string, owned: readonly Owned[]): void {
  for (const one of owned) {
    const owner = findOwner(transaction, one);
    if (owner !== undefined && owner !== daemon) throw new RefusedCommandError('owner', belongsElsewhere(one.id));
  }
}

/** Whether applying must stop until this meshd is upgraded. */
export const isTooOld = (error: unknown): error is UnknownSchemaError => error instanceof UnknownSchemaError;
