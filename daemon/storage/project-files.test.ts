import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, statSync, symlinkSync, unlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { git, putFiles, temporaryFolder, temporaryRepository } from '../testing/temporary-folder.js';
import { FILE_MAX_BYTES, ProjectFiles } from './project-files.js';

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

  it('counts what a sparse checkout does not have as left out, and not what was deleted', () => {
    const root = temporaryRepository({ 'a/one.txt': 'a', 'a/gone.txt': 'g', 'b/two.txt': 'b', 'b/three.txt': 'b' });
    git(root, 'update-index', '--refresh');
    git(root, 'sparse-checkout', 'set', 'a');
    unlinkSync(join(root, 'a/gone.txt'));
    const list = listFiles(root).list();
    expect(list.files.map(({ path }) => path)).toEqual(['a/one.txt']);
    expect([...list.skipped]).toEqual([
      ['b/three.txt', true],
      ['b/two.txt', true],
    ]);
    expect([...(listFiles(root).listOnly(['b/two.txt'])?.skipped ?? [])]).toEqual([['b/two.txt', true]]);
  });

  it('counts a submodule as left out, checked out or not, but no folder in the place of a file', () => {
    const root = temporaryRepository({ 'a.ts': 'a', was: 'a file' });
    putFiles(root, { 'lib/b.ts': 'b' });
    git(join(root, 'lib'), 'init', '-q');
    git(join(root, 'lib'), 'add', '-A');
    git(join(root, 'lib'), 'commit', '-qm', 'lib');
    git(root, 'add', 'lib');
    const [id] = git(join(root, 'lib'), 'rev-parse', 'HEAD').split('\n');
    git(root, 'update-index', '--add', '--cacheinfo', `160000,${id},vendor/empty`);
    mkdirSync(join(root, 'vendor/empty'), { recursive: true });
    unlinkSync(join(root, 'was'));
    putFiles(root, { 'was/c.ts': 'c' });
    const { files, skipped, submodules } = listFiles(root).list();
    expect(files.map(({ path }) => path)).toEqual(['a.ts', 'was/c.ts']);
    expect([...skipped]).toEqual([
      ['lib', true],
      ['vendor/empty', true],
    ]);
    expect(submodules).toEqual(['lib', 'vendor/empty']);
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

describe('a listed file', () => {
  it('has its size and time, and whether git tracks it', () => {
    const root = temporaryRepository({ 'b.md': 'bb', 'large.txt': 'x' });
    putFiles(root, { 'a.md': 'a', 'max.txt': 'x'.repeat(FILE_MAX_BYTES), 'more.txt': 'x'.repeat(FILE_MAX_BYTES + 1) });
    putFiles(root, { 'large.txt': 'x'.repeat(FILE_MAX_BYTES + 1) });
    utimesSync(join(root, 'a.md'), 5, 5);
    const { files, tracking, leftOut, skipped } = listFiles(root).list();
    expect(files).toEqual([
      { path: 'a.md', size: 1, mtimeMs: 5_000, tracked: false },
      { path: 'b.md', size: 2, mtimeMs: statSync(join(root, 'b.md')).mtimeMs, tracked: true },
      { path: 'max.txt', size: FILE_MAX_BYTES, mtimeMs: expect.any(Number), tracked: false },
    ]);
    expect([tracking, leftOut, [...skipped]]).toEqual([
      'git',
      0,
      [
        ['large.txt', true],
        ['more.txt', false],
      ],
    ]);
  });

  it('counts as the own one of a folder without git, and of nobody while git cannot tell', () => {
    const root = temporaryFolder({ 'a.md': 'a' });
    expect(listFiles(root).list()).toMatchObject({ files: [{ path: 'a.md', tracked: true }], tracking: 'none' });
    putFiles(root, { '.git/HEAD': 'broken' });
    expect(listFiles(root).list()).toMatchObject({ files: [{ path: 'a.md', tracked: false }], tracking: 'unknown' });
  });

  it('may be listed among some paths only, when git can tell', () => {
    const root = temporaryRepository({ 'a.md': 'a', 'b.md': 'b', 'key.pem': 'k', '.gitignore': 'made/\n' });
    putFiles(root, { 'c.md': 'c', 'made/d.md': 'd' });
    const files = listFiles(root, (path) => path !== 'key.pem');
    const list = files.listOnly(['b.md', 'c.md', 'made/d.md', 'key.pem', 'missing.md']);
    expect(list?.files.map(({ path, tracked }) => [path, tracked])).toEqual([
      ['b.md', true],
      ['c.md', false],
    ]);
    expect(list?.tracking).toBe('git');
    expect(listFiles(temporaryFolder({ 'a.md': 'a' })).listOnly(['a.md'])).toBeUndefined();
  });

  it('is none of a folder that is never source, even where git tracks it', () => {
    const never = ['node_modules', 'bower_components', '.venv', '__pycache__'];
    const root = temporaryRepository({
      ...Object.fromEntries(never.map((name) => [`a/${name}/x.js`, 'x'])),
      ...{ 'dist/a.js': 'a', 'vendor/a.go': 'a' },
    });
    expect(paths(listFiles(root))).toEqual(['dist/a.js', 'vendor/a.go']);
    for (const name of never) expect(listFiles(root).read(`a/${name}/x.js`)).toBeUndefined();
  });

  it.each([
    'bower_components',
    '.git',
    'target',
    'venv',
    '.tox',
    '.mypy_cache',
    'coverage',
    '.nyc_output',
    '.stack-work',
  ])('is none of the folder %s where there is no git', (name) => {
    const root = temporaryFolder({ [`a/${name}/x.js`]: 'x', 'a/b.js': 'b' });
    expect(paths(listFiles(root))).not.toContain(`a/${name}/x.js`);
    expect(paths(listFiles(root))).toContain('a/b.js');
  });

  it('is at most thirty-two folders deep where there is no git', () => {
    const folders = (depth: number) => Array.from({ length: depth }, (_, index) => `${index}`).join('/');
    const root = temporaryFolder({ [`${folders(32)}/in.md`]: 'x', [`${folders(33)}/out.md`]: 'x' });
    expect(paths(listFiles(root))).toEqual([`${folders(32)}/in.md`]);
  });
});

describe('a read file', () => {
  it('has its bytes, size and time', () => {
    const root = temporaryFolder({ 'folder/a.md': 'aä', 'empty.md': '' });
    const { mtimeMs } = statSync(join(root, 'folder/a.md'));
    const files = listFiles(root);
    expect(files.read('folder/a.md')).toEqual({ bytes: Buffer.from('aä'), size: 3, mtimeMs });
    expect(files.read('empty.md')?.bytes).toEqual(Buffer.alloc(0));
  });

  it('has at most a megabyte, or what the caller allows', () => {
    const root = temporaryFolder({ 'a.md': 'x'.repeat(FILE_MAX_BYTES), 'b.md': 'x'.repeat(FILE_MAX_BYTES + 1) });
    const files = listFiles(root);
    expect([files.read('a.md')?.size, files.read('b.md')]).toEqual([FILE_MAX_BYTES, undefined]);
    expect([files.read('b.md', FILE_MAX_BYTES + 1)?.size, files.read('a.md', 10)]).toEqual([
      FILE_MAX_BYTES + 1,
      undefined,
    ]);
  });

  it('is one that may be read and whose path is plain', () => {
    const long = `${'x'.repeat(250)}/`.repeat(4);
    const files = { 'key.pem': 'k', 'a:b.md': 'a', 'c/d:e.md': 'd', [`${long}${'y'.repeat(20)}`]: 'y' };
    const reader = listFiles(temporaryFolder(files), (path) => path !== 'key.pem');
    expect(['key.pem', 'a:b.md', 'c/d:e.md'].map((path) => reader.read(path)?.bytes.toString())).toEqual([
      undefined,
      undefined,
      'd',
    ]);
    expect(reader.read(`${long}${'y'.repeat(20)}`)?.size).toBe(1);
    for (const path of ['a/', 'a\u001fb', 'a\u007f', '.', '..', 'missing/a.md'])
      expect(reader.read(path)).toBeUndefined();
  });
});

it('has a stamp of a file of the root, which changes when the file is written', () => {
  const root = temporaryFolder({ 'a.md': 'a', 'folder/b.md': 'b' });
  const files = listFiles(root);
  const stamp = files.stampOf('a.md');
  const { size, mtimeMs, ino } = statSync(join(root, 'a.md'));
  expect(stamp).toBe(`${size} ${mtimeMs} ${ino}`);
  putFiles(root, { 'a.md': 'longer' });
  expect(files.stampOf('a.md')).not.toBe(stamp);
  expect([files.stampOf('missing.md'), files.stampOf('folder')]).toEqual([undefined, undefined]);
});
