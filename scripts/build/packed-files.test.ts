import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { readPacked } from '../release/checks.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const run = promisify(execFile);

it('no file of the package contains the test clock', async () => {
  const { stdout } = await run('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: ROOT,
    maxBuffer: 2 ** 24,
  });
  const { files } = readPacked<{ files: { path: string }[] }>(stdout);
  const paths = files.map(({ path }) => path);
  expect(paths).toContain('dist/daemon.cjs');
  const knowing = paths.filter((path) => readFileSync(join(ROOT, path), 'utf8').includes('test-clock'));
  expect(knowing).toEqual([]);
  // The daemon for tests contains the word, which shows that the search is effective.
  expect(readFileSync(join(ROOT, 'dist/test-daemon.cjs'), 'utf8')).toContain('test-clock');
});
