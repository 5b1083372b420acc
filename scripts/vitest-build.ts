import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Some tests run the built daemon and command line: builds them once, before any test, unless they are up to date. */
export default function setup(): void {
  execFileSync(process.execPath, [fileURLToPath(new URL('./build.mjs', import.meta.url)), '--only', 'daemon'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}
