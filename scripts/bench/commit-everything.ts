import { execFileSync } from 'node:child_process';

/** Makes the folder `root` a repository in which one commit holds all its files, ignored ones too. */
export function commitEverything(root: string, subject: string): void {
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=bench', '-c', 'user.email=bench@example.invalid', ...args], {
      cwd: root,
      stdio: 'ignore',
    });
  git('init', '-q');
  // It would run beside the measured daemon, and write into a folder that is being removed.
  git('config', 'gc.auto', '0');
  git('add', '-A', '-f');
  git('commit', '-q', '-m', subject);
}
