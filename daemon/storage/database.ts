import { constants, copyFileSync, existsSync } from 'node:fs';
import SQLite from 'better-sqlite3';
import { MeshError, messageOf, systemCode } from '../lib/errors.js';
import { foreignCaller } from '../lib/foreign-caller.js';
import { nextTurn } from '../lib/loop-turns.js';
import { checkPrivateDatabase } from '../private/private-file.js';
import { FreePages } from './free-pages.js';
import { HeldFiles } from './held-files.js';
import { MIGRATIONS } from './migrations/index.js';
import { isDamage, openExclusively } from './open-exclusively.js';
import { hasLostAll, isCutShort } from './store-file.js';
import { StoreGrowth } from './store-growth.js';
import { CUT_SHORT, hasNewestSchema, quickCheck, refuseNewer } from './store-schema.js';

export type Statement = SQLite.Statement;
export type StoreState = 'ok' | 'readonly';

/** Copied in one turn of the event loop: four megabytes, a few milliseconds. */
const PAGES_AT_ONCE = 1_000;
/** How long one transaction takes up changes; those that come after are in the next, a turn of the event loop later. */
const COMMIT_MS = 4;
/** Pages of the log after which it is folded back, in the event loop: a megabyte takes 4 ms, SQLite's own 1,000 pages take 13. */
const CHECKPOINT_PAGES = 250;

interface Queued {
  /** The other user it is done for. */
  uid: number | undefined;
  run: () => unknown;
  resolve: (value: never) => void;
  reject: (error: unknown) => void;
}

const readOnly = (why: string, cause?: unknown) =>
  new MeshError('store_readonly', `The store is read-only: ${why}`, { cause });

/** Copies a damaged file aside, once; gives what to do about it. */
function putAside(path: string, damage: string, now: number): string {
  const aside = `${path}.corrupt-${Math.floor(now / 1000)}`;
  if (!existsSync(aside)) copyFileSync(path, aside, constants.COPYFILE_EXCL);
  return `the database is damaged (${damage.split('\n')[0]}); a copy is at ${aside}. Restore a backup with \`meshd restore\`, or move the file away to start over.`;
}

/**
 * The daemon's durable store, one SQLite file (WAL, `synchronous=FULL`), held exclusively: the lock on it is what keeps a second
 * daemon off the project, and the kernel drops it when the process dies.
 *
 * `write` is group commit: what is asked for in one turn of the event loop shares a transaction while that takes a few
 * milliseconds, each in a savepoint of
 * its own, and each promise settles only after that transaction is on disk. Reads are direct.
 *
 * Pages that were freed are given back to the file system a little at a time (`FreePages`).
 *
 * While the file, or its write-ahead log, is not where it was opened, nothing is written (`store_readonly`): nobody would find it again.
 *
 * A commit that fails makes the store read-only until restart (`store_readonly`), except for a full disk, which is `no_space`
 * and recovers by itself. A file that fails `quick_check` is copied aside and the store opens read-only; it never starts over. One of which not even the
 * schema can be read, or that is empty though a daemon has worked beside it, is copied aside too and left as it is: the store is then an empty one in memory, read-only.
 */
export class Database {
  private readonly sqlite: SQLite.Database;
  private readonly begin: Statement;
  private readonly commit: Statement;
  private readonly rollback: Statement;
  private readonly statements = new Map<string, Statement>();
  private queue: Queued[] = [];
  private scheduled = false;
  private failure: string | undefined;
  private readonly files: HeldFiles;
  private readonly freePages: FreePages;
  /** How much of the store other users of this machine have caused. */
  readonly growth: StoreGrowth;

  /** Throws DatabaseBusy when another process holds the file, `forbidden` when it is no regular file of this user's. */
  constructor(path: string, now: () => number = Date.now) {
    checkPrivateDatabase(path);
    let unreadable = hasLostAll(path) ? 'the file is empty' : undefined;
    const cutShort = isCutShort(path) ? CUT_SHORT : undefined;
    try {
      this.sqlite = unreadable === undefined ? openExclusively(path) : new SQLite(':memory:');
    } catch (error) {
      if (!isDamage(error)) throw error;
      unreadable = messageOf(error);
      this.sqlite = new SQLite(':memory:');
    }
    for (const pragma of [
      'synchronous = FULL',
      'foreign_keys = ON',
      'trusted_schema = OFF',
      'temp_store = MEMORY',
      'cell_size_check = ON',
      `wal_autocheckpoint = ${CHECKPOINT_PAGES}`,
    ]) {
      this.sqlite.pragma(pragma);
    }
    let damage = unreadable ?? cutShort ?? quickCheck(this.sqlite);
    try {
      if (damage === undefined || unreadable !== undefined) damage = this.migrate() ?? damage;
    } catch (error) {
      this.sqlite.close();
      throw error;
    }
    if (damage !== undefined) this.failure = putAside(path, damage, now());
    this.growth = new StoreGrowth(this.sqlite);
    this.freePages = new FreePages(this.sqlite, this.growth, (error) => this.noteFailure(error));
    if (damage === undefined) this.freePages.prepare();
    this.files = new HeldFiles(unreadable === undefined ? [path, `${path}-wal`] : []);
    this.begin = this.sqlite.prepare('BEGIN IMMEDIATE');
    this.commit = this.sqlite.prepare('COMMIT');
    this.rollback = this.sqlite.prepare('ROLLBACK');
  }

  get state(): StoreState {
    return this.problem === undefined ? 'ok' : 'readonly';
  }

  /** Why the store is read-only, or undefined. */
  get problem(): string | undefined {
    if (this.failure !== undefined) return this.failure;
    const missing = this.files.missing();
    return (
      missing &&
      `${missing} was moved or removed while the daemon runs; put it back, or restart the daemon to start over.`
    );
  }

  /** A prepared statement, made once per text. */
  sql(text: string): Statement {
    let statement = this.statements.get(text);
    if (!statement) {
      statement = this.sqlite.prepare(text);
      this.statements.set(text, statement);
    }
    return statement;
  }

  /**
   * Runs `change` inside the next shared transaction and resolves with what it returned once that is durable. When `change` throws, its
   * own writes are undone, the others' stay, and the promise rejects with what it threw. `change` must be synchronous.
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

  /** What is damaged in the whole of the store, or undefined. Takes as long as reading the file. */
  quickCheck(): string | undefined {
    return quickCheck(this.sqlite);
  }

  /**
   * Copies the store as it is at one moment into a new file at `path`; writes go on meanwhile, and what is committed before the copy is whole is in it. Throws
   * `store_readonly` when the store is damaged.
   */
  async copyTo(path: string): Promise<void> {
    if (this.failure !== undefined)
      throw new MeshError('store_readonly', `The store cannot be copied: ${this.failure}`);
    await this.sqlite.backup(path, { progress: () => PAGES_AT_ONCE });
  }

  /** Commits what is queued, folds the write-ahead log back, and lets the lock go. */
  close(): void {
    // What was not recorded yet goes with a last transaction.
    if (this.growth.unrecorded.size > 0) void this.write(() => undefined).catch(() => undefined);
    while (this.queue.length > 0) this.flush();
    this.freePages.stop();
    if (this.failure === undefined) this.sqlite.pragma('wal_checkpoint(TRUNCATE)');
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
      const reason = error instanceof MeshError ? error : this.asFailure(error);
      if (this.sqlite.inTransaction) this.rollback.run();
      for (const queued of batch) queued.reject(reason);
      return;
    }
    // Those that had no time left come first in the next transaction.
    this.queue = [...batch.slice(settle.length), ...this.queue];
    if (this.queue.length > 0) this.schedule();
    for (const done of settle) done();
    this.freePages.look();
  }

  private schedule(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    void nextTurn('commit').then(() => this.flush());
  }

  private runOne({ run, resolve, reject }: Queued): () => void {
    this.sql('SAVEPOINT one').run();
    try {
      const value = run();
      this.sql('RELEASE one').run();
      return () => resolve(value as never);
    } catch (error) {
      // SQLite ends the whole transaction by itself on some errors (a full disk, an I/O error): nothing of the batch stands then.
      if (!this.sqlite.inTransaction) throw error;
      this.sql('ROLLBACK TO one').run();
      this.sql('RELEASE one').run();
      return () => reject(error);
    }
  }

  private asFailure(error: unknown): MeshError {
    if (systemCode(error)?.startsWith('SQLITE_FULL')) {
      return new MeshError('no_space', 'The disk is full: free some space and send the request again.', {
        cause: error,
      });
    }
    return readOnly(this.noteFailure(error), error);
  }

  /** Makes the store read-only until the next start; gives the reason. */
  private noteFailure(error: unknown): string {
    this.failure = `a commit failed (${messageOf(error)}); mend the disk and restart the daemon.`;
    return this.failure;
  }

  /** Brings the schema up to date; gives what is wrong where it is so already, though the file says that it is an older one. */
  private migrate(): string | undefined {
    const from = refuseNewer(this.sqlite);
    if (from === MIGRATIONS.length) return undefined;
    try {
      // One transaction: what is written to the disk is the old schema or the newest.
      this.sqlite.transaction(() => {
        for (const migration of MIGRATIONS.slice(from)) this.sqlite.exec(migration);
        this.sqlite.pragma(`user_version = ${MIGRATIONS.length}`);
      })();
      return undefined;
    } catch (error) {
      if (!hasNewestSchema(this.sqlite)) throw error;
      return `its schema is not number ${from}, as it says: ${messageOf(error)}`;
    }
  }
}
