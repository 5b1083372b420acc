import { execFileSync } from 'node:child_process';
import { chmodSync, closeSync, constants, existsSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

/**
 * A wrapper for `git` on the PATH. While it is held, it delays the listing of the tree with which the daemon's indexing
 * starts. A daemon that starts meanwhile accepts asks and keeps them at work until git is released, or until it gives
 * up on git after 10 s.
 */
export class HeldGit {
  private readonly folder = mkdtempSync(join(tmpdir(), 'meshd-e2e-git-'));
  private readonly pipe = join(this.folder, 'held');

  constructor() {
    const git = join(this.folder, 'git');
    writeFileSync(
      git,
      `#!/bin/sh\ncase "$*" in *--exclude-standard*) [ -p '${this.pipe}' ] && cat '${this.pipe}' ;; ` +
        `esac\nPATH=\${PATH#*${delimiter}} exec git "$@"\n`,
    );
    chmodSync(git, 0o755);
  }

  /** PATH for the daemon. */
  get path(): string {
    return `${this.folder}${delimiter}${process.env['PATH']}`;
  }

  hold(): void {
    execFileSync('mkfifo', [this.pipe], { stdio: 'ignore' });
  }

  /** Lets all waiting calls continue. */
  release(): void {
    if (!existsSync(this.pipe)) return;
    // Opened for reading and writing, so that it does not wait for a reader. Closing it is the end of file for the
    // readers.
    const end = openSync(this.pipe, constants.O_RDWR);
    rmSync(this.pipe);
    closeSync(end);
  }

  close(): void {
    this.release();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
