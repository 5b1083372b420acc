import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { sha256Hex } from '../../lib/crypto/digests.js';
import { MarkdownFolder } from '../../storage/members/markdown-folder.js';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import { TestFiles } from './test-files.js';

const TEXT = '## A?\n- says: a\n';
const OTHER = '---\nblocks_exposure: true\n---\n\n## B?\n- says: b\n';

function someFiles(texts: Record<string, string> = {}) {
  const root = temporaryFolder(
    Object.fromEntries(Object.entries(texts).map(([id, text]) => [`.mesh/asks/${id}.md`, text])),
  );
  const warnings: string[] = [];
  const folder = new MarkdownFolder(root, ['.mesh', 'asks'], () => undefined);
  const files = new TestFiles(folder, (message) => void warnings.push(message));
  onTestFinished(() => files.close());
  const changes: string[] = [];
  files.onChange(async (id) => void changes.push(id));
  return { root, folder, files, changes, warnings, path: (id: string) => join(root, '.mesh/asks', `${id}.md`) };
}

describe('opening', () => {
  it('reads the tests of every member, and tells nobody', async () => {
    const { files, changes, warnings } = someFiles({ ada: TEXT, bea: OTHER, 'No Id': TEXT });
    expect(files.find('ada')).toBeUndefined();
    await files.open();
    expect(files.find('ada')).toEqual({
      ...{ blocksExposure: false, problem: undefined, text: TEXT, revision: sha256Hex(TEXT) },
      tests: [{ question: 'A?', cites: [], says: ['a'], never_says: [], not_found: false }],
    });
    expect(files.find('bea')).toMatchObject({ blocksExposure: true, tests: { length: 1 } });
    expect(files.find('No Id')).toBeUndefined();
    expect([changes, warnings]).toEqual([[], []]);
    expect(files.pathOf('ada')).toBe('.mesh/asks/ada.md');
  });

  it('watches: a later change on disk is told', async () => {
    const { files, changes, path } = someFiles({ ada: TEXT });
    await files.open();
    writeFileSync(path('ada'), OTHER);
    await expect.poll(() => changes).toEqual(['ada']);
    expect(files.find('ada')).toMatchObject({ text: OTHER });
  });

  it('takes a folder that is a link for one without tests, with a warning', async () => {
    const { root, files, warnings } = someFiles();
    mkdirSync(join(root, 'elsewhere'));
    mkdirSync(join(root, '.mesh'));
    symlinkSync(join(root, 'elsewhere'), join(root, '.mesh/asks'));
    await files.open();
    expect(warnings).toEqual([
      `${join(root, '.mesh/asks')} must be a plain directory, not a symbolic link: replace it and start again.`,
    ]);
  });

  it('fails with any other failure', async () => {
    const { folder, files } = someFiles();
    folder.rescan = () => Promise.reject(new TypeError('a fault'));
    await expect(files.open()).rejects.toThrow('a fault');
  });
});

describe('reading', () => {
  it('tells of each change once', async () => {
    const { files, changes, path } = someFiles({ ada: TEXT });
    expect(await files.read('ada')).toMatchObject({ text: TEXT });
    await files.read('ada');
    writeFileSync(path('ada'), OTHER);
    expect(await files.read('ada')).toMatchObject({ text: OTHER });
    await files.read('ada');
    unlinkSync(path('ada'));
    expect(await files.read('ada')).toBeUndefined();
    expect(await files.read('ada')).toBeUndefined();
    expect(changes).toEqual(['ada', 'ada', 'ada']);
  });

  it('keeps a problem in a text apart from a file that cannot be read', async () => {
    const { files, changes, path } = someFiles({ ada: '## A?\n- say: a\n' });
    expect(await files.read('ada')).toMatchObject({ problem: { line: 2 }, text: '## A?\n- say: a\n' });
    await files.read('ada');
    expect(changes).toEqual(['ada']);
    unlinkSync(path('ada'));
    symlinkSync('nowhere', path('ada'));
    const link = {
      ...{ blocksExposure: true, tests: [], text: undefined, revision: '' },
      problem: { line: 1, column: 1, reason: 'This is a symbolic link: put the file itself here.' },
    };
    expect(await files.read('ada')).toEqual(link);
    await files.read('ada');
    expect(changes).toEqual(['ada', 'ada']);
    unlinkSync(path('ada'));
    mkdirSync(path('ada'));
    expect(await files.read('ada')).toMatchObject({
      problem: { reason: 'This is not a regular file: put a Markdown file here.' },
    });
    rmSync(path('ada'), { recursive: true });
    expect(await files.read('ada')).toBeUndefined();
    expect(changes).toHaveLength(4);
  });

  it('takes the tests of every member for unreadable while the folder is a link', async () => {
    const { root, files, changes } = someFiles({ ada: TEXT });
    await files.read('ada');
    rmSync(join(root, '.mesh/asks'), { recursive: true });
    symlinkSync(root, join(root, '.mesh/asks'));
    const reason = `${join(root, '.mesh/asks')} must be a plain directory, not a symbolic link: replace it and start again.`;
    for (const id of ['ada', 'bea']) {
      expect(await files.read(id)).toEqual({
        ...{ blocksExposure: true, tests: [], text: undefined, revision: '' },
        problem: { line: 1, column: 1, reason },
      });
    }
    expect(changes).toEqual(['ada', 'ada', 'bea']);
  });

  it('fails with any other failure, and reads nothing by a word that is no id', async () => {
    const { folder, files } = someFiles({ ada: TEXT });
    folder.read = () => Promise.reject(new TypeError('a fault'));
    await expect(files.read('ada')).rejects.toThrow('a fault');
    expect(await files.read('../ada')).toBeUndefined();
  });
});

describe('writing', () => {
  it('replaces the file by what the edit makes of the present one, and tells of it once', async () => {
    const { files, changes, path } = someFiles({ ada: TEXT });
    await files.change('ada', (current) => `${current?.text}\n## C?\n- says: c\n`);
    expect(readFileSync(path('ada'), 'utf8')).toBe(`${TEXT}\n## C?\n- says: c\n`);
    expect(files.find('ada')).toMatchObject({ tests: { length: 2 } });
    await files.change('bea', (current) => (current === undefined ? OTHER : TEXT));
    expect(files.find('bea')).toMatchObject({ text: OTHER });
    expect(changes).toEqual(['ada', 'bea']);
    await files.change('bea', () => OTHER);
    expect(changes).toEqual(['ada', 'bea']);
  });

  it('writes nothing when the edit throws', async () => {
    const { files, changes, path } = someFiles();
    const refuse = () => {
      throw new Error('refused');
    };
    await expect(files.change('ada', refuse)).rejects.toThrow('refused');
    expect([existsSync(path('ada')), changes]).toEqual([false, []]);
  });

  it('waits for the write before it', async () => {
    const { files } = someFiles({ ada: TEXT });
    const add = (line: string) => files.change('ada', (current) => `${current?.text}- says: ${line}\n`);
    await Promise.all(['b', 'c', 'd'].map(add));
    expect(files.find('ada')?.tests[0]?.says).toEqual(['a', 'b', 'c', 'd']);
  });
});
