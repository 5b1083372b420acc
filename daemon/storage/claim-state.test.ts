import {
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { StateOwner } from '../private/state-owner.js';
import { git, putFiles, temporaryFolder, temporaryRepository } from '../testing/temporary-folder.js';
import { claimState } from './claim-state.js';
import { Database } from './database/database.js';
import { describeForeignState } from './foreign-folders.js';
import { TrackedSecrets } from './git/tracked-secrets.js';
import { MeshFolder } from './mesh-folder.js';

const NOW = Date.UTC(2026, 0, 2, 3, 4, 5);
const STATE = { '.mesh/state/mesh.db': 'rows', '.mesh/credentials/team-tokens.json': '{"a":"mk_foreign"}' };
const ASIDE = '.mesh/foreign-20260102T030405Z';
const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;

/** Returns a function that starts daemons as one user of a machine. */
function user(folder: string | undefined = temporaryFolder()) {
  const owner = new StateOwner(folder);
  return (root: string, isVouchedFor = false) =>
    claimState(new MeshFolder(root), {
      owner,
      isVouchedFor,
      tracked: () => new TrackedSecrets(root, { PATH: process.env['PATH'] }).paths(),
      nowMs: NOW,
    });
}

const below = (root: string, folder: string) => readdirSync(join(root, folder)).sort();

describe('claimState', () => {
  it('creates an id for fresh state and recognizes it at the next start', async () => {
    const start = user();
    const root = temporaryFolder();
    expect(await start(root)).toBeUndefined();
    const id = readFileSync(join(root, '.mesh/state/id'), 'utf8');
    expect(id).toMatch(/^[0-9a-f]{32}\n$/);
    putFiles(root, STATE);
    expect(await start(root)).toBeUndefined();
    expect(readFileSync(join(root, '.mesh/state/id'), 'utf8')).toBe(id);
    expect(below(root, '.mesh')).toEqual(['credentials', 'state']);
  });

  it('moves state of another machine aside as a whole, unread, and begins a fresh one', async () => {
    const root = temporaryFolder({ ...STATE, '.mesh/state/id': `${'a'.repeat(32)}\n` });
    expect(await user()(root)).toEqual({ folder: ASIDE, reason: 'unknown' });
    expect(below(root, '.mesh')).toEqual(['foreign-20260102T030405Z', 'state']);
    expect([below(root, `${ASIDE}/state`), below(root, '.mesh/state')]).toEqual([['id', 'mesh.db'], ['id']]);
    expect(readFileSync(join(root, ASIDE, 'credentials/team-tokens.json'), 'utf8')).toContain('mk_foreign');
    expect([lstatSync(join(root, ASIDE)).mode & 0o777, readFileSync(join(root, ASIDE, '.gitignore'), 'utf8')]).toEqual([
      0o700,
      '*\n',
    ]);
    const { folders } = describeForeignState(join(root, '.mesh'), { folder: ASIDE, reason: 'unknown' });
    expect(folders).toMatchObject([
      { folder: ASIDE, sentence: expect.stringMatching(/set aside unread.*`meshd adopt`/) },
    ]);
  });

  it.each([['.mesh/credentials/identity.key'], ['.mesh/state/daemon.log']])(
    'treats state as foreign when it holds only %s',
    async (path) => {
      const root = temporaryFolder({ [path]: 'x' });
      expect(await user()(root)).toMatchObject({ reason: 'unknown' });
      expect(existsSync(join(root, path))).toBe(false);
    },
  );

  it('does not treat the temporary file of a beginning start as foreign state', async () => {
    const root = temporaryFolder({ [`.mesh/state/.${'0'.repeat(16)}.tmp`]: '' });
    expect(await user()(root)).toBeUndefined();
  });

  it('treats state as foreign when its id is a link, even to a known id', async () => {
    const start = user();
    const [mine, clone] = [temporaryFolder(), temporaryFolder({ ...STATE })];
    await start(mine);
    symlinkSync(join(mine, '.mesh/state/id'), join(clone, '.mesh/state/id'));
    expect(await start(clone)).toMatchObject({ reason: 'unknown' });
  });

  it('moves state aside at every start while git tracks any of it, whether it is known or not', async () => {
    const start = user();
    const root = temporaryRepository({ 'README.md': '# x\n' });
    await start(root);
    putFiles(root, { '.mesh/state/daemon.log': 'a line' });
    git(root, 'add', '-f', '.mesh/state/daemon.log');
    expect(await start(root)).toMatchObject({ folder: ASIDE, reason: 'tracked' });
    // The index still names it, although the file does not exist.
    putFiles(root, { '.mesh/state/preferences.json': '{}' });
    expect(await start(root)).toMatchObject({ folder: `${ASIDE}-2`, reason: 'tracked' });
    git(root, 'rm', '-q', '-r', '--cached', '.mesh/state');
    expect(await start(root)).toBeUndefined();
  });

  it('recognizes the state of a renamed or moved project, and treats a copy beside it as foreign', async () => {
    const start = user();
    const folder = temporaryFolder();
    const [lamp, buoy, copy] = ['lamp', 'buoy', 'copy'].map((name) => join(folder, name)) as [string, string, string];
    mkdirSync(lamp);
    await start(lamp);
    putFiles(lamp, STATE);
    renameSync(lamp, buoy);
    expect(await start(buoy)).toBeUndefined();
    cpSync(buoy, copy, { recursive: true });
    expect(await start(copy)).toMatchObject({ reason: 'copy' });
    expect(await start(buoy)).toBeUndefined();
    // A project moved to another file system is another folder at another path, and the old one is gone.
    const moved = join(folder, 'moved');
    cpSync(buoy, moved, { recursive: true });
    rmSync(buoy, { recursive: true });
    expect(await start(moved)).toBeUndefined();
    expect(readFileSync(join(moved, '.mesh/state/mesh.db'), 'utf8')).toBe('rows');
  });

  it('begins fresh state for a user without a home, and then requires the operator to vouch for it', async () => {
    const start = claimerWithoutHome();
    const root = temporaryFolder();
    expect(await start(root)).toBeUndefined();
    await expect(start(root)).rejects.toMatchObject({ code: 'forbidden', message: expect.stringContaining('--adopt') });
    expect(await start(root, true)).toBeUndefined();
    expect(below(root, '.mesh')).toEqual(['state']);
  });

  it('still recognizes state after a start without a home, which records nothing', async () => {
    const start = user();
    const root = temporaryFolder();
    await start(root);
    putFiles(root, STATE);
    expect(await claimerWithoutHome()(root, true)).toBeUndefined();
    expect(await start(root)).toBeUndefined();
    expect(below(root, '.mesh')).toEqual(['credentials', 'state']);
  });

  it('leaves state that the operator vouches for in place and recognizes it afterwards', async () => {
    const start = user();
    const root = temporaryFolder(STATE);
    expect(await start(root, true)).toBeUndefined();
    expect(await start(root)).toBeUndefined();
    expect(readFileSync(join(root, '.mesh/state/mesh.db'), 'utf8')).toBe('rows');
  });

  it('keeps the id of state that another user adopts, so that both recognize it', async () => {
    const [first, second] = [user(), user()];
    const root = temporaryFolder();
    await first(root);
    putFiles(root, STATE);
    const id = readFileSync(join(root, '.mesh/state/id'), 'utf8');
    expect(await second(root, true)).toBeUndefined();
    expect(readFileSync(join(root, '.mesh/state/id'), 'utf8')).toBe(id);
    expect([await first(root), await second(root)]).toEqual([undefined, undefined]);
    expect(below(root, '.mesh')).toEqual(['credentials', 'state']);
  });

  it('gives an adopted copy an id of its own, and adopted state whose id is none', async () => {
    const start = user();
    const [mine, copy, damaged] = [temporaryFolder(), temporaryFolder(), temporaryFolder({ '.mesh/state/id': 'x\n' })];
    await start(mine);
    cpSync(mine, copy, { recursive: true });
    for (const root of [copy, damaged]) expect(await start(root, true)).toBeUndefined();
    const ids = [mine, copy, damaged].map((root) => readFileSync(join(root, '.mesh/state/id'), 'utf8'));
    expect(new Set(ids).size).toBe(3);
    expect(ids).toEqual(ids.map(() => expect.stringMatching(/^[0-9a-f]{32}\n$/)));
    for (const root of [mine, copy, damaged]) expect(await start(root)).toBeUndefined();
  });

  it('leaves the state in place while an earlier daemon holds it', async () => {
    const root = temporaryFolder({ '.mesh/credentials/a': 'x', '.mesh/state/x': 'x' });
    const database = new Database(join(root, '.mesh/state/mesh.db'));
    onTestFinished(() => database.close());
    await expect(user()(root)).rejects.toMatchObject({
      code: 'in_flight',
      message:
        `An earlier daemon (pid ${process.pid}) still runs on this project: stop it with \`meshd down\`, then start ` +
        'again.',
    });
    expect(below(root, '.mesh')).toEqual(['credentials', 'state']);
  });

  it.runIf(isRoot && process.platform === 'linux')(
    'leaves the state in place while a process of another user holds it',
    async () => {
      const root = temporaryFolder({ '.mesh/credentials/a': 'x', '.mesh/state/x': 'x' });
      const database = new Database(join(root, '.mesh/state/mesh.db'));
      onTestFinished(() => database.close());
      // The folders were given to this user, and the process that holds the lock is still that of root.
      for (const name of ['state', 'credentials']) chownSync(join(root, '.mesh', name), NOBODY, NOBODY);
      const getuid = vi.spyOn(process, 'getuid').mockReturnValue(NOBODY);
      onTestFinished(() => getuid.mockRestore());
      await expect(user()(root)).rejects.toMatchObject({
        code: 'in_flight',
        message:
          `A process of another user (pid ${process.pid}) holds the state of this project: have it ended, then ` +
          'start again.',
      });
      expect(below(root, '.mesh')).toEqual(['credentials', 'state']);
    },
  );

  it.runIf(isRoot).each(['state', 'credentials'])(
    'leaves everything in place when .mesh/%s belongs to another user, vouched for or not',
    async (name) => {
      const root = temporaryFolder(STATE);
      chownSync(join(root, '.mesh', name), NOBODY, NOBODY);
      for (const isVouchedFor of [false, true])
        await expect(user()(root, isVouchedFor)).rejects.toMatchObject({
          code: 'forbidden',
          message:
            `${join(root, '.mesh', name)} belongs to another user (uid 65534), whose daemon may be running: run ` +
            'meshd as that user. To take the state over, stop that daemon, run `sudo chown -R "$(id -u)" .mesh` in ' +
            'the project, and start with --adopt.',
        });
      expect(below(root, '.mesh')).toEqual(['credentials', 'state']);
      expect(below(root, '.mesh/state')).toEqual(['mesh.db']);
    },
  );

  it.runIf(isRoot)("sets aside what holds another user's file in folders of this user", async () => {
    const root = temporaryFolder(STATE);
    chownSync(join(root, '.mesh/state/mesh.db'), NOBODY, NOBODY);
    expect(await user()(root)).toMatchObject({ reason: 'unknown' });
  });

  it('leaves state in place that nobody can tell to be their own, and says what to do', async () => {
    const root = temporaryFolder(STATE);
    await expect(claimerWithoutHome()(root)).rejects.toMatchObject({
      code: 'forbidden',
      message:
        'Which state is your own cannot be remembered (this user has no home folder): set HOME or XDG_STATE_HOME to a ' +
        'folder that you can write, or start with --adopt when everything in .mesh/state and .mesh/credentials is yours.',
    });
    expect(below(root, '.mesh')).toEqual(['credentials', 'state']);
  });

  it('numbers the folders of one second from the second one on', async () => {
    const root = temporaryFolder();
    for (const end of ['', '-2', '-3']) {
      putFiles(root, { '.mesh/state/id': `${'a'.repeat(32)}\n` });
      expect(await user()(root)).toEqual({ folder: `${ASIDE}${end}`, reason: 'unknown' });
    }
  });

  it('makes the folders of fresh state for this user alone', async () => {
    const root = temporaryFolder();
    await user()(root);
    const modeOf = (path: string) => lstatSync(join(root, path)).mode & 0o777;
    expect([modeOf('.mesh'), modeOf('.mesh/state')]).toEqual([0o755, 0o700]);
  });

  it('vouched for begins also where the id cannot be recorded', async () => {
    const folder = join(temporaryFolder({ taken: 'a file' }), 'taken');
    const root = temporaryFolder(STATE);
    expect(await user(folder)(root, true)).toBeUndefined();
    expect(below(root, '.mesh')).toEqual(['credentials', 'state']);
  });

  it('throws when the id cannot be recorded', async () => {
    const folder = join(temporaryFolder({ taken: 'a file' }), 'taken');
    await expect(user(folder)(temporaryFolder())).rejects.toMatchObject({
      message: expect.stringContaining('XDG_STATE_HOME'),
    });
  });

  it('rejects a link in place of a folder and does not follow it', async () => {
    const outside = temporaryFolder({ 'x.json': '{}' });
    const root = temporaryFolder({ '.mesh/x': '' });
    symlinkSync(outside, join(root, '.mesh/state'));
    await expect(user()(root)).rejects.toMatchObject({ code: 'forbidden' });
    expect(readdirSync(outside)).toEqual(['x.json']);
  });
});

function claimerWithoutHome() {
  const owner = new StateOwner(undefined);
  return (root: string, isVouchedFor = false) =>
    claimState(new MeshFolder(root), { owner, isVouchedFor, tracked: async () => [], nowMs: NOW });
}
