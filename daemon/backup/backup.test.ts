import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { BackupFile, BackupManifest } from '../contract/backups.js';
import { sha256Hex } from '../lib/crypto/digests.js';
import { computePadding, TAR_BLOCK, tarHeader } from '../lib/text/ustar.js';
import { Database } from '../storage/database/database.js';
import { MIGRATIONS } from '../storage/database/migrations/index.js';
import { openSqlite } from '../storage/database/sqlite.js';
import { lockRestore } from '../storage/restore-moves.js';
import { meshTree } from '../testing/mesh-tree.js';
import { fillEveryTable } from '../testing/rows-everywhere.js';
import { putFiles, temporaryFolder } from '../testing/temporary-folder.js';
import { readBackup } from './read-backup.js';
import { restoreBackup, undoRestore } from './restore-backup.js';
import { writeBackup } from './write-backup.js';

const NOW = Date.UTC(2026, 10, 22, 11, 36);
const NEWEST = MIGRATIONS.length;
const FILES = {
  '.mesh/team/keeper.md': '---\nname: Keeper\n---\nKeep the lamp.\n',
  '.mesh/asks/keeper.md': '## Is it lit?\n',
  '.mesh/roadmap.md': '- [ ] oil: fill it\n',
  '.mesh/.gitignore': 'credentials/\nstate/\n',
  '.mesh/state/preferences.json': '{"theme":"dark"}\n',
  '.mesh/state/kept/0123': 'as it was\n',
  '.mesh/state/daemon.json': '{"secret":"of the process"}',
  '.mesh/state/daemon.log': 'words\n',
  '.mesh/state/runs/4711': 'a group\n',
  '.mesh/credentials/.gitignore': '*\n',
  '.mesh/credentials/team-tokens.json': '{"keeper":"mk_secret"}\n',
};

/** Creates a project with data in every table and folder, whose messages have the text `word`. */
function project(word: string): string {
  const root = temporaryFolder(FILES);
  for (const folder of ['state', 'credentials']) chmodSync(join(root, '.mesh', folder), 0o700);
  for (const path of [
    'state/preferences.json',
    'state/kept/0123',
    'credentials/.gitignore',
    'credentials/team-tokens.json',
  ])
    chmodSync(join(root, '.mesh', path), 0o600);
  putFiles(root, { '.mesh/team/word.md': word });
  const path = join(root, '.mesh/state/mesh.db');
  new Database(path).close();
  const database = openSqlite(path);
  fillEveryTable(database);
  database.prepare('UPDATE messages SET text = ?').run(word);
  database.close();
  return root;
}

const quiet = () => undefined;

async function getBackup(root: string, withCredentials = false): Promise<string> {
  const folder = temporaryFolder();
  const copy = join(folder, 'copy.db');
  writeFileSync(copy, readFileSync(join(root, '.mesh/state/mesh.db')));
  const file = join(folder, 'backup.tar.gz');
  await writeBackup({
    mesh: join(root, '.mesh'),
    file,
    working: folder,
    database: copy,
    project: 'lamp',
    version: '1',
    nowMs: NOW,
    withCredentials,
    onStep: quiet,
  });
  return file;
}

const restoring = (root: string) => ({ root, nowMs: NOW, environment: {}, onStep: quiet });
const pathsIn = async (file: string) => (await readBackup(file, async () => undefined)).files.map(({ path }) => path);

describe('a backup', () => {
  it("contains the project's own files and none of the running process, and tokens only on request", async () => {
    const root = project('one');
    symlinkSync('/etc/passwd', join(root, '.mesh/team/link.md'));
    const paths = [
      '.gitignore',
      'asks/keeper.md',
      'roadmap.md',
      'state/kept/0123',
      'state/preferences.json',
      'team/keeper.md',
      'team/word.md',
    ];
    const file = await getBackup(root);
    expect(await pathsIn(file)).toEqual([...paths, 'state/mesh.db']);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const withTokens = await pathsIn(await getBackup(root, true));
    expect(withTokens.filter((path) => !paths.includes(path))).toEqual([
      'credentials/.gitignore',
      'credentials/team-tokens.json',
      'state/mesh.db',
    ]);
  });

  it('reports what it leaves out', async () => {
    const root = project('one');
    symlinkSync('/etc/passwd', join(root, '.mesh/team/link.md'));
    putFiles(root, { [`.mesh/${'deep/'.repeat(60)}x`]: '', '.mesh/large.bin': 'x'.repeat(16 * 1024 * 1024 + 1) });
    const folder = temporaryFolder();
    const made = await writeBackup({
      mesh: join(root, '.mesh'),
      file: join(folder, 'b'),
      working: folder,
      database: undefined,
      project: 'lamp',
      version: '1',
      nowMs: NOW,
      withCredentials: false,
      onStep: quiet,
    });
    expect(made.left_out.map(({ path }) => path.slice(0, 9)).sort()).toEqual(['deep/deep', 'large.bin', 'team/link']);
    expect(made.schema).toBeNull();
  });

  it('overwrites nothing, and leaves no files when it fails', async () => {
    const root = project('one');
    const folder = temporaryFolder({ taken: 'mine', 'damaged.db': 'x'.repeat(9000) });
    const order = {
      mesh: join(root, '.mesh'),
      working: folder,
      project: 'lamp',
      version: '1',
      nowMs: NOW,
      withCredentials: false,
      onStep: quiet,
    };
    await expect(writeBackup({ ...order, file: join(folder, 'taken'), database: undefined })).rejects.toMatchObject({
      code: 'file_changed',
    });
    await expect(
      writeBackup({ ...order, file: join(folder, 'new'), database: join(folder, 'damaged.db') }),
    ).rejects.toMatchObject({
      code: 'store_readonly',
    });
    expect(readdirSync(folder).sort()).toEqual(['damaged.db', 'taken']);
    expect(readFileSync(join(folder, 'taken'), 'utf8')).toBe('mine');
  });

  it.each(['ENOSYS', 'EACCES', 'EPERM'])(
    'needs no hard links (%s), and overwrites nothing then either',
    async (code) => {
      const root = temporaryFolder(FILES);
      const folder = temporaryFolder({ taken: 'mine' });
      const spy = vi.spyOn(promises, 'link').mockRejectedValue(Object.assign(new Error(code), { code }));
      syncBuiltinESMExports();
      onTestFinished(() => {
        spy.mockRestore();
        syncBuiltinESMExports();
      });
      const order = { mesh: join(root, '.mesh'), working: folder, database: undefined, project: 'lamp', version: '1' };
      const write = (name: string) =>
        writeBackup({ ...order, file: join(folder, name), nowMs: NOW, withCredentials: false, onStep: quiet });
      await write('new');
      expect(await pathsIn(join(folder, 'new'))).toContain('roadmap.md');
      await expect(write('taken')).rejects.toMatchObject({ code: 'file_changed' });
      expect([readdirSync(folder).sort(), readFileSync(join(folder, 'taken'), 'utf8')]).toEqual([
        ['new', 'taken'],
        'mine',
      ]);
    },
  );
});

describe('a restore', () => {
  it('restores everything, keeps tokens and keys, and can be undone and redone', async () => {
    const root = project('one');
    const file = await getBackup(root);
    const was = meshTree(root);
    rmSync(join(root, '.mesh/asks'), { recursive: true });
    putFiles(root, {
      // Left by a restore that was killed.
      '.mesh/state/restore.lock-journal': '',
      '.mesh/state/restore-0123456789abcdef/team/x.md': 'half',
      '.mesh/team/word.md': 'two',
      '.mesh/team/later.md': 'later',
      '.mesh/state/later.json': '{}',
      '.mesh/credentials/team-tokens.json': '{"keeper":"mk_later"}\n',
    });
    const database = openSqlite(join(root, '.mesh/state/mesh.db'));
    database.exec('DELETE FROM messages');
    database.close();
    const later = meshTree(root);

    const { aside, files, backup } = await restoreBackup(file, restoring(root));
    expect([files, backup?.schema, backup?.credentials]).toEqual([8, NEWEST, false]);
    const tokens = 'credentials/team-tokens.json';
    expect(meshTree(root)).toEqual({ ...was, [tokens]: later[tokens] });
    expect(readFileSync(join(aside, 'team/later.md'), 'utf8')).toBe('later');
    // Files of the process, and files that are recreated, are unchanged.
    expect(readFileSync(join(root, '.mesh/state/daemon.log'), 'utf8')).toBe('words\n');

    await undoRestore(restoring(root));
    expect(meshTree(root)).toEqual(later);
    await undoRestore(restoring(root));
    expect(meshTree(root)).toEqual({ ...was, [tokens]: later[tokens] });
  });

  it('undoes the last of several restores in the same second', async () => {
    const root = project('one');
    const file = await getBackup(root);
    for (const word of ['first', 'second', 'third', 'fourth', 'fifth']) {
      putFiles(root, { '.mesh/team/word.md': word });
      await restoreBackup(file, restoring(root));
    }
    await undoRestore(restoring(root));
    expect(readFileSync(join(root, '.mesh/team/word.md'), 'utf8')).toBe('fifth');
  });

  it('restores tokens and keys from a backup that contains them', async () => {
    const root = project('one');
    const file = await getBackup(root, true);
    const was = meshTree(root);
    putFiles(root, { '.mesh/credentials/team-tokens.json': '{}', '.mesh/credentials/other.key': 'x' });
    await restoreBackup(file, restoring(root));
    expect(meshTree(root)).toEqual(was);
    expect(statSync(join(root, '.mesh/credentials')).mode & 0o777).toBe(0o700);
  });

  it('works in a folder without a .mesh', async () => {
    const from = project('one');
    const root = temporaryFolder();
    await restoreBackup(await getBackup(from, true), restoring(root));
    expect(meshTree(root)).toEqual(meshTree(from));
    await undoRestore(restoring(root));
    expect(readdirSync(join(root, '.mesh')).sort()).toEqual(['.gitignore', 'credentials', 'state']);
  });

  it.each<[string, (path: string) => void]>([
    ['damaged', (path) => writeFileSync(path, 'x'.repeat(9000))],
    ['empty', (path) => writeFileSync(path, '')],
    ['gone', (path) => rmSync(path)],
  ])('replaces a database that is %s', async (_how, damage) => {
    const root = project('one');
    const file = await getBackup(root);
    const was = meshTree(root);
    damage(join(root, '.mesh/state/mesh.db'));
    await restoreBackup(file, restoring(root));
    expect(meshTree(root)).toEqual(was);
  });

  it('of an older schema is migrated by the next daemon', async () => {
    const root = project('one');
    const path = join(root, '.mesh/state/mesh.db');
    rmSync(path);
    const old = openSqlite(path);
    for (const migration of MIGRATIONS.slice(0, 3)) old.exec(migration);
    old.pragma('user_version = 3');
    fillEveryTable(old);
    old.close();
    await restoreBackup(await getBackup(root), restoring(root));
    const store = new Database(path);
    expect([store.state, store.sql('SELECT count(*) AS n FROM messages').get()]).toEqual(['ok', { n: 2 }]);
    store.close();
  });

  it('is rejected while a daemon holds the project, and while another restore runs', async () => {
    const root = project('one');
    const file = await getBackup(root);
    const held = new Database(join(root, '.mesh/state/mesh.db'));
    await expect(restoreBackup(file, restoring(root))).rejects.toMatchObject({ code: 'in_flight' });
    held.close();
    const unlock = lockRestore(join(root, '.mesh'));
    await expect(restoreBackup(file, restoring(root))).rejects.toMatchObject({ code: 'in_flight' });
    unlock();
    await expect(restoreBackup(file, restoring(root))).resolves.toBeDefined();
  });

  it('is rejected when one of the folders is a link', async () => {
    const file = await getBackup(project('one'));
    const elsewhere = temporaryFolder();
    for (const link of ['.mesh', '.mesh/state', '.mesh/credentials']) {
      const root = temporaryFolder();
      if (link !== '.mesh') mkdirSync(join(root, '.mesh'));
      symlinkSync(elsewhere, join(root, link));
      await expect(restoreBackup(file, restoring(root))).rejects.toMatchObject({ code: 'forbidden' });
    }
    expect(readdirSync(elsewhere)).toEqual([]);
  });
});

/** An archive built by hand. */
interface Made {
  manifest?: object | string;
  entries?: { path: string; contents: Buffer | string; kind?: string; bytes?: number }[];
  end?: Buffer;
}

function entry(path: string, contents: Buffer | string, kind = '0', bytes = Buffer.byteLength(contents)): Buffer {
  const header = tarHeader({ path, bytes, modified: 0 });
  header.write(kind, 156);
  header.write(' '.repeat(8), 148);
  header.write(
    `${header
      .reduce((sum, byte) => sum + byte, 0)
      .toString(8)
      .padStart(6, '0')}\0 `,
    148,
  );
  return Buffer.concat([header, Buffer.from(contents), Buffer.alloc(computePadding(Buffer.byteLength(contents)))]);
}

const described = (path: string, contents: Buffer | string): BackupFile => ({
  path,
  bytes: Buffer.byteLength(contents),
  sha256: sha256Hex(contents),
});

const getManifest = (files: BackupFile[], more: Partial<Record<keyof BackupManifest, unknown>> = {}) => ({
  format: 1,
  meshd: '1',
  project: 'lamp',
  made_at: '2026-11-22T11:36:00.000Z',
  schema: null,
  credentials: false,
  files,
  ...more,
});

function madeBackup({ manifest, entries = [], end = Buffer.alloc(2 * TAR_BLOCK) }: Made): Buffer {
  const files = entries.map(({ path, contents }) => described(path.replace(/^\.mesh\//, ''), contents));
  const text = typeof manifest === 'string' ? manifest : JSON.stringify(manifest ?? getManifest(files));
  return gzipSync(
    Buffer.concat([
      entry('meshd-backup.json', text),
      ...entries.map(({ path, contents, kind, bytes }) => entry(path, contents, kind, bytes)),
      end,
    ]),
  );
}

/** Builds a backup whose only file has that path. */
const only = (
  path: string,
  contents: Buffer | string = 'x',
  more: Partial<Record<keyof BackupManifest, unknown>> = {},
) =>
  madeBackup({
    manifest: getManifest([described(path, contents)], more),
    entries: [{ path: `.mesh/${path}`, contents }],
  });

function storeBytes(schema: number): Buffer {
  const path = join(temporaryFolder(), 'mesh.db');
  new Database(path).close();
  const database = openSqlite(path);
  database.pragma(`user_version = ${schema}`);
  database.close();
  return readFileSync(path);
}

const HOSTILE: readonly (readonly [what: string, bytes: () => Buffer])[] = [
  ['nothing', () => Buffer.alloc(0)],
  ['something else', () => Buffer.from('hello')],
  ['an archive of something else', () => gzipSync(entry('README.md', 'x'))],
  ...['../x', 'team/../../x', '/etc/x', 'team//x', 'team/./x', 'team\\x', 'team/\u0000x', 'C:/x', ''].map(
    (path) =>
      [
        `the path ${JSON.stringify(path)}`,
        () =>
          madeBackup({ manifest: getManifest([described(path, 'x')]), entries: [{ path: '.mesh/x', contents: 'x' }] }),
      ] as const,
  ),
  ...[
    'state/daemon.json',
    'state/restore.json',
    'state/restore.lock',
    'state/runs/1',
    'state/mesh.db-wal',
    'state/mesh.db/x',
    'state/before-restore-1/x',
    'state',
    'credentials/team-tokens.json',
    'credentials',
  ].map((path) => [`the file ${path}`, () => only(path)] as const),
  ['a link', () => madeBackup({ entries: [{ path: '.mesh/team/x', contents: '', kind: '2' }] })],
  ['a hard link', () => madeBackup({ entries: [{ path: '.mesh/team/x', contents: '', kind: '1' }] })],
  ['a folder', () => madeBackup({ entries: [{ path: '.mesh/team', contents: '', kind: '5' }] })],
  ['a device', () => madeBackup({ entries: [{ path: '.mesh/team/x', contents: '', kind: '3' }] })],
  ['a file twice', () => madeBackup({ entries: [1, 2].map(() => ({ path: '.mesh/team/x', contents: 'x' })) })],
  [
    'a file and a folder of one name',
    () => madeBackup({ entries: ['.mesh/team', '.mesh/team/x'].map((path) => ({ path, contents: 'x' })) }),
  ],
  [
    'a file that is not named',
    () => madeBackup({ manifest: getManifest([]), entries: [{ path: '.mesh/team/x', contents: 'x' }] }),
  ],
  ['a file that is missing', () => madeBackup({ manifest: getManifest([described('team/x', 'x')]) })],
  [
    'files in another order',
    () =>
      madeBackup({
        manifest: getManifest([described('b', 'x'), described('a', 'x')]),
        entries: ['.mesh/a', '.mesh/b'].map((path) => ({ path, contents: 'x' })),
      }),
  ],
  [
    'other contents',
    () =>
      madeBackup({
        manifest: getManifest([described('team/x', 'x')]),
        entries: [{ path: '.mesh/team/x', contents: 'y' }],
      }),
  ],
  [
    'a size that is not so',
    () =>
      madeBackup({
        manifest: getManifest([{ ...described('team/x', 'x'), bytes: 2 }]),
        entries: [{ path: '.mesh/team/x', contents: 'x' }],
      }),
  ],
  [
    'more than it declares',
    () => madeBackup({ entries: [{ path: '.mesh/team/x', contents: Buffer.alloc(4096), bytes: 512 }] }),
  ],
  ['a file that is too large', () => only('team/x', Buffer.alloc(16 * 1024 * 1024 + 1))],
  ['bytes behind its end', () => madeBackup({ end: Buffer.concat([Buffer.alloc(2 * TAR_BLOCK), Buffer.from('x')]) })],
  ['no end', () => madeBackup({ end: Buffer.alloc(0) })],
  ['a manifest that is not JSON', () => madeBackup({ manifest: '{' })],
  ['a manifest that is null', () => madeBackup({ manifest: 'null' })],
  ['a manifest with a further key', () => madeBackup({ manifest: { ...getManifest([]), more: 1 } })],
  ['a later format', () => madeBackup({ manifest: getManifest([], { format: 2 }) })],
  ['a schema without a database', () => madeBackup({ manifest: getManifest([], { schema: 1 }) })],
  ['a database without a schema', () => only('state/mesh.db', storeBytes(NEWEST))],
  [
    'a database of another schema than it says',
    () => only('state/mesh.db', storeBytes(NEWEST), { schema: NEWEST - 1 }),
  ],
];
const UNFIT: readonly (readonly [what: string, bytes: () => Buffer])[] = [
  ['of a newer version', () => only('state/mesh.db', storeBytes(NEWEST + 1), { schema: NEWEST + 1 })],
  ['that is damaged', () => only('state/mesh.db', storeBytes(NEWEST).fill(0xff, 8192, 20_000), { schema: NEWEST })],
  ['that is none', () => only('state/mesh.db', 'x'.repeat(9000), { schema: NEWEST })],
  ['that is empty', () => only('state/mesh.db', '', { schema: NEWEST })],
];

/** Reports whether both unpack to the same bytes: some bits of compressed data have no effect. */
function isSameInside(one: Buffer, other: Buffer): boolean {
  try {
    return gunzipSync(other).equals(gunzipSync(one));
  } catch {
    return false;
  }
}

describe('an invalid or incomplete backup', () => {
  /** Tries to restore `bytes`. Returns the error, or 'restored'. */
  async function toRefusal(root: string, bytes: Buffer): Promise<unknown> {
    const file = join(temporaryFolder(), 'backup');
    writeFileSync(file, bytes);
    return await restoreBackup(file, restoring(root)).then(
      () => 'restored',
      (error: unknown) => error,
    );
  }

  it('is rejected with the defect, and changes nothing', async () => {
    const root = project('one');
    const was = meshTree(root);
    for (const [what, bytes] of HOSTILE) {
      expect(await toRefusal(root, bytes()), what).toMatchObject({
        code: expect.stringMatching(/^(bad_request|file_changed)$/),
      });
    }
    for (const [what, bytes] of UNFIT)
      expect(await toRefusal(root, bytes()), what).toMatchObject({ code: 'store_readonly' });
    expect(meshTree(root)).toEqual(was);
    expect(readdirSync(join(root, '.mesh/state')).filter((name) => /restore-/.test(name))).toEqual([]);
  });

  it('is rejected when it was truncated anywhere or a byte was changed', async () => {
    const root = project('one');
    const was = meshTree(root);
    const whole = readFileSync(await getBackup(root));
    for (let part = 1; part < 24; part += 1) {
      const at = Math.floor((whole.length * part) / 24);
      expect(await toRefusal(root, whole.subarray(0, at)), `cut at ${at}`).toMatchObject({ code: 'bad_request' });
      const changed = Buffer.from(whole);
      changed[at] = (changed[at] as number) ^ 0x40;
      if (isSameInside(whole, changed)) continue;
      expect(await toRefusal(root, changed), `byte ${at}`).toMatchObject({ code: 'bad_request' });
    }
    expect(meshTree(root)).toEqual(was);
  });
});
