import type { Database, Statement } from './database.js';

/**
 * An open transaction of the store. A method that takes one writes inside it: its writes become durable together with
 * all others of the transaction, or not at all.
 */
export interface Transaction {
  sql(text: string): Statement;
  /**
   * Runs `callback` once the transaction is durable, after the callbacks registered before it, and never when the
   * transaction is rolled back. Events, wake-ups and scheduling belong here.
   */
  afterCommit(callback: () => void): void;
}

class OpenTransaction implements Transaction {
  private readonly callbacks: (() => void)[] = [];
  /** Resolves once the transaction is durable and its callbacks have run. */
  committed: Promise<void> = Promise.resolve();
  /** The error of a part of the transaction; when set, nothing of the transaction may be committed. */
  failure: { error: unknown } | undefined;

  constructor(private readonly database: Pick<Database, 'sql'>) {}

  sql(text: string): Statement {
    return this.database.sql(text);
  }

  afterCommit(callback: () => void): void {
    this.callbacks.push(callback);
  }

  /** Runs `change` as a part of this transaction. */
  runPart<T>(change: (transaction: Transaction) => T): T {
    try {
      return change(this);
    } catch (error) {
      this.failure ??= { error };
      throw error;
    }
  }

  /** Runs `change` in a savepoint: when it throws, its writes and callbacks are gone and the transaction goes on. */
  attempt<T>(change: (transaction: Transaction) => T): T {
    const { failure } = this;
    const { length } = this.callbacks;
    this.sql('SAVEPOINT attempt').run();
    try {
      const value = change(this);
      if (this.failure !== failure) throw this.failure?.error;
      this.sql('RELEASE attempt').run();
      return value;
    } catch (error) {
      try {
        this.sql('ROLLBACK TO attempt').run();
        this.sql('RELEASE attempt').run();
      } catch {
        // SQLite rolled back the whole transaction by itself (a full disk, an I/O error): nothing of it remains.
        this.failure ??= { error };
        throw error;
      }
      this.callbacks.length = length;
      this.failure = failure;
      throw error;
    }
  }

  /** A callback that throws does not prevent the others from running; the first error is thrown after them. */
  runCallbacks(): void {
    const errors: unknown[] = [];
    for (const callback of this.callbacks) {
      try {
        callback();
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0) throw errors[0];
  }
}

/** Runs changes of the store in transactions and their callbacks after the commit. */
export class Transactions {
  private current: OpenTransaction | undefined;

  constructor(private readonly database: Pick<Database, 'sql' | 'write'>) {}

  /**
   * Runs the synchronous `change` in a transaction and resolves with its result once that is durable and the callbacks
   * have run, in the caller's async context. When `change` throws, its writes are rolled back and the promise rejects.
   * A run inside a running change joins that transaction: it is executed at once, and when it throws, the whole
   * transaction is rolled back, even if the error is caught.
   */
  run<T>(change: (transaction: Transaction) => T): Promise<T> {
    return this.current ? this.join(this.current, change) : this.begin(change);
  }

  /**
   * Runs the synchronous `change` as a part of the running transaction that can fail alone: when it throws, what it
   * wrote is rolled back, its callbacks never run, and the error is thrown to the caller, whose transaction goes on.
   * Throws an Error outside a transaction.
   */
  attempt<T>(change: (transaction: Transaction) => T): T {
    if (!this.current) throw new Error('attempt() needs a running transaction.');
    return this.current.attempt(change);
  }

  private async begin<T>(change: (transaction: Transaction) => T): Promise<T> {
    const transaction = new OpenTransaction(this.database);
    const written = this.database.write(() => {
      this.current = transaction;
      try {
        const value = change(transaction);
        if (transaction.failure) throw transaction.failure.error;
        return value;
      } finally {
        this.current = undefined;
      }
    });
    transaction.committed = written.then(() => transaction.runCallbacks());
    await transaction.committed;
    return written;
  }

  private async join<T>(outer: OpenTransaction, change: (transaction: Transaction) => T): Promise<T> {
    const value = outer.runPart(change);
    await outer.committed;
    return value;
  }
}
