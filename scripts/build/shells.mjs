import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** Shells with completion support that not every system has. */
const SHELLS = ['zsh', 'fish'];

const missing = () => SHELLS.filter((shell) => spawnSync(shell, ['-c', 'exit 0'], { stdio: 'ignore' }).status !== 0);

/**
 * Installs missing shells for the completion tests where possible: on Debian as root. Tests of a missing shell are
 * skipped, which is reported here.
 */
export function ensureShells() {
  const wanted = missing();
  if (wanted.length > 0 && process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    console.log(`Installing ${wanted.join(' and ')} for the completion tests …`);
    const apt = (...args) => spawnSync('apt-get', args, { stdio: ['ignore', 'ignore', 'inherit'] }).status === 0;
    if (apt('update', '-q')) apt('install', '-y', '-q', '--no-install-recommends', ...wanted);
  }
  const left = missing();
  if (left.length > 0) console.log(`Completion is not tried in ${left.join(' and ')}: not installed here.`);
}
