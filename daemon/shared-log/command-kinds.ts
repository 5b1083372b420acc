import type { Static, TSchema } from 'typebox';
import type { Owners } from './owners.js';
import type { Command, Decider, SharedLog } from './shared-log.js';
import type { Owned } from './shared-tables.js';

/**
 * Whose daemon may send commands of a kind in a network. Read before the decider runs, from shared tables and the
 * command alone. Without a network every command is this daemon's own.
 */
export interface Ownership<Body = unknown> {
  /** The command is refused unless each of these belongs to its sender or to nobody. */
  requires?(body: Body, command: Command): readonly Owned[];
  /** These belong to the sender once the decider has agreed. */
  takes?(body: Body, command: Command): readonly Owned[];
  /** These belong to nobody once the decider has agreed. */
  frees?(body: Body, command: Command): readonly Owned[];
}

/** Every daemon of a network may send such commands. */
export const ANY_DAEMON: Ownership = {};

/** How commands of one kind are decided. */
export interface CommandKind {
  /** The schema of the body. A command of another daemon is checked against it before it is decided. */
  body: TSchema;
  decide: Decider;
  ownership: Ownership;
}

/** Runs on every replica after a command was committed there, with what its decider returned. */
type AppliedListener<Result> = (result: Result, command: Command) => void | Promise<void>;

/** A kind whose functions get the body with the type of its schema. */
export const commandKind = <Body extends TSchema>(
  body: Body,
  decide: (body: Static<Body>, command: Command) => unknown,
  ownership: Ownership<Static<Body>>,
): CommandKind => ({
  body,
  decide: (command) => decide(command.body as Static<Body>, command),
  ownership: ownership as Ownership,
});

/**
 * Every kind of command: how it is decided, and what follows on each replica. Features define their kinds when they are
 * composed.
 */
export class CommandKinds {
  private readonly kinds = new Map<string, CommandKind>();
  private readonly listeners = new Map<string, AppliedListener<unknown>>();
  private readonly replacedListeners: (() => void | Promise<void>)[] = [];

  /** Throws an `Error` when a kind is defined twice. */
  define(kinds: Readonly<Record<string, CommandKind>>): void {
    for (const [name, kind] of Object.entries(kinds)) {
      if (this.kinds.has(name)) throw new Error(`The kind of command "${name}" is defined twice.`);
      this.kinds.set(name, kind);
    }
  }

  /** Returns the kind, or undefined when this daemon does not know it. */
  find(name: string): CommandKind | undefined {
    return this.kinds.get(name);
  }

  /** Decides about the command. Throws an `Error` for an unknown kind, else what its decider throws. */
  decide(command: Command): unknown {
    const kind = this.kinds.get(command.kind);
    if (!kind) throw new Error(`There is no kind of command "${command.kind}".`);
    return kind.decide(command);
  }

  /**
   * Sets what follows a committed command on each replica: notifications, events, what is kept in memory. On the
   * sender, `submit` resolves after it. One listener for each kind.
   */
  onApplied<Result>(name: string, listener: AppliedListener<Result>): void {
    if (this.listeners.has(name)) throw new Error(`What follows "${name}" is set already.`);
    this.listeners.set(name, listener as AppliedListener<unknown>);
  }

  /** Whether something follows commands of the kind. */
  isFollowed(name: string): boolean {
    return this.listeners.has(name);
  }

  /** Adds what follows when the shared tables were replaced as a whole: what is kept in memory is read again. */
  onReplaced(listener: () => void | Promise<void>): void {
    this.replacedListeners.push(listener);
  }

  /** Must be called once all rows of the shared tables were replaced, before the next command is applied. */
  async replaced(): Promise<void> {
    for (const listener of this.replacedListeners) await listener();
  }

  /** Must be called once on each replica, after the transaction in which `decide` returned `result` is durable. */
  applied(command: Command, result: unknown): void | Promise<void> {
    return this.listeners.get(command.kind)?.(result, command);
  }
}

/** What a feature with shared tables needs: it defines its kinds, and submits commands of them. */
export interface SharedChanges {
  kinds: CommandKinds;
  log: SharedLog;
  owners: Owners;
}
