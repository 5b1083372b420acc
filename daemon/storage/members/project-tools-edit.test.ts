import fs, { chmodSync, existsSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import { ProjectFiles } from '../project-files.js';
import { replaceText } from './project-tools-edit.js';

const MIB = 1024 * 1024;

function openTree(files: Record<string, string>) {
  const root = temporaryFolder(files);
  const mayRead = (path: string) => !path.endsWith('.pem');
  const tree = {
    root,
    files: new ProjectFiles(root, { PATH: process.env['PATH'] }, mayRead),
    mayRead,
    toText: (bytes: Uint8Array) => (bytes.includes(0) ? undefined : new TextDecoder().decode(bytes)),
  };
  const replace = (path: string, old: string, text: string, isKnown = true) =>
    replaceText(tree, { path, isKnown, old, text });
  const read = (path: string) => readFileSync(join(root, path), 'utf8');
  return { root, tree, replace, read };
}

afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
});

describe('an edit of a text', () => {
  it.each([
    ['one\ntwo\nthree\n', 'one', 'ONE', 'ONE\ntwo\nthree\n', 1],
    ['one\ntwo\nthree\n', 'two\nthree', '2\n3', 'one\n2\n3\n', 2],
    ['one\ntwo\nthree\n', 'three\n', '', 'one\ntwo\n', 3],
    ['one\ntwo', 'two', '$& $1', 'one\n$& $1', 2],
    ['a\r\nb\r\nc\r\n', 'a\nb', 'x\ny', 'x\r\ny\r\nc\r\n', 1],
    ['a\r\nb\r\nc\r\n', 'a\r\nb', 'x\ny', 'x\ny\r\nc\r\n', 1],
    ['a\r\nb\nc\n', 'b\nc', 'x\ny', 'a\r\nx\ny\n', 2],
    ['a\r\nb', 'b', 'x\ny', 'a\r\nx\ny', 2],
  ])('of %j replaces %j by %j', async (before, old, text, after, line) => {
    const { replace, read } = openTree({ 'a.txt': before });
    expect(await replace('a.txt', old, text)).toEqual({ line });
    expect(read('a.txt')).toBe(after);
  });

  it.each([
    ['aa', 'a'],
    ['aaa', 'aa'],
    ['a\r\na\r\nb', 'a'],
    ['x\r\ny\r\nx\r\ny\r\n', 'x\ny'],
  ])('of %j is refused for %j, which stands more than once', async (before, old) => {
    const { replace, read } = openTree({ 'a.txt': before });
    await expect(replace('a.txt', old, 'z')).rejects.toMatchObject({
      code: 'bad_request',
      message: '`old_text` stands more than once in the file: give more of the lines around it.',
    });
    expect(read('a.txt')).toBe(before);
  });

  it.each([
    ['a\nb', 'a\r\nb'],
    ['abc', 'abd'],
  ])('of %j is refused for %j, which does not stand there', async (before, old) => {
    const { replace } = openTree({ 'a.txt': before });
    await expect(replace('a.txt', old, 'z')).rejects.toMatchObject({
      code: 'bad_request',
      message: '`old_text` does not stand in the file, character for character: read the file again.',
    });
  });

  it('is refused in a file that is not listed, not there, or no text', async () => {
    const { replace } = openTree({ 'a.txt': 'a', 'binary.txt': 'a\0b' });
    for (const [path, isKnown] of [
      ['a.txt', false],
      ['missing.txt', true],
      ['binary.txt', true],
    ] as const)
      await expect(replace(path, 'a', 'b', isKnown)).rejects.toMatchObject({
        code: 'not_found',
        message: 'No text file of this project that may be edited has this path.',
      });
  });

  it('is refused in a file that is not UTF-8', async () => {
    const { root, replace } = openTree({});
    writeFileSync(join(root, 'latin.txt'), Buffer.from('x \xe9\n', 'latin1'));
    await expect(replace('latin.txt', 'x', 'y')).rejects.toMatchObject({
      code: 'bad_request',
      message: 'The file is not UTF-8: it is edited by hand only.',
    });
  });

  it.each([['other'], [undefined]])('is refused when the file changed meanwhile, to %s', async (present) => {
    const { tree } = openTree({ 'a.txt': 'a' });
    const contents = ['a', present];
    const read = () => {
      const text = contents.shift();
      return text === undefined ? undefined : { bytes: Buffer.from(text) };
    };
    const changing = { ...tree, files: { read } as unknown as ProjectFiles };
    await expect(replaceText(changing, { path: 'a.txt', isKnown: true, old: 'a', text: 'b' })).rejects.toMatchObject({
      code: 'file_changed',
      message: 'The file has just changed: read it again.',
    });
    expect(readFileSync(join(tree.root, 'a.txt'), 'utf8')).toBe('a');
  });

  it('keeps the permissions of the file, without the bits that lend rights', async () => {
    const { root, replace } = openTree({ 'a.txt': 'a' });
    chmodSync(join(root, 'a.txt'), 0o4750);
    await replace('a.txt', 'a', 'b');
    expect(statSync(join(root, 'a.txt')).mode & 0o7777).toBe(0o750);
  });

  it('makes a file of up to 1 MiB of bytes', async () => {
    const { replace, read } = openTree({ 'a.txt': `old${'x'.repeat(MIB - 4)}` });
    const refused = { code: 'too_large', message: 'A file of more than 1 MiB is not written by agents.' };
    await expect(replace('a.txt', 'old', 'newer!')).rejects.toMatchObject(refused);
    await expect(replace('b.txt', '', 'é'.repeat(MIB / 2 + 1))).rejects.toMatchObject(refused);
    await replace('a.txt', 'old', 'new!');
    await replace('b.txt', '', 'é'.repeat(MIB / 2));
    expect([read('a.txt').length, read('b.txt').length]).toEqual([MIB, MIB / 2]);
  });
});

describe('a new file', () => {
  it('is made with its folders, and readable by all', async () => {
    const { root, replace, read } = openTree({ 'src/a.ts': 'a' });
    expect(await replace('src/new/b.ts', '', 'b\n')).toEqual({ line: 1 });
    expect(await replace('top.md', '', '')).toEqual({ line: 1 });
    expect([read('src/new/b.ts'), read('top.md')]).toEqual(['b\n', '']);
    expect(statSync(join(root, 'src/new/b.ts')).mode & 0o777).toBe(0o644);
  });

  it.each(['a (1).md', 'é/[slug]/@x+y=z, w.md', '-x/..a', 'A_1.b-c', `${'x'.repeat(252)}.md`])(
    'may have the path %s',
    async (path) => {
      const { replace, read } = openTree({});
      await replace(path, '', 'x');
      expect(read(path)).toBe('x');
    },
  );

  it.each([
    ...['../a', './a', 'a/../b', '/a', 'a/', 'a//b', '', ' a', 'a ', 'a.', 'a/b./c', 'a:b', 'a\\b', 'a*', 'a\nb', 'a~'],
    ...['.', '..', 'a\u200cb', 'new.pem', `${'x'.repeat(256)}`, `${'x/'.repeat(512)}x`],
  ])('may not have the path %j', async (path) => {
    const { replace } = openTree({});
    await expect(replace(path, '', 'x')).rejects.toMatchObject({
      code: 'forbidden',
      message: 'No file may be made at this path.',
    });
  });

  it('may have a path of 1,024 characters', async () => {
    const { replace, read } = openTree({});
    const folders = `${'x'.repeat(200)}/`.repeat(5);
    const path = `${folders}${'y'.repeat(1_024 - folders.length)}`;
    await replace(path, '', 'x');
    expect(read(path)).toBe('x');
    await expect(replace(`${path}y`, '', 'x')).rejects.toMatchObject({ code: 'forbidden' });
  });

  it('is not made where something is, in a link, or below a file', async () => {
    const { root, replace } = openTree({ 'a.txt': 'a', 'folder/b.txt': 'b' });
    const outside = temporaryFolder();
    symlinkSync(outside, join(root, 'link'));
    symlinkSync('nowhere', join(root, 'dangling'));
    for (const path of ['a.txt', 'folder', 'dangling'])
      await expect(replace(path, '', 'x')).rejects.toMatchObject({
        code: 'bad_request',
        message: 'There is something at this path already: to change it, give `old_text`.',
      });
    for (const path of ['link/c.txt', 'a.txt/c.txt', 'dangling/c.txt'])
      await expect(replace(path, '', 'x')).rejects.toMatchObject({
        code: 'forbidden',
        message: 'A folder of this path is a link or a file.',
      });
    expect(existsSync(join(outside, 'c.txt'))).toBe(false);
  });

  it.each([
    ['ENOSPC', 'no_space'],
    ['EACCES', 'store_readonly'],
    ['EIO', 'store_readonly'],
  ])('is not made when a folder for it cannot be made: %s', async (code, wanted) => {
    const { root, replace } = openTree({});
    vi.spyOn(fs, 'mkdirSync').mockImplementation(() => {
      throw Object.assign(new Error(code), { code });
    });
    syncBuiltinESMExports();
    await expect(replace('src/a.ts', '', 'a')).rejects.toMatchObject({ code: wanted });
    expect(existsSync(join(root, 'src'))).toBe(false);
  });

  it('is not made in a project whose own folder became a link', async () => {
    const { root, tree } = openTree({ 'a.txt': 'a' });
    const link = join(temporaryFolder(), 'link');
    symlinkSync(root, link);
    const moved = { ...tree, root: link };
    await expect(replaceText(moved, { path: 'b.txt', isKnown: false, old: '', text: 'b' })).rejects.toMatchObject({
      code: 'forbidden',
      message: 'A folder of this path is a link.',
    });
  });
});

describe('what agents do not edit', () => {
  it.each(['.git/config', 'a/.Git/x', '.hg/x', 'a/.svn', 'node_modules/x/index.js', 'A/NODE_MODULES'])(
    'is in %s',
    async (path) => {
      const { replace } = openTree({ [path]: 'x' });
      for (const old of ['', 'x'])
        await expect(replace(path, old, 'y')).rejects.toMatchObject({
          code: 'forbidden',
          message: 'Files in this folder are not edited by agents.',
        });
    },
  );

  it.each(['.mesh/team/a.md', '.Mesh/roadmap.md', '.mesh', '.mesh/sub/roadmap.md'])(
    'is the roster: %s',
    async (path) => {
      const { replace } = openTree({});
      await expect(replace(path, 'x', 'y')).rejects.toMatchObject({
        code: 'forbidden',
        message: 'Of `.mesh` an agent edits `.mesh/roadmap.md` only: the roster is the operator’s.',
      });
    },
  );

  it('is neither the roadmap nor a folder of a like name', async () => {
    const { replace, read } = openTree({ '.mesh/roadmap.md': 'old', 'a/.mesh/b.md': 'old', '.github/x': 'old' });
    for (const path of ['.mesh/roadmap.md', 'a/.mesh/b.md', '.github/x']) {
      await replace(path, 'old', 'new');
      expect(read(path)).toBe('new');
    }
  });
});
