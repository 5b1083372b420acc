import { randomBytes } from 'node:crypto';
import { constants, createReadStream, createWriteStream, existsSync, readdirSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type SQLite from 'better-sqlite3';
import type { AdoptableGroup, AdoptGroup, Adoption } from '../contract/foreign-state.js';
import { MeshError } from '../lib/errors.js';
import { openPrivateSync } from '../private/private-file.js';
import { CREDENTIAL_NAMES, listPaths, STATE_NAMES } from '../private/private-names.js';
import { openSqlite } from '../storage/database/sqlite.js';
import { findForeignSchema, quickCheck } from '../storage/database/store-schema.js';
import { listForeignFolders } from '../storage/foreign-folders.js';
import { isDecidedOn, type RestoreMoves, restore } from '../storage/restore-moves.js';
import { ACTING, describeForeign, FILES, listImportTexts, RECORDS } from './foreign-inventory.js';
import { alone, type RestoreOrder } from './restore-backup.js';

interface AdoptOrder extends RestoreOrder {
  /** The folder to adopt from, below `.mesh`; undefined selects the newest one. */
  folder: string | undefined;
  /** Selects the groups to adopt from those that the folder contains. */
  choose: (folder: string, groups: readonly AdoptableGroup[]) => Promise<ReadonlySet<AdoptGroup>>;
}

/** Copies a private file of this user. Returns false when it does not exist. */
async function copyFile(from: string, to: string): Promise<boolean> {
  const file = openPrivateSync(from, constants.O_RDONLY);
  if (file === undefined) return false;
  await mkdir(dirname(to), { recursive: true, mode: 0o700 });
  await pipeline(createReadStream('', { fd: file }), createWriteStream(to, { flags: 'wx', mode: 0o600, flush: true }));
  return true;
}

/** Disables the rows of a copied store that would cause actions and were not selected, and forgets its worktrees. */
function disarm(store: SQLite.Database, taken: ReadonlySet<AdoptGroup>, nowMs: number): void {
  const tables = new Set(store.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all());
  for (const group of ['turns', 'permissions', 'calls'] as const) {
    if (taken.has(group)) continue;
    for (const { table, where, set } of ACTING[group]) {
      // Written by an earlier version, which had no such table.
      if (!tables.has(table)) continue;
      if (set === undefined) store.exec(`DELETE FROM ${table} WHERE ${where}`);
      else store.prepare(`UPDATE ${table} SET ${set} WHERE ${where}`).run({ now: nowMs });
    }
  }
  // They name folders: of the project from which the state was copied, or any others. Conversations get new ones.
  if (tables.has('worktrees')) store.exec('DELETE FROM worktrees');
}

/** Copies the store with its write-ahead log, checkpoints the log and removes what was not selected. */
async function stageRecords(from: string, to: string, taken: ReadonlySet<AdoptGroup>, nowMs: number): Promise<boolean> {
  if (!(await copyFile(from, to))) return false;
  await copyFile(`${from}-wal`, `${to}-wal`);
  const store = openSqlite(to);
  try {
    for (const pragma of ['trusted_schema = OFF', 'synchronous = FULL', 'journal_mode = DELETE']) store.pragma(pragma);
    const problem = quickCheck(store) ?? findForeignSchema(store);
    if (problem !== undefined) throw new MeshError('bad_request', `The records cannot be taken over: ${problem}.`);
    store.transaction(() => disarm(store, taken, nowMs))();
    return true;
  } finally {
    store.close();
  }
}

/**
 * Copies the selected groups into `staged`, laid out like `.mesh`. Returns the names to
 * move into place, the store last.
 */
async function stage(
  foreign: string,
  staged: string,
  taken: ReadonlySet<AdoptGroup>,
  nowMs: number,
): Promise<string[]> {
  const names: string[] = [];
  for (const [group, paths] of Object.entries(FILES)) {
    if (!taken.has(group as AdoptGroup)) continue;
    for (const path of paths) {
      const texts = path === 'state/imports' ? listImportTexts(foreign) : [path];
      let isStaged = false;
      for (const one of texts) if (await copyFile(join(foreign, one), join(staged, one))) isStaged = true;
      if (isStaged) names.push(path);
    }
  }
  if (taken.has('records') && (await stageRecords(join(foreign, RECORDS), join(staged, RECORDS), taken, nowMs)))
    names.push(RECORDS);
  return names;
}

/**
 * Reports whether the folder holds entries that belong to no group and are not recreated by a start: earlier restores,
 * and files that meshd does not know.
 */
function hasUnknownFiles(foreign: string): boolean {
  const known = new Set([
    ...Object.entries(STATE_NAMES).flatMap(([name, kind]) => listPaths(name, kind).map((path) => `state/${path}`)),
    ...Object.keys(CREDENTIAL_NAMES).map((name) => `credentials/${name}`),
  ]);
  return ['state', 'credentials'].some((part) => {
    const folder = join(foreign, part);
    return existsSync(folder) && readdirSync(folder).some((name) => !known.has(`${part}/${name}`));
  });
}

function findFolder(mesh: string, asked: string | undefined): string {
  const names = listForeignFolders(mesh);
  const name = asked === undefined ? names.at(-1) : names.find((one) => one === asked.replace(/^\.mesh\//, ''));
  if (name !== undefined) return name;
  const there = names.length === 0 ? 'nothing was set aside here' : `there is ${names.join(', ')}`;
  throw new MeshError(
    'not_found',
    asked === undefined ? `There is nothing to adopt: ${there}.` : `There is no ${asked}: ${there}.`,
  );
}

/**
 * Adopts the groups that `choose` selects from a folder of foreign state. They are copied, the store without what was
 * not selected, and moved into place like a restore: a kill in between leaves all of the old or all of the new, and
 * `meshd restore --undo` puts back the previous content. A folder whose whole content was adopted is removed. Throws
 * `not_found`, `in_flight` while a daemon runs, `forbidden` while git tracks state or credentials, and `bad_request`
 * for content that cannot be adopted.
 */
export async function adoptState({ folder: asked, choose, ...order }: AdoptOrder): Promise<Adoption> {
  return alone(order, async ({ path: mesh, state }, aside) => {
    const name = findFolder(mesh, asked);
    const foreign = join(mesh, name);
    const groups = describeForeign(foreign);
    const taken = await choose(`.mesh/${name}`, groups);
    const refused = groups.find(({ group, problem }) => taken.has(group) && problem !== undefined);
    if (refused) throw new MeshError('bad_request', `${refused.group} cannot be taken over: ${refused.problem}.`);
    const from = `restore-${randomBytes(8).toString('hex')}`;
    const staged = join(state, from);
    const moves: RestoreMoves = { from, aside, replace: [], remove: [] };
    try {
      order.onStep('Copying what is taken over.');
      await mkdir(staged, { mode: 0o700 });
      moves.replace = await stage(foreign, staged, taken, order.nowMs);
      if (moves.replace.length > 0) await restore(mesh, moves);
    } finally {
      // After the restore is committed, the staged files are needed to finish it.
      if (!(await isDecidedOn(mesh))) await rm(staged, { recursive: true, force: true });
    }
    const isTaken = groups.every(({ group, holds }) => holds.length === 0 || taken.has(group));
    const isWhole = isTaken && !hasUnknownFiles(foreign);
    if (isWhole) await rm(foreign, { recursive: true, force: true });
    return {
      folder: `.mesh/${name}`,
      groups: groups.map((one) => ({ ...one, taken: one.holds.length > 0 && taken.has(one.group) })),
      aside: moves.replace.length > 0 ? `.mesh/state/${aside}` : null,
      removed: isWhole,
    };
  });
}
