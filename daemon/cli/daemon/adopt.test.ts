import { existsSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import type SQLite from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { ADOPT_GROUPS, type AdoptableGroup, type Adoption } from '../../contract/foreign-state.js';
import { Database } from '../../storage/database/database.js';
import { openSqlite } from '../../storage/database/sqlite.js';
import { atTerminal, type CommandOutput, meshd, meshdIn } from '../../testing/processes/command-line.js';
import { fillEveryTable, rowsOfEveryTable } from '../../testing/rows-everywhere.js';
import { putFiles, temporaryFolder } from '../../testing/temporary-folder.js';
import { ownState, userFolders } from '../../testing/user-folders.js';

const FILES = {
  'credentials/team-tokens.json': '{"keeper":"mk_secret"}\n',
  'credentials/identity.key': 'c2VlZA==\n',
  'credentials/wallets.json': '{"wallets":{}}\n',
  'state/preferences.json': '{"theme":"dark"}\n',
};

/** Sets rows to states in which they would act at the next start. */
const ACTS = `UPDATE turns SET state = 'queued'; UPDATE asks SET status = 'queued'; UPDATE permissions SET decision = 'allow_always';
  UPDATE calls SET state = 'waiting'; UPDATE wallet_transfers SET state = 'signed';
  UPDATE schedules SET paused = 0; UPDATE schedule_runs SET state = 'waiting'`;

interface Foreign {
  root: string;
  folder: string;
  rows: Record<string, unknown[]>;
}

/** A project whose state was set aside: files of every kind, and a store with a row in every table. */
function foreign(): Foreign {
  const folder = '.mesh/foreign-20260102T030405Z';
  const root = temporaryFolder({ '.mesh/STANDARD_VERSION': '30\n' });
  putFiles(join(root, folder), FILES);
  const path = join(root, folder, 'state/mesh.db');
  new Database(path).close();
  const store = openSqlite(path);
  fillEveryTable(store);
  store.exec(ACTS);
  const rows = rowsOfEveryTable(store);
  store.close();
  return { root, folder, rows };
}

const adopt = (root: string, ...args: string[]): Promise<CommandOutput> =>
  meshdIn(root, { variables: { PATH: process.env['PATH'], ...userFolders() } }, 'adopt', ...args);

function listRows(root: string): unknown {
  const store = openSqlite(join(root, '.mesh/state/mesh.db'));
  try {
    return rowsOfEveryTable(store);
  } finally {
    store.close();
  }
}

const read = (root: string, path: string) => readFileSync(join(root, '.mesh', path), 'utf8');

describe('meshd adopt', () => {
  it('reports that nothing was set aside, or that there is no such folder', async () => {
    const { root } = foreign();
    expect(await adopt(temporaryFolder({ '.mesh/x': '' }), '--all')).toMatchObject({
      exit: 4,
      err: expect.stringContaining('nothing was set aside'),
    });
    expect(await adopt(root, 'foreign-1', '--all')).toMatchObject({
      exit: 4,
      err: expect.stringContaining('foreign-20260102T030405Z'),
    });
  });

  it('adopts everything but worktrees without loss and removes the emptied folder', async () => {
    const { root, folder, rows } = foreign();
    const { exit, out } = await adopt(root, '--all', '--json');
    const adoption = JSON.parse(out) as Adoption;
    expect([exit, adoption.removed, existsSync(join(root, folder))]).toEqual([0, true, false]);
    for (const [path, text] of Object.entries(FILES)) expect([path, read(root, path)]).toEqual([path, text]);
    expect(rows['worktrees']).not.toEqual([]);
    expect(listRows(root)).toEqual({ ...rows, worktrees: [] });
  });

  it('lists the groups without a terminal and requires a choice', async () => {
    const { root, folder } = foreign();
    const { exit, err } = await adopt(root);
    expect([exit, existsSync(join(root, folder))]).toEqual([9, true]);
    for (const word of [
      'team-tokens.json (1)',
      'identity.key',
      'wallets.json (1)',
      'mesh.db',
      'queued turns',
      'permissions',
      '--take',
    ])
      expect(err).toContain(word);
    expect(err).not.toContain('mk_secret');
    expect(err).toMatch(/^ {2}tokens {6}team-tokens\.json \(1\)$/m);
    const told = JSON.parse((await adopt(root, '--json')).out) as { message: string; groups: AdoptableGroup[] };
    expect(told).toMatchObject({ error: 'needs_person', folder });
    expect(told.groups.map(({ group }) => group)).toEqual([...ADOPT_GROUPS]);
    const held = told.groups.filter(({ holds }) => holds.length > 0).map(({ group }) => group);
    expect(held.length).toBeLessThan(ADOPT_GROUPS.length);
    expect(told.message).toContain(`${folder} holds ${held.join(', ')}: give --all or --take`);
    for (const group of ADOPT_GROUPS) expect(new RegExp(`^ {2}${group} `, 'm').test(err)).toBe(held.includes(group));
  });

  it('removes rows that would act at the next start, and leaves the other groups in place', async () => {
    const { root, folder } = foreign();
    const { exit, out } = await adopt(root, '--take', 'records');
    expect([exit, out]).toEqual([0, expect.stringContaining(`stays in ${folder}`)]);
    const store = openSqlite(join(root, '.mesh/state/mesh.db'));
    const count = (sql: string) => store.prepare(sql).pluck().get();
    expect([
      count("SELECT count(*) FROM turns WHERE state <> 'ended'"),
      count("SELECT count(*) FROM asks WHERE status IN ('queued', 'running', 'needs_input')"),
      count("SELECT count(*) FROM permissions WHERE decision LIKE 'allow%'"),
      count("SELECT count(*) FROM calls WHERE state IN ('running', 'waiting')"),
      count('SELECT count(*) FROM a2a_push_configs'),
      count("SELECT count(*) FROM wallet_transfers WHERE state = 'signed'"),
      count('SELECT count(*) FROM schedules WHERE paused = 0'),
      count("SELECT count(*) FROM schedule_runs WHERE state IN ('waiting', 'running')"),
    ]).toEqual([0, 0, 0, 0, 0, 0, 0, 0]);
    expect(count('SELECT count(*) FROM conversations')).toBeGreaterThan(0);
    store.close();
    expect([
      existsSync(join(root, '.mesh/credentials/team-tokens.json')),
      existsSync(join(root, folder, 'state/mesh.db')),
    ]).toEqual([false, true]);
  });

  it('prompts for each group at a terminal, and for groups of the records only if those are adopted', async () => {
    const { root } = foreign();
    const session = atTerminal(root, 'adopt');
    for (const [question, answer] of [
      ['members', 'y'],
      ['keys', 'n'],
      ['wallets', ''],
      ['settings', 'yes'],
      ['records', 'n'],
    ] as const) {
      await session.until('err', new RegExp(`Take over ${question}.*\\[y/N\\] `));
      session.type(`${answer}\n`);
    }
    expect(await session.exit).toBe(0);
    expect(session.out).toMatch(/^Took over tokens, settings\. /);
    expect([
      existsSync(join(root, '.mesh/credentials/team-tokens.json')),
      existsSync(join(root, '.mesh/state/mesh.db')),
    ]).toEqual([true, false]);
  });

  it('is undone by `meshd restore --undo`', async () => {
    const { root } = foreign();
    putFiles(root, { '.mesh/credentials/team-tokens.json': '{"mine":"mk_mine"}\n' });
    expect(await meshdIn(root, {}, 'adopt', '--take', 'tokens')).toMatchObject({ exit: 0 });
    expect(read(root, 'credentials/team-tokens.json')).toBe(FILES['credentials/team-tokens.json']);
    expect(await meshd(root, 'restore', '--undo')).toMatchObject({ exit: 0 });
    expect(read(root, 'credentials/team-tokens.json')).toContain('mk_mine');
  });

  it.each([
    [
      'a trigger',
      (store: SQLite.Database) => store.exec('CREATE TRIGGER t AFTER INSERT ON turns BEGIN DELETE FROM asks; END'),
    ],
    [
      'a view',
      (store: SQLite.Database) =>
        store.exec('ALTER TABLE permissions RENAME TO p; CREATE VIEW permissions AS SELECT * FROM p'),
    ],
    ['a newer schema', (store: SQLite.Database) => store.pragma('user_version = 999')],
  ])('adopts no records with %s in them', async (_, spoil) => {
    const { root, folder } = foreign();
    const store = openSqlite(join(root, folder, 'state/mesh.db'));
    spoil(store);
    store.close();
    expect(await adopt(root, '--take', 'records')).toMatchObject({
      exit: 2,
      err: expect.stringContaining('cannot be taken over'),
    });
    expect(existsSync(join(root, '.mesh/state/mesh.db'))).toBe(false);
  });

  it('follows no symbolic link in the folder that was set aside', async () => {
    const { root, folder } = foreign();
    const place = join(root, folder, 'credentials/wallets.json');
    rmSync(place);
    putFiles(root, { 'outside.json': '{"key":"theirs"}' });
    symlinkSync(join(root, 'outside.json'), place);
    expect(await adopt(root, '--take', 'wallets')).toMatchObject({
      exit: 2,
      err: expect.stringContaining('symbolic link'),
    });
    expect(readdirSync(join(root, '.mesh/credentials'))).toEqual(['.gitignore']);
  });

  it('rejects invalid arguments with the reason', async () => {
    const { root } = foreign();
    expect(await adopt(root, '--take', 'turns')).toMatchObject({ exit: 2, err: expect.stringContaining('records') });
    expect(await adopt(root, '--take', 'everything')).toMatchObject({
      exit: 2,
      err: expect.stringContaining('"everything"'),
    });
    expect(await adopt(root, '--all', '--take', 'keys')).toMatchObject({ exit: 2 });
  });

  it('takes nothing when the input ends before the last answer', async () => {
    const { root, folder } = foreign();
    const session = atTerminal(root, 'adopt');
    await session.until('err', /Take over members.*\[y\/N\] /);
    session.type('y\n');
    await session.until('err', /Take over keys.*\[y\/N\] /);
    session.stdin.end();
    expect(await session.exit).toBe(0);
    expect(session.out).toBe(`Nothing was taken over; ${folder} stays as it is. Remove it when you do not need it.\n`);
    expect(existsSync(join(root, folder, 'credentials/team-tokens.json'))).toBe(true);
  });

  it('takes the groups of a list with spaces, and says how to undo it where something was replaced', async () => {
    const { root, folder } = foreign();
    ownState(root);
    putFiles(root, { '.mesh/credentials/team-tokens.json': '{"mine":"mk_mine"}\n' });
    expect((await adopt(root, '--take', 'tokens, wallets')).out).toBe(
      `Took over tokens, wallets. What was not taken stays in ${folder}; remove it when you do not need it. ` +
        '`meshd restore --undo` puts back what was there before.\n',
    );
  });
});
