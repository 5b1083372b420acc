import { chmodSync, chownSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { programPath, projectAround } from '../../private/program-path.js';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import { findProgram, findUpwards } from './process-group-path.js';

it('searches the usual folders where no path is set, in their order', async () => {
  expect(await findProgram('sh', undefined)).toMatch(/^(\/usr)?\/bin\/sh$/);
  expect(await findProgram('no-such-program-of-meshd', undefined)).toBeUndefined();
});

it('takes the first folder of the path that has the program', async () => {
  const [one, other] = [temporaryFolder({ agent: '' }), temporaryFolder({ agent: '' })];
  for (const folder of [one, other]) chmodSync(join(folder, 'agent'), 0o755);
  expect(await findProgram('agent', `${one}:${other}`)).toBe(join(one, 'agent'));
  expect(await findProgram('agent', `${other}:${one}`)).toBe(join(other, 'agent'));
});

it.each([
  ['/a:/b/c', '/a:/b/c'],
  ['/p/bin:/a:/p/../p/bin:/p', '/a'],
  ['/pq/bin:./x::.:/a', '/pq/bin:/a'],
  ['/x/../p/bin:/a', '/a'],
  ['bin:/p/bin', '/nonexistent'],
  ['', '/nonexistent'],
  [undefined, '/usr/local/bin:/usr/bin:/bin:/opt/homebrew/bin'],
])('of the path %s leaves what is absolute and outside of the project', (path, left) => {
  expect(programPath(path, '/p')).toBe(left);
});

it('takes a program from the next folder of the path when one is in the project', async () => {
  const [project, other] = [temporaryFolder({ 'bin/agent': '' }), temporaryFolder({ agent: '' })];
  for (const file of [join(project, 'bin/agent'), join(other, 'agent')]) chmodSync(file, 0o755);
  const path = `${project}/bin:${other}`;
  expect(await findProgram('agent', path, project)).toBe(join(other, 'agent'));
  expect(await findProgram('agent', `${project}/bin`, project)).toBeUndefined();
  expect(await findProgram(join(project, 'bin/agent'), path, project)).toBe(join(project, 'bin/agent'));
});

it('takes the outermost repository or project around a folder, but no home folder', () => {
  const root = temporaryFolder({ 'repo/.git/HEAD': '', 'repo/app/.mesh/x': '', 'repo/app/.mesh/state/tree/.git': '' });
  const [repository, app] = [join(root, 'repo'), join(root, 'repo/app')];
  for (const folder of [repository, app, join(app, '.mesh/state/tree')])
    expect(projectAround(folder, undefined), folder).toBe(repository);
  for (const folder of [app, join(app, '.mesh/state/tree')]) expect(projectAround(folder, repository)).toBe(app);
  expect(projectAround(repository, repository)).toBeUndefined();
  expect(projectAround('/', undefined)).toBeUndefined();
  expect(projectAround(root, undefined)).toBe(root);
});

it('finds no program by a whole path that cannot be run, nor by a name that is a path', async () => {
  const folder = temporaryFolder({ text: '', 'a\\b': '' });
  chmodSync(join(folder, 'a\\b'), 0o755);
  mkdirSync(join(folder, 'bin'));
  for (const name of ['text', 'bin', 'none']) expect(await findProgram(join(folder, name), folder)).toBeUndefined();
  for (const name of ['a\\b', 'a\0b', `..${folder}/a\\b`]) expect(await findProgram(name, folder)).toBeUndefined();
});

it('finds the first name in the nearest folder, as any kind of entry', async () => {
  const root = temporaryFolder({ 'a/b/c/file': '', 'a/b/one': '', 'a/b/two': '', 'three/x': '' });
  symlinkSync('nowhere', join(root, 'a/link'));
  const from = join(root, 'a/b/c');
  expect(await findUpwards(from, ['one', 'two'])).toBe(join(root, 'a/b/one'));
  expect(await findUpwards(from, ['two', 'one'])).toBe(join(root, 'a/b/two'));
  expect(await findUpwards(from, ['link', 'three'])).toBe(join(root, 'a/link'));
  expect(await findUpwards(from, ['three'])).toBe(join(root, 'three'));
  expect(await findUpwards(from, ['no-such-file-of-meshd'])).toBeUndefined();
  expect(await findUpwards(from, ['tmp', 'usr'])).toMatch(/^\/(tmp|usr)$|\/tmp$/);
});

it('stops at the top of the repository, unless the program looks beyond', async () => {
  const root = temporaryFolder({ 'above/x': '', 'project/.git': 'gitdir: elsewhere', 'project/a/file': '' });
  const from = join(root, 'project/a');
  expect(await findUpwards(from, ['.git'])).toBe(join(root, 'project/.git'));
  expect(await findUpwards(from, ['above'])).toBeUndefined();
  expect(await findUpwards(from, ['above'], { isBeyond: true })).toBe(join(root, 'above'));
});

it('leaves out the home folder and what is above it, but not what others may write to', async () => {
  const root = temporaryFolder({ file: '', 'home/file': '', 'home/work/a': '' });
  const home = join(root, 'home');
  const from = join(home, 'work');
  symlinkSync(home, join(root, 'link'));
  for (const folder of [home, join(root, 'link')]) {
    expect(await findUpwards(from, ['file'], { home: folder })).toBeUndefined();
    expect(await findUpwards(from, ['a'], { home: folder })).toBe(join(from, 'a'));
  }
  expect(await findUpwards(from, ['file'], { home: from })).toBe(undefined);
  for (const other of [join(root, 'other'), 'home', '', undefined])
    expect(await findUpwards(from, ['file'], { home: other })).toBe(join(home, 'file'));
  // The home folder may be below the project.
  expect(await findUpwards(root, ['file'], { home })).toBe(join(root, 'file'));
  chmodSync(root, 0o777);
  expect(await findUpwards(from, ['file'], { home })).toBe(join(root, 'file'));
});

it('finds no program without a name, also where the path names a program', async () => {
  const file = join(temporaryFolder({ agent: '' }), 'agent');
  chmodSync(file, 0o755);
  expect(await findProgram(file, file)).toBe(file);
  expect(await findProgram('', file)).toBeUndefined();
});

it('leaves out the home folder also when it looks from a link to it, and when others may write to it', async () => {
  const root = temporaryFolder({ 'home/file': '', 'home/work/a': '' });
  const home = join(root, 'home');
  symlinkSync(home, join(root, 'link'));
  expect(await findUpwards(join(root, 'link/work'), ['file'], { home })).toBeUndefined();
  chmodSync(home, 0o777);
  expect(await findUpwards(join(home, 'work'), ['file'], { home })).toBeUndefined();
});

it.runIf(process.getuid?.() === 0).each([
  ['root', 0, false],
  ['the user', 12_345, false],
  ['another user', 12_346, true],
])(
  'above the home folder, finds what is in a folder of %s only when it is not the user’s own',
  async (_, uid, isFound) => {
    const root = temporaryFolder({ file: '', 'home/work/a': '' });
    chownSync(root, uid, 0);
    const getuid = vi.spyOn(process, 'getuid').mockReturnValue(12_345);
    onTestFinished(() => getuid.mockRestore());
    const home = join(root, 'home');
    expect(await findUpwards(join(home, 'work'), ['file'], { home })).toBe(isFound ? join(root, 'file') : undefined);
  },
);
