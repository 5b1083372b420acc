import { chmodSync, readFileSync, statSync, symlinkSync, unlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { DoctorCheck } from '../../contract/system.js';
import { openSqlite } from '../../storage/database/sqlite.js';
import { testApp } from '../../testing/apps/test-app.js';
import { daemon, meshd } from '../../testing/processes/command-line.js';
import { git, pathWithGit, putFiles, temporaryFolder, temporaryRepository } from '../../testing/temporary-folder.js';
import { ownState } from '../../testing/user-folders.js';
import { checkGit, checkNode, checkProgram, checkTracked } from './doctor/installation-checks.js';
import { checkProxy, checkWatches } from './doctor/machine-checks.js';
import { checkLocalNetwork, checkSqlite } from './doctor/module-checks.js';
import { findPortOwner } from './doctor/port-owner.js';
import { checkFreeSpace, checkModes } from './doctor/project-checks.js';

interface Report {
  ok: boolean;
  checks: DoctorCheck[];
  mended?: { id: string; did: string }[];
}

async function doctor(
  root: string,
  ...args: string[]
): Promise<Report & { exit: number; of: (id: string) => DoctorCheck | undefined }> {
  const { exit, out, err } = await meshd(root, 'doctor', '--json', ...args);
  expect(err).toBe('');
  const report = JSON.parse(out) as Report;
  return { ...report, exit, of: (id) => report.checks.find((check) => check.id === id) };
}

/** A project as `meshd up` leaves it, without a daemon. */
function aProject(): string {
  const root = temporaryRepository({
    'README.md': '# x\n',
    '.mesh/.gitignore': 'credentials/\nstate/\n',
    '.mesh/STANDARD_VERSION': '30\n',
    '.mesh/credentials/team-tokens.json': '{}',
    '.mesh/state/mesh.db': '',
    '.mesh/state/port': '1\n',
  });
  for (const [path, mode] of [
    ['.mesh/credentials', 0o700],
    ['.mesh/state', 0o700],
    ['.mesh/credentials/team-tokens.json', 0o600],
  ] as const) {
    chmodSync(join(root, path), mode);
  }
  git(root, 'rm', '-q', '--cached', '-r', '.mesh/credentials', '.mesh/state', '--ignore-unmatch');
  return ownState(root);
}

describe('a healthy project', () => {
  it('passes each check with its title and finding, and --fix changes nothing', async () => {
    const app = await daemon();
    await app.untilIndexed();
    const { exit, out, err } = await meshd(app.root, 'doctor', '--fix');
    expect([exit, err]).toEqual([0, '']);
    expect(out).not.toMatch(/[✗]|Mended/);
    const { ok, checks, mended } = await doctor(app.root, '--fix');
    expect([ok, mended]).toEqual([true, []]);
    expect(checks.filter(({ state }) => state === 'fail')).toEqual([]);
    expect(new Set(checks.map(({ id }) => id)).size).toBe(checks.length);
    expect(checks.map(({ id }) => id)).toEqual(
      expect.arrayContaining(['node', 'daemon', 'members', 'store', 'ledger', 'clock', 'disk']),
    );
  });
});

describe('checks of the installation', () => {
  it('report an outdated Node.js', () => {
    expect(checkNode('v18.20.4')).toMatchObject({ state: 'fail', fix: expect.stringContaining('20.19') });
    expect(checkNode('v20.18.0').state).toBe('fail');
  });

  it('report what this version of Node.js cannot do', () => {
    expect(checkNode('v20.19.0')).toMatchObject({
      state: 'warn',
      found: 'v20.19.0 gets no security fixes any more and needs a compiler to install, for better-sqlite3',
      fix: 'install Node.js 24',
    });
    expect(checkNode('v22.13.1')).toMatchObject({ state: 'warn', found: expect.stringContaining('compiler') });
    expect([checkNode('v22.14.0'), checkNode('v24.1.0')]).toMatchObject([{ state: 'ok' }, { state: 'ok' }]);
  });

  it('load the native modules, and say in one sentence why one cannot be', () => {
    const entry = import.meta.url;
    expect(checkSqlite(entry)).toMatchObject({ state: 'ok', found: expect.stringMatching(/^3\.\d+/) });
    const throwing = (code: string) => () => {
      throw Object.assign(new Error('was compiled against\na different Node.js version'), { code });
    };
    expect(checkSqlite(entry, throwing('ERR_DLOPEN_FAILED'))).toMatchObject({
      state: 'fail',
      found: `better-sqlite3 was built for another version of Node.js than ${process.version}: the daemon cannot start`,
      fix: expect.stringContaining('npm rebuild'),
    });
    // In an installed package no package of its development is fetched.
    const installed = 'file:///usr/lib/node_modules/meshd/dist/meshd.js';
    const into = 'cd /usr/lib/node_modules/meshd/ && npm';
    for (const look of [checkSqlite, checkLocalNetwork])
      expect(look(installed, throwing('MODULE_NOT_FOUND')).fix).toBe(`${into} install --omit=dev --no-package-lock`);
    expect(checkSqlite(installed, throwing('ERR_DLOPEN_FAILED')).fix).toMatch(`${into} rebuild better-sqlite3`);
    expect(checkLocalNetwork(installed, throwing('ERR_DLOPEN_FAILED')).fix).toBe(`${into} rebuild litesvm`);
    expect(checkLocalNetwork(entry).state).toBe('ok');
    expect(checkLocalNetwork(entry, throwing('MODULE_NOT_FOUND'))).toMatchObject({
      state: 'warn',
      found: expect.stringMatching(/^litesvm is not installed .*everything else works$/),
    });
  });

  it('say that the C library of the system is too old for a native module, and what helps', () => {
    const loading = () => {
      const message = "/lib64/libc.so.6: version `GLIBC_2.34' not found (required by /opt/linux-x64.node)";
      throw Object.assign(new Error(message), { code: 'ERR_DLOPEN_FAILED' });
    };
    const sqlite = checkSqlite('file:///opt/meshd/dist/meshd.js', loading);
    expect(sqlite).toMatchObject({
      state: 'fail',
      found: 'better-sqlite3 needs GLIBC_2.34, and the C library of this system is too old: the daemon cannot start',
    });
    expect(sqlite.fix).toMatch(
      /^use a newer release .*: cd \/opt\/meshd\/ && npm explore better-sqlite3\S* -- npm run build-release$/,
    );
    expect(checkLocalNetwork('file:///opt/meshd/dist/meshd.js', loading)).toMatchObject({
      state: 'warn',
      found: expect.stringMatching(/^litesvm needs GLIBC_2\.34, .*everything else works$/),
      fix: 'use a newer release of the operating system',
    });
  });

  it('report files that are left out of the index', async () => {
    const app = await daemon();
    putFiles(app.root, { 'large.txt': 'An anchor chain.\n'.repeat(80_000) });
    git(app.root, 'add', 'large.txt');
    await app.untilIndexed();
    expect((await doctor(app.root)).of('knowledge')).toMatchObject({
      state: 'warn',
      found: expect.stringMatching(/; left out as too many, too large or without a name in UTF-8 on one line: 1$/),
      fix: expect.any(String),
    });
  });

  it('report the languages of the graph of the code', async () => {
    const app = await daemon();
    await app.call('GET', '/project/code?query=env');
    expect((await doctor(app.root)).of('structure')).toMatchObject({
      state: 'ok',
      found: expect.stringMatching(/^\d+ files: TypeScript and JavaScript \d+$/),
    });
    expect((await meshd(app.root, 'status')).out).toMatch(
      /^Structure +ready, \d+ files \(TypeScript and JavaScript \d+\)$/m,
    );
  });

  it('report a daemon that was not built', () => {
    const elsewhere = new URL(`file://${temporaryFolder()}/meshd.js`).href;
    expect(checkProgram(elsewhere)).toMatchObject({ state: 'fail', fix: expect.stringContaining('npm run build') });
  });

  it('report a missing git and a missing repository', () => {
    const root = temporaryFolder();
    expect(checkGit(root, { PATH: root })).toMatchObject({
      state: 'warn',
      found: expect.stringContaining('not installed'),
    });
    expect(checkGit(root, { PATH: process.env['PATH'] })).toMatchObject({ state: 'warn', fix: 'git init' });
  });

  it('say nothing of a repository that git refuses, and name the command that git names', () => {
    const root = aProject();
    const allow = `git config --global --add safe.directory ${root}`;
    const refusal = `fatal: detected dubious ownership in repository at '${root}'`;
    const PATH = pathWithGit(`printf '%s\\n' "${refusal}" 'To add an exception, call:' '' '\t${allow}' >&2; exit 128`);
    expect(checkGit(root, { PATH })).toMatchObject({
      state: 'warn',
      found: `git does not read it (${refusal}): nothing of it is read for other programs`,
      fix: allow,
    });
    expect(checkTracked(root, { PATH })).toMatchObject({
      state: 'warn',
      found: `git does not tell (${refusal})`,
      fix: allow,
    });
    // The folder of a worktree that was moved.
    const gone = temporaryFolder({ '.git': 'gitdir: /nonexistent\n' });
    const why = 'fatal: not a git repository: /nonexistent';
    expect(checkTracked(gone, { PATH: process.env['PATH'] })).toMatchObject({
      state: 'warn',
      found: `git does not tell (${why})`,
      fix: 'git status',
    });
    expect(checkTracked(gone, { PATH: gone })).toMatchObject({ state: 'warn', found: 'nobody can tell without git' });
  });

  it('start no git of the project', () => {
    const root = temporaryFolder({ 'bin/git': '#!/bin/sh\necho true\n' });
    chmodSync(join(root, 'bin/git'), 0o755);
    expect(checkGit(root, { PATH: `${root}/bin:${process.env['PATH']}` })).toMatchObject({ fix: 'git init' });
  });
});

describe('checks of the project', () => {
  it('exit 3 only when a missing daemon is the only failure', async () => {
    const { exit, ok, of } = await doctor(aProject());
    expect([exit, ok]).toEqual([3, false]);
    expect(of('daemon')).toMatchObject({ state: 'fail', found: 'not running', fix: 'meshd up' });
  });

  it('print a problem with its fix, a fix of none, and what --fix could do or did', async () => {
    const root = aProject();
    expect(await doctor(root)).not.toHaveProperty('mended');
    const sound = await meshd(root, 'doctor');
    expect(sound.out).toContain('✗ Daemon: not running\n    → meshd up\n');
    expect(sound.out).toContain('✓ Secrets ignored by git: .mesh/.gitignore names both folders\n');
    expect([sound.exit, sound.err]).toEqual([3, '']);
    writeFileSync(join(root, '.mesh/.gitignore'), 'my-credentials/\nstate/');
    const loose = await meshd(root, 'doctor');
    expect(loose.err).toBe('`meshd doctor --fix` fixes some of it.\n');
    const fixed = await meshd(root, 'doctor', '--fix');
    expect(fixed.out).toMatch(/\n✓ Fixed: \.mesh\/\.gitignore names credentials\/ now\n$/);
    expect(fixed.err).toBe('');
    expect(readFileSync(join(root, '.mesh/.gitignore'), 'utf8')).toBe('my-credentials/\nstate/\ncredentials/\n');
  });

  it('report secrets that others can read, which --fix fixes', async () => {
    const root = aProject();
    chmodSync(join(root, '.mesh/credentials/team-tokens.json'), 0o644);
    chmodSync(join(root, '.mesh/state'), 0o755);
    const found = await doctor(root);
    expect(found.exit).toBe(1);
    expect(found.of('permissions')).toMatchObject({
      state: 'fail',
      found: 'others can read .mesh/credentials/team-tokens.json, .mesh/state',
      fix: 'chmod go-rwx .mesh/credentials/team-tokens.json .mesh/state',
    });
    const { mended, of } = await doctor(root, '--fix');
    expect(mended).toEqual([{ id: 'permissions', did: expect.stringContaining('nobody else can read') }]);
    expect(of('permissions')?.state).toBe('ok');
    expect(statSync(join(root, '.mesh/credentials/team-tokens.json')).mode & 0o777).toBe(0o600);
  });

  it('claim no fix of secrets on a file system that keeps no permissions', () => {
    const root = aProject();
    const state = join(root, '.mesh/state');
    chmodSync(state, 0o777);
    const { mend } = checkModes(root, () => undefined);
    expect(mend).toThrow(expect.objectContaining({ code: 'forbidden', exit: 5 }));
    expect(mend).toThrow(`${state} is on a file system that keeps no permissions`);
  });

  it('report missing lines of .gitignore, which --fix adds without touching the others', async () => {
    const root = aProject();
    writeFileSync(join(root, '.mesh/.gitignore'), '# mine\nstate/');
    expect((await doctor(root)).of('ignore')).toMatchObject({ state: 'warn', fix: 'meshd doctor --fix' });
    expect((await doctor(root, '--fix')).of('ignore')?.state).toBe('ok');
    expect(readFileSync(join(root, '.mesh/.gitignore'), 'utf8')).toBe('# mine\nstate/\ncredentials/\n');
  });

  it('report secrets that git tracks, which --fix leaves to the operator', async () => {
    const root = aProject();
    git(root, 'add', '-f', '.mesh/credentials/team-tokens.json');
    const { exit, of, mended } = await doctor(root, '--fix');
    expect([exit, mended]).toEqual([1, []]);
    expect(of('secrets')).toMatchObject({
      state: 'fail',
      found: expect.stringContaining('.mesh/credentials/team-tokens.json'),
      fix: 'git rm -r --cached --ignore-unmatch .mesh/credentials .mesh/state',
    });
  });

  it.each([
    ['28', 'fail'],
    ['29', 'warn'],
    ['soon', 'fail'],
  ])('report a revision of %s', async (text, state) => {
    const root = aProject();
    writeFileSync(join(root, '.mesh/STANDARD_VERSION'), `${text}\n`);
    expect((await doctor(root)).of('revision')).toMatchObject({ state, fix: 'meshd upgrade' });
  });

  it('report a symbolic link in place of a folder', async () => {
    const root = aProject();
    const elsewhere = temporaryFolder();
    symlinkSync(elsewhere, join(root, '.mesh/team'));
    const { exit, of } = await doctor(root);
    expect(exit).toBe(1);
    expect(of('folder')).toMatchObject({
      state: 'fail',
      found: expect.stringContaining('.mesh/team is a link'),
      fix: expect.stringMatching(/^mv /),
    });
  });

  it('report a broken member', async () => {
    const app = await daemon();
    putFiles(app.root, { '.mesh/team/odd.md': '---\nname: [\n---\n' });
    await app.call('GET', '/team');
    const { of } = await doctor(app.root);
    expect(of('members')).toMatchObject({
      state: 'warn',
      found: expect.stringMatching(/odd\.md:\d+:\d+: /),
      fix: 'meshd team edit odd',
    });
  });

  it('report a member whose client is not available', async () => {
    const app = await daemon();
    expect((await app.call('PATCH', '/team/developer', { client: 'acp' })).status).toBe(200);
    const { of } = await doctor(app.root);
    expect(of('clients')).toMatchObject({
      state: 'warn',
      found: expect.stringMatching(/^developer should run on acp, which is not ready: \S/),
      fix: 'meshd team edit developer --set client=auto',
    });
  });
});

describe('checks of the daemon', () => {
  it('report the file of a killed daemon, which --fix removes', async () => {
    const root = aProject();
    const path = join(root, '.mesh/state/daemon.json');
    writeFileSync(
      path,
      JSON.stringify({ pid: 999_999, port: 1, address: 'http://127.0.0.1:1', secret: 'x'.repeat(64) }),
      { mode: 0o600 },
    );
    expect((await doctor(root)).of('daemon')).toMatchObject({
      state: 'fail',
      found: expect.stringContaining('killed (pid 999999)'),
    });
    const { of, mended } = await doctor(root, '--fix');
    expect(mended).toEqual([{ id: 'daemon', did: expect.stringContaining('removed') }]);
    expect(of('daemon')?.found).toBe('not running');
  });

  it('report another program in its place, which receives no secret', async () => {
    const root = aProject();
    const { port } = await aListener('{}');
    const file = { pid: process.pid, port, address: `http://127.0.0.1:${port}`, secret: 'x'.repeat(64) };
    writeFileSync(join(root, '.mesh/state/daemon.json'), JSON.stringify(file), { mode: 0o600 });
    expect((await doctor(root)).of('daemon')).toMatchObject({
      state: 'fail',
      found: expect.stringContaining('Another program answers'),
    });
  });

  it('report a daemon file that others can write', async () => {
    const root = aProject();
    writeFileSync(join(root, '.mesh/state/daemon.json'), '{}');
    chmodSync(join(root, '.mesh/state/daemon.json'), 0o666);
    expect((await doctor(root)).of('daemon')).toMatchObject({
      state: 'fail',
      fix: expect.stringMatching(/^rm .*daemon\.json/),
    });
  });

  it('ignore a port file that is a symbolic link', async () => {
    const root = aProject();
    writeFileSync(join(root, 'outside'), '4999\n', { mode: 0o600 });
    unlinkSync(join(root, '.mesh/state/port'));
    symlinkSync(join(root, 'outside'), join(root, '.mesh/state/port'));
    expect((await doctor(root)).of('port')?.found).toMatch(/^4747 is /);
  });

  it('report a running daemon that has no daemon file', async () => {
    const app = await daemon();
    const path = join(app.root, '.mesh/state/daemon.json');
    unlinkSync(path);
    const found = (await doctor(app.root)).of('daemon');
    // Only Linux reports the holder of a lock.
    if (process.platform === 'linux')
      expect(found).toMatchObject({
        found: expect.stringContaining(`(pid ${process.pid})`),
        fix: `kill ${process.pid} && meshd up`,
      });
    else expect(found?.state).toBe('fail');
  });

  it('report a port that another program uses, and which program', async () => {
    const root = aProject();
    const { port } = await aListener('');
    writeFileSync(join(root, '.mesh/state/port'), `${port}\n`);
    const found = (await doctor(root)).of('port');
    if (process.platform !== 'linux') return expect(found).toBeDefined();
    expect(found).toMatchObject({
      state: 'warn',
      found: expect.stringContaining(`(pid ${process.pid})`),
      fix: 'meshd up --port 0',
    });
    expect(findPortOwner(port)).toMatchObject({ pid: process.pid });
  });

  it.each(['0', '65536', '4.5'])('take the usual port where the file holds none: %j', async (text) => {
    const root = aProject();
    writeFileSync(join(root, '.mesh/state/port'), text);
    expect((await doctor(root)).of('port')?.found).toMatch(/^4747 /);
  });

  it('report payment accounts that do not balance', async () => {
    const before = await daemon();
    await before.stop();
    const store = openSqlite(join(before.root, '.mesh/state/mesh.db'));
    // Bypasses the triggers that protect the journal.
    for (const { name } of store.prepare("SELECT name FROM sqlite_master WHERE type = 'trigger'").all() as {
      name: string;
    }[])
      store.exec(`DROP TRIGGER ${name}`);
    store.exec(
      'INSERT INTO till_accounts (network, address, kind, agent, holder, lamports, created_ms) VALUES ' +
        "('solana:local', 'a', 'earned', 'x', '', 5, 0)",
    );
    store.close();
    const app = await testApp({ root: before.root });
    const { checks } = (await app.call('GET', '/doctor')).body as Report;
    expect(checks.find(({ id }) => id === 'ledger')).toMatchObject({
      state: 'fail',
      found: expect.stringContaining('do not add up'),
    });
  });

  it('report a damaged store', async () => {
    const before = await daemon();
    await before.stop();
    const path = join(before.root, '.mesh/state/mesh.db');
    const bytes = readFileSync(path);
    // The last page, so that the file still opens.
    writeFileSync(path, bytes.fill(0x5a, bytes.length - 4096));
    const app = await testApp({ root: before.root });
    const { checks } = (await app.call('GET', '/doctor')).body as Report;
    expect(checks.find(({ id }) => id === 'store')).toMatchObject({
      state: 'fail',
      found: expect.stringContaining('damaged'),
    });
  });

  it('report a clock that was set back', async () => {
    const app = await daemon();
    expect((await doctor(app.root)).of('clock')?.state).toBe('ok');
    app.clock.step(-3_600_000);
    expect((await doctor(app.root)).of('clock')).toMatchObject({
      state: 'warn',
      found: expect.stringContaining('set back by 3600 s'),
    });
    app.clock.step(7_200_000);
    expect((await doctor(app.root)).of('clock')).toMatchObject({
      state: 'ok',
      found: expect.stringContaining('ahead by 3600 s'),
    });
  });
});

describe('checks of the machine', () => {
  it('report files with times in the future', async () => {
    const root = aProject();
    const ahead = new Date(Date.now() + 86_400_000);
    utimesSync(join(root, '.mesh/STANDARD_VERSION'), ahead, ahead);
    expect((await doctor(root)).of('clock')).toMatchObject({
      state: 'warn',
      found: expect.stringContaining('.mesh/STANDARD_VERSION'),
    });
  });

  it.each([
    [{ max_user_watches: '4096', max_user_instances: '128' }, 'max_user_watches'],
    [{ max_user_watches: '65536', max_user_instances: '8' }, 'max_user_instances'],
  ])('report low limits of file watching: %j', (limits, named) => {
    expect(checkWatches(temporaryFolder(limits))).toMatchObject({ state: 'warn', fix: expect.stringContaining(named) });
    expect(checkWatches(temporaryFolder()).state).toBe('ok');
  });

  it('report a disk that is full or nearly full', () => {
    expect([checkFreeSpace(1e6).state, checkFreeSpace(1e8).state, checkFreeSpace(1e10).state]).toEqual([
      'fail',
      'warn',
      'ok',
    ]);
  });

  it('report a proxy that would receive requests to this machine', () => {
    expect(checkProxy({ http_proxy: 'http://proxy:3128' })).toMatchObject({
      state: 'warn',
      fix: expect.stringContaining('NO_PROXY'),
    });
    expect(checkProxy({ http_proxy: 'http://proxy:3128', NO_PROXY: 'localhost, 127.0.0.1' }).state).toBe('ok');
    expect(checkProxy({}).state).toBe('ok');
  });
});

/** A server that answers every request with `body`. */
async function aListener(body: string): Promise<{ port: number }> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', () => socket.end(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { port: (server.address() as AddressInfo).port };
}
