import { existsSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { git, putFiles, temporaryFolder, temporaryRepository } from '../../testing/temporary-folder.js';
import { MeshFolder } from '../mesh-folder.js';
import { SecretFile } from './secret-file.js';
import { committedText, findTracking, looseFiles } from './secrets-audit.js';

const getMode = (path: string) => statSync(path).mode & 0o777;
const environment = { PATH: process.env['PATH'], HOME: '/nonexistent' };

it('keeps secrets in a file and a folder that others cannot access, whatever they were', async () => {
  const folder = join(temporaryFolder(), 'credentials');
  const file = new SecretFile(join(folder, 'wallets.json'));
  expect(await file.read()).toBeNull();
  expect(getMode(folder)).toBe(0o700);
  mkdirSync(`${folder}-2`, { mode: 0o755 });
  const other = new SecretFile(join(`${folder}-2`, 'wallets.json'));
  await other.write({ a: 1 });
  expect([getMode(`${folder}-2`), getMode(other.path)]).toEqual([0o700, 0o600]);
  expect(await other.read()).toEqual({ a: 1 });
});

it('neither reads nor writes secrets in a folder that is a link', async () => {
  const [outside, root] = [temporaryFolder({ 'wallets.json': '{}' }), temporaryFolder()];
  symlinkSync(outside, join(root, 'credentials'));
  const file = new SecretFile(join(root, 'credentials/wallets.json'));
  await expect(file.read()).rejects.toMatchObject({ code: 'forbidden' });
  await expect(file.write({ a: 1 })).rejects.toMatchObject({ code: 'forbidden' });
  expect(readdirSync(outside)).toEqual(['wallets.json']);
});

it('names what others can access of the secrets and the state, relative to the project', async () => {
  const folder = new MeshFolder(temporaryFolder());
  expect(await looseFiles(folder)).toEqual([]);
  await folder.prepare();
  expect(await looseFiles(folder)).toEqual([]);
  for (const [name, mode] of [
    ['group', 0o640],
    ['other', 0o601],
    ['own', 0o700],
  ] as const)
    writeFileSync(join(folder.credentials, name), '', { mode });
  // The state's own files are not secret: the folder keeps others out.
  writeFileSync(join(folder.state, 'open'), '', { mode: 0o644 });
  expect((await looseFiles(folder)).sort()).toEqual(['.mesh/credentials/group', '.mesh/credentials/other']);
  const open = new MeshFolder(temporaryFolder());
  mkdirSync(open.credentials, { recursive: true, mode: 0o755 });
  mkdirSync(open.state, { mode: 0o711 });
  expect(await looseFiles(open)).toEqual(['.mesh/credentials', '.mesh/state']);
});

it('knows whether the project is in a repository, and what is committed in it', async () => {
  const root = temporaryRepository({ 'part/a.txt': 'committed', 'b.txt': 'b' });
  putFiles(root, { 'part/a.txt': 'changed', 'part/new.txt': 'n' });
  const part = new MeshFolder(join(root, 'part'));
  expect(await findTracking(part, environment)).toBe('git');
  expect(await committedText(part, 'a.txt', environment)).toBe('committed');
  expect([await committedText(part, 'new.txt', environment), await committedText(part, 'b.txt', environment)]).toEqual([
    ...[null, null],
  ]);
  const plain = new MeshFolder(temporaryFolder());
  expect([await findTracking(plain, environment), await committedText(plain, 'a', environment)]).toEqual([
    ...['none', null],
  ]);
  const bare = temporaryFolder();
  git(bare, 'init', '-q', '--bare');
  expect(await findTracking(new MeshFolder(bare), environment)).toBe('none');
  const gone = new MeshFolder(temporaryFolder({ '.git': 'gitdir: /nonexistent\n' }));
  expect(await findTracking(gone, environment)).toBe('unknown');
  expect(existsSync(join(bare, 'HEAD'))).toBe(true);
});
