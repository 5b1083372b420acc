import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { awaitGit as awaitGitBeside, startGit as startGitBeside } from '../../testing/processes/start-git-beside.js';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import { awaitGit, startGit } from './start-git.js';

const options = (folder: string, more: object = {}) =>
  ({ cwd: folder, env: { PATH: process.env['PATH'] }, encoding: 'utf8', ...more }) as const;

// Both ways, because the other unit tests start git in the second one.
describe.each([
  ['startGit', startGit],
  ['its replacement in unit tests', startGitBeside],
])('%s', (_, start) => {
  it('returns the exit code and both outputs', async () => {
    const folder = temporaryFolder();
    expect(await start(['hash-object', '--stdin'], options(folder), 'é\ud83d\ude00\n')).toEqual({
      code: 0,
      stdout: 'f62aa8c3de31d2bf893dacf9688a76303947ccc7\n',
      stderr: '',
    });
    const failed = await start(['rev-parse', 'HEAD'], options(folder));
    expect(failed).toEqual({ code: 128, stdout: expect.any(String), stderr: expect.stringContaining('fatal:') });
  });

  it('has no code for a git that wrote too much, took too long, or could not be started', async () => {
    const folder = temporaryFolder();
    expect(await start(['--version'], options(folder, { maxBuffer: 4 }))).toMatchObject({ code: null, stdout: 'git ' });
    const slow = ['-c', 'alias.slow=!exec sleep 2', 'slow'];
    expect(await start(slow, options(folder, { timeout: 20 }))).toMatchObject({ code: null });
    expect(await start(['--version'], options(`${folder}/gone`))).toMatchObject({ code: null });
  });

  it('passes only the environment that it is given', async () => {
    const folder = temporaryFolder();
    const { stdout } = await start(
      ['-c', 'alias.variables=!env', 'variables'],
      options(folder, { env: { ...options(folder).env, HELD: 'yes' } }),
    );
    expect(stdout).toContain('HELD=yes');
    expect(stdout).not.toContain('XDG_STATE_HOME');
  });

  it('rejects an argument with a null byte, and goes on', async () => {
    const folder = temporaryFolder();
    await expect(start(['log', 'a\0b'], options(folder))).rejects.toThrow('null bytes');
    expect(await start(['--version'], options(folder))).toMatchObject({ code: 0 });
  });
});

describe.each([
  ['awaitGit', awaitGit],
  ['its replacement in unit tests', awaitGitBeside],
])('%s', (_, run) => {
  it('returns the output, of any length and in any script', () => {
    const text = 'é\ud83d\ude00\u2028\n'.repeat(20_000);
    const folder = temporaryFolder({ text });
    const shown = run(['-c', `alias.shown=!cat ${join(folder, 'text')}`, 'shown'], options(folder));
    expect(shown).toBe(text);
  });

  it('returns nothing for a git that failed, wrote too much, took too long, or could not be started', () => {
    const folder = temporaryFolder();
    expect(run(['rev-parse', 'HEAD'], options(folder))).toBeUndefined();
    expect(run(['--version'], options(folder, { maxBuffer: 4 }))).toBeUndefined();
    const slow = ['-c', 'alias.slow=!exec sleep 2', 'slow'];
    expect(run(slow, options(folder, { timeout: 20 }))).toBeUndefined();
    expect(run(['--version'], options(`${folder}/gone`))).toBeUndefined();
    expect(run(['log', 'a\0b'], options(folder))).toBeUndefined();
    expect(run(['--version'], options(folder))).toContain('git version');
  });
});

it.each([
  ['startGit', startGit],
  ['its replacement in unit tests', startGitBeside],
])('%s gives git nothing to read by default, and bears that git does not read', async (_, start) => {
  const folder = temporaryFolder();
  const empty = 'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391\n';
  expect(await start(['hash-object', '--stdin'], options(folder))).toMatchObject({ code: 0, stdout: empty });
  const unread = 'x'.repeat(1_000_000);
  expect(await start(['--version'], options(folder), unread)).toMatchObject({ code: 0 });
});
