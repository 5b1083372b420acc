import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { git, temporaryFolder, temporaryRepository } from '../testing/temporary-folder.js';
import { looseFiles } from './files/secrets-audit.js';
import { MeshFolder, withManagedBlock } from './mesh-folder.js';

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
