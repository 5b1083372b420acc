import { existsSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { sha256Hex } from '../../lib/crypto/digests.js';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import { AgentFiles, isPlainPath, StoredTexts } from './agent-files.js';

afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
});

describe('a plain path', () => {
  it.each(['a', 'a/b.md', '...', 'a/..b', 'a b/ü', '.x', 'aa:b', 'a/c:d', 'x'.repeat(1_024)])('is %j', (path) => {
    expect(isPlainPath(path)).toBe(true);
  });

  it.each([
    ...['', '.', '..', 'a/../b', 'a/./b', '/a', 'a/', 'a//b', 'C:', 'c:/x', 'a\\b', 'a\u0000', 'a\u001fb', '\u007fa'],
    'x'.repeat(1_025),
  ])('is not %j', (path) => {
    expect(isPlainPath(path)).toBe(false);
  });
});

describe('the files of other tools', () => {
  const list = (root: string, folder: string, isDeep = true, endings = ['.md']) =>
    new AgentFiles(root).list(folder, endings, isDeep);

  it('are those of a folder with one of the endings, sorted, links included', async () => {
    const root = temporaryFolder({ 'f/b.md': '', 'f/a.mdc': '', 'f/c.txt': '', 'f/d.md.bak': '', 'other.md': '' });
    symlinkSync('b.md', join(root, 'f/0.md'));
    expect(await list(root, 'f', false, ['.md', '.mdc'])).toEqual({
      paths: ['f/0.md', 'f/a.mdc', 'f/b.md'],
      refused: [],
    });
  });

  it('are those of sub folders too when the list is deep', async () => {
    const root = temporaryFolder({ 'f/z.md': '', 'f/sub/a.md': '', 'f/sub/more/b.md': '', 'f/folder.md/x.txt': '' });
    expect((await list(root, 'f', false)).paths).toEqual(['f/z.md']);
    expect((await list(root, 'f', true)).paths).toEqual(['f/sub/a.md', 'f/sub/more/b.md', 'f/z.md']);
  });

  it('are not those of hidden folders, of installed packages, behind links or of names that are not plain', async () => {
    const root = temporaryFolder({
      ...{ 'f/.hidden.md': '', 'f/.git/a.md': '', 'f/node_modules/a.md': '', 'f/a\\b.md': '' },
      ...{ 'f/kept.md': '', 'elsewhere/a.md': '' },
    });
    symlinkSync(join(root, 'elsewhere'), join(root, 'f/link'));
    expect((await list(root, 'f')).paths).toEqual(['f/kept.md']);
  });

  it('are those of at most eight folders below', async () => {
    const [eighth, ninth] = ['f/1/2/3/4/5/6/7/8', 'f/1/2/3/4/5/6/7/8/9'];
    const root = temporaryFolder({ [`${eighth}/in.md`]: '', [`${ninth}/out.md`]: '' });
    expect((await list(root, 'f')).paths).toEqual([`${eighth}/in.md`]);
  });

  it('are the first ten thousand entries of a folder', async () => {
    const root = temporaryFolder();
    mkdirSync(join(root, 'f'));
    for (let number = 0; number <= 10_000; number += 1) writeFileSync(join(root, 'f', `${number}.md`), '');
    expect((await list(root, 'f')).paths).toHaveLength(10_000);
  });

  it('are none where the folder is missing, also when it goes missing before it is read', async () => {
    const root = temporaryFolder({ file: '' });
    expect(await list(root, 'f/g')).toEqual({ paths: [], refused: [] });
    expect(await list(join(root, 'missing'), '')).toEqual({ paths: [], refused: [] });
    expect(await list(join(root, 'file'), '')).toEqual({ paths: [], refused: [] });
    await expect(list(join(root, 'x'.repeat(300)), '')).rejects.toMatchObject({ code: 'ENAMETOOLONG' });
  });

  it('are none where the folder is removed while it is listed', async () => {
    const root = temporaryFolder({ 'f/a.md': '' });
    const listed = list(root, 'f');
    rmSync(join(root, 'f'), { recursive: true });
    expect(await listed).toEqual({ paths: [], refused: [] });
  });

  it.each(['EACCES', 'EPERM'])('are none in a folder that may not be read (%s), and those beside it', async (code) => {
    const root = temporaryFolder({ 'f/closed/a.md': '', 'f/b.md': '' });
    const { readdir } = promises;
    vi.spyOn(promises, 'readdir').mockImplementation(((path: string, options: object) => {
      if (path.endsWith('closed')) throw Object.assign(new Error(code), { code });
      return readdir(path, options);
    }) as typeof readdir);
    syncBuiltinESMExports();
    expect(await list(root, 'f')).toEqual({ paths: ['f/b.md'], refused: [] });
  });

  it('are not said to be behind a link where the folder cannot be looked at for another reason', async () => {
    const files = new AgentFiles(temporaryFolder());
    const name = 'x'.repeat(300);
    await expect(files.list(name, ['.md'], false)).rejects.toMatchObject({ code: 'ENAMETOOLONG' });
    await expect(files.read(`${name}/a.md`)).rejects.toMatchObject({ code: 'ENAMETOOLONG' });
  });

  it.each(['link', 'file', 'link/sub'])(
    'are refused with the reason where the folder is or is behind a %s',
    async (at) => {
      const root = temporaryFolder({ 'elsewhere/sub/a.md': '', file: '' });
      symlinkSync(join(root, 'elsewhere'), join(root, 'link'));
      expect(await list(root, at)).toEqual({
        paths: [],
        refused: [{ path: at, reason: 'The folder is a link or a file, or lies behind one: links are not followed.' }],
      });
    },
  );
});

describe('a file of another tool', () => {
  it('is read as it is at present, at the root and below', async () => {
    const files = new AgentFiles(temporaryFolder({ 'top.md': 'top', 'a/b/deep.md': 'deep' }));
    expect(await files.read('top.md')).toEqual({ kind: 'text', text: 'top', revision: sha256Hex('top') });
    expect(await files.read('a/b/deep.md')).toMatchObject({ kind: 'text', text: 'deep' });
    expect([await files.read('a/none.md'), await files.read('none/a.md')]).toEqual([undefined, undefined]);
  });

  it('is not read behind a link, or when it is one', async () => {
    const root = temporaryFolder({ 'elsewhere/a.md': 'a' });
    symlinkSync(join(root, 'elsewhere'), join(root, 'link'));
    symlinkSync(join(root, 'elsewhere/a.md'), join(root, 'a.md'));
    const files = new AgentFiles(root);
    expect(await files.read('link/a.md')).toEqual({
      kind: 'unreadable',
      problem: { line: 1, column: 1, reason: 'It lies behind a link: links are not followed.' },
      revision: '',
    });
    expect(await files.read('a.md')).toMatchObject({ kind: 'unreadable' });
  });

  it('is written with the folders on the way, and removed once or more', async () => {
    const root = temporaryFolder();
    const files = new AgentFiles(root);
    await files.write('a/b/c.md', 'text');
    await files.write('top.md', 'top');
    expect([readFileSync(join(root, 'a/b/c.md'), 'utf8'), readFileSync(join(root, 'top.md'), 'utf8')]).toEqual([
      'text',
      'top',
    ]);
    await files.remove('a/b/c.md');
    await files.remove('a/b/c.md');
    expect([existsSync(join(root, 'a/b/c.md')), existsSync(join(root, 'top.md'))]).toEqual([false, true]);
  });

  it('is neither written nor removed behind a link', async () => {
    const root = temporaryFolder({ 'elsewhere/a.md': 'a' });
    symlinkSync(join(root, 'elsewhere'), join(root, 'link'));
    const files = new AgentFiles(root);
    await expect(files.write('link/a.md', 'b')).rejects.toMatchObject({ code: 'forbidden' });
    await expect(files.remove('link/a.md')).rejects.toMatchObject({ code: 'forbidden' });
    expect(readFileSync(join(root, 'elsewhere/a.md'), 'utf8')).toBe('a');
  });

  it.each(['../a.md', '/a.md', 'a\\b'])('is not named by %s', async (path) => {
    const files = new AgentFiles(temporaryFolder());
    const refused = {
      code: 'bad_request',
      message: 'The path must be relative, without `..` and backslashes.',
    };
    await expect(files.read(path)).rejects.toMatchObject(refused);
    await expect(files.write(path, 'x')).rejects.toMatchObject(refused);
    await expect(files.remove(path)).rejects.toMatchObject(refused);
  });
});

describe('stored texts', () => {
  const text = 'the original\n';
  const sha256 = sha256Hex(text);

  it('are found by their digest, in a folder of this user alone', async () => {
    const state = temporaryFolder();
    const texts = new StoredTexts(state, 'imports');
    expect(await texts.find(sha256)).toBeUndefined();
    await texts.keep(sha256, text);
    expect(await new StoredTexts(state, 'imports').find(sha256)).toBe(text);
    const modes = ['imports', `imports/${sha256}`].map((name) => statSync(join(state, name)).mode & 0o777);
    expect(modes).toEqual([0o700, 0o600]);
  });

  it('are written once, and again when they were modified', async () => {
    const state = temporaryFolder();
    const texts = new StoredTexts(state, 'imports');
    await texts.keep(sha256, text);
    const { ino } = statSync(join(state, 'imports', sha256));
    await texts.keep(sha256, text);
    expect(statSync(join(state, 'imports', sha256)).ino).toBe(ino);
    writeFileSync(join(state, 'imports', sha256), 'modified');
    expect(await texts.find(sha256)).toBeUndefined();
    await texts.keep(sha256, text);
    expect(await texts.find(sha256)).toBe(text);
  });

  it.each(['../x', `../${sha256}`, `${sha256}/../x`, sha256.slice(1), sha256.toUpperCase(), ''])(
    'are not found by %s, which is no digest',
    async (name) => {
      const state = temporaryFolder({ x: 'x' });
      const texts = new StoredTexts(state, 'imports');
      await texts.keep(sha256, text);
      expect(await texts.find(name)).toBeUndefined();
    },
  );

  it('are not found where the file is not text', async () => {
    const bytes = Buffer.from([0xff, 0xfe]);
    const state = temporaryFolder();
    const digest = sha256Hex(bytes);
    mkdirSync(join(state, 'imports'));
    writeFileSync(join(state, 'imports', digest), bytes);
    expect(await new StoredTexts(state, 'imports').find(digest)).toBeUndefined();
  });
});
