import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Some tests run the built daemon and command line: builds them once, before any test, unless they are up to date. Daemons of tests leave word of
 * themselves in a folder of this run, never in the home of whoever runs them.
 */
export default function setup(): () => void {
  const state = mkdtempSync(join(tmpdir(), 'meshd-test-state-'));
  process.env['XDG_STATE_HOME'] = state;
  execFileSync(process.execPath, [fileURLToPath(new URL('./build.mjs', import.meta.url)), '--only', 'daemon'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return () => rmSync(state, { recursive: true, force: true });
}
