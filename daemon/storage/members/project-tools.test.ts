import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import timers from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { FakeClock } from '../../testing/fake-clock.js';
import { putFiles, temporaryFolder, temporaryRepository } from '../../testing/temporary-folder.js';
import { TRACKING_UNKNOWN } from '../git/tracked-files.js';
import { ProjectTools, type ReadingTools } from './project-tools.js';
import { WITHHELD } from './project-tools-text.js';

const FILES = {
  'src/a.ts': 'export const alpha = 1;\nexport const Beta = 2;\n',
  'docs/a.md': '# Alpha\n\nalphabet\n',
  'key.pem': 'no\n',
};
const signal = new AbortController().signal;

function tools(root: string, clock = new FakeClock()): ProjectTools {
  const decodeText = (bytes: Uint8Array) => (bytes.includes(0) ? undefined : new TextDecoder().decode(bytes));
  return new ProjectTools({
    root,
    environment: { PATH: process.env['PATH'] },
    mayRead: (path) => !path.endsWith('.pem'),
    toText: decodeText,
    clock,
  });
}

const everywhere = { isWholeWord: false, matchesCase: false, accepts: () => true, max: 10 };

describe('ProjectTools', () => {
  it('lists the files that git tracks or does not ignore, sorted, without links and secrets', async () => {
    const root = temporaryRepository({ ...FILES, '.gitignore': 'made/\n' });
    putFiles(root, { 'new.md': 'new\n', 'made/b.md': 'made\n' });
    symlinkSync('src/a.ts', join(root, 'link.ts'));
    expect(await tools(root).paths()).toEqual(['.gitignore', 'docs/a.md', 'new.md', 'src/a.ts']);
  });

  it('lists a file that took the place of a folder, but nothing below it', async () => {
    const root = temporaryRepository({ ...FILES, 'src/deep/er/b.ts': 'b\n' });
    rmSync(join(root, 'src'), { recursive: true });
    putFiles(root, { src: 'a file\n' });
    expect(await tools(root).paths()).toEqual(['docs/a.md', 'src']);
  });

  it.each([
    [255, 0],
    [256, 1],
    [600, 2],
  ])('lets other work run while %i files are looked at: %i times', async (files, pauses) => {
    const root = temporaryRepository({ 'a.md': 'a\n' });
    putFiles(root, Object.fromEntries(Array.from({ length: files - 1 }, (_, at) => [`b${at}.md`, ''])));
    const pause = vi.spyOn(timers, 'setImmediate');
    syncBuiltinESMExports();
    onTestFinished(() => {
      vi.restoreAllMocks();
      syncBuiltinESMExports();
    });
    expect(await tools(root).paths()).toHaveLength(files);
    expect(pause).toHaveBeenCalledTimes(pauses);
  });

  it('lists all files of a folder without git', async () => {
    expect(await tools(temporaryFolder(FILES)).paths()).toEqual(['docs/a.md', 'src/a.ts']);
  });

  it('returns the lines of listed files only', async () => {
    const root = temporaryRepository({ ...FILES, '.gitignore': 'made/\n' });
    putFiles(root, { 'made/b.md': 'made\n' });
    expect(await tools(root).lines('docs/a.md')).toEqual(['# Alpha', '', 'alphabet']);
    for (const path of ['made/b.md', 'key.pem', '../x', './src/a.ts', '/etc/passwd', 'src', '__proto__']) {
      await expect(tools(root).lines(path)).rejects.toMatchObject({ code: 'not_found' });
    }
  });

  it('withholds lines that look like secrets, and finds nothing in them', async () => {
    const token = `mk_${'a1'.repeat(20)}`;
    const key = '-----BEGIN RSA PRIVATE KEY-----\nalphaalpha\n-----END RSA PRIVATE KEY-----';
    const project = tools(temporaryRepository({ 'a.md': `one\ntoken ${token}\n${key}\nlast\n` }));
    const withheld = '[line withheld: it looks like a secret]';
    expect(await project.lines('a.md')).toEqual(['one', withheld, withheld, withheld, withheld, 'last']);
    for (const text of ['mk_a1', 'token', 'alphaalpha', 'RSA']) {
      expect((await project.linesHolding({ ...everywhere, texts: [text] }, signal)).matches).toEqual([]);
    }
  });

  it.each([
    [{ texts: ['alpha'] }, ['docs/a.md:1', 'docs/a.md:3', 'src/a.ts:1']],
    [{ texts: ['alpha'], isWholeWord: true }, ['docs/a.md:1', 'src/a.ts:1']],
    [{ texts: ['Alpha'], matchesCase: true }, ['docs/a.md:1']],
    [{ texts: ['alphabet', 'beta'] }, ['docs/a.md:3', 'src/a.ts:2']],
    [{ texts: ['alpha'], accepts: (path: string) => path.startsWith('src/') }, ['src/a.ts:1']],
    [{ texts: ['.*'] }, []],
  ])('finds the lines of %j', async (search, found) => {
    const { matches, hasMore } = await tools(temporaryRepository(FILES)).linesHolding(
      { ...everywhere, ...search },
      signal,
    );
    expect(matches.map(({ path, line }) => `${path}:${line}`)).toEqual(found);
    expect(hasMore).toBe(false);
  });

  it('reports that there are more matches than requested, and stops when its signal is aborted', async () => {
    const project = tools(temporaryRepository(FILES));
    expect(await project.linesHolding({ ...everywhere, texts: ['a'], max: 1 }, signal)).toMatchObject({
      matches: [{ line: 1 }],
      hasMore: true,
    });
    await expect(project.linesHolding({ ...everywhere, texts: ['a'] }, AbortSignal.abort())).rejects.toMatchObject({
      name: 'AbortError',
    });
  });
});

describe('what agents see of a project', () => {
  it('is what was there two seconds ago at most', async () => {
    const clock = new FakeClock();
    const root = temporaryRepository({ 'a.md': 'a\n' });
    const project = tools(root, clock);
    expect(await project.paths()).toEqual(['a.md']);
    putFiles(root, { 'b.md': 'b\n' });
    clock.advance(2_000);
    expect(await project.paths()).toEqual(['a.md']);
    clock.advance(1);
    expect(await project.paths()).toEqual(['a.md', 'b.md']);
  });

  it('is what git tracks, for other programs', async () => {
    const token = 'api_key: "9f86d081884c7d659a2feaa0c55ad015"';
    const root = temporaryRepository({ 'a.md': `alpha\n${token}\n` });
    putFiles(root, { 'b.md': 'alpha\n' });
    const project = tools(root);
    const outside = project.forOutside();
    expect([await outside.paths(), await project.paths()]).toEqual([['a.md'], ['a.md', 'b.md']]);
    expect([(await outside.lines('a.md'))[1], (await project.lines('a.md'))[1]]).toEqual([WITHHELD, token]);
    await expect(outside.lines('b.md')).rejects.toMatchObject({
      code: 'not_found',
      message: 'No text file of this project that may be read has this path; `list` gives the paths.',
    });
    const pathsWith = async (reader: ReadingTools, text: string) =>
      (await reader.linesHolding({ ...everywhere, texts: [text] }, signal)).matches.map(({ path }) => path);
    expect([await pathsWith(outside, 'alpha'), await pathsWith(project, 'alpha')]).toEqual([
      ['a.md'],
      ['a.md', 'b.md'],
    ]);
    expect([await pathsWith(outside, '9f86'), await pathsWith(project, '9f86')]).toEqual([[], ['a.md']]);
  });

  it('is everything in a folder without git, and nothing for other programs while git cannot tell', async () => {
    const root = temporaryFolder({ 'a.md': 'a\n', 'key.pem': 'no\n' });
    expect(await tools(root).forOutside().paths()).toEqual(['a.md']);
    putFiles(root, { '.git/HEAD': 'broken' });
    const project = tools(root);
    expect(await project.paths()).toEqual(['a.md']);
    await expect(project.forOutside().paths()).rejects.toMatchObject({ code: 'forbidden', message: TRACKING_UNKNOWN });
  });

  it('is read again after it could not be read', async () => {
    let isBroken = true;
    const root = temporaryRepository({ 'a.md': 'a\n' });
    const project = new ProjectTools({
      root,
      environment: { PATH: process.env['PATH'] },
      mayRead: () => {
        if (isBroken) throw new RangeError('broken');
        return true;
      },
      toText: () => 'a',
      clock: new FakeClock(),
    });
    await expect(project.paths()).rejects.toThrow(RangeError);
    isBroken = false;
    expect(await project.paths()).toEqual(['a.md']);
  });

  it('has no files behind a folder that is a link now, that are gone, or that are folders now', async () => {
    const outside = temporaryFolder({ 'a.md': 'outside' });
    const root = temporaryRepository({
      'top.md': 'a',
      'one/a.md': 'a',
      'two/a.md': 'a',
      'two/b.md': 'a',
      'three.md': 'a',
    });
    renameSync(join(root, 'one'), join(outside, 'one'));
    symlinkSync(outside, join(root, 'one'));
    rmSync(join(root, 'two/a.md'));
    rmSync(join(root, 'three.md'));
    mkdirSync(join(root, 'three.md'));
    expect(await tools(root).paths()).toEqual(['top.md', 'two/b.md']);
  });
});

describe('a search', () => {
  const many = (files: number) =>
    Object.fromEntries(
      Array.from({ length: files }, (_, index) => [`${String(index).padStart(3, '0')}.md`, 'alpha\n']),
    );

  it('gives the text of the lines, and is complete with exactly as many as wanted', async () => {
    const project = tools(temporaryFolder({ 'a.md': 'x\nalpha 1\r\nalpha 2\n' }));
    expect(await project.linesHolding({ ...everywhere, texts: ['alpha'], max: 2 }, signal)).toEqual({
      matches: [
        { path: 'a.md', line: 2, text: 'alpha 1' },
        { path: 'a.md', line: 3, text: 'alpha 2' },
      ],
      hasMore: false,
    });
  });

  it('passes over what is no text', async () => {
    const project = tools(temporaryFolder({ 'a.md': 'alpha\0', 'b.md': 'alpha\n' }));
    const { matches } = await project.linesHolding({ ...everywhere, texts: ['alpha'] }, signal);
    expect(matches.map(({ path }) => path)).toEqual(['b.md']);
    await expect(project.lines('a.md')).rejects.toMatchObject({ code: 'not_found' });
  });

  it('ends with what was found after five seconds', async () => {
    const clock = new FakeClock();
    const project = tools(temporaryFolder(many(3)), clock);
    await project.paths();
    const search = (ms: number) => {
      let count = 0;
      const accepts = () => {
        count += 1;
        if (count === 2) clock.advance(ms);
        return true;
      };
      return project.linesHolding({ ...everywhere, texts: ['alpha'], accepts }, signal);
    };
    const [inTime, late] = [await search(5_000), await search(5_001)];
    expect([inTime.matches.length, inTime.hasMore, late.matches.length, late.hasMore]).toEqual([3, false, 1, true]);
  });

  it.each([
    ['thirty-two files', many(65), 2],
    ['half a megabyte', Object.fromEntries([1, 2, 3].map((one) => [`${one}.md`, 'x'.repeat(300 * 1024)])), 1],
  ])('lets other work run after %s', async (_what, files, pauses) => {
    const project = tools(temporaryFolder(files));
    await project.paths();
    let turns = 0;
    let isOver = false;
    const count = () => {
      if (isOver) return;
      turns += 1;
      setImmediate(count);
    };
    const search = project.linesHolding({ ...everywhere, texts: ['none'] }, signal);
    setImmediate(count);
    await search;
    isOver = true;
    expect(turns).toBe(pauses);
  });

  it('stops in the midst when its signal is aborted', async () => {
    const project = tools(temporaryFolder(many(40)));
    const controller = new AbortController();
    let seen = 0;
    const accepts = () => {
      seen += 1;
      if (seen === 3) controller.abort(new RangeError('enough'));
      return true;
    };
    await expect(project.linesHolding({ ...everywhere, texts: ['alpha'], accepts }, controller.signal)).rejects.toThrow(
      'enough',
    );
    expect(seen).toBe(3);
  });
});

describe('an edit', () => {
  it('is seen at once, and one that fails does not stop the next', async () => {
    const root = temporaryRepository({ 'a.md': 'a\n' });
    const project = tools(root);
    await project.paths();
    putFiles(root, { 'new.md': 'old\n' });
    const failed = project.replace('missing.md', 'x', 'y');
    const edited = project.replace('new.md', 'old', 'new');
    await expect(failed).rejects.toMatchObject({ code: 'not_found' });
    expect(await edited).toEqual({ line: 1 });
    expect(await project.lines('new.md')).toEqual(['new']);
  });

  it('replaces the only occurrence, and keeps the mode and the rest', async () => {
    const root = temporaryRepository(FILES);
    chmodSync(join(root, 'src/a.ts'), 0o755);
    expect(await tools(root).replace('src/a.ts', 'Beta = 2', 'Beta = 3')).toEqual({ line: 2 });
    expect(readFileSync(join(root, 'src/a.ts'), 'utf8')).toBe('export const alpha = 1;\nexport const Beta = 3;\n');
    expect(statSync(join(root, 'src/a.ts')).mode & 0o777).toBe(0o755);
  });

  it('keeps CRLF line ends and a byte order mark', async () => {
    const root = temporaryRepository({ 'a.txt': '\ufeffone\r\ntwo\r\nthree\r\n' });
    await tools(root).replace('a.txt', 'one\ntwo', '1\n2');
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('\ufeff1\r\n2\r\nthree\r\n');
  });

  it('creates a new file with its folders, which is then listed', async () => {
    const root = temporaryRepository(FILES);
    const project = tools(root);
    await project.paths();
    await project.replace('src/new/deep/b.ts', '', 'new\n');
    expect(await project.lines('src/new/deep/b.ts')).toEqual(['new']);
  });

  it('runs after the previous one, so that none of many concurrent edits is lost', async () => {
    const root = temporaryRepository({ 'a.md': Array.from({ length: 20 }, (_, index) => `<${index}>`).join('\n') });
    const project = tools(root);
    await Promise.all(Array.from({ length: 20 }, (_, index) => project.replace('a.md', `<${index}>`, `done ${index}`)));
    expect(readFileSync(join(root, 'a.md'), 'utf8')).toBe(
      Array.from({ length: 20 }, (_, index) => `done ${index}`).join('\n'),
    );
  });

  it.each([
    ['stands twice', 'src/a.ts', 'export', 'bad_request'],
    ['does not stand there', 'src/a.ts', 'gamma', 'bad_request'],
    ['is in no file of the project', 'src/b.ts', 'x', 'not_found'],
    ['is in a file of secrets', 'key.pem', 'no', 'not_found'],
    ['is in a file that is not UTF-8', 'latin.txt', 'x', 'bad_request'],
    ['is where something stands already', 'src/a.ts', '', 'bad_request'],
    ['would make a file of secrets', 'new.pem', '', 'forbidden'],
    ['would make a hook', '.git/hooks/pre-commit', '', 'forbidden'],
    ['would make a hook by another spelling', '.Git/hooks/pre-commit', '', 'forbidden'],
    ['would change the roster', '.mesh/team/a.md', '', 'forbidden'],
    ['would change it by another spelling', '.me\u017fh/team/a.md', '', 'forbidden'],
    ['leaves the project', '../a.md', '', 'forbidden'],
    ['is absolute', '/tmp/a.md', '', 'forbidden'],
    ['goes through a link', 'out/a.md', '', 'forbidden'],
    ['goes through a file', 'src/a.ts/b.md', '', 'forbidden'],
    ['has a name with a trailing dot', 'src/a.ts.', '', 'forbidden'],
    ['has a name with an invisible character', '.g\u200cit/hooks/x', '', 'forbidden'],
  ])('is rejected when its text or path %s', async (_why, path, old, code) => {
    const outside = temporaryFolder();
    const root = temporaryRepository(FILES);
    writeFileSync(join(root, 'latin.txt'), Buffer.from('x \xe9\n', 'latin1'));
    symlinkSync(outside, join(root, 'out'));
    await expect(tools(root).replace(path, old, 'new')).rejects.toMatchObject({ code });
  });

  it('is allowed in the roadmap', async () => {
    const root = temporaryRepository({ '.mesh/roadmap.md': '- [ ] a: first\n' });
    await tools(root).replace('.mesh/roadmap.md', '[ ] a', '[x] a');
    expect(readFileSync(join(root, '.mesh/roadmap.md'), 'utf8')).toBe('- [x] a: first\n');
  });

  it('is rejected when it would grow the file beyond 1 MiB', async () => {
    const root = temporaryRepository(FILES);
    mkdirSync(join(root, 'big'));
    await expect(tools(root).replace('big/a.md', '', 'x'.repeat(1024 * 1024 + 1))).rejects.toMatchObject({
      code: 'too_large',
    });
  });
});
