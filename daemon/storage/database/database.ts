import type SQLite from 'better-sqlite3';
import { waitForTick } from '../../lib/async/loop-ticks.js';
import { toStorageError } from '../../lib/disk-errors.js';
import { getErrorMessage, isMeshError, MeshError } from '../../lib/errors.js';
import { foreignCaller } from '../../lib/foreign-caller.js';
import { checkPrivateDatabase, createPrivateSync } from '../../private/private-file.js';
import { HeldFiles } from '../files/held-files.js';
import { isDamage, openExclusively } from '../files/open-exclusively.js';
import { copyDamaged } from './damaged-store.js';
import { ErasedWords } from './erased-words.js';
import { FreePages } from './free-pages.js';
import { MIGRATIONS } from './migrations/index.js';
import { openSqlite } from './sqlite.js';
import { Statements } from './statements.js';
import { isCutShort, isEmptied } from './store-file.js';
import { StoreGrowth } from './store-growth.js';
import { CUT_SHORT, hasNewestSchema, quickCheck, refuseNewer } from './store-schema.js';

export type Statement = SQLite.Statement;
type StoreState = 'ok' | 'readonly';

/** Pages that one step of the backup copies: four megabytes, a few milliseconds per event loop tick. */
const PAGES_AT_ONCE = 1_000;
/**
 * How long one transaction accepts changes. The remaining changes go into the next
 * transaction, one event loop tick later.
 */
const COMMIT_MS = 4;
/**
 * Size of the write-ahead log, in pages, at which it is checkpointed. The checkpoint runs on the event loop: for a
 * megabyte it takes 4 ms, for SQLite's default of 1,000 pages it takes 13 ms.
 */
const CHECKPOINT_PAGES = 250;

interface Queued {
  /** The other user on whose behalf the change runs; undefined for the operator. */
  uid: number | undefined;
  run: () => unknown;
  resolve: (value: never) => void;
  reject: (error: unknown) => void;
}

const readOnly = (why: string, cause?: unknown) =>
  new MeshError('store_readonly', `The store is read-only: ${why}`, { cause });

/**
 * The daemon's durable store: one SQLite file (WAL, `synchronous=FULL`), locked exclusively. The lock keeps a second
 * daemon off the project. The kernel releases it when the process dies.
 *
 * `write` is a group commit. The changes queued in one event loop tick share a transaction for a few milliseconds, each
 * in a savepoint of its own. Each promise settles only after that transaction is on disk. Reads are direct.
 *
 * What is deleted is overwritten, its words in the search indexes within an hour (`ErasedWords`). Freed pages are
 * returned to the file system a few at a time (`FreePages`).
 *
 * While the file or its write-ahead log is missing from the path where it was opened, nothing is written
 * (`store_readonly`), because the data could not be found again.
 *
 * A commit that fails makes the store read-only until restart (`store_readonly`). The exception is a full disk, which
 * fails with `no_space` and recovers by itself. A file that fails `quick_check` is copied aside and the store opens
 * read-only; it is never recreated. A file whose schema cannot be read, or that is empty although a daemon has used it,
 * is also copied aside and left unchanged. In that case the store is an empty in-memory database, read-only.
 */
export class Database {
  private readonly sqlite: SQLite.Database;
  private readonly begin: Statement;
  private readonly commit: Statement;
  private readonly rollback: Statement;
  private readonly statements: Statements;
  private queue: Queued[] = [];
  private scheduled = false;
  private failure: string | undefined;
  private readonly files: HeldFiles;
  private readonly freePages: FreePages;
  private readonly erasedWords: ErasedWords;
  /** How much of the store's growth other users of this machine have caused. */
  readonly growth: StoreGrowth;

  /**
   * Throws `DatabaseBusyError` when another process holds the file, and `forbidden` when it is not
   * a regular file of this user.
   */
  constructor(path: string, now: () => number = Date.now) {
    checkPrivateDatabase(path);
    let unreadable = isEmptied(path) ? 'the file is empty' : undefined;
    const cutShort = isCutShort(path) ? CUT_SHORT : undefined;
    try {
      this.sqlite = unreadable === undefined ? openExclusively(path) : openSqlite(':memory:');
    } catch (error) {
      if (!isDamage(error)) throw error;
      unreadable = getErrorMessage(error);
      this.sqlite = openSqlite(':memory:');
    }
    for (const pragma of [
      'synchronous = FULL',
      // On macOS a plain fsync leaves the data in the cache of the disk. Elsewhere these two do nothing.
      'fullfsync = ON',
      'checkpoint_fullfsync = ON',
      'foreign_keys = ON',
      // Deleted rows are overwritten, in free pages too.
      'secure_delete = ON',
      'trusted_schema = OFF',
      'temp_store = MEMORY',
      'cell_size_check = ON',
      `wal_autocheckpoint = ${CHECKPOINT_PAGES}`,
    ]) {
      this.sqlite.pragma(pragma);
    }
    this.statements = new Statements(this.sqlite);
    let damage = unreadable ?? cutShort ?? quickCheck(this.sqlite);
    try {
      if (damage === undefined || unreadable !== undefined) damage = this.migrate() ?? damage;
    } catch (error) {
      this.sqlite.close();
      throw error;
    }
    if (damage !== undefined) this.failure = copyDamaged(path, damage, now());
    this.growth = new StoreGrowth(this.sqlite);
    this.freePages = new FreePages(this.sqlite, this.growth, (error) => this.noteFailure(error));
    this.erasedWords = new ErasedWords(this.sqlite, (error) => this.noteFailure(error));
    if (damage === undefined) this.freePages.prepare();
    this.files = new HeldFiles([path, `${path}-wal`]);
    this.begin = this.sqlite.prepare('BEGIN IMMEDIATE');
    this.commit = this.sqlite.prepare('COMMIT');
    this.rollback = this.sqlite.prepare('ROLLBACK');
  }

  get state(): StoreState {
    return this.problem === undefined ? 'ok' : 'readonly';
  }

  /** The reason why the store is read-only, or undefined. */
  get problem(): string | undefined {
    if (this.failure !== undefined) return this.failure;
    const missing = this.files.missing();
    return (
      missing &&
      `${missing} was moved or removed while the daemon runs; put it back, or restart the daemon to start over.`
    );
  }

  /** Returns a prepared statement; statements are cached by their text. */
  sql(text: string): Statement {
    return this.statements.of(text);
  }

  /**
   * Runs `change` inside the next shared transaction and resolves with its result once that transaction is durable.
   * When `change` throws, its own writes are rolled back, the other changes' writes remain, and the promise rejects
   * with the error. `change` must be synchronous.
   */
  write<T>(change: () => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.failure !== undefined) {
        reject(readOnly(this.failure));
        return;
      }
      this.queue.push({
        uid: foreignCaller.getStore(),
        run: change,
        resolve: resolve as (value: never) => void,
        reject,
      });
      this.schedule();
    });
  }

  /** Returns what is damaged anywhere in the store, or undefined. Takes as long as reading the whole file. */
  quickCheck(): string | undefined {
    return quickCheck(this.sqlite);
  }

  /**
   * Copies a consistent snapshot of the store into a new file (0600) at `path`. Writes continue meanwhile; the copy
   * includes everything committed before it completes. Throws `store_readonly` when the store is damaged.
   */
  async copyTo(path: string): Promise<void> {
    if (this.failure !== undefined)
      throw new MeshError('store_readonly', `The store cannot be copied: ${this.failure}`);
    createPrivateSync(path);
    await this.sqlite.backup(path, { progress: () => PAGES_AT_ONCE });
  }

  /** Commits the queued changes, checkpoints the write-ahead log and releases the lock. */
  close(): void {
    // Growth that is not recorded yet is recorded by one last transaction.
    if (this.growth.unrecorded.size > 0) void this.write(() => undefined).catch(() => undefined);
    while (this.queue.length > 0) this.flush();
    this.freePages.stop();
    this.erasedWords.stop();
    if (this.problem === undefined) this.erasedWords.finish();
    try {
      if (this.failure === undefined) this.sqlite.pragma('wal_checkpoint(TRUNCATE)');
    } catch {
      // A full disk: the log keeps what is not in the file yet, and the next start reads it.
    }
    this.sqlite.close();
  }

  private flush(): void {
    this.scheduled = false;
    const batch = this.queue;
    if (batch.length === 0) return;
    this.queue = [];
    const endMs = performance.now() + COMMIT_MS;
    const settle: (() => void)[] = [];
    try {
      const { problem } = this;
      if (problem !== undefined) throw readOnly(problem);
      const growth = batch.some(({ uid }) => uid !== undefined) ? this.growth.start() : undefined;
      this.begin.run();
      for (const queued of batch) {
        settle.push(growth ? growth.measure(queued.uid, () => this.runOne(queued)) : this.runOne(queued));
        if (performance.now() > endMs) break;
      }
      if (this.growth.unrecorded.size > 0) this.growth.record();
      this.commit.run();
      this.growth.unrecorded.clear();
      growth?.settle();
    } catch (error) {
      const reason = error instanceof MeshError ? error : this.toStorageError(error);
      if (this.sqlite.inTransaction) this.rollback.run();
      for (const queued of batch) queued.reject(reason);
      return;
    }
    // The changes that did not fit into the time limit go first in the next transaction.
    this.queue = [...batch.slice(settle.length), ...this.queue];
    if (this.queue.length > 0) this.schedule();
    for (const done of settle) done();
    this.freePages.look();
    this.erasedWords.look();
  }

  private schedule(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    void waitForTick('commit').then(() => this.flush());
  }

  private runOne({ run, resolve, reject }: Queued): () => void {
    this.sql('SAVEPOINT one').run();
    try {
      const value = run();
      this.sql('RELEASE one').run();
      return () => resolve(value as never);
    } catch (error) {
      // SQLite rolls back the whole transaction by itself on some errors (a full disk, an I/O error). No
      // write of the batch remains then.
      if (!this.sqlite.inTransaction) throw error;
      this.sql('ROLLBACK TO one').run();
      this.sql('RELEASE one').run();
      return () => reject(error);
    }
  }

  private toStorageError(error: unknown): MeshError {
    const known = toStorageError(error);
    if (isMeshError(known, 'no_space')) return known;
    return readOnly(this.noteFailure(error), error);
  }

  /** Makes the store read-only until the next start. Returns the reason. */
  private noteFailure(error: unknown): string {
    this.failure = `a commit failed (${getErrorMessage(error)}); mend the disk and restart the daemon.`;
    return this.failure;
  }

  /**
   * Migrates the schema to the newest version. Returns the problem when the file already has the newest schema although
   * it declares an older version.
   */
  private migrate(): string | undefined {
    const from = refuseNewer(this.sqlite);
    if (from === MIGRATIONS.length) return undefined;
    try {
      // One transaction, so the disk holds either the old schema or the newest one.
      this.sqlite.transaction(() => {
        for (const migration of MIGRATIONS.slice(from)) this.sqlite.exec(migration);
        this.sqlite.pragma(`user_version = ${MIGRATIONS.length}`);
      })();
      return undefined;
    } catch (error) {
      if (!hasNewestSchema(this.sqlite)) throw error;
      return `its schema is not number ${from}, as it says: ${getErrorMessage(error)}`;
    }
  }
}
