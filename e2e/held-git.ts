import { execFileSync } from 'node:child_process';
import { chmodSync, closeSync, constants, existsSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

/**
 * A `git` in front of the real one that waits, while it is held, with the listing of the tree that the daemon's index begins with: a
 * daemon that starts meanwhile takes asks and has them at work until git is released (or it gives up on git, after 10 s).
 */
export class HeldGit {
  private readonly folder = mkdtempSync(join(tmpdir(), 'meshd-e2e-git-'));
  private readonly pipe = join(this.folder, 'held');

  constructor() {
    const git = join(this.folder, 'git');
    writeFileSync(
      git,
      `#!/bin/sh\ncase "$*" in *--exclude-standard*) [ -p '${this.pipe}' ] && cat '${this.pipe}' ;; esac\nPATH=\${PATH#*${delimiter}} exec git "$@"\n`,
    );
    chmodSync(git, 0o755);
  }

  /** What the daemon is to look programs up in. */
  get path(): string {
    return `${this.folder}${delimiter}${process.env['PATH']}`;
  }

  hold(): void {
    execFileSync('mkfifo', [this.pipe], { stdio: 'ignore' });
  }

  /** Lets all that wait go on. */
  release(): void {
    if (!existsSync(this.pipe)) return;
    // Open for both, so that it does not wait for a reader; closing it is the readers' end of file.
    const end = openSync(this.pipe, constants.O_RDWR);
    rmSync(this.pipe);
    closeSync(end);
  }

  close(): void {
    this.release();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
