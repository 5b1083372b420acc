import {
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
import { describe, expect, it } from 'vitest';
import { StateOwner } from '../private/state-owner.js';
import { git, putFiles, temporaryFolder, temporaryRepository } from '../testing/temporary-folder.js';
import { claimState } from './claim-state.js';
import { describeForeignState } from './foreign-folders.js';
import { MeshFolder } from './mesh-folder.js';
import { TrackedSecrets } from './tracked-secrets.js';

const NOW = Date.UTC(2026, 0, 2, 3, 4, 5);
const STATE = { '.mesh/state/mesh.db': 'rows', '.mesh/credentials/team-tokens.json': '{"a":"mk_foreign"}' };
const ASIDE = '.mesh/foreign-20260102T030405Z';

/** One user of a machine, who starts daemons. */
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

describe('state of a project', () => {
  it('begins with an id, and is the same at the next start', async () => {
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

  it('that this machine did not make is set aside whole and unread, and a fresh one begins', async () => {
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
    'is foreign though it holds %s alone',
    async (path) => {
      const root = temporaryFolder({ [path]: 'x' });
      expect(await user()(root)).toMatchObject({ reason: 'unknown' });
      expect(existsSync(join(root, path))).toBe(false);
    },
  );

  it('of a start that is just beginning is no stranger’s', async () => {
    const root = temporaryFolder({ [`.mesh/state/.${'0'.repeat(16)}.tmp`]: '' });
    expect(await user()(root)).toBeUndefined();
  });

  it('is foreign when its id is a link, even to one that is known', async () => {
    const start = user();
    const [mine, clone] = [temporaryFolder(), temporaryFolder({ ...STATE })];
    await start(mine);
    symlinkSync(join(mine, '.mesh/state/id'), join(clone, '.mesh/state/id'));
    expect(await start(clone)).toMatchObject({ reason: 'unknown' });
  });

  it('is set aside at every start while git tracks any of it, known or not', async () => {
    const start = user();
    const root = temporaryRepository({ 'README.md': '# x\n' });
    await start(root);
    putFiles(root, { '.mesh/state/daemon.log': 'a line' });
    git(root, 'add', '-f', '.mesh/state/daemon.log');
    expect(await start(root)).toMatchObject({ folder: ASIDE, reason: 'tracked' });
    // The index names it still, though nothing of it is there.
    putFiles(root, { '.mesh/state/preferences.json': '{}' });
    expect(await start(root)).toMatchObject({ folder: `${ASIDE}-2`, reason: 'tracked' });
    git(root, 'rm', '-q', '-r', '--cached', '.mesh/state');
    expect(await start(root)).toBeUndefined();
  });

  it('keeps its owner where the project is renamed or moved, and a copy beside it is foreign', async () => {
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
    // Moved to another file system, it is another folder at another place, and the first one is gone.
    const moved = join(folder, 'moved');
    cpSync(buoy, moved, { recursive: true });
    rmSync(buoy, { recursive: true });
    expect(await start(moved)).toBeUndefined();
    expect(readFileSync(join(moved, '.mesh/state/mesh.db'), 'utf8')).toBe('rows');
  });

  it('of a user without a home begins, and then needs the operator’s word', async () => {
    const start = claimerWithoutHome();
    const root = temporaryFolder();
    expect(await start(root)).toBeUndefined();
    await expect(start(root)).rejects.toMatchObject({ code: 'forbidden', message: expect.stringContaining('--adopt') });
    expect(await start(root, true)).toBeUndefined();
    expect(below(root, '.mesh')).toEqual(['state']);
  });

  it('that is known stays so after a start without a home, which remembers nothing', async () => {
    const start = user();
    const root = temporaryFolder();
    await start(root);
    putFiles(root, STATE);
    expect(await claimerWithoutHome()(root, true)).toBeUndefined();
    expect(await start(root)).toBeUndefined();
    expect(below(root, '.mesh')).toEqual(['credentials', 'state']);
  });

  it('that the operator vouches for stays where it is and is known from then on', async () => {
    const start = user();
    const root = temporaryFolder(STATE);
    expect(await start(root, true)).toBeUndefined();
    expect(await start(root)).toBeUndefined();
    expect(readFileSync(join(root, '.mesh/state/mesh.db'), 'utf8')).toBe('rows');
  });

  it('is not begun where it cannot be remembered', async () => {
    const folder = join(temporaryFolder({ taken: 'a file' }), 'taken');
    await expect(user(folder)(temporaryFolder())).rejects.toMatchObject({
      message: expect.stringContaining('XDG_STATE_HOME'),
    });
  });

  it('refuses a link in the place of a folder, and follows none', async () => {
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
