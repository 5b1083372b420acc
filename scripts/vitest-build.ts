import { execFileSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openTestFolder } from './test-folder.js';

/**
 * Some tests run the built daemon and command line: builds them once, before any test, unless they are up to date. Daemons of tests leave word of
 * themselves in a folder of this run, never in the home of whoever runs them.
 */
export default function setup(): () => void {
  execFileSync(process.execPath, [fileURLToPath(new URL('./build.mjs', import.meta.url)), '--only', 'daemon'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const closeTestFolder = openTestFolder();
  process.env['XDG_STATE_HOME'] = mkdtempSync(join(tmpdir(), 'meshd-test-state-'));
  return closeTestFolder;
}
