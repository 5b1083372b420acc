import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  watch,
} from 'node:fs';
import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { putFiles, temporaryFolder } from '../testing/temporary-folder.js';
import {
  finishRestore,
  isDecidedOn,
  isOfRestore,
  lockRestore,
  type RestoreMoves,
  restore,
  undoingMoves,
} from './restore-moves.js';

const RECORD = 'state/restore.json';
const MOVES: RestoreMoves = {
  from: 'restore-1',
  aside: 'before-restore-01',
  replace: ['a.md', 'new/d.md'],
  remove: ['old.md', 'folder'],
};
const FILES = { 'a.md': 'old a', 'old.md': 'old', 'folder/c.md': 'c', 'other.md': 'other' };
const STAGED = { 'state/restore-1/a.md': 'new a', 'state/restore-1/new/d.md': 'd' };

/** Returns the texts of the files below a folder, by path. */
const textsIn = (folder: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => [path.slice(folder.length + 1), readFileSync(path, 'utf8')] as const)
      .filter(([path]) => !path.startsWith('state/restore.lock'))
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
const record = (moves: object) => `${JSON.stringify(moves, null, 2)}\n`;

function allowAll() {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
}
afterEach(allowAll);

describe('the names that belong to restores', () => {
  it.each([
    ...['restore.json', 'restore.lock', 'restore.lock-journal', 'restore-20261128T1', 'before-restore-1-a'],
    `restore-${'a'.repeat(40)}`,
  ])('include %s', (name) => {
    expect(isOfRestore(name)).toBe(true);
  });

  it.each([
    ...['restore.json2', 'xrestore.lock', 'xrestore-1', 'restore-', 'restore-1.db', 'after-restore-1', 'mesh.db'],
    `restore-${'a'.repeat(41)}`,
  ])('do not include %s', (name) => {
    expect(isOfRestore(name)).toBe(false);
  });
});

describe('the lock of restores', () => {
  it('is held by one at a time, until it is released', () => {
    const mesh = temporaryFolder({ 'state/id': '1' });
    const unlock = lockRestore(mesh);
    expect(() => lockRestore(mesh)).toThrow(
      expect.objectContaining({
        code: 'in_flight',
        message: 'A backup is being restored here: try again when that is done.',
      }),
    );
    unlock();
    lockRestore(mesh)();
  });

  it('is not taken through a link, or in a file that is no database', () => {
    const mesh = temporaryFolder({ 'state/id': '1', elsewhere: '' });
    symlinkSync(join(mesh, 'elsewhere'), join(mesh, 'state/restore.lock'));
    expect(() => lockRestore(mesh)).toThrow(expect.objectContaining({ code: 'forbidden' }));
    const other = temporaryFolder({ 'state/restore.lock': 'no database, and longer than the head of one'.repeat(20) });
    expect(() => lockRestore(other)).toThrow('not a database');
  });
});

describe('a restore', () => {
  it('moves the new content into place and the present content aside, and leaves the rest', async () => {
    const mesh = temporaryFolder({ ...FILES, ...STAGED });
    await restore(mesh, MOVES);
    expect(textsIn(mesh)).toEqual({
      'a.md': 'new a',
      'new/d.md': 'd',
      'other.md': 'other',
      'state/before-restore-01/a.md': 'old a',
      'state/before-restore-01/folder/c.md': 'c',
      'state/before-restore-01/old.md': 'old',
      'state/before-restore-01/restore.json': record({ ...MOVES, order: 1 }),
    });
    expect(existsSync(join(mesh, 'state/restore-1'))).toBe(false);
    const modeOf = (path: string) => statSync(join(mesh, path)).mode & 0o777;
    expect([modeOf('state/before-restore-01'), modeOf('state/before-restore-01/restore.json')]).toEqual([0o700, 0o600]);
    expect(await isDecidedOn(mesh)).toBe(false);
  });

  it('into an empty place only adds, and can be recognised later', async () => {
    const mesh = temporaryFolder(STAGED);
    await restore(mesh, { ...MOVES, remove: [] });
    expect(textsIn(mesh)).toEqual({
      'a.md': 'new a',
      'new/d.md': 'd',
      'state/before-restore-01/restore.json': record({ ...MOVES, remove: [], order: 1 }),
    });
  });

  it('leaves an entry as it is when there is no new content for it', async () => {
    const mesh = temporaryFolder({ 'a.md': 'present', 'state/restore-1/new/d.md': 'd' });
    await restore(mesh, { ...MOVES, remove: [] });
    expect(textsIn(mesh)).toMatchObject({ 'a.md': 'present', 'new/d.md': 'd' });
    expect(existsSync(join(mesh, 'state/before-restore-01/a.md'))).toBe(false);
  });

  it('replaces a file by a folder, and a folder by a file', async () => {
    const staged = { 'state/restore-1/notes/new.md': 'n', 'state/restore-1/plan': 'p' };
    const mesh = temporaryFolder({ notes: 'old notes', 'plan/old.md': 'old plan', ...staged });
    await restore(mesh, { ...MOVES, replace: ['notes', 'plan'], remove: [] });
    expect(textsIn(mesh)).toMatchObject({
      ...{ 'notes/new.md': 'n', plan: 'p' },
      ...{ 'state/before-restore-01/notes': 'old notes', 'state/before-restore-01/plan/old.md': 'old plan' },
    });
  });

  it.runIf(process.platform === 'linux')('never leaves the place of a replaced file empty', async () => {
    const mesh = temporaryFolder({ ...FILES, ...STAGED });
    const events: unknown[] = [];
    const watcher = watch(mesh, { persistent: false }, (_event, name) => events.push(name));
    await restore(mesh, MOVES);
    // The events of a change are queued before the change returns.
    for (let turn = 0; turn < 2; turn += 1) await new Promise((resume) => setImmediate(resume));
    watcher.close();
    // One that the new file came, and none that the old one went.
    expect(events.filter((name) => name === 'a.md')).toEqual(['a.md']);
  });

  it('replaces a whole folder, and a link without following it', async () => {
    const staged = { 'state/restore-1/team/new.md': 'n', 'state/restore-1/link.md': 'text' };
    const mesh = temporaryFolder({ 'team/old.md': 'o', 'target.md': 'target', ...staged });
    symlinkSync(join(mesh, 'target.md'), join(mesh, 'link.md'));
    await restore(mesh, { ...MOVES, replace: ['team', 'link.md'], remove: [] });
    expect(textsIn(mesh)).toMatchObject({
      ...{ 'team/new.md': 'n', 'link.md': 'text', 'target.md': 'target' },
      'state/before-restore-01/team/old.md': 'o',
    });
    expect(existsSync(join(mesh, 'team/old.md'))).toBe(false);
    expect(lstatSync(join(mesh, 'state/before-restore-01/link.md')).isSymbolicLink()).toBe(true);
  });
});

describe('a restore on a file system that refuses a move', () => {
  /** Has each call of `name` whose first path is such a one fail, as the system tells it. */
  function refuse(name: 'link' | 'rename', path: RegExp, code: string) {
    const real = promises[name];
    vi.spyOn(promises, name).mockImplementation((from, to) =>
      path.test(String(from))
        ? Promise.reject(Object.assign(new Error(`${code}: ${name}`), { code, syscall: name }))
        : real(from, to),
    );
    syncBuiltinESMExports();
  }
  function putOnOtherDevice(path: string) {
    const real = promises.lstat;
    const elsewhere = async (one: string) => Object.assign(await real(one), one === path ? { dev: -1 } : {});
    vi.spyOn(promises, 'lstat').mockImplementation(elsewhere as never);
    syncBuiltinESMExports();
  }
  async function expectUnchanged(mesh: string, message: unknown, moves = MOVES) {
    const before = textsIn(mesh);
    await expect(restore(mesh, moves)).rejects.toMatchObject({ code: 'store_readonly', message });
    expect(textsIn(mesh)).toEqual(before);
    expect([await isDecidedOn(mesh), existsSync(join(mesh, 'state/before-restore-01'))]).toEqual([false, false]);
  }
  const refused = (why: string) =>
    `The content cannot be moved into place (${why}): nothing was changed. Mend that and try again.`;

  it.each(['EPERM', 'EACCES', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'])(
    'needs no hard links (%s)',
    async (code) => {
      const mesh = temporaryFolder({ ...FILES, ...STAGED });
      refuse('link', /./, code);
      await restore(mesh, MOVES);
      expect(textsIn(mesh)).toMatchObject({ 'a.md': 'new a', 'state/before-restore-01/a.md': 'old a' });
    },
  );

  it.each<[string, 'link' | 'rename', RegExp]>([
    ['the first', 'rename', /\/old\.md$/],
    ['one after others that only set aside', 'link', /\/a\.md$/],
    ['the first into place', 'rename', /\/state\/restore-1\/a\.md$/],
    ['the last', 'rename', /\/state\/restore-1\/new\/d\.md$/],
  ])('changes nothing when %s fails', async (_which, name, path) => {
    const mesh = temporaryFolder({ ...FILES, ...STAGED });
    refuse(name, path, 'EXDEV');
    await expectUnchanged(mesh, refused(`EXDEV: ${name}`));
    allowAll();
    await restore(mesh, MOVES);
    expect(textsIn(mesh)).toMatchObject({ 'a.md': 'new a', 'new/d.md': 'd' });
  });

  it('takes back what was put in place before, of each kind', async () => {
    const staged = { notes: 'old notes', 'plan/old.md': 'old plan', 'state/restore-1/notes/n.md': 'n' };
    const mesh = temporaryFolder({ ...FILES, ...STAGED, ...staged, 'state/restore-1/plan': 'p', new: 'in the way' });
    putFiles(mesh, { 'state/restore-1/added.md': 'added' });
    const replace = ['a.md', 'notes', 'plan', 'added.md', 'none.md', 'new/d.md'];
    await expectUnchanged(mesh, expect.stringContaining('(EEXIST: '), { ...MOVES, replace });
  });

  it('says of a full disk that it is full, and changes nothing', async () => {
    const mesh = temporaryFolder({ ...FILES, ...STAGED });
    refuse('rename', /\/state\/restore-1\/a\.md$/, 'ENOSPC');
    await expect(restore(mesh, MOVES)).rejects.toMatchObject({ code: 'ENOSPC' });
    expect([textsIn(mesh), await isDecidedOn(mesh)]).toMatchObject([FILES, false]);
  });

  it('is finished by the next process when its moves cannot be taken back either', async () => {
    const mesh = temporaryFolder({ ...FILES, ...STAGED });
    refuse('rename', /\/state\/(restore-1\/a|before-restore-01\/old)\.md$/, 'EIO');
    await expect(restore(mesh, MOVES)).rejects.toThrow('EIO');
    expect(await isDecidedOn(mesh)).toBe(true);
    allowAll();
    expect(await finishRestore(mesh)).toBe(true);
    expect(textsIn(mesh)).toMatchObject({ 'a.md': 'new a', 'state/before-restore-01/old.md': 'old' });
  });

  it('takes nothing back over what is in place when other content is where it sets aside', async () => {
    const mesh = temporaryFolder({ ...FILES, ...STAGED, 'state/before-restore-01/a.md': 'of another' });
    await expect(restore(mesh, MOVES)).rejects.toMatchObject({ code: 'file_changed' });
    expect([textsIn(mesh)['a.md'], await isDecidedOn(mesh)]).toEqual(['old a', true]);
  });

  it.each([
    ['state', '.'],
    ['folder', 'folder'],
  ])('is not begun when %s is a volume of its own', async (volume, named) => {
    const mesh = temporaryFolder({ ...FILES, ...STAGED });
    putOnOtherDevice(join(mesh, volume));
    await expectUnchanged(
      mesh,
      `${join(mesh, named)} and ${join(mesh, 'state')} are on two file systems, and nothing can be moved between ` +
        'those in one step: nothing was changed. Put both on one, without a volume or mount for one of them, and ' +
        'start again.',
    );
  });

  it('is carried out when only a file tells another device, as on an overlay', async () => {
    const mesh = temporaryFolder({ ...FILES, ...STAGED });
    putOnOtherDevice(join(mesh, 'old.md'));
    await restore(mesh, MOVES);
    expect(textsIn(mesh)).toMatchObject({ 'a.md': 'new a', 'state/before-restore-01/old.md': 'old' });
  });
});

describe('a restore that was cut off', () => {
  /** Everything is moved and nothing else is there, whatever was moved before. */
  async function expectFinished(mesh: string) {
    expect(await isDecidedOn(mesh)).toBe(true);
    expect(await finishRestore(mesh)).toBe(true);
    expect(textsIn(mesh)).toEqual({
      ...{ 'a.md': 'new a', 'new/d.md': 'd', 'other.md': 'other', 'state/before-restore-01/a.md': 'old a' },
      ...{ 'state/before-restore-01/folder/c.md': 'c', 'state/before-restore-01/old.md': 'old' },
      'state/before-restore-01/restore.json': record(MOVES),
    });
    expect(existsSync(join(mesh, 'state/restore-1'))).toBe(false);
    expect(await finishRestore(mesh)).toBe(false);
  }
  const started = () => temporaryFolder({ ...FILES, ...STAGED, [RECORD]: record(MOVES) });

  it('before its first move is finished', async () => {
    await expectFinished(started());
  });

  it('between two moves is finished', async () => {
    const mesh = started();
    mkdirSync(join(mesh, 'state/before-restore-01'));
    renameSync(join(mesh, 'old.md'), join(mesh, 'state/before-restore-01/old.md'));
    renameSync(join(mesh, 'a.md'), join(mesh, 'state/before-restore-01/a.md'));
    renameSync(join(mesh, 'state/restore-1/a.md'), join(mesh, 'a.md'));
    await expectFinished(mesh);
  });

  it('while an entry was at both of its places is finished', async () => {
    const mesh = started();
    mkdirSync(join(mesh, 'state/before-restore-01'));
    for (const name of ['old.md', 'a.md']) linkSync(join(mesh, name), join(mesh, 'state/before-restore-01', name));
    await expectFinished(mesh);
  });

  it('and into whose place something was written since is refused, and moves nothing over it', async () => {
    const mesh = started();
    putFiles(mesh, { 'state/before-restore-01/a.md': 'other than present' });
    await expect(finishRestore(mesh)).rejects.toMatchObject({
      code: 'file_changed',
      message: `${join(mesh, 'a.md')} was written while a backup was being restored: move it away and start again.`,
    });
    expect(textsIn(mesh)).toMatchObject({ 'a.md': 'old a', 'state/before-restore-01/a.md': 'other than present' });
    expect(await isDecidedOn(mesh)).toBe(true);
  });

  it('is not finished while another process restores', async () => {
    const mesh = started();
    const unlock = lockRestore(mesh);
    await expect(finishRestore(mesh)).rejects.toMatchObject({ code: 'in_flight' });
    unlock();
    await expectFinished(mesh);
  });

  it('and cannot be finished says why, and can be tried again', async () => {
    const mesh = started();
    putFiles(mesh, { new: 'a file where the folder is to be' });
    for (let attempt = 0; attempt < 2; attempt += 1)
      await expect(finishRestore(mesh)).rejects.toMatchObject({
        code: 'store_readonly',
        message: expect.stringMatching(
          /^A restore that was cut off cannot be finished \(E\w+: .*\): mend that and start again\.$/,
        ),
      });
    renameSync(join(mesh, 'new'), join(mesh, 'away'));
    expect(await finishRestore(mesh)).toBe(true);
    expect(readFileSync(join(mesh, 'new/d.md'), 'utf8')).toBe('d');
  });

  it('while it cleaned up is finished', async () => {
    const mesh = temporaryFolder({ 'a.md': 'new a', [RECORD]: record(MOVES) });
    expect(await finishRestore(mesh)).toBe(true);
    expect(textsIn(mesh)).toEqual({ 'a.md': 'new a', 'state/before-restore-01/restore.json': record(MOVES) });
  });

  it('where there is none, nothing is done and nothing is locked', async () => {
    const mesh = temporaryFolder({ 'state/id': '1' });
    expect([await isDecidedOn(mesh), await finishRestore(mesh)]).toEqual([false, false]);
    expect(textsIn(mesh)).toEqual({ 'state/id': '1' });
    expect(existsSync(join(mesh, 'state/restore.lock'))).toBe(false);
  });
});

it.each<[string, unknown]>([
  ['no JSON', '{'],
  ['null', null],
  ['from a folder of another name', { ...MOVES, from: 'xrestore-1' }],
  ['from outside', { ...MOVES, from: 'restore-1/..' }],
  ['from nowhere', { ...MOVES, from: undefined }],
  ['into a folder of another name', { ...MOVES, aside: 'restore-2' }],
  ['into a folder that begins otherwise', { ...MOVES, aside: 'xbefore-restore-2' }],
  ['into outside', { ...MOVES, aside: 'before-restore-01/..' }],
  ['into the folder it is from', { ...MOVES, from: 'before-restore-01' }],
  ['of no number', { ...MOVES, order: '1' }],
  ['of a broken number', { ...MOVES, order: 1.5 }],
  ['that replaces no list', { ...MOVES, replace: 'a.md' }],
  ['that replaces a number', { ...MOVES, replace: ['a.md', 1] }],
  ['that replaces outside', { ...MOVES, replace: ['a.md', '../a.md'] }],
  ['that removes no list', { ...MOVES, remove: undefined }],
  ['that removes a number', { ...MOVES, remove: [1, 'a.md'] }],
  ['that removes outside', { ...MOVES, remove: ['/etc/passwd', 'a.md'] }],
])('refuses a record %s, and moves nothing', async (_what, value) => {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const mesh = temporaryFolder({ ...FILES, ...STAGED, [RECORD]: text });
  await expect(finishRestore(mesh)).rejects.toMatchObject({
    code: 'forbidden',
    message: '.mesh/state/restore.json is no record of a restore: remove it and start again.',
  });
  expect(textsIn(mesh)).toEqual(
    Object.fromEntries(Object.entries({ ...FILES, ...STAGED, [RECORD]: text }).sort(([a], [b]) => (a < b ? -1 : 1))),
  );
});

describe('undoing a restore', () => {
  it('is impossible where there was none', async () => {
    const mesh = temporaryFolder({ 'state/id': '1' });
    expect(await undoingMoves(mesh, 'before-restore-2')).toBeUndefined();
  });

  it('puts back what was there, takes away what was not, and can be undone itself', async () => {
    const mesh = temporaryFolder({ ...FILES, ...STAGED });
    await restore(mesh, MOVES);
    const undo = await undoingMoves(mesh, 'before-restore-2');
    expect(undo).toEqual({
      from: 'before-restore-01',
      aside: 'before-restore-2',
      replace: ['a.md', 'old.md', 'folder'],
      remove: ['new/d.md'],
    });
    await restore(mesh, undo as RestoreMoves);
    expect(textsIn(mesh)).toMatchObject(FILES);
    expect(existsSync(join(mesh, 'new/d.md'))).toBe(false);
    await restore(mesh, (await undoingMoves(mesh, 'before-restore-3')) as RestoreMoves);
    expect(textsIn(mesh)).toMatchObject({ 'a.md': 'new a', 'new/d.md': 'd', 'other.md': 'other' });
    expect(existsSync(join(mesh, 'old.md'))).toBe(false);
  });

  it('is of the one with the highest number, whatever the names', async () => {
    const mesh = temporaryFolder({ 'state/restore-1/a.md': '1', 'state/restore-2/a.md': '2' });
    const only = { replace: ['a.md'], remove: [] };
    await restore(mesh, { from: 'restore-1', aside: 'before-restore-z', ...only });
    await restore(mesh, { from: 'restore-2', aside: 'before-restore-a', ...only });
    expect(JSON.parse(readFileSync(join(mesh, 'state/before-restore-a/restore.json'), 'utf8'))).toMatchObject({
      order: 2,
    });
    expect(await undoingMoves(mesh, 'before-restore-b')).toMatchObject({ from: 'before-restore-a' });
  });

  it('is of the last name among those of the first version, which have no number', async () => {
    const mesh = temporaryFolder({ 'state/id': '1' });
    for (const day of [7, 2, 9, 4, 1, 8, 3, 6, 5])
      putFiles(mesh, { [`state/before-restore-${day}/restore.json`]: record({ ...MOVES, aside: 'before-restore-0' }) });
    expect(await undoingMoves(mesh, 'before-restore-x')).toMatchObject({ from: 'before-restore-9' });
  });

  it('leaves out folders of other names and those without a record', async () => {
    const mesh = temporaryFolder({
      'state/before-restore-01/restore.json': record({ ...MOVES, order: 1 }),
      'state/before-restore-2/a.md': 'a',
      'state/before-restore-3.old/restore.json': record({ ...MOVES, order: 9 }),
      'state/xbefore-restore-4/restore.json': record({ ...MOVES, order: 9 }),
      'state/restore-5/restore.json': record({ ...MOVES, order: 9 }),
    });
    expect(await undoingMoves(mesh, 'before-restore-x')).toMatchObject({ from: 'before-restore-01' });
  });
});
