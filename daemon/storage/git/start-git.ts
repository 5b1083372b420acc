import { type ExecFileOptionsWithStringEncoding, execFile, execFileSync } from 'node:child_process';

/** How a git command ended. `code` is null when it was killed, wrote too much or could not start. */
export interface GitResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

/**
 * Starts git with `args` and `input` on its standard input, and returns how it ended. Rejects only when an argument
 * contains a null byte. Unit tests start git from a small process instead (`scripts/vitest.config.ts`).
 */
export function startGit(
  args: readonly string[],
  options: ExecFileOptionsWithStringEncoding,
  input = '',
): Promise<GitResult> {
  return new Promise((resolve) => {
    const child = execFile('git', args, options, (error, stdout, stderr) => {
      const code = error ? (typeof error.code === 'number' ? error.code : null) : 0;
      resolve({ code, stdout, stderr });
    });
    // A command that ends early closes its input: how it ended says why.
    child.stdin?.on('error', () => undefined).end(input);
  });
}

/**
 * Starts git with `args`, blocks until it has ended and returns its output. Returns undefined when it failed, was
 * killed, wrote too much or could not start. Replaced in unit tests like `startGit`.
 */
export function awaitGit(args: readonly string[], options: ExecFileOptionsWithStringEncoding): string | undefined {
  try {
    return execFileSync('git', args, { ...options, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  } catch {
    return undefined;
  }
}
