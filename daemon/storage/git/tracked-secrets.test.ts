import { existsSync, mkdirSync, readFileSync, symlinkSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkTracked } from '../../cli/daemon/doctor/installation-checks.js';
import { git, pathWithGit, putFiles, temporaryFolder, temporaryRepository } from '../../testing/temporary-folder.js';
import { TrackedSecrets } from './tracked-secrets.js';

const environment = { PATH: process.env['PATH'] };
const SECRET = '.mesh/credentials/x';

function withSecret(root: string): string {
  mkdirSync(join(root, '.mesh/credentials'), { recursive: true });
  writeFileSync(join(root, SECRET), 'secret');
  return root;
}

describe('TrackedSecrets', () => {
  it('reports a secret as soon as it is added to git, and no more once it is removed', async () => {
    const root = withSecret(temporaryRepository({ 'a.txt': 'a' }));
    const tracked = new TrackedSecrets(root, environment);
    for (let round = 0; round < 3; round += 1) {
      expect(await tracked.paths()).toEqual([]);
      expect(await tracked.paths()).toEqual([]);
      git(root, 'add', '-f', SECRET);
      expect(await tracked.paths()).toEqual([SECRET]);
      expect(await tracked.paths()).toEqual([SECRET]);
      git(root, 'rm', '-q', '--cached', SECRET);
    }
  });

  it('does not run git again while the index is unchanged', async () => {
    const root = withSecret(temporaryRepository({ 'a.txt': 'a' }));
    git(root, 'add', '-f', SECRET);
    const seen = { ...environment };
    const tracked = new TrackedSecrets(root, seen);
    expect(await tracked.paths()).toEqual([SECRET]);
    seen.PATH = temporaryFolder();
    expect(await tracked.paths()).toEqual([SECRET]);
    expect(await new TrackedSecrets(root, seen).paths()).toEqual([]);
  });

  it('runs git again after git failed', async () => {
    const root = withSecret(temporaryRepository({ 'a.txt': 'a' }));
    git(root, 'add', '-f', SECRET);
    const seen = { PATH: temporaryFolder() as string | undefined };
    const tracked = new TrackedSecrets(root, seen);
    expect(await tracked.paths()).toEqual([]);
    seen.PATH = environment.PATH;
    expect(await tracked.paths()).toEqual([SECRET]);
  });

  it('reports a secret where the project is a subfolder of a repository, and in a repository with an empty index', async () => {
    const root = temporaryRepository({ 'part/a.txt': 'a' });
    const part = new TrackedSecrets(withSecret(join(root, 'part')), environment);
    expect(await part.paths()).toEqual([]);
    git(root, 'add', '-f', `part/${SECRET}`);
    expect(await part.paths()).toEqual([SECRET]);
    const fresh = withSecret(temporaryFolder());
    git(fresh, 'init', '-q');
    const first = new TrackedSecrets(fresh, environment);
    expect(await first.paths()).toEqual([]);
    git(fresh, 'add', '-f', SECRET);
    expect(await first.paths()).toEqual([SECRET]);
  });

  it('returns nothing where there is no repository', async () => {
    expect(await new TrackedSecrets(withSecret(temporaryFolder()), environment).paths()).toEqual([]);
  });

  it.each(['.mesh/credentials/deep/x', '.mesh/state/mesh.db'])('reports %s', async (path) => {
    const root = temporaryRepository({ [path]: 'x', 'a.txt': 'a', '.mesh/team/one.md': '' });
    expect(await new TrackedSecrets(root, environment).paths()).toEqual([path]);
  });

  it.each(['.MESH/state/preferences.json', '.me\u017fh/Credentials/x'])(
    'reports %s where the file system takes it for the same',
    async (path) => {
      const root = withSecret(temporaryRepository({ 'a.txt': 'a' }));
      const blob = git(root, 'hash-object', '-w', 'a.txt').trim();
      git(root, 'update-index', '--add', '--cacheinfo', `100644,${blob},${path}`);
      expect(await new TrackedSecrets(root, environment).paths()).toEqual([]);
      // Stands in for such a file system.
      symlinkSync('.mesh', join(root, '.MESH'));
      expect(await new TrackedSecrets(root, environment).paths()).toEqual([path]);
      expect(checkTracked(root, environment)).toMatchObject({ state: 'fail', found: expect.stringContaining(path) });
    },
  );

  /** A project with an index of which git says that it lists a secret; `asked` counts how often it was asked. */
  function withIndex(bytes: number) {
    const root = temporaryFolder();
    const log = join(temporaryFolder(), 'log');
    const index = join(root, '.git/index');
    putFiles(root, { '.git/index': 'DIRC\0\0\0\u0002\0\0\0\0' });
    truncateSync(index, bytes);
    const PATH = pathWithGit(`echo x >> '${log}'\nprintf '.mesh/state/x\\0'`);
    const asked = () => (existsSync(log) ? readFileSync(log, 'utf8').length / 2 : 0);
    return { index, asked, tracked: new TrackedSecrets(root, { PATH }) };
  }

  it('looks into an index of up to 16 MiB itself, and asks git about a larger one', async () => {
    const size = 16 * 1024 * 1024;
    const small = withIndex(size);
    expect([await small.tracked.paths(), small.asked()]).toEqual([[], 0]);
    const large = withIndex(size + 1);
    expect([await large.tracked.paths(), large.asked()]).toEqual([['.mesh/state/x'], 1]);
  });

  it('asks git again after the index was written in place, and not before', async () => {
    const { index, asked, tracked } = withIndex(12);
    writeFileSync(index, 'not an index');
    for (const _ of [1, 2]) expect(await tracked.paths()).toEqual(['.mesh/state/x']);
    expect(asked()).toBe(1);
    utimesSync(index, 1_000_000_000, 1_000_000_000);
    await tracked.paths();
    expect(asked()).toBe(2);
  });

  it('asks git where the index cannot be read', async () => {
    const root = temporaryFolder();
    mkdirSync(join(root, '.git/index'), { recursive: true });
    const PATH = pathWithGit(`printf '.mesh/state/x\\0'`);
    expect(await new TrackedSecrets(root, { PATH }).paths()).toEqual(['.mesh/state/x']);
  });
});
