import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { git, putFiles, temporaryFolder, temporaryRepository } from '../testing/temporary-folder.js';
import { ProjectFiles } from './project-files.js';

const environment = { PATH: process.env['PATH'] };
const listFiles = (root: string, mayRead: (path: string) => boolean = () => true) =>
  new ProjectFiles(root, environment, mayRead);
const paths = (files: ProjectFiles) => files.list().files.map((file) => file.path);

describe('listing', () => {
  it('contains what git tracks and what it does not ignore, sorted', () => {
    const root = temporaryRepository({ '.gitignore': 'ignored/\n', 'src/b.ts': 'b', 'src/a.ts': 'a' });
    putFiles(root, { 'ignored/x.ts': 'x', 'new file.md': 'new', 'node_modules/p/index.js': 'p' });
    expect(paths(listFiles(root))).toEqual(['.gitignore', 'new file.md', 'src/a.ts', 'src/b.ts']);
  });

  it('walks the tree without generated and third-party folders when there is no repository', () => {
    const root = temporaryFolder({
      'a.ts': 'a',
      'src/b.ts': 'b',
      'node_modules/x.js': 'x',
      'dist/x.js': 'x',
      '.venv/x.py': 'x',
    });
    expect(paths(listFiles(root))).toEqual(['a.ts', 'src/b.ts']);
  });

  it('leaves out files that are empty, too large, or not readable', () => {
    const root = temporaryRepository({
      'empty.ts': '',
      'large.txt': 'x'.repeat(1024 * 1024 + 1),
      'secret.pem': 'k',
      'a.ts': 'a',
    });
    expect(paths(listFiles(root, (path) => !path.endsWith('.pem')))).toEqual(['a.ts']);
  });

  it('counts files whose names are not UTF-8 or hold line breaks as left out', () => {
    const root = temporaryRepository({ 'a.ts': 'a', 'line\nbreak.md': 'b' });
    writeFileSync(Buffer.concat([Buffer.from(`${root}/caf`), Buffer.from([0xe9]), Buffer.from('.md')]), 'c');
    const { files, skipped } = listFiles(root).list();
    expect(files.map(({ path }) => path)).toEqual(['a.ts']);
    expect([...skipped.values()].sort()).toEqual([false, true]);
  });

  it('lists a subfolder of a repository with paths relative to it', () => {
    const root = temporaryRepository({ 'packages/one/a.ts': 'a', 'packages/two/b.ts': 'b' });
    expect(paths(listFiles(join(root, 'packages/one')))).toEqual(['a.ts']);
  });
});

describe('reading', () => {
  it.each([
    '../outside.txt',
    '/etc/passwd',
    'a/../../outside.txt',
    './a.txt',
    'a//b',
    'a\\b',
    'a\u0000b',
    '',
    'C:/x',
    'a/./b',
  ])('refuses %j', (path) => {
    expect(listFiles(temporaryFolder({ 'a.txt': 'a' })).read(path)).toBeUndefined();
  });

  it('does not follow a symbolic link, to a file or through a folder', () => {
    const outside = temporaryFolder({ 'secret.txt': 'outside', 'deep/more.txt': 'outside' });
    const root = temporaryRepository({ 'a.txt': 'a' });
    symlinkSync(join(outside, 'secret.txt'), join(root, 'link.txt'));
    symlinkSync(join(outside, 'deep'), join(root, 'folder'));
    symlinkSync('a.txt', join(root, 'inside.txt'));
    const files = listFiles(root);
    expect(paths(files)).toEqual(['a.txt']);
    for (const path of ['link.txt', 'folder/more.txt', 'inside.txt']) expect(files.read(path)).toBeUndefined();
  });

  it('reads nothing through a tracked folder that was replaced by a link', () => {
    const outside = temporaryFolder({ 'a.txt': 'outside' });
    const root = temporaryRepository({ 'folder/a.txt': 'inside' });
    renameSync(join(root, 'folder'), join(root, 'before'));
    symlinkSync(outside, join(root, 'folder'));
    const files = listFiles(root);
    expect(files.read('folder/a.txt')).toBeUndefined();
    expect(paths(files)).toEqual(['before/a.txt']);
  });

  it('neither blocks on a FIFO nor reads a folder as a file', () => {
    const root = temporaryFolder({ 'a.txt': 'a' });
    execFileSync('mkfifo', [join(root, 'pipe.txt')]);
    mkdirSync(join(root, 'folder.txt'));
    const files = listFiles(root);
    expect(files.read('pipe.txt')).toBeUndefined();
    expect(files.read('folder.txt')).toBeUndefined();
    expect(paths(files)).toEqual(['a.txt']);
  });

  it('treats a file that is removed after the listing as missing', () => {
    const root = temporaryRepository({ 'a.txt': 'a', 'b.txt': 'b' });
    const files = listFiles(root);
    expect(paths(files)).toEqual(['a.txt', 'b.txt']);
    unlinkSync(join(root, 'b.txt'));
    expect(files.read('b.txt')).toBeUndefined();
    expect(paths(files)).toEqual(['a.txt']);
  });
});

it('runs no program that a hostile repository configures', () => {
  const root = temporaryRepository({ 'a.txt': 'a', '.gitattributes': '* filter=evil diff=evil\n' });
  const canary = join(root, 'canary');
  const script = join(root, 'evil.sh');
  writeFileSync(script, `#!/bin/sh\ntouch ${canary}\ncat\n`, { mode: 0o755 });
  for (const key of [
    'core.fsmonitor',
    'core.pager',
    'core.sshCommand',
    'diff.external',
    'filter.evil.clean',
    'filter.evil.smudge',
    'diff.evil.textconv',
    'core.editor',
    'gpg.program',
  ]) {
    git(root, 'config', key, script);
  }
  git(root, 'config', 'log.showSignature', 'true');
  writeFileSync(join(root, '.git/hooks/post-index-change'), `#!/bin/sh\ntouch ${canary}\n`, { mode: 0o755 });
  putFiles(root, { 'a.txt': 'changed' });
  const listed = paths(listFiles(root));
  expect(listed).toContain('a.txt');
  expect(listed).not.toContain('canary');
});
