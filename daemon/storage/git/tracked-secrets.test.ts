import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { git, temporaryFolder, temporaryRepository } from '../../testing/temporary-folder.js';
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
});
