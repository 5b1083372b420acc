import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** The shells that the command line completes for and that not every system has. */
const SHELLS = ['zsh', 'fish'];

const missing = () => SHELLS.filter((shell) => spawnSync(shell, ['-c', 'exit 0'], { stdio: 'ignore' }).status !== 0);

/**
 * Sees to it that the completion tests find their shells where they can be installed: on Debian as root. Elsewhere the tests of a shell that is not
 * there are left out, which is said here. Ends the program when the installation fails.
 */
export function ensureShells() {
  const wanted = missing();
  if (wanted.length === 0) return;
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) {
    console.log(`Completion is not tried in ${wanted.join(' and ')}: not installed here.`);
    return;
  }
  console.log(`Installing ${wanted.join(' and ')} for the completion tests …`);
  const apt = (...args) => spawnSync('apt-get', args, { stdio: ['ignore', 'ignore', 'inherit'] }).status === 0;
  const isInstalled = apt('update', '-q') && apt('install', '-y', '-q', '--no-install-recommends', ...wanted);
  if (isInstalled && missing().length === 0) return;
  console.error(`${missing().join(' and ')} could not be installed: the completion tests need them here.`);
  process.exit(1);
}
