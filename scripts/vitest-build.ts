import { execFileSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openTestFolder } from './test-folder.js';

/**
 * Builds the daemon and the command line once before all tests, unless they are up to date, because some tests run
 * them. Test daemons write their user state to a folder of this run, never to the user's home.
 */
export default function setup(): () => void {
  execFileSync(process.execPath, [fileURLToPath(new URL('./build.mjs', import.meta.url)), '--only', 'daemon'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const closeTestFolder = openTestFolder();
  process.env['XDG_STATE_HOME'] = mkdtempSync(join(tmpdir(), 'meshd-test-state-'));
  return closeTestFolder;
}
