import type { Static, TSchema } from 'typebox';
import type { Command, Decider, SharedLog } from './shared-log.js';

/** How commands of one kind are decided. */
export interface CommandKind {
  /** The schema of the body. A command of another daemon is checked against it before it is decided. */
  body: TSchema;
  decide: Decider;
}

/** Runs on every replica after a command was committed there, with what its decider returned. */
type AppliedListener<Result> = (result: Result, command: Command) => void | Promise<void>;

/** A kind whose decider gets the body with the type of its schema. */
export const commandKind = <Body extends TSchema>(
  body: Body,
  decide: (body: Static<Body>, command: Command) => unknown,
): CommandKind => ({ body, decide: (command) => decide(command.body as Static<Body>, command) });

/**
 * Every kind of command: how it is decided, and what follows on each replica. Features define their kinds when they are
 * composed.
 */
export class CommandKinds {
  private readonly kinds = new Map<string, CommandKind>();
  private readonly listeners = new Map<string, AppliedListener<unknown>>();

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

  /** Must be called once on each replica, after the transaction in which `decide` returned `result` is durable. */
  applied(command: Command, result: unknown): void | Promise<void> {
    return this.listeners.get(command.kind)?.(result, command);
  }
}

/** What a feature with shared tables needs: it defines its kinds, and submits commands of them. */
export interface SharedChanges {
  kinds: CommandKinds;
  log: SharedLog;
}
