import { existsSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { git, putFiles, temporaryFolder, temporaryRepository } from '../../testing/temporary-folder.js';
import { withCleanRepository } from './clean-repository.js';
import { GitRepository } from './git-repository.js';

const environment = { PATH: process.env['PATH'], HOME: '/nonexistent' };

async function within<T>(root: string, branch: string, work: (folder: string) => T, commit = 'HEAD') {
  const repository = await GitRepository.open(root, environment);
  if (!repository) throw new Error('The repository was not opened.');
  const hash = git(root, 'rev-parse', commit).trim();
  return withCleanRepository(repository, { branch, commit: hash, environment }, async (folder) => work(folder));
}

it('has the commits and one branch of the repository, and nothing of its configuration', async () => {
  const root = temporaryRepository({ 'a.txt': 'a\n' });
  putFiles(root, { 'a.txt': 'b\n', '.git/hooks/pre-push': '#!/bin/sh\n' });
  git(root, 'commit', '-qam', 'second');
  git(root, 'tag', 'v1');
  git(root, 'config', 'remote.origin.url', 'https://example.invalid/');
  const seen = await within(root, 'meshd/topic', (folder) => {
    expect(folder.startsWith(join(tmpdir(), 'meshd-push-'))).toBe(true);
    return {
      folder,
      refs: git(folder, 'for-each-ref', '--format=%(refname) %(objectname)').trim(),
      subjects: git(folder, 'log', '--format=%s', 'meshd/topic').trim(),
      text: git(folder, 'show', 'meshd/topic:a.txt'),
      url: git(folder, 'config', '--default', 'none', '--get', 'remote.origin.url').trim(),
      explicit: git(folder, '-c', 'safe.bareRepository=explicit', 'log', '-1', '--format=%s', 'meshd/topic').trim(),
      hooks: existsSync(join(folder, '.git/hooks')),
    };
  });
  expect(seen).toMatchObject({ subjects: 'second\nfirst', text: 'b\n', url: 'none', explicit: 'second', hooks: false });
  expect(seen.refs).toBe(`refs/heads/meshd/topic ${git(root, 'rev-parse', 'HEAD').trim()}`);
  expect(existsSync(seen.folder)).toBe(false);
});

it('knows that a clone does not have the whole history', async () => {
  const root = temporaryRepository({ 'a.txt': 'a\n' });
  putFiles(root, { 'a.txt': 'b\n' });
  git(root, 'commit', '-qam', 'second');
  const clone = join(temporaryFolder(), 'clone');
  git(root, 'clone', '-q', '--depth', '1', `file://${root}`, clone);
  expect(await within(clone, 'x', (folder) => git(folder, 'log', '--format=%s', 'x').trim())).toBe('second');
});

it('has the kind of hashes that the repository has', async () => {
  const root = temporaryFolder({ 'a.txt': 'a\n' });
  git(root, 'init', '-q', '--object-format=sha256');
  git(root, 'add', '-A');
  git(root, 'commit', '-qm', 'first');
  expect(await within(root, 'x', (folder) => git(folder, 'rev-parse', 'x').trim())).toBe(
    git(root, 'rev-parse', 'HEAD').trim(),
  );
});

it('is removed also when the work fails, and when git refuses what is asked, in its own words', async () => {
  const root = temporaryRepository({ 'a.txt': 'a\n' });
  let place = '';
  const fails = within(root, 'x', (folder) => {
    place = folder;
    throw new Error('the push failed');
  });
  await expect(fails).rejects.toThrow('the push failed');
  expect(place).not.toBe('');
  expect(existsSync(place)).toBe(false);
  vi.stubEnv('TMPDIR', temporaryFolder());
  onTestFinished(() => void vi.unstubAllEnvs());
  await expect(within(root, '..', () => undefined)).rejects.toThrow(
    /^git update-ref failed: fatal: .*refs\/heads\/\.\./,
  );
  expect(readdirSync(tmpdir())).toEqual([]);
});

it('lets the work remove the folder itself', async () => {
  const root = temporaryRepository({ 'a.txt': 'a\n' });
  expect(await within(root, 'x', (folder) => rmSync(folder, { recursive: true }))).toBeUndefined();
});
