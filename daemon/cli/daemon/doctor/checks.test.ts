import { chmodSync, mkdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { git, temporaryFolder } from '../../../testing/temporary-folder.js';
import { quoted } from './check.js';
import { checkGit, checkTracked } from './installation-checks.js';
import { checkProxy, checkWatches } from './machine-checks.js';
import { findPortOwner } from './port-owner.js';
import { checkClock, checkFolders, checkFreeSpace, checkIgnored, checkModes, checkRevision } from './project-checks.js';

const MEBIBYTE = 1024 * 1024;
const variables = { PATH: process.env['PATH'] };

describe('a limit', () => {
  it.each([
    [32 * MEBIBYTE - 1, 'fail', '31 MB free: what cannot be written is refused'],
    [32 * MEBIBYTE, 'warn', '32 MB free'],
    [256 * MEBIBYTE - 1, 'warn', '255 MB free'],
    [256 * MEBIBYTE, 'ok', '256 MB free'],
  ])('of the disk: %d bytes', (bytes, state, found) => {
    expect(checkFreeSpace(bytes)).toMatchObject({ state, found });
  });

  it.each([
    ['8191', '64', 'warn'],
    ['8192', '63', 'warn'],
    ['8192', '64', 'ok'],
  ])('of file watching: %s watches, %s watchers', (watches, instances, state) => {
    const limits = temporaryFolder({ max_user_watches: watches, max_user_instances: instances });
    expect(checkWatches(limits).state).toBe(state);
  });

  it.each([
    ['28', 'fail', '28: the roster (29) and exposure (30) are off', 'meshd upgrade'],
    ['29', 'warn', '29: exposure (30) is off', 'meshd upgrade'],
    ['30', 'ok', '30', undefined],
    ['31', 'warn', '31: newer than this version knows', 'install the version of meshd that wrote it'],
    [undefined, 'ok', 'none yet: `meshd up` writes 30', undefined],
  ])('of the revision: %s', (revision, state, found, fix) => {
    const root = temporaryFolder(revision === undefined ? {} : { '.mesh/STANDARD_VERSION': `${revision}\n` });
    const { fix: given, ...rest } = checkRevision(root);
    expect([rest, given]).toEqual([expect.objectContaining({ state, found }), fix]);
  });

  it.each([
    [120, 'ok'],
    [121, 'warn'],
  ])('of the clock: a file that is %d s ahead', (seconds, state) => {
    const root = temporaryFolder({ '.mesh/team/a.md': '', '.mesh/state/x': '' });
    const now = 1_900_000_000;
    for (const path of ['.mesh/team', '.mesh/state', '.mesh/state/x']) utimesSync(join(root, path), now, now);
    utimesSync(join(root, '.mesh/team/a.md'), now + seconds, now + seconds);
    expect(checkClock(root, now * 1000).state).toBe(state);
  });
});

it.each([
  [{ NO_PROXY: '127.0.0.0/8' }, 'ok'],
  [{ no_proxy: ' * ' }, 'ok'],
  [{ no_proxy: '', NO_PROXY: 'localhost, 127.0.0.1' }, 'ok'],
  [{ no_proxy: 'localhost', NO_PROXY: '*' }, 'warn'],
  [{ NO_PROXY: '127.0.0.10' }, 'warn'],
])('a proxy with %j', (spared, state) => {
  expect(checkProxy({ ALL_PROXY: 'http://proxy:3128', ...spared }).state).toBe(state);
});

describe('the modes of secrets', () => {
  it('keep what the owner may do when others lose theirs', () => {
    const root = temporaryFolder({
      '.mesh/credentials/a.token': 'x',
      '.mesh/state/daemon.json': '{}',
      '.mesh/state/index': 'x',
    });
    const modes = { '.mesh/credentials': 0o755, '.mesh/credentials/a.token': 0o440, '.mesh/state': 0o750 };
    for (const [path, mode] of Object.entries({
      ...modes,
      '.mesh/state/daemon.json': 0o644,
      '.mesh/state/index': 0o644,
    }))
      chmodSync(join(root, path), mode);
    const { found, fix, mend } = checkModes(root);
    const loose = ['.mesh/credentials', '.mesh/credentials/a.token', '.mesh/state', '.mesh/state/daemon.json'];
    expect([found, fix]).toEqual([`others can read ${loose.join(', ')}`, `chmod go-rwx ${loose.join(' ')}`]);
    expect(mend?.()).toBe(`nobody else can read ${loose.join(', ')} any more`);
    const left = [...loose, '.mesh/state/index'].map((path) => statSync(join(root, path)).mode & 0o777);
    expect(left).toEqual([0o700, 0o400, 0o700, 0o600, 0o644]);
    expect(checkModes(root)).toMatchObject({ state: 'ok', found: '0700 and 0600' });
  });
});

describe('the folders and .gitignore', () => {
  it('are reported when something else is in their place', () => {
    const root = temporaryFolder({ '.mesh/team': 'a file' });
    const team = join(root, '.mesh/team');
    expect(checkFolders(root)).toMatchObject({
      state: 'fail',
      found: `${team} is no folder: it must be a folder of the project`,
      fix: `mv ${team} ${team}.old`,
    });
    const path = join(root, '.mesh/.gitignore');
    mkdirSync(path);
    expect(checkIgnored(root)).toMatchObject({
      state: 'warn',
      found: `${path} is no regular file`,
      fix: `rm ${path} && meshd up`,
    });
  });

  it.each([
    ['credentials/\r\nstate/\r\n', undefined],
    ['/credentials/\nstate/\n', 'credentials/'],
    ['', 'credentials/ and state/'],
  ])('name both folders as whole lines: %j', (text, missing) => {
    const { state, found } = checkIgnored(temporaryFolder({ '.mesh/.gitignore': text }));
    expect([state, found]).toEqual(
      missing === undefined
        ? ['ok', '.mesh/.gitignore names both folders']
        : ['warn', `.mesh/.gitignore does not name ${missing}: the next \`git add\` may take secrets along`],
    );
  });
});

it('the mended .mesh/.gitignore keeps its bytes, whatever their encoding', () => {
  const root = temporaryFolder({ '.mesh/x': '' });
  const path = join(root, '.mesh/.gitignore');
  writeFileSync(path, '# K\xfcche\nstate/', 'latin1');
  expect(checkIgnored(root).mend?.()).toBe('.mesh/.gitignore names credentials/ now');
  expect(readFileSync(path, 'latin1')).toBe('# K\xfcche\nstate/\ncredentials/\n');
});

describe('git', () => {
  it('is none inside its own folder', () => {
    const root = temporaryFolder({});
    git(root, 'init', '-q');
    expect(checkGit(root, variables).state).toBe('ok');
    expect(checkGit(join(root, '.git'), variables)).toMatchObject({ state: 'warn', fix: 'git init' });
  });

  it('tracks secrets, of which five are named', () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => `.mesh/credentials/${name}`);
    const root = temporaryFolder(Object.fromEntries(names.map((name) => [name, 'x'])));
    git(root, 'init', '-q');
    expect(checkTracked(root, variables).state).toBe('ok');
    git(root, 'add', '-f', '.mesh');
    const { state, found } = checkTracked(root, variables);
    expect([state, found.split(';')[0]]).toEqual(['fail', `6 tracked: ${names.slice(0, 5).join(', ')}`]);
  });
});

it.each([
  ['/srv/lamp', '/srv/lamp'],
  ['/srv/my lamp', "'/srv/my lamp'"],
  ["/srv/ada's $lamp", String.raw`'/srv/ada'\''s $lamp'`],
])('quotes %s for a shell', (path, word) => {
  expect(quoted(path)).toBe(word);
});

it.runIf(process.platform === 'linux')('the owner of a port is who listens on it, not who uses it', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const client = await new Promise<Socket>((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket));
  });
  onTestFinished(() => {
    client.destroy();
    server.close();
  });
  expect(findPortOwner(port)).toMatchObject({ pid: process.pid });
  expect(findPortOwner(client.localPort as number)).toBeUndefined();
});
