/**
 * Kills work that rewrites a whole project at any system call that changes the disk: a daemon that migrates the store
 * of an earlier version, at a write to the write-ahead log, and `meshd restore`, at a rename, link, removal or sync.
 * Afterwards the store must have the old or the newest schema with every row. The project must be entirely old or
 * entirely new once the next start has finished the restore. Needs strace; Linux only.
 *
 * `npx tsx scripts/hard/loss/cut-off.ts [--migrations 6] [--restores 6] [--seed 1]`
 */
import '../../sql-as-text.js';
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type SQLite from 'better-sqlite3';
import { openSqlite } from '../../../daemon/storage/database/sqlite.js';
import { meshTree } from '../../../daemon/testing/mesh-tree.js';
import { fillEveryTable, rowsOfEveryTable } from '../../../daemon/testing/rows-everywhere.js';
import { type Drill, mayTrace, runDrill } from '../drill.js';
import type { DrillProject } from '../project.js';

// Imported dynamically, after the import of SQL files was enabled.
const { Database } = await import('../../../daemon/storage/database/database.js');
const { MIGRATIONS } = await import('../../../daemon/storage/database/migrations/index.js');
const { finishRestore } = await import('../../../daemon/storage/restore-moves.js');

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const NEWEST = MIGRATIONS.length;
/** A daemon that has not exited by then is listening, and its migration is complete. */
const LISTENS_MS = 4_000;

/**
 * Runs a program and traces one system call of it. If `kill` is set, the program is killed at that call. Returns the
 * number of calls and whether it was killed.
 */
function watched(
  words: readonly string[],
  call: string,
  options: { path?: string; kill?: number; log: string; limitMs: number; home: string },
) {
  const { path, kill, log, limitMs, home } = options;
  const strace = ['-f', '-qq', '-o', log, '-e', `trace=${call}`, ...(path === undefined ? [] : ['-P', path])];
  const inject = kill === undefined ? [] : ['-e', `inject=${call}:signal=KILL:when=${kill}`];
  const { signal, status } = spawnSync('strace', [...strace, ...inject, process.execPath, ...words], {
    stdio: 'ignore',
    timeout: limitMs,
    // With one file-system thread, the number of a call is its position among all calls.
    env: { PATH: process.env['PATH'], HOME: home, UV_THREADPOOL_SIZE: '1' },
  });
  const threads = readFileSync(log, 'utf8').matchAll(new RegExp(`^(\\d+) +${call}\\(`, 'gm'));
  const counts = new Map<string, number>();
  for (const [, thread = ''] of threads) counts.set(thread, (counts.get(thread) ?? 0) + 1);
  // strace counts the calls of each thread separately.
  const calls = Math.max(0, ...counts.values());
  return { calls, isKilled: signal === 'SIGKILL' || status === 137 };
}

function getStore(path: string, schema: number): void {
  const store = openSqlite(path);
  store.pragma('journal_mode = WAL');
  for (const migration of MIGRATIONS.slice(0, schema)) store.exec(migration);
  store.pragma(`user_version = ${schema}`);
  fillEveryTable(store);
  store.close();
}

/** Returns what is wrong with a store that was interrupted while it was migrated from `schema`. */
function getFault(path: string, before: SQLite.Database, schema: number): string | undefined {
  const rows = JSON.stringify(rowsOfEveryTable(before));
  const raw = openSqlite(path);
  try {
    const version = raw.pragma('user_version', { simple: true });
    if (version !== schema && version !== NEWEST) return `is of schema ${version}, between ${schema} and ${NEWEST}`;
    if (raw.pragma('quick_check', { simple: true }) !== 'ok') return 'is damaged';
    if (JSON.stringify(rowsOfEveryTable(raw, before)) !== rows) return `lost or changed rows (schema ${version})`;
  } finally {
    raw.close();
  }
  const store = new Database(path);
  const problem = store.problem;
  store.close();
  const after = openSqlite(path, { readonly: true });
  const isWhole = JSON.stringify(rowsOfEveryTable(after, before)) === rows;
  after.close();
  return problem ?? (isWhole ? undefined : 'lost or changed rows when it was brought up again');
}

async function cutMigrations(drill: Drill): Promise<void> {
  const project = drill.project();
  const folder = project.folder('stores');
  project.own();
  const state = project.folder('.mesh/state');
  const [kept, path, log] = [join(folder, 'kept.db'), join(state, 'mesh.db'), join(folder, 'log')];
  const faults: string[] = [];
  let killed = 0;
  for (let round = 0; round < drill.bound('migrations'); round += 1) {
    const schema = drill.dice.below(NEWEST);
    for (const name of [kept, path, `${path}-wal`, `${path}-shm`]) rmSync(name, { force: true });
    getStore(kept, schema);
    copyFileSync(kept, path);
    const words = [at('../../../dist/daemon.js'), '--root', project.root, '--port', '0'];
    const kill = 1 + drill.dice.below(40);
    if (
      watched(words, 'pwrite64', { path: `${path}-wal`, kill, log, limitMs: LISTENS_MS, home: project.root }).isKilled
    )
      killed += 1;
    const before = openSqlite(kept, { readonly: true });
    const fault = getFault(path, before, schema);
    before.close();
    if (fault !== undefined) faults.push(`from schema ${schema}, killed at write ${kill}: ${fault}`);
  }
  drill.none('stores neither old nor new', 'stores', faults, `${killed} daemons killed on their way`);
  drill.measure({
    measure: 'daemons killed while they brought a store up',
    value: killed,
    unit: 'daemons',
    atLeast: 1,
  });
}

/** System calls by which a restore changes the disk. */
const CALLS = ['rename', 'link', 'unlink', 'fsync'];

const members = (word: string) =>
  Object.fromEntries(['ada', 'bo', 'cy'].map((name) => [`.mesh/team/${name}.md`, word]));

/** A project with a backup of its former state, to be restored again and again over its present state. */
class RestoredProject {
  private readonly file: string;
  private readonly log: string;
  private readonly later: string;
  private readonly mesh: string;
  /** The trees of the project as it was backed up, and as it is before each restore. */
  readonly old: string;
  readonly now: string;

  constructor(private readonly project: DrillProject) {
    const { root } = project;
    project.own();
    execFileSync('git', ['rm', '-r', '-q', '--cached', '.mesh/state'], { cwd: root });
    const folder = project.folder('files');
    this.file = join(folder, 'backup');
    this.log = join(folder, 'log');
    this.later = join(folder, 'later');
    this.mesh = join(root, '.mesh');
    getStore(join(this.mesh, 'state/mesh.db'), NEWEST);
    this.run('backup');
    this.run('restore');
    this.old = this.tree();
    this.change();
    this.now = this.tree();
    cpSync(this.mesh, this.later, { recursive: true });
  }

  /** Restores the backup and traces `call`, at whose `kill`-th occurrence the restore is killed. */
  restore(call: string, kill?: number): ReturnType<typeof watched> {
    return watched(this.command('restore'), call, {
      log: this.log,
      ...(kill !== undefined && { kill }),
      limitMs: 60_000,
      home: this.project.root,
    });
  }

  /** Finishes a restore as the next start does. Returns the tree that it leaves. */
  async finish(): Promise<string> {
    await finishRestore(this.mesh);
    return this.tree();
  }

  startOver(): void {
    rmSync(this.mesh, { recursive: true });
    mkdirSync(this.mesh);
    cpSync(this.later, this.mesh, { recursive: true });
  }

  private tree(): string {
    return JSON.stringify(meshTree(this.project.root));
  }

  private command(word: string): string[] {
    return [at('../../../dist/meshd.js'), word, this.file, '--root', this.project.root];
  }

  private run(word: string): void {
    const { status, stderr } = spawnSync(process.execPath, this.command(word), {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], HOME: this.project.root },
    });
    if (status !== 0) throw new Error(`meshd ${word} ${this.file}: ${stderr}`);
  }

  /** Changes, adds and removes files, and changes the store. */
  private change(): void {
    for (const [path, text] of Object.entries({
      ...members('new'),
      '.mesh/asks/ada.md': 'new',
      '.mesh/roadmap.md': 'new',
    }))
      this.project.put(path, text);
    rmSync(join(this.mesh, 'state/preferences.json'));
    const store = openSqlite(join(this.mesh, 'state/mesh.db'));
    store.exec("UPDATE messages SET text = 'new'");
    store.close();
  }
}

/** Returns every place at which a whole restore can be killed. */
function listPlaces(restored: RestoredProject): { call: string; kill: number }[] {
  const counts = new Map<string, number>();
  for (const call of CALLS) {
    counts.set(call, restored.restore(call).calls);
    restored.startOver();
  }
  return CALLS.flatMap((call) =>
    Array.from({ length: counts.get(call) ?? 0 }, (_, number) => ({ call, kill: number + 1 })),
  );
}

async function cutRestores(drill: Drill): Promise<void> {
  const restored = new RestoredProject(
    drill.project({
      ...members('old'),
      '.mesh/roadmap.md': 'old',
      '.mesh/state/preferences.json': '{"is":"old"}',
    }),
  );
  const places = listPlaces(restored);
  const faults: string[] = [];
  const ended = { old: 0, new: 0 };
  for (let round = 0; round < drill.bound('restores'); round += 1) {
    // If the rounds suffice, every place is tried once.
    const place = drill.bound('restores') >= places.length ? places[round] : drill.dice.pick(places);
    if (!place) break;
    const { isKilled } = restored.restore(place.call, place.kill);
    const is = await restored.finish();
    if (!isKilled) faults.push(`${place.call} ${place.kill} was never reached`);
    if (is === restored.old) ended.old += 1;
    else if (is === restored.now) ended.new += 1;
    else faults.push(`killed at ${place.call} ${place.kill}: neither what was nor what came in`);
    restored.startOver();
  }
  drill.none(
    'projects half restored',
    'projects',
    faults,
    `of ${places.length} places; ${ended.old} restored, ${ended.new} as they were`,
  );
}

await runDrill('cut-off', async (drill) => {
  if (!mayTrace(drill, 'it watches system calls with strace')) return;
  await cutRestores(drill);
  await cutMigrations(drill);
});
