import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { entryName, type ProjectEntry } from '../lib/project-entry.js';
import { temporaryFolder } from '../testing/temporary-folder.js';
import { ProjectEntries, readForeignDaemonFile } from './project-entries.js';

const UID = process.getuid?.();
const ENTRY: ProjectEntry = {
  ...{ name: 'lamp', root: '/work/lamp', address: 'http://127.0.0.1:4747', pid: 4711, version: '0.1.0' },
  started_at: '2026-11-21T12:00:00.000Z',
};
const OTHER = { ...ENTRY, name: 'buoy', root: '/work/buoy' };

function open(folder = join(temporaryFolder(), 'projects'), uid = UID) {
  return { folder, entries: new ProjectEntries(folder, uid) };
}

const byRoot = (entries: ProjectEntry[]) => entries.sort((a, b) => (a.root < b.root ? -1 : 1));

describe('the entries of running daemons', () => {
  it('are files of this user alone, one a project, and list what was written last', async () => {
    const { folder, entries } = open();
    await entries.write({ ...ENTRY, pid: 1 });
    await entries.write(OTHER);
    await entries.write(ENTRY);
    expect(byRoot(await entries.list())).toEqual([OTHER, ENTRY]);
    const file = join(folder, entryName(ENTRY.root));
    expect([statSync(folder).mode & 0o777, statSync(file).mode & 0o777]).toEqual([0o700, 0o600]);
    expect(readFileSync(file, 'utf8')).toBe(`${JSON.stringify(ENTRY, null, 2)}\n`);
  });

  it('are removed at once, or again without a fault', async () => {
    const { entries } = open();
    await entries.write(ENTRY);
    await entries.write(OTHER);
    entries.remove(ENTRY.root);
    entries.remove(ENTRY.root);
    expect(await entries.list()).toEqual([OTHER]);
  });

  it('are removed when they are invalid, but nothing else in the folder is', async () => {
    const { folder, entries } = open();
    await entries.write(ENTRY);
    const invalid = [entryName('/a'), entryName('/b'), entryName('/c')] as const;
    writeFileSync(join(folder, invalid[0]), '{', { mode: 0o600 });
    writeFileSync(join(folder, invalid[1]), JSON.stringify({ ...ENTRY, root: '/elsewhere' }), { mode: 0o600 });
    symlinkSync(entryName(ENTRY.root), join(folder, invalid[2]));
    writeFileSync(join(folder, 'notes.txt'), 'x');
    mkdirSync(join(folder, entryName('/d')));
    expect(await entries.list()).toEqual([ENTRY]);
    expect(readdirSync(folder).sort()).toEqual([entryName(ENTRY.root), entryName('/d'), 'notes.txt'].sort());
  });

  it.runIf(UID !== undefined)('are none in a folder that is missing, a file, a link or of another user', async () => {
    const { folder, entries } = open();
    expect(await entries.list()).toEqual([]);
    await entries.write(ENTRY);
    const link = join(temporaryFolder({ file: '' }), 'link');
    symlinkSync(folder, link);
    expect(await open(link).entries.list()).toEqual([]);
    expect(await open(join(link, '../file')).entries.list()).toEqual([]);
    expect(await open(folder, (UID as number) + 1).entries.list()).toEqual([]);
    expect(await entries.list()).toEqual([ENTRY]);
  });

  it('are all of the folder where the system has no users', async () => {
    const { folder, entries } = open();
    await entries.write(ENTRY);
    expect(await new ProjectEntries(folder, undefined).list()).toEqual([ENTRY]);
  });

  it.each<[string, Partial<ProjectEntry>, boolean]>([
    ['is swept when it is the one that was read', {}, false],
    ['stays when another process has replaced it', { pid: 4712 }, true],
    ['stays when another start of the same process has replaced it', { started_at: '2026-11-22T00:00:00.000Z' }, true],
  ])('of a daemon that has ended %s', async (_what, change, isLeft) => {
    const { folder, entries } = open();
    await entries.write({ ...ENTRY, ...change });
    await entries.write(OTHER);
    await entries.sweep(ENTRY);
    expect(existsSync(join(folder, entryName(ENTRY.root)))).toBe(isLeft);
    expect(existsSync(join(folder, entryName(OTHER.root)))).toBe(true);
  });

  it('of a daemon that has ended may be gone already', async () => {
    const { entries } = open();
    await entries.write(OTHER);
    await entries.sweep(ENTRY);
    expect(await entries.list()).toEqual([OTHER]);
  });
});

describe('what the daemon of another project says of itself', () => {
  const text = JSON.stringify({ ...ENTRY, port: 4747, secret: 's' });

  it.runIf(UID !== undefined)('is read where only this user can write it', async () => {
    const root = temporaryFolder({ '.mesh/state/daemon.json': text });
    const path = join(root, '.mesh/state/daemon.json');
    chmodSync(path, 0o600);
    expect(await readForeignDaemonFile(root, UID)).toEqual(JSON.parse(text));
    expect(await readForeignDaemonFile(root, (UID as number) + 1)).toBeUndefined();
    chmodSync(path, 0o644);
    expect(await readForeignDaemonFile(root, UID)).toBeUndefined();
  });

  it('is unknown where there is none, or no whole one', async () => {
    expect(await readForeignDaemonFile(temporaryFolder(), UID)).toBeUndefined();
    const root = temporaryFolder({ '.mesh/state/daemon.json': '{}' });
    chmodSync(join(root, '.mesh/state/daemon.json'), 0o600);
    expect(await readForeignDaemonFile(root, UID)).toBeUndefined();
  });
});
