import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { git, temporaryFolder, temporaryRepository } from '../testing/temporary-folder.js';
import { looseFiles } from './files/secrets-audit.js';
import { MeshFolder, readText, STANDARD_VERSION, withManagedBlock } from './mesh-folder.js';

const getMode = (path: string) => statSync(path).mode & 0o777;

describe('MeshFolder', () => {
  it('keeps secrets and state from other users and out of git', async () => {
    const folder = new MeshFolder(temporaryRepository({ 'a.txt': 'a' }));
    await folder.prepare();
    expect([folder.credentials, folder.state].map(getMode)).toEqual([0o700, 0o700]);
    writeFileSync(join(folder.credentials, 'x'), 'secret', { mode: 0o600 });
    writeFileSync(join(folder.state, 'y'), 'state');
    git(folder.root, 'add', '-A');
    expect(git(folder.root, 'ls-files')).toBe('.mesh/.gitignore\na.txt\n');
    expect(await looseFiles(folder)).toEqual([]);
  });

  it("adds to the operator's own .mesh/.gitignore and writes nothing the second time", async () => {
    const root = temporaryFolder({ '.mesh/.gitignore': '# mine\nstate/' });
    const folder = new MeshFolder(root);
    await folder.prepare();
    const text = readFileSync(join(root, '.mesh/.gitignore'), 'utf8');
    expect(text).toBe('# mine\nstate/\ncredentials/\n');
    const before = statSync(join(root, '.mesh/.gitignore')).mtimeMs;
    await folder.prepare();
    expect(statSync(join(root, '.mesh/.gitignore')).mtimeMs).toBe(before);
  });

  it.each(['.mesh', '.mesh/team', '.mesh/credentials', '.mesh/state'])(
    'refuses to start when %s is a link out of the project',
    async (path) => {
      const outside = temporaryFolder({ 'a.txt': 'a' });
      const root = temporaryFolder();
      if (path !== '.mesh') mkdirSync(join(root, '.mesh'));
      symlinkSync(outside, join(root, path));
      await expect(new MeshFolder(root).prepare()).rejects.toMatchObject({ code: 'forbidden' });
      expect(existsSync(join(outside, 'credentials'))).toBe(false);
    },
  );

  it('refuses to start when .mesh is a file, in one sentence that says what to do', async () => {
    const root = temporaryFolder({ '.mesh': 'x' });
    await expect(new MeshFolder(root).prepare()).rejects.toMatchObject({
      code: 'forbidden',
      message: expect.stringMatching(/\.mesh must be a directory .* or a file: replace it and start again\.$/),
    });
  });

  it('reads the standard version and writes the newest when there is none', async () => {
    const folder = new MeshFolder(temporaryFolder({ '.mesh/keep': '' }));
    expect(await folder.standardVersion()).toBe(30);
    expect(readFileSync(join(folder.path, 'STANDARD_VERSION'), 'utf8')).toBe('30\n');
    writeFileSync(join(folder.path, 'STANDARD_VERSION'), ' 28 \n');
    expect(await folder.standardVersion()).toBe(28);
    writeFileSync(join(folder.path, 'STANDARD_VERSION'), 'new');
    await expect(folder.standardVersion()).rejects.toMatchObject({ code: 'bad_request' });
  });
});

describe('the local instructions file', () => {
  it('is written when missing', async () => {
    const folder = new MeshFolder(temporaryFolder({ '.mesh/keep': '' }));
    await folder.keepInstructions('Do this.');
    expect(readFileSync(join(folder.path, 'INSTRUCTIONS.md'), 'utf8')).toContain('Do this.');
  });

  it("has its managed block updated and the operator's text around it unchanged", () => {
    const first = withManagedBlock(undefined, 'Old.');
    const mine = `Before\r\n\n${first}\n  After `;
    const next = withManagedBlock(mine, 'New.');
    expect(next).toBe(mine.replace('Old.', 'New.'));
    expect(withManagedBlock(next, 'New.')).toBe(next);
  });

  it('gets the block appended when the operator has removed it', () => {
    expect(withManagedBlock('Mine only', 'New.')).toMatch(
      /^Mine only\n\n<!-- meshd:begin[\s\S]*New\.[\s\S]*meshd:end -->\n$/,
    );
  });
});

describe('the files that keep secrets out of git', () => {
  it.each([
    ['', 'credentials/\nstate/\n'],
    ['mine', 'mine\ncredentials/\nstate/\n'],
    ['mine\n', 'mine\ncredentials/\nstate/\n'],
    ['state/\r\ncredentials/\r\n', 'state/\r\ncredentials/\r\n'],
    ['credentials/', 'credentials/\nstate/\n'],
    ['# state/\ncredentials/x\n', '# state/\ncredentials/x\ncredentials/\nstate/\n'],
  ])('add what is missing to %j', async (before, after) => {
    const root = temporaryFolder({ '.mesh/.gitignore': before });
    await new MeshFolder(root).prepare();
    expect(readFileSync(join(root, '.mesh/.gitignore'), 'utf8')).toBe(after);
  });

  it('are made with the folders, and made again when they were changed', async () => {
    const root = temporaryFolder();
    const folder = new MeshFolder(root);
    await folder.prepare();
    const own = join(folder.credentials, '.gitignore');
    expect(readFileSync(join(root, '.mesh/.gitignore'), 'utf8')).toBe('credentials/\nstate/\n');
    expect([readFileSync(own, 'utf8'), getMode(own), getMode(folder.path)]).toEqual(['*\n', 0o600, 0o755]);
    const { ino } = statSync(own);
    await folder.prepare();
    expect(statSync(own).ino).toBe(ino);
    writeFileSync(own, '');
    chmodSync(folder.state, 0o755);
    await folder.prepare();
    expect([readFileSync(own, 'utf8'), getMode(folder.state)]).toEqual(['*\n', 0o700]);
  });

  it.each(['another branch', 'git stash -u'])(
    'are in each folder, for when the one beside them went with %s',
    async (by) => {
      const root = temporaryRepository({ 'a.txt': 'a' });
      const folder = new MeshFolder(root);
      await folder.prepare();
      const kept = [join(folder.state, 'mesh.db'), join(folder.credentials, 'x')];
      for (const path of kept) writeFileSync(path, 'x');
      if (by === 'git stash -u') git(root, 'stash', '-u', '-q');
      else {
        git(root, 'branch', 'old');
        git(root, 'add', '-A');
        git(root, 'commit', '-q', '-m', 'meshd');
        git(root, 'checkout', '-q', 'old');
      }
      expect(existsSync(join(folder.path, '.gitignore'))).toBe(false);
      expect(git(root, 'status', '--porcelain', '-uall')).toBe('');
      git(root, 'clean', '-f', '-d', '-q');
      expect(kept.map((path) => existsSync(path))).toEqual([true, true]);
    },
  );

  it('are in the folders of the project', () => {
    const folder = new MeshFolder('/work');
    expect([folder.root, folder.path, folder.team, folder.credentials, folder.state]).toEqual([
      '/work',
      '/work/.mesh',
      '/work/.mesh/team',
      '/work/.mesh/credentials',
      '/work/.mesh/state',
    ]);
  });
});

describe('the declared revision of the conventions', () => {
  const declared = (text: string) =>
    new MeshFolder(temporaryFolder({ '.mesh/STANDARD_VERSION': text })).standardVersion();

  it.each([
    ['7', 7],
    ['\n123456\r\n', 123_456],
    ['007', 7],
  ])('is read from %j', async (text, version) => {
    expect(await declared(text)).toBe(version);
  });

  it.each(['', 'v7', '7.1', '7 8', '1234567', '-7'])('is refused as %j', async (text) => {
    await expect(declared(text)).rejects.toMatchObject({
      code: 'bad_request',
      message: '.mesh/STANDARD_VERSION must hold one integer: run "meshd upgrade" to set it.',
    });
  });

  it('is written for all to read, the newest one', async () => {
    const folder = new MeshFolder(temporaryFolder({ '.mesh/keep': '' }));
    expect(await folder.standardVersion()).toBe(STANDARD_VERSION);
    expect(getMode(join(folder.path, 'STANDARD_VERSION'))).toBe(0o644);
  });
});

describe('the managed block', () => {
  const BEGIN = '<!-- meshd:begin (this block is kept by meshd; write outside it) -->';
  const END = '<!-- meshd:end -->';
  const block = (text: string) => `${BEGIN}\n${text}\n${END}`;

  it.each([
    [undefined, `# How to work in this project\n\n${block('New.')}\n`],
    ['', `\n\n${block('New.')}\n`],
    ['Mine', `Mine\n\n${block('New.')}\n`],
    ['Mine\n', `Mine\n\n${block('New.')}\n`],
    [`A ${block('Old.')} B`, `A ${block('New.')} B`],
    [`${END} A ${block('Old.')} B ${block('Other.')}`, `${END} A ${block('New.')} B ${block('Other.')}`],
    [`A ${BEGIN} cut off\n`, `A ${BEGIN} cut off\n\n${block('New.')}\n`],
    [`A ${END}\n`, `A ${END}\n\n${block('New.')}\n`],
  ])('of %j is kept current', (text, next) => {
    expect(withManagedBlock(text, '\n New. \n')).toBe(next);
  });

  it('is not written again when it is current', async () => {
    const folder = new MeshFolder(temporaryFolder({ '.mesh/keep': '' }));
    const path = join(folder.path, 'INSTRUCTIONS.md');
    await folder.keepInstructions('One.');
    const { ino, mode } = statSync(path);
    await folder.keepInstructions('One.');
    expect([statSync(path).ino, mode & 0o777]).toEqual([ino, 0o644]);
    await folder.keepInstructions('Two.');
    expect(readFileSync(path, 'utf8')).toBe(`# How to work in this project\n\n${block('Two.')}\n`);
  });
});

describe('a text of the repository', () => {
  it('in another encoding keeps its bytes, and is refused where its words are read', async () => {
    const text = '# K\xfcche\n';
    const root = temporaryFolder({ '.mesh/keep': '' });
    const folder = new MeshFolder(root);
    for (const name of ['INSTRUCTIONS.md', '.gitignore', 'roadmap.md'])
      writeFileSync(join(folder.path, name), text, 'latin1');
    await folder.prepare();
    await folder.keepInstructions('Tür.');
    const bytes = (name: string) => readFileSync(join(folder.path, name));
    expect(bytes('.gitignore').toString('latin1')).toBe(`${text}credentials/\nstate/\n`);
    expect(bytes('INSTRUCTIONS.md').subarray(0, text.length).toString('latin1')).toBe(text);
    expect(bytes('INSTRUCTIONS.md').toString()).toContain('\nTür.\n');
    const path = join(folder.path, 'roadmap.md');
    await expect(readText(path)).rejects.toMatchObject({
      code: 'bad_request',
      message: `${path} is not UTF-8: save it as UTF-8.`,
    });
  });

  it('is read from a regular file alone', async () => {
    const root = temporaryFolder({ 'a.txt': 'ä', 'folder/b.txt': '' });
    symlinkSync('a.txt', join(root, 'link'));
    execFileSync('mkfifo', [join(root, 'pipe')]);
    expect([await readText(join(root, 'a.txt')), await readText(join(root, 'missing'))]).toEqual(['ä', undefined]);
    const link = join(root, 'link');
    await expect(readText(link)).rejects.toMatchObject({
      code: 'forbidden',
      message: `${link} must be a regular file, not a link: replace it and start again.`,
    });
    for (const name of ['folder', 'pipe'])
      await expect(readText(join(root, name))).rejects.toMatchObject({
        code: 'forbidden',
        message: `${join(root, name)} must be a regular file.`,
      });
    await expect(readText(join(root, 'a.txt/b'))).rejects.toMatchObject({ code: 'ENOTDIR' });
  });
});
