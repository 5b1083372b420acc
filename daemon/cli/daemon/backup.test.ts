import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, realpathSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { BackupMade, Restored } from '../../contract/backups.js';
import { entryName } from '../../lib/project-entry.js';
import { openSqlite } from '../../storage/database/sqlite.js';
import { removeDaemonFile } from '../../storage/files/daemon-file.js';
import { finishRestore } from '../../storage/restore-moves.js';
import { meshTree } from '../../testing/mesh-tree.js';
import { atTerminal, daemon, meshd, meshdIn, PROGRAM } from '../../testing/processes/command-line.js';
import { putFiles, temporaryFolder } from '../../testing/temporary-folder.js';
import { ownState } from '../../testing/user-folders.js';

const asks = (root: string) => {
  const database = openSqlite(join(root, '.mesh/state/mesh.db'));
  const texts = database.prepare('SELECT text FROM asks ORDER BY seq').pluck().all();
  database.close();
  return texts;
};

describe('meshd backup', () => {
  it('includes all that a running daemon has acknowledged, without its tokens', async () => {
    const app = await daemon();
    const token = await app.getToken('consultant');
    const file = join(temporaryFolder(), 'lamp.tar.gz');
    await app.ask('consultant', { text: 'before' });
    const later = Array.from({ length: 5 }, (_, at) => app.ask('consultant', { text: `meanwhile ${at}` }));
    const { exit, out, err } = await meshd(app.root, 'backup', file, '--json');
    await Promise.all(later);
    expect([exit, err]).toEqual([0, '']);
    expect(JSON.parse(out) as BackupMade).toMatchObject({ file, credentials: false, left_out: [] });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(gunzipSync(readFileSync(file)).includes(token)).toBe(false);
    // The temporary copies of the daemon and of the command are gone.
    expect(readdirSync(join(app.root, '.mesh/state')).filter((name) => name.startsWith('.copy'))).toEqual([]);
    expect(readdirSync(join(file, '..'))).toEqual(['lamp.tar.gz']);

    const elsewhere = temporaryFolder();
    expect(await meshd(elsewhere, 'restore', file)).toMatchObject({
      exit: 0,
      out: expect.stringMatching(/^Restored 1\d files of meshd_test-/),
    });
    expect(asks(elsewhere)[0]).toBe('before');
    expect(readdirSync(join(elsewhere, '.mesh/credentials'))).toEqual(['.gitignore']);
  });

  it('says that there is no database, and refuses while a daemon runs whose database was removed', async () => {
    const root = realpathSync(temporaryFolder({ '.mesh/team/lamp.md': 'x' }));
    const variables = { XDG_STATE_HOME: temporaryFolder() };
    const entry = { root, name: 'lamp', pid: process.pid, address: 'http://127.0.0.1:4747', port: 4747 };
    putFiles(variables.XDG_STATE_HOME, { [`meshd/projects/${entryName(root)}`]: JSON.stringify(entry) });
    const file = join(temporaryFolder(), 'lamp.tar.gz');
    expect(await meshdIn(root, { variables }, 'backup', file)).toMatchObject({
      exit: 6,
      err: expect.stringContaining(`(pid ${process.pid}) runs, but its database was removed`),
    });
    expect(existsSync(file)).toBe(false);
    expect(await meshd(root, 'backup', file)).toMatchObject({
      exit: 0,
      err: expect.stringContaining('There is no database here: only files are kept.'),
    });
  });

  it.each(['..x.tar.gz', 'link/x.tar.gz'])('writes no tokens to %s in the project', async (name) => {
    const root = realpathSync(temporaryFolder({ '.mesh/team/lamp.md': 'x' }));
    const outside = temporaryFolder();
    symlinkSync(root, join(outside, 'link'));
    const file = name.startsWith('link') ? join(outside, name) : join(root, name);
    const refused = await meshd(root, 'backup', file, '--with-credentials');
    expect(refused).toMatchObject({ exit: 5, err: expect.stringContaining('lies in the project') });
  });

  it('includes tokens and keys only on request, reports that, and never writes those into the project', async () => {
    const app = await daemon();
    const token = await app.getToken('consultant');
    const file = join(temporaryFolder(), 'lamp.tar.gz');
    expect(await meshd(app.root, 'backup', join(app.root, 'lamp.tar.gz'), '--with-credentials')).toMatchObject({
      exit: 5,
      out: '',
    });
    expect(await meshd(app.root, 'backup', file, '--with-credentials')).toMatchObject({
      exit: 0,
      out: `${file}\n`,
      err: expect.stringMatching(/It holds tokens and keys: keep it as you keep those\.\n$/),
    });
    expect(gunzipSync(readFileSync(file)).includes(token)).toBe(true);
    const elsewhere = temporaryFolder({ '.mesh/x': '' });
    expect((await meshd(elsewhere, 'restore', file)).out).toMatch(
      new RegExp(`^Restored \\d\\d+ files of ${basename(app.root)} as of \\S+, tokens and keys among them\\.\n$`),
    );
    const small = temporaryFolder({ '.mesh/STANDARD_VERSION': '30\n' });
    await meshd(small, 'backup', `${file}.small`);
    expect((await meshd(elsewhere, 'restore', `${file}.small`)).out).toMatch(
      new RegExp(`^Restored 1 file of ${basename(small)} as of [^,]+\\.\n$`),
    );
  });

  it.each(['running', 'stopped'])('copies the database beside it, and only the file to its place (%s)', async (how) => {
    const app = await daemon();
    await app.ask('consultant', { text: 'kept' });
    if (how === 'stopped') {
      await app.stop();
      removeDaemonFile(join(app.root, '.mesh/state'));
    }
    const state = join(app.root, '.mesh/state');
    // As a command that was killed leaves it.
    putFiles(state, { '.meshd-backup-killed/mesh.db': 'x' });
    const folder = temporaryFolder();
    const file = join(folder, 'lamp.tar.gz');
    const databasesIn = (place: string) =>
      (readdirSync(place, { recursive: true }) as string[]).filter((name) => name.endsWith('mesh.db'));
    const session = atTerminal(app.root, 'backup', file);
    await session.until('err', /Checking the database/);
    expect(databasesIn(folder)).toEqual([]);
    expect(databasesIn(state).length).toBe(3);
    await session.until('err', /Reading it again/);
    expect(readdirSync(folder, { recursive: true })).toEqual([
      expect.stringMatching(/^\.meshd-backup-\w+$/),
      expect.stringMatching(/^\.meshd-backup-\w+\/unfinished$/),
    ]);
    expect(await session.exit).toBe(0);
    expect(readdirSync(folder)).toEqual(['lamp.tar.gz']);
    expect(databasesIn(state).sort()).toEqual(['.meshd-backup-killed/mesh.db', 'mesh.db']);
    expect(gunzipSync(readFileSync(file)).includes('.meshd-backup')).toBe(false);
  });

  it('writes to a folder of this user by default, and overwrites no file', async () => {
    const root = temporaryFolder({ '.mesh/STANDARD_VERSION': '30\n' });
    const home = temporaryFolder();
    const variables = { XDG_STATE_HOME: home };
    const { exit, out } = await meshdIn(root, { variables }, 'backup');
    expect(exit).toBe(0);
    expect(out).toMatch(new RegExp(`^${home}/meshd/backups/${basename(root)}-\\d{8}T\\d{6}Z\\.tar\\.gz\\n$`));
    expect(statSync(join(home, 'meshd/backups')).mode & 0o777).toBe(0o700);
    expect(await meshd(root, 'backup', out.trim())).toMatchObject({ exit: 6, out: '' });
    expect(await meshd(root, 'backup')).toMatchObject({ exit: 2, err: expect.stringContaining('no home') });
    expect(await meshd(root, 'backup', join(home, 'none', 'x'))).toMatchObject({ exit: 4 });
    expect(await meshd(temporaryFolder(), 'backup', join(home, 'x'))).toMatchObject({ exit: 4 });
  });

  it('is refused for state that another machine made', async () => {
    const root = temporaryFolder({ '.mesh/state/mesh.db': '' });
    const folder = temporaryFolder();
    expect(await meshd(root, 'backup', join(folder, 'x'))).toMatchObject({
      exit: 5,
      out: '',
      err: expect.stringContaining('This machine did not make the state'),
    });
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is refused when the database is damaged, and leaves the database unchanged', async () => {
    const root = ownState(temporaryFolder({ '.mesh/state/mesh.db': 'x'.repeat(9000) }));
    const folder = temporaryFolder();
    expect(await meshd(root, 'backup', join(folder, 'x'))).toMatchObject({
      exit: 1,
      err: expect.stringContaining('damaged'),
    });
    writeFileSync(join(root, '.mesh/state/mesh.db'), '');
    expect(await meshd(root, 'backup', join(folder, 'x'))).toMatchObject({
      exit: 1,
      err: expect.stringContaining('damaged'),
    });
    expect([readdirSync(folder), statSync(join(root, '.mesh/state/mesh.db')).size]).toEqual([[], 0]);
  });
});

describe('meshd restore', () => {
  it('is refused while the daemon runs, and restores everything once it has stopped', async () => {
    const app = await daemon();
    const file = join(temporaryFolder(), 'lamp.tar.gz');
    await app.ask('consultant', { text: 'kept' });
    await meshd(app.root, 'backup', file);
    await app.ask('consultant', { text: 'forgotten' });
    expect(await meshd(app.root, 'restore', file)).toMatchObject({
      exit: 6,
      out: '',
      err: expect.stringContaining('`meshd down`'),
    });
    await app.stop();
    // As a daemon does when it ends: another program may use its port afterwards.
    removeDaemonFile(join(app.root, '.mesh/state'));
    const { exit, out } = await meshd(app.root, 'restore', file, '--json');
    expect([exit, (JSON.parse(out) as Restored).backup?.credentials]).toEqual([0, false]);
    expect(asks(app.root)).toEqual(['kept']);
    expect(await meshd(app.root, 'restore', '--undo')).toEqual({
      exit: 0,
      out: 'What the last restore had put aside is in place again.\n',
      err: expect.stringMatching(/^What was there is in \.mesh\/state\/\S+: `meshd restore --undo` puts it back\.$/m),
    });
    expect(asks(app.root)).toEqual(['kept', 'forgotten']);
  });

  it('reports what is wrong with the arguments or the file', async () => {
    const root = temporaryFolder({ '.mesh/STANDARD_VERSION': '30\n', 'notes.txt': 'notes' });
    expect(await meshd(root, 'backup', join(root, 'notes.txt/a.tar.gz'))).toEqual({
      exit: 4,
      out: '',
      err: `meshd: ${join(root, 'notes.txt')} is no folder: make it first.\n`,
    });
    expect(await meshd(root, 'restore')).toMatchObject({ exit: 2 });
    expect(await meshd(root, 'restore', 'x', '--undo')).toMatchObject({ exit: 2 });
    expect(await meshd(root, 'restore', join(root, 'none'))).toMatchObject({ exit: 4 });
    expect(await meshd(root, 'restore', '--undo')).toMatchObject({
      exit: 4,
      err: expect.stringContaining('Nothing was restored'),
    });
    const { exit, out } = await meshd(root, 'restore', join(root, 'notes.txt'), '--json');
    expect([exit, JSON.parse(out)]).toMatchObject([
      2,
      { error: 'bad_request', message: expect.stringMatching(/^This is no whole backup/) },
    ]);
  });

  it('that is killed at any moment leaves either all of the old files or all of the new ones', async () => {
    const team = (word: string) =>
      Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`.mesh/team/m${at}.md`, word]));
    const root = temporaryFolder({
      ...team('old'),
      '.mesh/roadmap.md': 'old',
      '.mesh/state/preferences.json': '{"is":"old"}',
    });
    ownState(root);
    const file = join(temporaryFolder(), 'backup');
    await meshd(root, 'backup', file);
    putFiles(root, {
      ...team('new'),
      '.mesh/roadmap.md': 'new',
      '.mesh/state/preferences.json': '{"is":"new"}',
      '.mesh/asks/m.md': 'new',
    });
    // The folders that a first restore creates exist already.
    await meshd(root, 'restore', file);
    const old = meshTree(root);
    await meshd(root, 'restore', '--undo');
    const now = meshTree(root);
    const seen = new Set<string>();
    for (let waitMs = 20; !seen.has('ended'); waitMs *= 1.5) {
      const child = spawn(process.execPath, [PROGRAM, 'restore', file, '--root', root], { stdio: 'ignore' });
      const ended = once(child, 'exit');
      const timer = setTimeout(() => child.kill('SIGKILL'), waitMs);
      const [exit] = await ended;
      clearTimeout(timer);
      await finishRestore(join(root, '.mesh'));
      const is = JSON.stringify(meshTree(root));
      expect([JSON.stringify(old), JSON.stringify(now)]).toContain(is);
      seen.add(exit === 0 ? 'ended' : 'killed');
      if (is === JSON.stringify(old)) await meshd(root, 'restore', '--undo');
    }
    expect([...seen]).toEqual(['killed', 'ended']);
  });
});
